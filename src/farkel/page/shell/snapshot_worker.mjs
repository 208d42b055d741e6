// Makes a snapshot for the next start, in a Python of its own that has seen nothing of this browser's games.
import { Trouble, keepSnapshot, python, refuseSnapshot, root } from "./python.mjs";

let made = false;
try {
  const py = await python({ noting: true });
  await py.pyimport("farkel.page.serving").prepare(root);
  await new Promise((done) => setTimeout(done)); // until Python has let go of the promise
  await keepSnapshot(py);
  made = true;
} catch (error) {
  console.warn("No snapshot:", error);
  if (!(error instanceof Trouble)) await refuseSnapshot();
}
self.postMessage({ made });
self.close();
