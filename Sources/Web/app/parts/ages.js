// Ages to the second, for what is alive: a position that is twelve seconds old, a driver who is there in two minutes.

import { onEnd, signal } from "./signal.js";
import { language } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */

/**
 * The server's time, every second, for as long as the scope around lasts and the page is in sight.
 * @param {Hearth} hearth @returns {{ get(): number, peek(): number }}
 */
export function seconds(hearth) {
  const made = signal(hearth.now());
  const beat = () => document.hidden || made.set(hearth.now());
  const timer = setInterval(beat, 1000);
  document.addEventListener("visibilitychange", beat);
  onEnd(() => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", beat);
  });
  return made;
}

/**
 * "12 seconds ago", "4 minutes ago". @param {number} age milliseconds @param {string} justNow
 */
export function agoText(age, justNow) {
  const past = new Intl.RelativeTimeFormat(language.peek(), { numeric: "always" });
  const s = Math.max(0, Math.floor(age / 1000));
  if (s < 5) return justNow;
  if (s < 60) return past.format(-s, "second");
  if (s < 3600) return past.format(-Math.floor(s / 60), "minute");
  return past.format(-Math.floor(s / 3600), "hour");
}

/** The same in as few letters as fit below a sign on a map: "12 s", "4 min". @param {number} age milliseconds */
export function shortAge(age) {
  const s = Math.max(0, Math.floor(age / 1000));
  const [value, unit] = s < 60
    ? [s, "second"]
    : s < 3600
    ? [Math.floor(s / 60), "minute"]
    : [Math.floor(s / 3600), "hour"];
  return new Intl.NumberFormat(language.peek(), { style: "unit", unit: String(unit), unitDisplay: "short" })
    .format(Number(value));
}
