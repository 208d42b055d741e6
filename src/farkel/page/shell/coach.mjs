// What runs in the coach's worker once Python is loaded there, with Farkel's modules: `serve(py, self)`.
// farkel/page/calculator.py says which messages pass.

/**
 * Answer the questions that come to a port, one after the other. Solutions are kept in this browser. `values` returns
 * those that come with Farkel for a rule set, as bytes.
 */
export async function serve(py, port, early = [], values = () => undefined) {
  const coach = py.pyimport("farkel.page.coach");
  const keep = await kept(py, coach.begin(values));
  let turn = Promise.resolve();
  const heard = ({ data }) => (turn = turn.then(() => answer(data)).catch((error) => port.postMessage({ failed: String(error) })));

  async function answer({ number, work }) {
    const bytes = py.toPy(work);
    const found = coach.answer(bytes, (done, of) => port.postMessage({ number, done, of }));
    const reply = found.toJs();
    found.destroy();
    bytes.destroy();
    port.postMessage({ number, reply }, [reply.buffer]);
    await keep();
  }

  port.onmessage = heard;
  for (const event of early) heard(event);
}

/** Bring back what was solved before; return what keeps it. Where nothing can be stored, nothing is. */
async function kept(py, folder) {
  if (!globalThis.indexedDB) return async () => {};
  const sync = (back) => new Promise((done) => {
    py.FS.syncfs(back, (error) => {
      if (error) console.warn("Solutions are not kept:", error);
      done();
    });
  });
  py.FS.mount(py.FS.filesystems.IDBFS, {}, folder);
  await sync(true);
  return () => sync(false);
}
