// Pulling the page down asks the server what is new. A notice and the screen of changes have a button for the same.

import { icon } from "./icons.js";
import { topSheet } from "./sheet.js";
import { h, signal } from "./signal.js";
import { say } from "./snackbar.js";
import { t } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */

/** So far the sign must be pulled before letting go asks, and it goes no further than the second, in pixels. */
const [ENOUGH, MOST] = [56, 72];
/** A finger that moves less than this has tapped. */
const SLACK = 10;
/** Elements with gestures of their own. */
const OTHERS = "input, textarea, select, dialog, .map-frame, .snackbar";

/** Whether the server is being asked. */
const isAsking = signal(false);

/** @param {Hearth} hearth @param {string} text */
export const askButton = (hearth, text) =>
  h(
    "button",
    { type: "button", class: "plain", "aria-busy": () => String(isAsking.get()), onclick: () => askNow(hearth) },
    text,
  );

/** Asks the server, and says what has come of it. @param {Hearth} hearth */
async function askNow(hearth) {
  if (isAsking.peek()) return;
  isAsking.set(true);
  const isAnswered = await hearth.renew();
  isAsking.set(false);
  say(t(isAnswered ? "upToDate" : "stillOffline"));
}

/** The sign that is pulled. Called once by the shell. @param {Hearth} hearth @param {() => boolean} isWanted */
export function pullSign(hearth, isWanted) {
  const sign = h("div", { class: () => `pull ${isAsking.get() ? "asks" : ""}`, "aria-hidden": "true" }, icon("again"));
  /** @type {{ x: number, y: number } | null} */ let from = null;
  let way = 0;

  /** @param {number} to */
  function show(to) {
    way = to;
    if (to) sign.style.setProperty("--pulled", String(to));
    else sign.style.removeProperty("--pulled");
    sign.toggleAttribute("data-pulled", to > 0);
    sign.toggleAttribute("data-far", to >= ENOUGH);
  }

  /** @param {"touchstart" | "touchmove" | "touchend" | "touchcancel"} name @param {(event: TouchEvent) => void} f */
  const on = (name, f) => document.addEventListener(name, f, { passive: true });
  on("touchstart", ({ touches: [touch, second], target }) => {
    from = null;
    show(0);
    if (!touch || second || scrollY > 0 || topSheet() || !isWanted()) return;
    if (target instanceof Element && target.closest(OTHERS)) return;
    from = { x: touch.clientX, y: touch.clientY };
  });
  on("touchmove", ({ touches: [touch] }) => {
    if (!from || !touch) return;
    const [right, down] = [touch.clientX - from.x, touch.clientY - from.y];
    if (!way && Math.abs(right) + Math.abs(down) < SLACK) return;
    // The finger swipes a row or scrolls the page.
    if (!way && down < Math.abs(right) * 1.5) return void (from = null);
    show(Math.max(1, Math.min(down / 2, MOST)));
  });
  on("touchend", () => {
    const isFar = Boolean(from) && way >= ENOUGH;
    from = null;
    show(0);
    if (isFar) askNow(hearth);
  });
  on("touchcancel", () => {
    from = null;
    show(0);
  });
  return sign;
}
