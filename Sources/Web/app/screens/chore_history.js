// The history of chores, page by page: of one chore, of one person, or all of it.

import { avatar } from "../parts/avatar.js";
import { choreName } from "../parts/chores.js";
import { wordsOf } from "../parts/family.js";
import { icon } from "../parts/icons.js";
import { nameOf } from "../parts/names.js";
import { olderButton, paging } from "../parts/paging.js";
import { row, skeleton } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { each, h, signal } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { day } from "../parts/when.js";
import { locale } from "../parts/words.js";

/** @import { ChoreList } from "../parts/chores.js" */
/** @import { ChoreRecord } from "../parts/records.d.ts" */

const t = await wordsOf("chores");
const WEEK = 7 * 86_400_000;

/** @param {ChoreList} list @param {{ task?: string, person?: string }} filter */
export function choreHistory(list, filter) {
  const pages = paging(list.hearth, "chores.history", list.room.name, { filter });
  /** My own stars, until the history is asked for again. */
  const rated = signal(/** @type {Record<string, number | null>} */ ({}));
  pages.more();
  return h(
    "div",
    null,
    h(
      "ul",
      { class: "rows" },
      each(() => pages.items.get(), (one) => one.id, (item) => record(item())),
    ),
    () => pages.isAll() && !pages.items.get().length ? h("p", { class: "hint" }, t("historyEmpty")) : null,
    () => pages.isBeginning() ? skeleton(3) : pages.isAll() ? null : olderButton(pages, t("older")),
  );

  /** @param {ChoreRecord} one */
  function record(one) {
    const isMine = one.by === list.me;
    const isDone = one.kind === "done";
    const mayRate = isDone && !isMine && list.hearth.now() - Date.parse(one.at) < WEEK;
    const mayUndo = one.kind !== "missed" && (isMine || list.state()?.household?.host === list.me);
    const by = () =>
      t(one.kind === "skipped" && isMine ? "by.skippedYou" : `by.${one.kind}`, {
        name: nameOf(list.state(), one.by, list.me),
        when: day(one.at, list.zone()),
      });
    const about = () =>
      [
        filter.task ? "" : by(),
        one.late ? t("late") : "",
        one.minutes ? t("took", { n: one.minutes }) : "",
        one.points ? t("pointsWorth", { n: one.points }) : "",
        one.note ? t("quoted", { note: one.note }) : "",
      ].filter(Boolean).join(" · ");
    const average = () => {
      const all = Object.values({
        ...one.ratings,
        ...(one.id in rated.get() ? { [list.me]: rated.get()[one.id] } : {}),
      })
        .filter((stars) => typeof stars === "number");
      return all.length ? all.reduce((sum, stars) => sum + stars, 0) / all.length : 0;
    };
    const number = (/** @type {number} */ value) =>
      new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(value);
    return row({
      before: one.by ? avatar(one.by, nameOf(list.state(), one.by)) : h("span", { class: "sign" }, icon("clock")),
      title: () => filter.task ? by() : choreName(one, list.state()),
      text: about,
      after: () =>
        average()
          ? h("span", { class: "stars", role: "img", "aria-label": t("average", { average: number(average()) }) }, [
            "★ ",
            number(average()),
          ])
          : null,
      class: isDone ? "" : "faint",
      ...(mayRate || mayUndo ? { onclick: () => recordSheet(one, mayRate, mayUndo) } : {}),
    });
  }

  /** @param {ChoreRecord} one @param {boolean} mayRate @param {boolean} mayUndo */
  function recordSheet(one, mayRate, mayUndo) {
    openSheet({ title: choreName(one, list.state()) }, (close) => [
      mayRate && h(
        "div",
        { role: "group", "aria-label": t("rate") },
        h("p", null, t("rate")),
        h(
          "div",
          { class: "star-buttons" },
          [1, 2, 3, 4, 5].map((stars) => {
            const mine = () => rated.get()[one.id] ?? one.ratings?.[list.me] ?? 0;
            return h("button", {
              type: "button",
              class: "quiet round",
              "aria-label": t("stars", { n: stars }),
              "aria-pressed": () => String(mine() === stars),
              onclick: async () => {
                rated.update((all) => ({ ...all, [one.id]: stars }));
                list.change("chores.rate", { id: one.id, stars }, one, () => null);
                await close();
                say(t("rated"));
              },
            }, () => mine() >= stars ? "★" : "☆");
          }),
        ),
      ),
      mayUndo && h(
        "button",
        {
          type: "button",
          onclick: async () => {
            await close();
            list.change("chores.undo", { id: one.id, newId: list.hearth.newId() }, one, () => null);
          },
        },
        icon("undo"),
        t("undo"),
      ),
    ]);
  }
}
