// Keeps the page on the device by its service worker, and offers a newer version to whoever has this one open.

/** @import { Hearth } from "../hearth/hearth.js" */

/** The version that this module was loaded as: its own path is /app/VERSION/parts/update.js. */
export const LOADED = versionIn(import.meta.url);

/** @param {string} url */
function versionIn(url) {
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

/** Something that was typed and not sent: an open sheet, or a field in which one writes to the others. */
const TYPED = ".sheet, main > :not([aria-hidden]) :is(textarea, input[placeholder]):not(:placeholder-shown)";

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
    let isAsked = false;
    const offerWaiting = () => {
      if (kept.waiting && kept.waiting !== first && navigator.serviceWorker.controller) {
        offer(() => {
          isAsked = true;
          kept.waiting?.postMessage("now");
        });
      }
    };
    offerWaiting();
    kept.addEventListener("updatefound", () => kept.installing?.addEventListener("statechange", offerWaiting));
    let hadOne = Boolean(navigator.serviceWorker.controller);
    navigator.serviceWorker.addEventListener("controllerchange", () => {
      // Another tab may have asked for it, while somebody writes in this one.
      if (hadOne && !isAsked && document.querySelector(TYPED)) offer(() => location.reload());
      else if (hadOne) location.reload();
      hadOne = true;
    });
    watchVersion(hearth, LOADED, () => kept.update().catch(console.warn));
  } catch (error) {
    console.warn(error); // The page works without; only not offline. A reload is enough to get the newer version.
    watchVersion(hearth, LOADED, () => offer(() => location.reload()));
  }
}
