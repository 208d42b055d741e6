// Settings of this device, applied before anything is painted.
try {
  const { scheme, hand, motion, entry } = JSON.parse(localStorage.getItem("farkel-settings")) ?? {};
  Object.assign(document.documentElement.dataset, { scheme: scheme ?? "device", hand: hand ?? "right", motion: motion ?? "on", entry: entry ?? "turns" });
} catch { /* then the device's own settings hold */ }
