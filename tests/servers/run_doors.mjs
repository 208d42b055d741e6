// Run doors of modules as a browser would: node run_doors.mjs FOLDER CALLS.json
// Each call has the memory before it and after it, as Python left them.
import { readFileSync } from "node:fs";

const [folder, listed] = process.argv.slice(2);
const PAGE = 1 << 16;
const number = (value, mutable = false) => new WebAssembly.Global({ value: "i32", mutable }, value);
for (const { name, door, block, base, stack, before, after } of JSON.parse(readFileSync(listed, "utf8"))) {
  const found = readFileSync(before);
  const memory = new WebAssembly.Memory({ initial: found.length / PAGE });
  const env = {
    memory,
    __memory_base: number(base),
    __stack_pointer: number(stack, true),
    __table_base: number(0),
    farkel_more: (size) => memory.grow(Math.ceil((size >>> 0) / PAGE)) * PAGE,
  };
  const { instance } = await WebAssembly.instantiate(readFileSync(`${folder}/${name}.wasm`), { env });
  new Uint8Array(memory.buffer).set(found);
  const failed = instance.exports[door](block);
  const same = Buffer.compare(Buffer.from(memory.buffer), readFileSync(after)) === 0;
  console.log(`${name} ${door} ${failed ? "failed" : same ? "same" : "differs"}`);
}
