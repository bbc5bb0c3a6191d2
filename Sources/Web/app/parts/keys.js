// The keyboard: `n` something new, `g` and a letter to go somewhere, `/` to the field for adding, `u` to take something
// back, arrows from row to row, `?` lists them.

import { go } from "./router.js";
import { openSheet, topSheet } from "./sheet.js";
import { h, signal } from "./signal.js";
import { undoLast } from "./snackbar.js";
import { t } from "./words.js";

/** @type {Record<string, string>} */
const PLACES = { h: "/", s: "/shopping", t: "/chores", b: "/money", o: "/out", i: "/inbox", c: "/chat", m: "/me" };

const KEPT = "hearth.keys";
const areOn = signal(localStorage.getItem(KEPT) !== "off");

/** Whether single keys are commands on this device. A person who dictates may type them by accident (WCAG 2.1.4). */
export const areKeysOn = () => areOn.get();

/** @param {boolean} on */
export function setKeys(on) {
  areOn.set(on);
  localStorage.setItem(KEPT, on ? "on" : "off");
}

/** Called once by the shell. */
export function startKeys() {
  let afterG = 0;
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof HTMLElement && target.closest("input:not([type=checkbox], [type=radio]), select, textarea")) {
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && target instanceof HTMLElement && !target.matches("[type=radio]")) walk(event, target, step);
    if (!areOn.peek() || topSheet()) return;
    const path = PLACES[event.key];
    if (path && event.timeStamp - afterG < 1500) {
      afterG = 0;
      event.preventDefault();
      return go(path);
    }
    afterG = event.key === "g" ? event.timeStamp : 0;
    // The one action of the screen, and its field.
    if (event.key === "n" && !press(event, ".fab")) press(event, "[data-key='/']");
    if (event.key === "u") undoLast();
    if (event.key === "/") press(event, "[data-key='/']");
    if (event.key === "?") list();
  });
}

const ROWS = ".rows > li, li.item";

/**
 * Goes from a row of the screen, or of a sheet, to the one after or before it: to what is at the same place there.
 * @param {Event} event @param {HTMLElement} target @param {number} step
 */
function walk(event, target, step) {
  const row = target.closest(ROWS);
  const rows = [...target.closest("dialog, main > *")?.querySelectorAll(ROWS) ?? []];
  const controls = (/** @type {Element} */ one) =>
    [...one.querySelectorAll("a[href], button, input, select")].filter((control) => control.checkVisibility());
  if (!row) return;
  const [at, here] = [controls(row).indexOf(target), rows.indexOf(row)];
  const others = step > 0 ? rows.slice(here + 1) : rows.slice(0, here).reverse();
  const next = others.map(controls).find((all) => all.length);
  const wish = at < 0 ? null : next?.[at] ?? next?.at(-1);
  if (!(wish instanceof HTMLElement)) return;
  event.preventDefault();
  wish.focus();
}

/** Answers whether the screen has it. @param {KeyboardEvent} event @param {string} selector */
function press(event, selector) {
  const element = document.querySelector(`main > :not([aria-hidden]) ${selector}`);
  if (!(element instanceof HTMLElement)) return false;
  event.preventDefault();
  if (element.matches("input, textarea")) element.focus();
  else element.click();
  return true;
}

function list() {
  const places = Object.keys(PLACES).map((key) => [`g ${key}`, `key.${key}`]);
  const keys = [["n", "keyNew"], ["/", "keyField"], ["x", "keySelect"], ["↑ ↓", "keyRows"], ["u", "undo"], ...places, [
    "Esc",
    "close",
  ]];
  openSheet(
    { title: t("keys") },
    () =>
      h(
        "dl",
        { class: "keys" },
        keys.map(([key = "", word = ""]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, t(word)))),
      ),
  );
}
