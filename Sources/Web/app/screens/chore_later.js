// The sheet that puts a chore off to another day.

import { daysAfter } from "../parts/dates.js";
import { wordsOf } from "../parts/family.js";
import { field, form } from "../parts/screen.js";
import { h } from "../parts/signal.js";
import { openSheet } from "../parts/sheet.js";
import { dayOf, now } from "../parts/when.js";

/** @import { ChoreList, Item } from "../parts/chores.js" */

const t = await wordsOf("chores");

/** @param {ChoreList} list @param {Item} item */
export function laterSheet(list, item) {
  openSheet({ title: t("later") }, (close) => {
    const today = dayOf(now.peek(), list.zone());
    // The sheet would take the way back with it.
    const move = async (/** @type {string} */ day) => {
      await close();
      list.move(item, day);
    };
    const other = field({ label: t("otherDay"), name: "date", type: "date", required: true });
    return [
      h(
        "div",
        { class: "buttons" },
        // Days up to the one on which it is due would not be later.
        /** @type {const} */ ([["tomorrow", 1], ["inTwoDays", 2], ["inAWeek", 7]]).filter(([, days]) =>
          daysAfter(today, days) > (item.one.date ?? "")
        ).map(([key, days]) => h("button", { type: "button", onclick: () => move(daysAfter(today, days)) }, t(key))),
      ),
      form({ fields: [other], action: t("moveIt"), submit: () => move(other.value()) }),
    ];
  });
}
