// Settings of this device, applied before anything is painted.
try {
  const { scheme, hand, motion, keys, entry } = JSON.parse(localStorage.getItem("farkel-settings") ?? "{}");
  Object.assign(document.documentElement.dataset, { scheme: scheme ?? "device", hand: hand ?? "right", motion: motion ?? "on", keys: keys ?? "on", entry: entry ?? "turns" });
} catch { /* then the device's own settings hold */ }
