// A link of a group leads here: what opens the group stands after the #, which no server and no log sees. It is taken
// out of the address and sent as the form would be.

function enter() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  const [link, form] = [document.getElementById("link"), document.getElementById("enter")];
  if (link instanceof HTMLInputElement) link.value = token;
  if (form instanceof HTMLFormElement) form.submit();
}

addEventListener("hashchange", enter);
enter();
