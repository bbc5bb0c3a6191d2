// Bills, the newest first: those of the household's document at once, and the older ones page by page.

import { billRow } from "../parts/bills.js";
import { wordsOf } from "../parts/family.js";
import { olderButton, paging } from "../parts/paging.js";
import { computed, each, effect, h } from "../parts/signal.js";

/** @import { BillList, Item } from "../parts/bills.js" */

const t = await wordsOf("money");
/** The document has as many, at the most. */
const NEWEST = 100;

/** @param {BillList} list @param {string[]} [people] only bills that concern all of these */
export function billPages(list, people = []) {
  const isWanted = (/** @type {Item} */ { bill }) =>
    people.every((one) => one in (bill.paid ?? {}) || one in (bill.shares ?? {}));
  const pages = paging(list.hearth, "bills.list", list.room.name, { filter: people.length ? { people } : {} });
  const newest = computed(() => list.items.get().filter(isWanted));
  /** Bills that were here once, and have been removed since. @type {Set<string>} */
  const seen = new Set();
  effect(() => {
    for (const { id } of list.items.get()) seen.add(id);
  });
  const all = computed(() => {
    const older = pages.items.get().filter(({ id, bill }) => !bill.removedAt && !seen.has(id));
    const known = new Set(newest.get().map(({ id }) => id));
    return [...newest.get(), ...older.filter(({ id }) => !known.has(id))].sort((a, b) =>
      a.bill.at < b.bill.at ? 1 : -1
    );
  });
  const hasMore = () => list.items.get().length >= NEWEST && !pages.isAll();
  /** The first page may repeat what is here. */
  const more = async () => {
    const [shown, known] = [all.peek().length, pages.items.peek().length];
    await pages.more();
    const isNew = pages.items.peek().length > known;
    if (isNew && all.peek().length === shown && !pages.isAll()) await more();
  };
  return h(
    "div",
    null,
    h("ul", { class: "rows" }, each(() => all.get(), ({ id }) => id, (item) => billRow(list, item))),
    () => list.state() && !all.get().length && !hasMore() ? h("p", { class: "hint" }, t("noBills")) : null,
    () => hasMore() ? olderButton({ ...pages, more }, t("older")) : null,
  );
}
