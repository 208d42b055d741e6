// Run doors of modules as a browser would: node run_doors.mjs FOLDER CALLS.json
// Each call has the memory before it and after it, as Python left them.
import { readFileSync } from "node:fs";

const [folder, listed] = process.argv.slice(2);
const PAGE = 1 << 16;
for (const { name, door, block, end, before, after } of JSON.parse(readFileSync(listed, "utf8"))) {
  const found = readFileSync(before);
  const memory = new WebAssembly.Memory({ initial: found.length / PAGE });
  const { instance } = await WebAssembly.instantiate(readFileSync(`${folder}/${name}.wasm`), { env: { memory } });
  new Uint8Array(memory.buffer).set(found);
  instance.exports.farkel_reset(end);
  const failed = instance.exports[door](block);
  const same = Buffer.compare(Buffer.from(memory.buffer), readFileSync(after)) === 0;
  console.log(`${name} ${door} ${failed ? "failed" : same ? "same" : "differs"}`);
}
