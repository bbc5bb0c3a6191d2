// A person as a round sign: their first letter on a colour that stays theirs.

import { h } from "./signal.js";

/** @param {string} text */
function hue(text) {
  let sum = 7;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) >>> 0;
  return sum % 360;
}

/** The first letter as its reader sees it: several code points in some scripts. @param {string} name */
export function initial(name) {
  for (const { segment } of new Intl.Segmenter().segment(name.trim())) return segment.toLocaleUpperCase();
  return "?";
}

/**
 * A name stands beside it nearly always, so that it is hidden from screen readers unless `label` is given.
 * @param {string} id a person's id; it chooses the colour
 * @param {string | (() => string)} name
 * @param {{ size?: "small" | "large", label?: string | (() => string), online?: () => boolean }} [options]
 */
export function avatar(id, name, options = {}) {
  const read = typeof name === "function" ? name : () => name;
  return h(
    "span",
    {
      class: () => `avatar ${options.size ?? ""} ${options.online?.() ? "online" : ""}`,
      style: { "--hue": hue(id) },
      ...(options.label ? { role: "img", "aria-label": options.label } : { "aria-hidden": "true" }),
    },
    () => initial(read()),
  );
}
