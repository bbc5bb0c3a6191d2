// The keyboard: `n` something new, `g` and a letter to go somewhere, `/` to the field for adding, `u` to take something
// back, `?` lists them.

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
    if (!areOn.peek() || event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof HTMLElement && target.closest("input:not([type=checkbox], [type=radio]), select, textarea")) {
      return;
    }
    if (topSheet()) return;
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
  const keys = [["n", "keyNew"], ["/", "keyField"], ["x", "keySelect"], ["u", "undo"], ...places, ["Esc", "close"]];
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
