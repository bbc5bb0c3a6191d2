// First steps: on each tab a sentence about it, and once how to keep the app on the phone. Whatever was put away stays
// away on all devices of the person.

import { mine } from "./household.js";
import { icon } from "./icons.js";
import { install, way } from "./install.js";
import { computed, h } from "./signal.js";
import { words } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await words("tour");
const INSTALL = "install";
/** Steps of fronts that have something at their side. */
const WIDE = ["home", "shopping", INSTALL];

/**
 * @param {Hearth} hearth @param {() => string | undefined} tab whose front is shown
 * @param {string[]} all steps, as they are named in `settings.seen`
 */
export function tour(hearth, tab, all) {
  const me = mine(hearth);
  const step = computed(() => {
    const seen = me.state.get()?.settings?.seen ?? {};
    const here = tab();
    if (!here) return "";
    if (!seen[here]) return here;
    return here === "home" && !seen[INSTALL] && way.get() !== "no" ? INSTALL : "";
  });
  /** @param {string[]} steps */
  const put = (steps) => {
    const params = { seen: Object.fromEntries(steps.map((one) => [one, true])) };
    hearth.change("settings.edit", params, { about: t("tour.about"), optimistic: () => ({ settings: params }) });
    // The button that had the focus is gone.
    document.querySelector("main")?.focus({ preventScroll: true });
  };
  /** @param {string} text @param {() => unknown} onclick @param {string} kind */
  const button = (text, onclick, kind = "") => h("button", { type: "button", class: kind, onclick }, text);
  return h("div", null, () => {
    const now = step.get();
    if (!now) return null;
    const isButton = now === INSTALL && way.get() === "button";
    return h(
      "aside",
      { class: `tip ${WIDE.includes(now) ? "wide" : ""}`, "aria-label": t("tour.title") },
      icon(now === INSTALL ? "phone" : "info"),
      h("p", null, t(now === INSTALL && !isButton ? "tour.installByHand" : `tour.${now}`)),
      h(
        "div",
        { class: "buttons" },
        now === INSTALL ? null : button(t("tour.skip"), () => put(all), "quiet"),
        isButton
          ? [
            button(t("tour.notNow"), () => put([INSTALL]), "quiet"),
            button(t("tour.installNow"), () => install().finally(() => put([INSTALL]))),
          ]
          : button(t("tour.done"), () => put([now])),
      ),
    );
  });
}
