// A map of people who share where they are: its words, and what it is drawn on.

import { wordsOf } from "./family.js";
import { createMap } from "./map.js";
import { h, onEnd } from "./signal.js";
import { language } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await wordsOf("out");

/** @param {Hearth} hearth */
export function shareMap(hearth) {
  const tiles = hearth.page.mapTiles;
  const words = { closer: t("closer"), wider: t("wider"), fit: t("fit"), north: t("north"), me: t("me") };
  const map = createMap(words, { locale: language.peek(), ...(tiles && { tiles }) });
  onEnd(() => map.close());
  return map;
}

/** Says why a map shows no streets, where it shows none. @param {Hearth} hearth */
export const plainMap = (hearth) => hearth.page.mapTiles ? null : h("p", { class: "hint" }, t("mapPlain"));
