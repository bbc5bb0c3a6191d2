// The page's own life: the only place where the library knows that it runs in one.

/**
 * Calls back when the page is looked at again or the network has come back, when it is put away, and when the network
 * is said to have gone.
 * @param {{ woken: () => void, hidden: () => void, offline: () => void }} on
 * @returns {() => void} ends that
 */
export function watchPage(on) {
  const look = () => document.hidden ? on.hidden() : on.woken();
  /** @type {[EventTarget, string, () => void][]} */
  const all = [
    [document, "visibilitychange", look],
    [globalThis, "pageshow", on.woken],
    [globalThis, "pagehide", on.hidden],
    [globalThis, "online", on.woken],
    [globalThis, "offline", on.offline],
  ];
  for (const [target, name, f] of all) target.addEventListener(name, f);
  return () => {
    for (const [target, name, f] of all) target.removeEventListener(name, f);
  };
}

/** Whether nobody looks at the page. */
export function isHidden() {
  return document.hidden;
}

/** Removes what the browser keeps beside the database: fetched pictures, and the address for push messages. */
export async function clearBrowser() {
  const names = await globalThis.caches?.keys() ?? [];
  // The app's own files are nobody's secret, and log-in needs them without a network, too.
  await Promise.all(names.filter((name) => !name.startsWith("app-")).map((name) => caches.delete(name)));
  const registration = await globalThis.navigator?.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}
