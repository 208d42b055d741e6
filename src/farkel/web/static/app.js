// Makes the site an app where browsers allow it: on https and on localhost.
if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register(`${document.documentElement.dataset.root}sw.js`).catch(() => { /* then it needs the network */ });
