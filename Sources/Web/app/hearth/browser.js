// All that the library has from its browser: the only place that knows that it runs in a page.

/** @import { Listener } from "./socket.js" */
/** @import { Store } from "./store.js" */
/** @import { Member } from "./tabs.js" */
import { Socket } from "./socket.js";
import { DiskStore } from "./store.js";
import { Tabs } from "./tabs.js";

/**
 * Calls back when the page is looked at again or the network has come back, when it is put away, and when the network
 * is said to have gone.
 * @param {{ woken: () => void, hidden: () => void, offline: () => void }} on
 * @returns {() => void} ends that
 */
function watchPage(on) {
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
function isHidden() {
  return document.hidden;
}

/** Removes what the browser keeps beside the database: fetched pictures, and the address for push messages. */
async function clearBrowser() {
  const names = await globalThis.caches?.keys() ?? [];
  // The app's own files are nobody's secret, and log-in needs them without a network, too.
  await Promise.all(names.filter((name) => !name.startsWith("app-")).map((name) => caches.delete(name)));
  const registration = await globalThis.navigator?.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/** The things that a browser gives; tests give others. */
export const BROWSER = {
  /** @returns {Store} */
  store: () => new DiskStore(),
  /** @param {string} url @param {Listener} listener @returns {{ send(text: string): void, leave(): void }} */
  connect: (url, listener) => new Socket(url, listener),
  /** @param {Member} member */
  tabs: (member) => new Tabs(member),
  now: () => performance.now(),
  wall: () => Date.now(),
  seed: () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
  newId,
  /** @param {() => void} f @param {number} delay @returns {() => void} */
  after: (f, delay) => {
    const timer = setTimeout(f, Math.min(delay, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
  /** @param {string} url @param {RequestInit} init */
  fetch: (url, init) => fetch(url, init),
  watchPage,
  isHidden,
  clearBrowser,
  persist: () => globalThis.navigator?.storage?.persist?.(),
};

/** A UUID of version 7 (RFC 9562): the time, then chance. `crypto.randomUUID` is missing in insecure contexts. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const [view, now] = [new DataView(bytes.buffer), Date.now()];
  view.setUint32(0, Math.floor(now / 0x10000));
  view.setUint16(4, now % 0x10000);
  bytes[6] = (bytes[6] ?? 0) & 15 | 0x70;
  bytes[8] = (bytes[8] ?? 0) & 63 | 128;
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
