// Keeps the screen on while something is looked at from a distance: a list in a shop, or a way home in a pocket.

/** Keeps the screen on until the returned function is called; a browser that cannot do it does nothing. */
export function stayAwake() {
  /** @type {WakeLockSentinel | null} */ let lock = null;
  let isWanted = true;
  async function request() {
    if (!isWanted || document.hidden || lock) return;
    try {
      lock = await navigator.wakeLock?.request("screen") ?? null;
    } catch {
      // Low battery, for example: the screen then goes dark as it always does.
      return;
    }
    if (!isWanted) return void lock?.release();
    // The browser takes it away whenever the page is hidden.
    lock?.addEventListener("release", () => (lock = null));
  }
  document.addEventListener("visibilitychange", request);
  request();
  return () => {
    isWanted = false;
    document.removeEventListener("visibilitychange", request);
    lock?.release();
  };
}
