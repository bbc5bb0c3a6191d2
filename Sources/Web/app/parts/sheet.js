// Sheets: what is added, edited or asked, over the screen. Back, Esc, the backdrop and a pull downwards close them.

import { heading } from "./focus.js";
import { icon } from "./icons.js";
import { pushSheet } from "./router.js";
import { h, scope } from "./signal.js";
import { t } from "./words.js";

/** @import { Child } from "./signal.js" */

/**
 * Opens a sheet. `content` gets a function that closes it; it answers a promise that is kept once the sheet is gone.
 * `text` is read aloud with the title, wherever the focus is.
 * @param {{ title: string, text?: string, class?: string, onClose?: () => void }} options
 * @param {(close: () => Promise<void>) => Child} content
 */
export function openSheet(options, content) {
  const opener = document.activeElement;
  const made = scope(() => {
    const dialog = h("dialog", {
      class: `sheet ${options.class ?? ""}`,
      popover: "manual",
      "aria-labelledby": "",
      "aria-modal": "true",
    });
    const title = h("h2", { id: `sheet-${++count}`, tabindex: -1 }, options.title);
    dialog.setAttribute("aria-labelledby", title.id);
    const text = options.text ? h("p", { id: `${title.id}-text` }, options.text) : null;
    if (text) dialog.setAttribute("aria-describedby", text.id);
    const button = h(
      "button",
      { type: "button", class: "quiet round", "aria-label": t("close"), onclick: () => close() },
      icon("close"),
    );
    const head = h(
      "header",
      { class: "sheet-head" },
      h("span", { class: "grip", "aria-hidden": "true" }),
      title,
      button,
    );
    dialog.append(head);
    const body = h("div", { class: "sheet-body" }, text, content(() => close()));
    dialog.append(body);
    pullDown(dialog, head, () => close());
    return dialog;
  });
  const dialog = made.value;
  document.body.append(dialog);
  dialog.showPopover();
  // The heading says first where the person is.
  if (!dialog.querySelector("[autofocus]")) dialog.querySelector("h2")?.focus();
  const listeners = new AbortController();
  let isOutside = false;
  const isOnTop = () => topSheet() === dialog;
  const isBeside = (/** @type {PointerEvent} */ event) =>
    isOnTop() && outside(dialog, event) && !(event.target instanceof Node && dialog.contains(event.target));
  const listen = (/** @type {string} */ type, /** @type {(event: any) => void} */ act) =>
    document.addEventListener(type, act, { signal: listeners.signal });
  // A press that begins and ends outside.
  listen("pointerdown", (event) => void (isOutside = isBeside(event)));
  listen("click", (event) => {
    if (isOutside && isBeside(event)) close();
  });
  listen("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented || !isOnTop()) return;
    event.preventDefault();
    close();
  });
  const close = pushSheet(() => {
    listeners.abort();
    dialog.remove();
    fence();
    made.end();
    // The control that opened the sheet may be gone by now, as after a note is taken down.
    const next = opener?.isConnected && opener !== document.body
      ? opener
      : topSheet()?.querySelector("h2") ?? heading();
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    options.onClose?.();
  });
  // To make the rest inert styles all of it anew: not before the sheet is seen. A modal dialog would not wait.
  requestAnimationFrame(() => setTimeout(fence));
  return { dialog, close };
}

/** The sheet that lies over all others. */
export const topSheet = () => [...document.querySelectorAll(".sheet")].at(-1);

/**
 * Makes all but the topmost sheet inert, or nothing if none is open. Called whenever the page's parts change. An inert
 * region would not be read aloud.
 */
export function fence() {
  const top = topSheet();
  for (const one of document.body.children) {
    if (one instanceof HTMLElement) one.inert = Boolean(top && one !== top && !one.matches(".unseen"));
  }
}

let count = 0;

/** @param {Element} dialog @param {PointerEvent | MouseEvent} event */
function outside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}

/** @param {HTMLElement} dialog @param {HTMLElement} head @param {() => void} close */
function pullDown(dialog, head, close) {
  let start = 0;
  head.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Element && event.target.closest("button")) return;
    start = event.clientY;
    head.setPointerCapture(event.pointerId);
  });
  head.addEventListener("pointermove", (event) => {
    if (start) dialog.style.translate = `0 ${Math.max(0, event.clientY - start)}px`;
  });
  const end = (/** @type {PointerEvent} */ event) => {
    if (start && event.clientY - start > 80) close();
    else dialog.style.translate = "";
    start = 0;
  };
  head.addEventListener("pointerup", end);
  head.addEventListener("pointercancel", end);
}

/**
 * Asks before something that cannot be undone. The safe answer has the focus.
 * @param {{ title: string, text: string, action: string, keep?: string }} options
 * @returns {Promise<boolean>} whether the person wants it; the sheet is gone by then
 */
export function confirmSheet({ title, text, action, keep }) {
  return new Promise((resolve) => {
    let answer = false;
    openSheet({ title, text, class: "question", onClose: () => resolve(answer) }, (close) =>
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", autofocus: true, onclick: () => close() }, keep ?? t("cancel")),
        h("button", {
          type: "button",
          class: "danger",
          onclick: () => {
            answer = true;
            close();
          },
        }, action),
      ));
  });
}
