// Runs a script with the page's own Python: node compile.mjs PYODIDE SITE OUT SCRIPT. It sees SITE as /site and as its
// packages, and writes into /out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodide, site, out, script] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const py = await loadPyodide({ indexURL: `${pyodide}/` });
for (const [place, folder] of [["/site", site], ["/out", out]]) {
  py.FS.mkdirTree(place);
  py.FS.mount(py.FS.filesystems.NODEFS, { root: folder }, place);
}
try {
  await py.runPythonAsync(`${readFileSync(script, "utf-8")}\nawait main()`);
} catch (error) {
  console.error(String(error.message ?? error).slice(-4000));
  process.exit(1);
}
process.exit(0); // the application would go on
