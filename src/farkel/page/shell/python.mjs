// Loads Python with Farkel's modules, for the worker of the pages and for that of the coach. What comes from the folder
// is unpacked here and kept by the browser, so that no host has to compress, and nothing is fetched twice. The build says
// in ABOUT which files are needed: their names change with their contents, so that two versions are never mixed.

import { bare, linked, packed, unpacked as read } from "./snapshot.mjs";

export const root = new URL("./", import.meta.url).pathname;

/** A reason not to start, in words for players. */
export class Trouble extends Error {}
const UNREACHED = "Farkel couldn’t be downloaded: its site doesn’t answer. Check the network, and try again.";
const REFUSED = "This browser doesn’t let this page run WebAssembly, which Farkel needs. Allow it for this site, or open Farkel in another browser.";
const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0); // the smallest module
const LIBRARY = "library.zip";

const kept = await caches.open(`farkel ${root} py`).catch(() => undefined); // without it, all is fetched each time
const keeping = [];
const valuesAt = (place) => new URL(`values/${place}`, import.meta.url).href;
const address = ([place]) => new URL(`py/${place}`, import.meta.url).href;

/** A file of the folder, unpacked. `told` is told how many bytes have come, and whether they were fetched. */
async function file(name, type, told = () => {}) {
  const [place, size] = ABOUT.files[name];
  const at = address(ABOUT.files[name]);
  const found = await kept?.match(at);
  if (found) {
    told(size, false);
    return found;
  }
  const got = await fetch(at).catch(() => { throw new Trouble(UNREACHED); });
  if (!got.ok) throw new Trouble(`Farkel couldn’t be downloaded: py/${place} isn’t in its folder (${got.status}). Try again to look for a newer version.`);
  const counted = new TransformStream({ transform(piece, to) { told(piece.length, true); to.enqueue(piece); } });
  let plain = got.body.pipeThrough(counted);
  if (got.headers.get("content-encoding") !== "gzip") plain = plain.pipeThrough(new DecompressionStream("gzip")); // else the host's header has had it unpacked
  const [one, two] = plain.tee();
  const headers = { "content-type": type };
  keeping.push(kept?.put(at, new Response(two, { headers })).catch(() => {})); // full storage: it is fetched again
  return new Response(one, { headers });
}

const bytesOf = async (answer) => new Uint8Array(await answer.arrayBuffer());

async function unpacked(name, told) {
  const bytes = await bytesOf(await file(name, "application/octet-stream", told));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return index.map(([path, at, size]) => [path, bytes.subarray(4 + length + at, 4 + length + at + size)]);
}

function write(FS, files) {
  const made = new Set();
  for (const [path, bytes] of files) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) {
      FS.mkdirTree(folder);
      made.add(folder);
    }
    FS.writeFile(path, bytes);
  }
}

/**
 * Python with what a first visit needs. `told` is called with the share that is there, and whether it was fetched.
 * `stored`: a snapshot to begin with, from `snapshot`. `noting`: whether one shall be made, with `keepSnapshot`.
 */
export async function python({ told = () => {}, stored, noting = false } = {}) {
  await WebAssembly.compile(EMPTY).catch(() => { throw new Trouble(REFUSED); });
  const first = Object.entries(ABOUT.files).filter(([name]) => name !== "rest");
  const all = first.reduce((sum, [, [, size]]) => sum + size, 0);
  let had = 0;
  const came = (bytes, fetched) => told(Math.min(1, (had += bytes) / all), fetched);
  const wasm = file("wasm", "application/wasm", came);
  const core = file("core", "application/wasm", came).then(bytesOf);
  const pack = unpacked("pack", came);
  const memory = stored && bytesOf(stored).then(read);
  const compiled = memory && core.then((bytes) => WebAssembly.compile(bytes));
  const library = pack.then((files) => new Response(files.find(([path]) => path === LIBRARY)[1]));
  const files = Promise.all([wasm, core, pack, memory, compiled]);
  for (const one of [files, library]) one.catch(() => {}); // whoever waits for it is told
  const never = () => new Promise(() => {}); // Pyodide does not hear of a file that fails
  const real = self.fetch;
  self.fetch = (at, options) => { // what Pyodide fetches itself
    const name = String(at?.url ?? at);
    if (name.endsWith("/pyodide.asm.wasm")) return wasm.catch(never);
    if (name.endsWith("/python_stdlib.zip")) return library.catch(never);
    return real(at, options);
  };
  const place = `./py/${ABOUT.pyodide}/`;
  const scripts = Promise.all(["pyodide.mjs", "pyodide.asm.mjs"].map((name) => import(place + name)));
  const [{ loadPyodide }, { default: create }] = await scripts.catch(() => { throw new Trouble(UNREACHED); });
  async function createPyodideModule(settings) {
    const made = await create(settings);
    before = bare(made);
    if (memory) {
      const { notes, whole, image } = await memory;
      await whole;
      linked(made, notes, await compiled);
      const { restoreSnapshot } = made.API;
      made.API.restoreSnapshot = () => {
        made.API.restoreSnapshot = restoreSnapshot;
        return restoreSnapshot(image);
      };
    }
    return made;
  }
  const options = { indexURL: place, lockFileContents: ABOUT.lock, packageBaseUrl: place, createPyodideModule };
  // Pyodide is given an empty snapshot, so that it loads while the real one is read.
  const loading = loadPyodide({ ...options, _makeSnapshot: noting, _loadSnapshot: memory && new Uint8Array() });
  const py = await Promise.race([loading, files.then(() => loading)])
    .finally(() => { self.fetch = real; });
  const [, bytes, parts] = await files;
  write(py.FS, parts.filter(([path]) => path !== LIBRARY));
  if (!memory) write(py.FS, [[ABOUT.core, bytes]]);
  delete py._api.config.createPyodideModule; // it would hold all that was read here
  return py;
}

// A snapshot of Python's memory is kept with its files.
let before;
const snapshotAt = new URL(`py/${ABOUT.snapshot}`, import.meta.url).href;

const ROOM = 4; // times the size of a snapshot
const NONE = 204; // the status of what is kept in place of one where none works

/** The snapshot of an earlier visit, as it is kept; null if there shall be none, and undefined if there is none yet. */
export async function snapshot() {
  if (!kept) return null;
  const found = await kept.match(snapshotAt);
  return found?.status === NONE ? null : found;
}

/** Keep a snapshot of Python as it is now for the next visit, if much more room is left than it takes. */
export async function keepSnapshot(py) {
  const bytes = await packed(py, before);
  const { quota, usage } = await navigator.storage.estimate();
  if (quota - usage < ROOM * bytes.length) throw new Error("there is little room left, which is for games");
  await kept.put(snapshotAt, new Response(bytes));
}

/** Do without a snapshot. One that was damaged may be made again; else it would fail as this one has. */
export async function refuseSnapshot(damaged) {
  await kept?.delete(snapshotAt);
  if (!damaged) await kept?.put(snapshotAt, new Response(null, { status: NONE })).catch(() => {});
}

/** Bring the modules that a first visit does not need. */
export async function rest(py) {
  const files = await unpacked("rest");
  write(py.FS, files.map(([path, bytes]) => [path === LIBRARY ? "/lib/python314.zip" : path, bytes]));
  py.runPython("import importlib; importlib.invalidate_caches()");
}

/** The values that come with Farkel for a rule set; undefined if there are none, or if they cannot be had now. */
export function values(name) {
  const place = ABOUT.values[name];
  if (place === undefined) return undefined;
  const asked = new XMLHttpRequest(); // Python waits for them, and nothing else goes on in the coach's worker
  asked.open("GET", valuesAt(place), false);
  asked.responseType = "arraybuffer";
  try {
    asked.send();
  } catch {
    return undefined;
  }
  return asked.status === 200 ? new Uint8Array(asked.response) : undefined;
}

/** Wait until everything that has come is kept, and forget the files of other versions. */
export async function tidy() {
  await Promise.all(keeping);
  const needed = new Set([snapshotAt, ...Object.values(ABOUT.files).map(address), ...Object.values(ABOUT.values).map(valuesAt)]);
  for (const request of (await kept?.keys()) ?? []) if (!needed.has(request.url)) await kept.delete(request);
}

/** Return in words for players why it did not start. */
export async function reason(error) {
  console.warn(error);
  if (error instanceof Trouble) return error.message;
  if (kept) await caches.delete(`farkel ${root} py`); // a file in it may be damaged
  const said = String(error?.message ?? error).trim().split("\n").at(-1);
  return `Farkel couldn’t start here: ${said.replace(/\.$/, "")}. Try again, or open it in another browser.`;
}
