// A snapshot of Python's memory, with everything imported that a visit needs: what the next start begins with. Each
// browser makes its own, as another one may number functions differently.
//
// Pyodide's snapshots hold the memory alone. pydantic_core's library consists of more: it has places in the table of
// functions and in the memory, and addresses that it shares with Python. They are noted with the memory (`packed`), and
// the library is put there again before the memory is restored (`linked`). These are Emscripten's insides, of the one
// version that the folder has; whatever is not as it was is an error, and Python then starts without a snapshot.
//
// In bytes: the digest of the rest, the length of the notes, the notes as JSON, zeros, and Pyodide's snapshot.

const DIGEST = 32;
const ALIGNED = 16; // Pyodide reads its snapshot in whole words

/** Not what was stored. */
export class Damaged extends Error {}

const digest = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const libraries = ({ LDSO }) => Object.entries(LDSO.loadedLibsByHandle).filter(([, { name }]) => name !== "__main__");

/** What has to be known of Python before its libraries are loaded. */
export const bare = ({ wasmTable, GOT }) => ({ functions: wasmTable.length, shared: Object.keys(GOT).length });

/** A snapshot of Python as it is now. `before`: `bare` as it was when Python had started. */
export async function packed(py, before) {
  const Module = py._module;
  const whole = py.makeMemorySnapshot();
  let end = whole.length;
  while (end > 0 && whole[end - 1] === 0) end -= 1; // memory that was never used
  const memory = whole.subarray(0, Math.ceil(end / ALIGNED) * ALIGNED);
  const notes = new TextEncoder().encode(JSON.stringify({ ...noted(Module, before), heap: Module.HEAP8.length }));
  const begins = Math.ceil((DIGEST + 4 + notes.length) / ALIGNED) * ALIGNED;
  const bytes = new Uint8Array(begins + memory.length);
  new DataView(bytes.buffer).setUint32(DIGEST, notes.length, true);
  bytes.set(notes, DIGEST + 4);
  bytes.set(memory, begins);
  bytes.set(await digest(bytes.subarray(DIGEST)));
  return bytes;
}

/** The notes and Pyodide's snapshot; `whole` says later whether all is as it was stored. Throws `Damaged`. */
export function unpacked(bytes) {
  try {
    const whole = digest(bytes.subarray(DIGEST)).then((found) => {
      if (found.some((one, at) => one !== bytes[at])) throw new Damaged("the snapshot is not as it was stored");
    });
    whole.catch(() => {}); // until somebody asks
    const length = new DataView(bytes.buffer).getUint32(DIGEST, true);
    const notes = JSON.parse(new TextDecoder().decode(bytes.subarray(DIGEST + 4, DIGEST + 4 + length)));
    return { notes, whole, image: bytes.subarray(Math.ceil((DIGEST + 4 + length) / ALIGNED) * ALIGNED) };
  } catch (error) {
    throw new Damaged("the snapshot cannot be read", { cause: error });
  }
}

function noted(Module, before) {
  const { wasmTable, LDSO, GOT, HEAPU32 } = Module;
  const [[handle, { name, exports, global }], ...others] = libraries(Module);
  if (others.length) throw new Error(`only one library can be noted, not ${others.map(([, { name }]) => name)}`);
  const [memory, , table, size] = HEAPU32.subarray(Number(handle) / 4 + 3);
  const names = new Map(); // of functions, by which they are found again
  for (const [of, some] of [[0, LDSO.loadedLibsByName.__main__.exports], [1, exports]]) {
    for (const [name, one] of Object.entries(some)) if (typeof one === "function") names.set(one, [of, name]);
  }
  const added = []; // functions that got a place in the table because the library is there
  for (let at = before.functions; at < wasmTable.length; at++) {
    if (at >= table && at < table + size) continue;
    const found = names.get(wasmTable.get(at));
    if (!found) throw new Error(`function ${at} has no name`);
    added.push([at, ...found]);
  }
  const shared = Object.entries(GOT).map(([name, { value }]) => [name, value]);
  return { before, library: { handle: Number(handle), name, global, memory, table }, functions: wasmTable.length, added, shared };
}

/** Put the library where it was. `compiled`: its code. Throws if Python is not as it was before it was loaded. */
export function linked(Module, { before, library, functions, added, shared, heap }, compiled) {
  const { wasmTable, LDSO, GOT } = Module;
  const now = bare(Module);
  for (const what of ["functions", "shared"]) {
    if (now[what] !== before[what]) throw new Error(`${now[what]} ${what} instead of ${before[what]}`);
  }
  if (Module.HEAP8.length < heap && !Module.growMemory(heap)) throw new Error("too little memory");
  wasmTable.grow(functions - before.functions);
  for (const [name, value] of shared) (GOT[name] ??= new WebAssembly.Global({ value: "i32", mutable: true })).value = value;
  const main = LDSO.loadedLibsByName.__main__.exports;
  const own = {};
  const late = {}; // what the library imports and has itself
  const env = new Proxy({}, {
    get(_, name) {
      if (name === "__memory_base") return library.memory;
      if (name === "__table_base") return library.table;
      if (name in main && !main[name].stub) return main[name];
      return (late[name] ??= (...given) => own[name](...given));
    },
  });
  const { exports } = new WebAssembly.Instance(compiled, { env, wasi_snapshot_preview1: env, "GOT.mem": GOT, "GOT.func": GOT });
  for (const [name, one] of Object.entries(exports)) {
    own[name] = one instanceof WebAssembly.Global ? new WebAssembly.Global({ value: "i32" }, one.value + library.memory) : one;
  }
  const loaded = { refcount: Infinity, name: library.name, exports: own, global: library.global };
  LDSO.loadedLibsByName[library.name] = LDSO.loadedLibsByHandle[library.handle] = loaded;
  for (const [at, of, name] of added) wasmTable.set(at, (of ? own : main)[name]);
}
