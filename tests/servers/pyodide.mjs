// Farkel in Pyodide under Node: its sources, and packages from wheels.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Load Python. given: the folder of Pyodide, wheels, and folders by the places where Python finds them. */
export async function load({ pyodide, wheels, folders }) {
  const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
  const py = await loadPyodide({ indexURL: `${pyodide}/` });
  const extractDir = py.runPython("import site; site.getsitepackages()[0]");
  for (const wheel of wheels) py.unpackArchive(new Uint8Array(readFileSync(wheel)), "zip", { extractDir });
  for (const [place, root] of Object.entries(folders)) {
    py.FS.mkdirTree(place);
    py.FS.mount(py.FS.filesystems.NODEFS, { root }, place);
  }
  py.runPython(`import importlib, sys; importlib.invalidate_caches(); sys.path[:0] = ${JSON.stringify(Object.keys(folders))}`);
  return py;
}
