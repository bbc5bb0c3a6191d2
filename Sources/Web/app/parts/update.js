// Keeps the page on the device by its service worker, and offers a newer version to whoever has this one open.

/** @import { Hearth } from "../hearth/hearth.js" */

/** The version that this module was loaded as: its own path is /app/VERSION/parts/update.js. */
export const LOADED = versionIn(import.meta.url);

/** @param {string} url */
export function versionIn(url) {
  return /\/app\/([^/]+)\//.exec(url)?.[1] ?? "";
}

/**
 * Calls back when the server says that it has another version than `loaded`; once for each version.
 * @param {{ page: { version?: string }, onChange(f: () => void): () => void }} hearth
 * @param {string} loaded @param {() => void} found
 */
export function watchVersion(hearth, loaded, found) {
  let known = loaded;
  const look = () => {
    const version = hearth.page.version ?? loaded;
    if (version === known) return;
    known = version;
    if (version !== loaded) found();
  };
  look();
  return hearth.onChange(look);
}

/** @param {Hearth} hearth @param {(act: () => void) => void} offer asks whether to load the newer version */
export async function keepPage(hearth, offer) {
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("hearth", {
    createScriptURL: (/** @type {string} */ url) => {
      if (url !== "/sw.js") throw new TypeError("Only the page's own worker is loaded.");
      return url;
    },
  });
  try {
    const kept = await navigator.serviceWorker.register(policy ? policy.createScriptURL("/sw.js") : "/sw.js");
    // The first worker of a browser is no newer version, though WebKit still calls it waiting when it is in control.
    const first = kept.active ?? kept.installing ?? kept.waiting;
    const offerWaiting = () => {
      if (kept.waiting && kept.waiting !== first && navigator.serviceWorker.controller) {
        offer(() => kept.waiting?.postMessage("now"));
      }
    };
    offerWaiting();
    kept.addEventListener("updatefound", () => kept.installing?.addEventListener("statechange", offerWaiting));
    const hadOne = Boolean(navigator.serviceWorker.controller);
    navigator.serviceWorker.addEventListener("controllerchange", () => hadOne && location.reload());
    watchVersion(hearth, LOADED, () => kept.update().catch(console.warn));
  } catch (error) {
    console.warn(error); // The page works without; only not offline. A reload is enough to get the newer version.
    watchVersion(hearth, LOADED, () => offer(() => location.reload()));
  }
}
