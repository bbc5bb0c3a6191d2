/// <reference no-default-lib="true" />
/// <reference lib="esnext" />
/// <reference lib="webworker" />

// Keeps this version of the page on the device, whole or not at all, so that it opens without a network.
//
// The server puts the version in. Another version waits until no page uses this one, or until somebody asks for it; a
// page must find its own screens as long as it is open.

const self = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));
const CACHE = "app-VERSION";

self.addEventListener("install", (event) => event.waitUntil(keep()));

async function keep() {
  const cache = await caches.open(CACHE);
  const response = await fetch("/app/VERSION/all.json");
  if (!response.ok) throw new Error(`The files of the page: ${response.status}`);
  /** @type {Record<string, [type: string, text: string]>} */
  const files = await response.json();
  await Promise.all(
    Object.entries(files).map(([path, [type, text]]) =>
      cache.put(path, new Response(text, { headers: { "Content-Type": type } }))
    ),
  );
  const start = await fetch("/");
  if (!start.ok) throw new Error(`The page: ${start.status}`);
  // A device that was here needs no log-in first.
  const html = (await start.text()).replaceAll(/<link rel="modulepreload" href="[^"]*(?:welcome|openid)[^"]*">/g, "");
  await cache.put("/", new Response(html, { headers: start.headers }));
}

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
