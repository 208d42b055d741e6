// A page's Python, and the coach's in a worker of its own, under Node: node run_coach.mjs GIVEN.json SCRIPT.py
// Its function `main` is given one that makes a worker as browsers do. Its answer is printed.
import { readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { load } from "./pyodide.mjs";

/** One end of a worker, as browsers have it. */
function end(port) {
  const found = { postMessage: (message, moved) => port.postMessage(message, moved), terminate: () => port.terminate() };
  port.on("message", (data) => found.onmessage?.({ data }));
  port.on("error", (error) => found.onerror?.({ message: String(error).slice(0, 500) }));
  return found;
}

if (isMainThread) {
  const [given, script] = process.argv.slice(2).map((path) => readFileSync(path, "utf8"));
  const py = await load(JSON.parse(given));
  const make = () => end(new Worker(fileURLToPath(import.meta.url), { workerData: JSON.parse(given) }));
  try {
    py.runPython(script);
    console.log(await py.globals.get("main")(make));
    process.exit(0);
  } catch (error) {
    console.error(String(error.message ?? error).slice(-3000));
    process.exit(1);
  }
} else {
  const port = end(parentPort), early = [];
  port.onmessage = (event) => early.push(event);
  const py = await load(workerData);
  const { serve } = await import(`${workerData.folders["/farkel"]}/farkel/page/shell/coach.mjs`);
  await serve(py, port, early);
}
