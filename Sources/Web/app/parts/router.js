// Where the person is: one address a screen, and one history entry for each open sheet, so that Back closes it.

import { signal } from "./signal.js";

/** @typedef {{ path: string, query: URLSearchParams }} Address */
/** @typedef {{ index: number, sheets: number }} Mark */

/** @returns {Address} */
const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

/** The address that is shown. */
export const address = signal(read());

/** A part of an address as it was meant; as it is, if it is not encoded rightly. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The code in a link into a household, and the name of the household there, which anybody can have written. */
export function invitation() {
  const [code = "", name = ""] = location.pathname === "/join" ? location.hash.slice(1).split("/") : [];
  return { code, name: decoded(name) };
}

/** How the last change of address came about; screens that come "back" get their scroll position again. */
export const lastMove = () => move;
let move = /** @type {"start" | "go" | "back"} */ ("start");

/** @type {{ close: () => void }[]} */ const sheets = [];
/** @type {Map<number, number>} */ const scrolls = new Map();
/** @type {(() => void)[]} */ const waiters = [];

/** @returns {Mark} */
const mark = () => history.state?.hearth ?? { index: 0, sheets: 0 };
/** @param {Mark} next */
const stateFor = (next) => ({ hearth: next });

/** Shows another screen. Open sheets give their place in the history to it. @param {string} path */
export function go(path, { replace = false } = {}) {
  const now = mark();
  const here = location.pathname + location.search;
  if (path === here && !sheets.length) return;
  scrolls.set(now.index, scrollY);
  const takesOver = replace || sheets.length > 0;
  closeDownTo(0);
  const index = takesOver ? now.index : now.index + 1;
  if (takesOver) history.replaceState(stateFor({ index, sheets: 0 }), "", path);
  else history.pushState(stateFor({ index, sheets: 0 }), "", path);
  scrolls.delete(index);
  move = "go";
  address.set(read());
}

/** Goes back, or to `otherwise` if the person came here directly. @param {string} otherwise */
export function back(otherwise) {
  if (mark().index > 0) history.back();
  else go(otherwise, { replace: true });
}

/** Where a screen that is shown again was scrolled to. */
export const savedScroll = () => scrolls.get(mark().index) ?? 0;

/** @param {number} count */
function closeDownTo(count) {
  while (sheets.length > count) sheets.pop()?.close();
}

/**
 * Remembers an open sheet; `close` is called once, whatever closes it. Answers a function that closes it, which is
 * done when its promise is. To ask twice is to ask once: the history must not go back further than the sheet.
 * @param {() => void} close
 */
export function pushSheet(close) {
  const entry = { close };
  sheets.push(entry);
  const now = mark();
  history.pushState(stateFor({ index: now.index + 1, sheets: sheets.length }), "");
  /** @type {Promise<void> | undefined} */ let closing;
  return () =>
    closing ??= new Promise((resolve) => {
      if (!sheets.includes(entry)) return resolve();
      waiters.push(resolve);
      history.go(-(sheets.length - sheets.indexOf(entry)));
    });
}

addEventListener("popstate", () => {
  const from = address.peek();
  closeDownTo(mark().sheets);
  move = "back";
  const to = read();
  if (to.path !== from.path || String(to.query) !== String(from.query)) address.set(to);
  for (const resolve of waiters.splice(0)) resolve();
});

/** Links inside the app change the screen without loading a page. @param {MouseEvent} event */
function followLink(event) {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return;
  }
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || /\.[a-z]+$/.test(url.pathname) || link.getAttribute("href")?.startsWith("#")) {
    return;
  }
  event.preventDefault();
  go(url.pathname + url.search);
}

/** Called once by the shell. */
export function startRouter() {
  // After a reload no sheet is open, whatever the entry says.
  history.replaceState(stateFor({ index: mark().index, sheets: 0 }), "");
  history.scrollRestoration = "manual";
  document.addEventListener("click", followLink);
  // A second link into a household, opened where the first is open: the screen has the first one's code.
  addEventListener("hashchange", (event) => {
    const { oldURL } = /** @type {HashChangeEvent} */ (event);
    if (location.pathname === "/join" && new URL(oldURL).pathname === "/join") location.reload();
  });
}
