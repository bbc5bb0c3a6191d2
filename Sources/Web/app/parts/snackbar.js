// One short sentence at the bottom about what has just happened, with a way back where there is one.

import { bin, keep, takeBack } from "./bin.js";
import { heading } from "./focus.js";
import { topSheet } from "./sheet.js";
import { effect, h } from "./signal.js";
import { t } from "./words.js";

/** @import { Done, Undo } from "./bin.js" */

// Milliseconds. There is more time to take something back.
const [SHOWN, SHOWN_WITH_ACTION] = [5_000, 8_000];

const words = h("span", { class: "snackbar-words" });
const action = h("button", { type: "button" });
const bar = h("div", { class: "snackbar", popover: "manual" }, words, action);
// A live region must be there before its text is, or nothing is read out. What is added is read, and not all again.
const region = h("div", { class: "unseen", role: "status", "aria-live": "polite", "aria-atomic": "false" });
/** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;
/** The element that had the focus at the first key or press after the sentence. @type {Element | null} */
let cameFrom = null;
/** Whether the button takes something back. */ let isUndo = false;
/** The entry of the bin that the message offers to take back. @type {Done | null} */ let offered = null;

/** For the frame, which is made anew now and then. */
export const snackbar = () => [region, bar];

/** Shows the sentence again in a new frame. One with a button stays away: its person may have logged out. */
export function sayOn() {
  if (timer && action.hidden && !bar.matches(":popover-open")) bar.showPopover();
}

/**
 * Says a sentence. With `undo`, a button takes back what was done for eight seconds, and the bin for ten minutes. With
 * `isBrief` only the button does: later, an old value would replace what others have made of it. `about` is for the
 * bin, where the text does not tell of which thing it is.
 * @param {string} text
 * @param {{ undo?: Undo, about?: string, isBrief?: boolean, label?: string, act?: () => void }} [options]
 */
export function say(text, options = {}) {
  const { undo, about = "", isBrief = false } = options;
  const done = undo && !isBrief ? keep(text, undo, about) : null;
  const act = done ? () => takeBack(done) : undo ?? options.act;
  offered = done;
  words.textContent = text;
  region.textContent = act ? `${text} ${options.label ?? t("undo")}` : text;
  cameFrom = null;
  isUndo = Boolean(undo);
  action.hidden = !act;
  action.textContent = options.label ?? t("undo");
  action.onclick = () => {
    const hadFocus = action === document.activeElement;
    hide();
    if (hadFocus) {
      const isThere = cameFrom?.isConnected && cameFrom !== document.body;
      const next = isThere ? cameFrom : heading();
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    }
    if (undo) announce(t("undone", { what: about || text }));
    act?.();
  };
  // Inside the topmost sheet: all else is inert.
  const top = topSheet() ?? document.body;
  if (bar.parentNode !== top) top.append(bar);
  bar.inert = false;
  if (bar.matches(":popover-open")) bar.hidePopover();
  bar.showPopover();
  later();
}

/** Tells a screen reader about a change that others see on the screen. @param {string} text */
export function announce(text) {
  const line = h("p", null, text);
  region.append(line);
  setTimeout(() => line.remove(), SHOWN);
}

/** Takes back what the message offers, or else what was done last and can be taken back. */
export function undoLast() {
  if (isUndo && bar.matches(":popover-open")) return action.click();
  const [last] = bin.peek();
  if (!last) return;
  announce(t("undone", { what: last.about || last.text }));
  void takeBack(last);
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(hide, action.hidden ? SHOWN : SHOWN_WITH_ACTION);
}

function hide() {
  clearTimeout(timer);
  timer = undefined;
  offered = null;
  // A screen reader that reaches the region later would read an old message.
  region.textContent = "";
  if (bar.isConnected && bar.matches(":popover-open")) bar.hidePopover();
  if (bar.parentNode !== document.body) document.body.append(bar);
}

// The person may then go to the button. The change itself may have moved the focus before.
for (const type of ["keydown", "pointerdown"]) {
  document.addEventListener(type, () => void (cameFrom ??= document.activeElement), { capture: true });
}
// The message goes when its entry leaves the bin.
effect(() => {
  const left = bin.get();
  if (offered && !left.includes(offered)) hide();
});
// A tap beside the button puts it away: it may lie over what is wanted next.
bar.addEventListener("click", ({ target }) => {
  if (!(target instanceof Node && action.contains(target))) hide();
});
// Nobody has to be quick: the time does not run while it is pointed at or has the focus (WCAG 2.2.1).
bar.addEventListener("pointerenter", () => clearTimeout(timer));
bar.addEventListener("pointerleave", later);
bar.addEventListener("focusin", () => clearTimeout(timer));
bar.addEventListener("focusout", later);
