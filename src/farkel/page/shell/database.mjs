// What the page keeps in this browser: games, their events, and small things by name, in IndexedDB.
//
// Text in and out is JSON, which crosses to Python at the least cost; bytes are a Uint8Array. `undefined` stands for
// nothing, as it is None in Python. Every failure is a `Failure`, whose `name` says what happened:
//   disk_full    the browser gives no more room; nothing of the write was stored
//   cleared      the game is no longer there: the browser, or another tab, has deleted it
//   replaced     a newer version has asked for the database; this one has let go of it until the page is loaded again
//   newer        a newer version has changed the database, and this one does not know how
//   blocked      an older version in another tab does not let go
//   no_database  anything else: no storage, a private window, a disk that fails

/** The steps from nothing to the database of today. Each was the newest once, so they are only ever added to. */
export const UPGRADES = [
  (base) => {
    base.createObjectStore("games", { keyPath: "game" });
    const events = base.createObjectStore("events", { keyPath: ["game", "number"] });
    events.createIndex("request", ["game", "request"], { unique: true }); // events without a request are not in it
    base.createObjectStore("things");
  },
];
const UNREADABLE = ["DataError", "DataCloneError", "NotReadableError"]; // a value is damaged, and the others are not
const NAMES = { QuotaExceededError: "disk_full", VersionError: "newer" };

export class Failure extends Error {
  constructor(name, cause) {
    super(cause?.message || name, { cause });
    this.name = name;
  }
}

const failure = (error) => (error instanceof Failure ? error : new Failure(NAMES[error?.name] ?? "no_database", error));
const answer = (asked) => new Promise((done, failed) => {
  asked.onsuccess = () => done(asked.result);
  asked.onerror = () => failed(asked.error);
});
/** The keys of a game's events after that number. */
const eventsAfter = (game, number) => IDBKeyRange.bound([game, number], [game, []], true);

export class Database {
  #name; #upgrades; #onReplaced;
  #connection; // a promise, while there is one
  #replaced = false;

  /** `replaced` is called once a newer version takes the database over. */
  constructor({ name = "farkel", upgrades = UPGRADES, replaced = () => {} } = {}) {
    this.#name = name;
    this.#upgrades = upgrades;
    this.#onReplaced = replaced;
  }

  /** The heads of all games, as a list. One that cannot be read is {game, unreadable: true}. */
  async heads() {
    const heads = await this.#all("games");
    return JSON.stringify(heads.map(([game, head]) => head ?? { game, unreadable: true }));
  }

  /**
   * The events of a game after that number: {there, rows}. `there`: whether the game has a head. Each row is a list,
   * or null if it cannot be read.
   */
  async events(game, number) {
    const there = (await this.#in(["games"], "readonly", (games) => answer(games.getKey(game)))) !== undefined;
    const found = await this.#all("events", eventsAfter(game, number));
    const rows = found.map(([, one]) => one && [one.number, one.at, one.kind, one.body, one.request ?? null]);
    return JSON.stringify({ there, rows }); // undefined becomes null in a list
  }

  /** How many events there are of each game, of those without a head too. */
  async counts() {
    const keys = await this.#in(["events"], "readonly", (events) => answer(events.getAllKeys()));
    const counts = {};
    for (const [game] of keys) counts[game] = (counts[game] ?? 0) + 1;
    return JSON.stringify(counts);
  }

  /**
   * Write all of it or nothing: `drop` games, `add` and `put` heads, and add `events`, in this order. It is on the disk
   * when this returns. Whether it was written: not if a head to add, an event's number or its request was there
   * already, nor if the head to put has not the `number` before these events.
   */
  async write(text) {
    const { drop = [], add = [], put = [], events = [] } = JSON.parse(text);
    let found; // why it was given up, if it was
    try {
      await this.#in(["games", "events"], "readwrite", (games, lines) => {
        const giveUp = (why) => { found = why; games.transaction.abort(); };
        for (const game of drop) {
          games.delete(game);
          lines.delete(eventsAfter(game, -Infinity));
        }
        for (const head of add) games.add(head);
        for (const head of put) {
          const added = events.filter(([game]) => game === head.game).length;
          games.get(head.game).onsuccess = ({ target: { result: before } }) => {
            if (!before) giveUp("cleared");
            else if (before.number !== head.number - added) giveUp("taken");
            else games.put(head);
          };
        }
        for (const [game, number, at, kind, body, request] of events) {
          lines.add({ game, number, at, kind, body, ...(request === null ? {} : { request }) });
        }
      });
    } catch (error) {
      if (found === "taken" || error.cause?.name === "ConstraintError") return false;
      throw found ? new Failure(found) : error;
    }
    return true;
  }

  /** The names of the small things, as a list. */
  async names() {
    return JSON.stringify(await this.#in(["things"], "readonly", (things) => answer(things.getAllKeys())));
  }

  /** The bytes kept by that name; nothing if there are none. */
  async thing(name) {
    return this.#in(["things"], "readonly", (things) => answer(things.get(name)));
  }

  /** Keep bytes by a name, in place of those before. On the disk when this returns. */
  async keep(name, bytes) {
    const kept = bytes.toJs?.() ?? bytes; // Python's bytes
    await this.#in(["things"], "readwrite", (things) => { things.put(kept, name); });
  }

  /** Delete what is kept by a name. */
  async forget(name) {
    await this.#in(["things"], "readwrite", (things) => { things.delete(name); });
  }

  /** Let go of the database. It is opened again when something is asked. */
  async close() {
    const closing = this.#connection;
    this.#connection = undefined;
    await closing?.then((base) => base.close(), () => {});
  }

  /** Everything in a store, or in a range of it, with its keys; undefined for what the browser cannot read. */
  async #all(store, range) {
    const keys = await this.#in([store], "readonly", (from) => answer(from.getAllKeys(range)));
    try {
      const all = await this.#in([store], "readonly", (from) => answer(from.getAll(range)));
      if (all.length === keys.length) return keys.map((key, place) => [key, all[place]]);
    } catch (error) {
      if (!UNREADABLE.includes(error.cause?.name)) throw error;
    }
    const one = (key) => this.#in([store], "readonly", (from) => answer(from.get(key))).catch((error) => {
      if (!UNREADABLE.includes(error.cause?.name)) throw error;
    });
    const found = [];
    for (const key of keys) found.push([key, await one(key)]);
    return found;
  }

  /** Do some work in one transaction; returns what the work returns once it is committed. */
  async #in(stores, mode, work, again = true) {
    const connection = this.#connected();
    let transaction;
    try {
      transaction = (await connection).transaction(stores, mode, { durability: "strict" });
    } catch (error) {
      if (error.name !== "InvalidStateError" || !again) throw failure(error);
      if (this.#connection === connection) this.#connection = undefined; // it was closed under our feet
      return this.#in(stores, mode, work, false);
    }
    const committed = new Promise((done, failed) => {
      transaction.oncomplete = done;
      transaction.onabort = () => failed(failure(transaction.error));
    });
    let result;
    try {
      result = work(...stores.map((name) => transaction.objectStore(name)));
    } catch (error) { // a value that cannot be stored: nothing of the rest is
      transaction.abort();
      result = Promise.reject(error);
    }
    return Promise.all([result, committed]).then(([found]) => found, (error) => { throw failure(error); });
  }

  #connected() {
    if (this.#replaced) return Promise.reject(new Failure("replaced"));
    this.#connection ??= this.#opened();
    return this.#connection;
  }

  async #opened() {
    try {
      const base = await opened(this.#name, this.#upgrades);
      base.onclose = () => { this.#connection = undefined; }; // the browser has cleared it, or its disk fails
      base.onversionchange = ({ newVersion }) => {
        base.close();
        this.#connection = undefined;
        if (newVersion === null) return; // it is deleted
        this.#replaced = true;
        this.#onReplaced();
      };
      return base;
    } catch (error) {
      this.#connection = undefined;
      throw failure(error);
    }
  }
}

/** Open a database, and bring it up to date. */
function opened(name, upgrades) {
  return new Promise((done, failed) => {
    const asked = indexedDB.open(name, upgrades.length);
    let late = false;
    asked.onupgradeneeded = ({ oldVersion }) => {
      for (const upgrade of upgrades.slice(oldVersion)) upgrade(asked.result, asked.transaction);
    };
    asked.onblocked = () => { late = true; failed(new Failure("blocked")); };
    asked.onerror = () => failed(asked.error);
    asked.onsuccess = () => { if (late) asked.result.close(); else done(asked.result); };
  });
}
