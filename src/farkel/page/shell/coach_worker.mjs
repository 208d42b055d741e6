// The coach's own worker: it is started when something has to be calculated, and ended to stop that.

const early = []; // heard before anything is loaded, as what nobody hears is lost
self.onmessage = (event) => early.push(event);
const { python, reason, rest, values } = await import("./python.mjs");
try {
  const py = await python();
  await rest(py);
  const { serve } = await import("./coach.mjs");
  await serve(py, self, early, values);
} catch (error) {
  self.postMessage({ failed: await reason(error) });
}
