// A page of a folder stands in the frame of the page that keeps its Python. It does what only the page of a tab can do.
if (parent !== window) {
  const show = () => { parent.document.title = document.title; };
  const title = document.querySelector("title");
  if (title) new MutationObserver(show).observe(title, { childList: true });
  show();
  window.focus(); // keys are for this page from the start
}
