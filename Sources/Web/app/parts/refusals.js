// Refused changes, in the words of the server, on top of the screen that they belong to.

import { wordsOf } from "./family.js";
import { icon } from "./icons.js";
import { inWords } from "./screen.js";
import { each, h } from "./signal.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await wordsOf("shopping");

/**
 * @param {Hearth} hearth
 * @param {{ get(): { id: string, about: string, error: { message: string } }[] }} refused
 */
export function refusals(hearth, refused) {
  const rows = each(() => refused.get(), ({ id }) => id, (one, id) =>
    h(
      "li",
      { class: "notice" },
      icon("alert"),
      h("p", { dir: "auto" }, () => t("refusedOne", { about: one().about, reason: inWords(one().error) })),
      h("button", { type: "button", class: "quiet", onclick: () => hearth.retry(id) }, t("retry")),
      h("button", { type: "button", class: "quiet", onclick: () => hearth.discard(id) }, t("discard")),
    ));
  return h("div", { role: "status" }, h("ul", { class: "refusals" }, rows));
}
