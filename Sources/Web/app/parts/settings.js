// The frame of the screens about oneself: where there is room, the way to all of them stands beside each.

import { styleOf } from "./family.js";
import { icon } from "./icons.js";
import { address } from "./router.js";
import { row, screen } from "./screen.js";
import { h } from "./signal.js";
import { words } from "./words.js";

/** @import { IconName } from "./icons.js" */
/** @import { Child } from "./signal.js" */

const [t] = await Promise.all([words("me"), styleOf("people")]);

/** @type {[IconName, string, string][]} */
const SCREENS = [
  ["person", "/me/profile", "profile"],
  ["people", "/contacts", "contacts"],
  ["bell", "/me/notifications", "notifications"],
  ["lock", "/me/security", "security"],
  ["sun", "/me/look", "look"],
  ["waiting", "/me/changes", "changes"],
];

/** A row for each screen. @param {Record<string, Child>} [texts] what stands below some names */
export const settingsRows = (texts = {}) =>
  SCREENS.map(([sign, path, name]) =>
    row({ before: icon(sign), title: t(`me.${name}`), text: texts[name], after: icon("next"), href: path })
  );

/** @param {{ title: Child, lead?: Child }} options @param {...Child} children */
export function settingsScreen(options, ...children) {
  const nav = h("nav", { class: "menu", "aria-label": t("me") }, h("ul", { class: "rows" }, settingsRows()));
  nav.querySelector(`[href="${address.peek().path}"]`)?.setAttribute("aria-current", "page");
  return screen({ ...options, back: "/me", class: "settings" }, ...children, nav);
}
