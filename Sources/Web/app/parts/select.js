// Selecting rows of a list, to do one thing with all of them. A finger that rests on a row begins; Esc and Back end it.

import { pushSheet } from "./router.js";
import { topSheet } from "./sheet.js";
import { computed, signal } from "./signal.js";

/** @template T @typedef {ReturnType<typeof selection<T>>} Selection */

/** So long a finger rests on a row to select it, in milliseconds. */
const HELD = 500;
/** A finger that moves less than this rests, in pixels. */
const SLACK = 10;

/**
 * The selected rows, while there is something to select. A row that leaves the screen leaves them, too.
 * @template T @param {() => readonly T[]} all the rows on the screen @param {(row: T) => string} key
 */
export function selection(all, key) {
  /** The keys of the selected rows; none of them while nothing can be selected. */
  const keys = signal(/** @type {ReadonlySet<string> | null} */ (null));
  const isOn = computed(() => keys.get() !== null);
  const rows = computed(() => all().filter((row) => keys.get()?.has(key(row))));
  /** Resolves once selecting has ended. @type {() => Promise<void>} */ let stop = () => Promise.resolve();

  /** @param {KeyboardEvent} event */
  function escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || topSheet()) return;
    event.preventDefault();
    stop();
  }
  function end() {
    keys.set(null);
    removeEventListener("keydown", escape);
  }
  function start() {
    if (keys.peek()) return;
    keys.set(new Set());
    addEventListener("keydown", escape);
    stop = pushSheet(end);
  }

  return {
    isOn: () => isOn.get(),
    rows: () => rows.get(),
    /** @param {T} row */
    has: (row) => keys.get()?.has(key(row)) ?? false,
    /** Selects a row, or takes it out. The first one begins selecting. @param {T} row */
    toggle: (row) => {
      start();
      const next = new Set(keys.peek());
      if (!next.delete(key(row))) next.add(key(row));
      keys.set(next);
    },
    start,
    stop: () => stop(),
  };
}

/** Calls `act` when a finger rests on a row. @param {HTMLElement} row @param {() => void} act */
export function hold(row, act) {
  let [x, y] = [0, 0];
  let isTouch = false;
  let isHeld = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;
  const end = () => clearTimeout(timer);
  row.addEventListener("pointerdown", (event) => {
    end();
    isTouch = event.pointerType === "touch";
    isHeld = false;
    if (!isTouch || !event.isPrimary) return;
    [x, y] = [event.clientX, event.clientY];
    timer = setTimeout(() => {
      isHeld = true;
      // Before the first tap, Chromium refuses to vibrate, and logs that.
      if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10);
      act();
    }, HELD);
  });
  row.addEventListener("pointermove", (event) => {
    if (Math.hypot(event.clientX - x, event.clientY - y) > SLACK) end();
  });
  row.addEventListener("pointerup", end);
  row.addEventListener("pointercancel", end);
  // The end of a long press is no tap.
  row.addEventListener("touchend", (event) => {
    if (isHeld) event.preventDefault();
  });
  row.addEventListener("contextmenu", (event) => {
    if (isTouch) event.preventDefault();
  });
}
