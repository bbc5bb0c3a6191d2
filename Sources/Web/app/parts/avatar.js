// A person as a round sign: their first letter on a colour that stays theirs.

import { h, signal } from "./signal.js";

const HUES = 10;

/** @param {string} id which begins with hexadecimal digits */
const usualHue = (id) => (parseInt(id, 16) || 0) % HUES;

/** The hues of the members of the open household. */
const given = signal(/** @type {Record<string, number>} */ ({}));

/**
 * Gives the members of a household colours, no two alike as long as there are enough.
 * @param {string[]} ids the first ones get their usual colour
 */
export function giveColours(ids) {
  const taken = /** @type {Record<string, number>} */ ({});
  for (const id of ids) {
    let hue = usualHue(id);
    for (let tries = 1; tries < HUES && Object.values(taken).includes(hue); tries += 1) hue = (hue + 3) % HUES;
    taken[id] = hue;
  }
  given.set(taken);
}

/** Degrees, from 0. @param {string} id a person's id */
export const hueOf = (id) => (given.get()[id] ?? usualHue(id)) * 360 / HUES;

/** The first letter as its reader sees it: several code points in some scripts. @param {string} name */
export function initial(name) {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toLocaleUpperCase() ?? "?";
}

/**
 * A name stands beside it nearly always, so that it is hidden from screen readers unless `label` is given.
 * @param {string} id a person's id; it chooses the colour
 * @param {string | (() => string)} name
 * @param {{ size?: "small" | "large", label?: string | (() => string), online?: () => boolean }} [options]
 */
export function avatar(id, name, options = {}) {
  return h(
    "span",
    {
      class: () => `avatar ${options.size ?? ""} ${options.online?.() ? "online" : ""}`,
      style: () => ({ "--hue": hueOf(id) }),
      ...(options.label ? { role: "img", "aria-label": options.label } : { "aria-hidden": "true" }),
    },
    () => initial(typeof name === "function" ? name() : name),
  );
}
