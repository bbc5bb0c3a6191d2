/// <reference no-default-lib="true" />
/// <reference lib="esnext" />
/// <reference lib="webworker" />

// Keeps this version of the page on the device, whole or not at all, so that it opens without a network.
//
// The server puts the version and the list of files in. Another version waits until no page uses this one, or until
// somebody asks for it; a page must find its own screens as long as it is open.

const self = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));
const CACHE = "app-VERSION";
/** @type {string[]} */
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("app-") && name !== CACHE) await caches.delete(name);
    }
    await self.clients.claim();
  })());
});

self.addEventListener("message", (event) => {
  if (event.data === "now") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  // Every address without a dot is the page itself; the server's own paths are not.
  const isPage = request.mode === "navigate" &&
    !/\.|^\/(?:metrics|healthz|readyz|files|openid|export|rpc|insecure)\b/.test(url.pathname);
  if (!isPage && !url.pathname.startsWith("/app/")) return;
  event.respondWith(caches.match(isPage ? "/" : request, { ignoreVary: true }).then((hit) => hit ?? fetch(request)));
});
