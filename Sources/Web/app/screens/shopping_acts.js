// Acts on rows of the list, one or several: each time one sentence says so, and one tap takes it back.

import { say } from "../parts/snackbar.js";
import { wordsOf } from "../parts/family.js";
import { listed } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Entry, Row } from "../parts/groceries.js" */
/** @import { Shopping } from "../parts/shopping.js" */

const t = await wordsOf("shopping");

/** Only the owner of an item may change it. @param {Hearth} hearth @returns {(entry: Entry) => boolean} */
const isMineToChange = (hearth) => ({ line }) => !line.owner || line.owner === hearth.me;

/** Private items are on none of the household's lists. @param {Hearth} hearth @returns {(entry: Entry) => boolean} */
export const canMove = (hearth) => (entry) => entry.where === "home" && isMineToChange(hearth)(entry);

/** @param {Row[]} rows @param {(entry: Entry) => boolean} isDue */
function due(rows, isDue) {
  const done = rows.filter(({ entries }) => entries.some(isDue));
  return { done, entries: done.flatMap(({ entries }) => entries).filter(isDue) };
}

/** @param {Row[]} rows @param {string} one @param {string} several */
const about = (rows, one, several) =>
  rows.length === 1 ? t(one, { name: rows[0]?.name }) : t(several, { n: rows.length });

/** Buys rows, or puts them back. @param {Shopping} shopping @param {Row[]} rows @param {boolean} isChecked */
export function toggle(shopping, rows, isChecked) {
  const { done, entries } = due(rows, ({ line }) => (line.checkedAt !== undefined) !== isChecked);
  for (const entry of entries) shopping.check(entry, isChecked);
  const undo = () => {
    for (const { id } of entries) {
      const now = shopping.find(id);
      if (now) shopping.check(now, !isChecked);
    }
  };
  say(isChecked ? about(done, "put", "putSeveral") : about(done, "back", "backSeveral"), { undo, isBrief: true });
}

/**
 * Takes rows off the list, as far as they are not somebody else's.
 * @param {Hearth} hearth @param {Shopping} shopping @param {Row[]} rows
 */
export function take(hearth, shopping, rows) {
  const { done, entries } = due(rows, isMineToChange(hearth));
  const others = rows.filter((row) => !done.includes(row));
  const name = listed([...new Set(others.flatMap(({ owners }) => owners))].map(shopping.name));
  if (!entries.length) return say(t("notYours", { name }));
  for (const entry of entries) shopping.remove(entry);
  const said = about(done, "removed", "removedSeveral");
  say(others.length ? `${said}. ${t("othersOwn", { n: others.length, name })}` : said, {
    undo: () => entries.forEach(shopping.restore),
    about: done.length > 1 ? listed(done.map((row) => row.name)) : "",
  });
}

/**
 * Puts rows on another list. What is somebody else's, or seen by me only, stays.
 * @param {Hearth} hearth @param {Shopping} shopping @param {Row[]} rows
 * @param {{ id: string | undefined, name: string }} list the main list has no id
 */
export function move(hearth, shopping, rows, list) {
  const { done, entries } = due(rows, (entry) => canMove(hearth)(entry) && entry.line.list !== list.id);
  /** @param {Entry} entry @param {string | undefined} to */
  const put = (entry, to) => shopping.edit(entry, Object.keys(entry.line.sources)[0] ?? entry.id, { list: to ?? null });
  for (const entry of entries) put(entry, list.id);
  const undo = () => {
    for (const entry of entries) {
      const now = shopping.find(entry.id);
      if (now?.id === entry.id) put(now, entry.line.list);
      else if (now) {
        // On the other list it was merged into a line, which stays.
        shopping.remove(now, Object.keys(entry.line.sources));
        shopping.restore(entry);
      }
    }
  };
  say(t("moved", { n: done.length, name: list.name }), { undo, isBrief: true });
}
