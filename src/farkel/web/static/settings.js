// Settings of this device, applied before anything is painted.
try {
  const { scheme, hand, motion } = JSON.parse(localStorage.getItem("farkel-settings")) ?? {};
  Object.assign(document.documentElement.dataset, { scheme: scheme ?? "device", hand: hand ?? "right", motion: motion ?? "on" });
} catch { /* then the device's own settings hold */ }
