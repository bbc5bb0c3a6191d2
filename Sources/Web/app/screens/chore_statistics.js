// The statistics: my own share first, then a bar for each person over a time, their points, and the whole history.

import { avatar } from "../parts/avatar.js";
import { choreList, choreName } from "../parts/chores.js";
import { daysAfter, mondayOf } from "../parts/dates.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { membersOf, nameOf } from "../parts/names.js";
import { field, inWords, screen, section, segments, skeleton } from "../parts/screen.js";
import { computed, each, effect, h, onEnd, signal } from "../parts/signal.js";
import { dayOf, now } from "../parts/when.js";
import { listed, locale } from "../parts/words.js";
import { choreHistory } from "./chore_history.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Methods } from "../hearth/types/methods.d.ts" */
/** @import { ChoreList } from "../parts/chores.js" */
/** @typedef {Methods["chores.statistics"]["result"]} Counts */
/** @typedef {"week" | "month" | "year" | "own"} Span */

const t = await wordsOf("chores");
/** @type {Span[]} */
const SPANS = ["week", "month", "year", "own"];

/**
 * The first day of a time, and the day after its last one. @param {Span} span @param {string} today
 */
function rangeOf(span, today) {
  const [year = "", month = ""] = today.split("-");
  if (span === "week") {
    const monday = mondayOf(today);
    return { from: monday, to: daysAfter(monday, 7) };
  }
  if (span === "year") return { from: `${year}-01-01`, to: `${Number(year) + 1}-01-01` };
  // By the first days of months, which Date knows to count.
  const next = new Date(Date.UTC(Number(year), Number(month), 1)).toISOString().slice(0, 10);
  return { from: `${year}-${month}-01`, to: next };
}

/** @param {Hearth} hearth */
export function render(hearth) {
  const list = choreList(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const today = computed(() => dayOf(now.get(), list.zone()));
  const span = signal(/** @type {Span} */ ("week"));
  const own = signal({ from: daysAfter(today.peek(), -30), to: today.peek() });
  const range = computed(() =>
    span.get() === "own" ? { from: own.get().from, to: daysAfter(own.get().to, 1) } : rangeOf(span.get(), today.get())
  );
  const counts = signal(/** @type {Counts | null} */ (null));
  const problem = signal("");
  /** Whose history is shown; nobody's is everybody's. */
  const person = signal("");
  // Another one is done: the sums are the server's.
  const news = computed(() => list.state()?.choreStats);
  effect(() => {
    news.get();
    const asked = range.get();
    let isOver = false;
    onEnd(() => isOver = true);
    hearth.ask("chores.statistics", asked, { room: list.room.name }).then(
      (answer) => isOver || (counts.set(answer), problem.set("")),
      (error) => isOver || (counts.set(null), problem.set(inWords(error))),
    );
  });

  const date = (/** @type {"from" | "to"} */ key) => {
    const made = field({ label: t(key), name: key, type: "date", value: own.peek()[key] });
    made.input.addEventListener("change", () => {
      const next = { ...own.peek(), [key]: made.value() };
      made.problem.set(next.to < next.from ? t("order") : "");
      if (made.value() && next.from <= next.to) own.set(next);
    });
    return made.element;
  };
  const what = (/** @type {string} */ id) =>
    Object.entries(counts.get()?.people?.[id]?.tasks ?? {}).sort(([, a], [, b]) => b - a).map(([task, n]) =>
      t("countOf", { n, name: choreName(counts.get()?.tasks?.[task] ?? { name: "" }) })
    );
  const hasPoints = computed(() => list.state()?.household?.points === true);

  return screen(
    {
      title: t("statistics"),
      back: "/chores",
      class: "chore-statistics",
      lead: h("span", { role: "status" }, () => {
        if (problem.get()) return t("statisticsOffline");
        if (!counts.get()) return "";
        const mine = what(list.me);
        return mine.length ? t("youDid", { what: listed(mine) }) : t("youDidNothing");
      }),
    },
    segments({
      label: t("range"),
      choices: SPANS.map((one) => [one, t(one)]),
      value: () => span.get(),
      change: (one) => span.set(one),
    }),
    () => span.get() === "own" ? h("div", { class: "pair" }, date("from"), date("to")) : null,
    () => counts.get() || problem.get() ? null : skeleton(3),
    bars(),
    () => hasPoints.get() ? score(list, () => news.get()) : null,
    section(
      {
        title: () => person.get() ? `${t("history")}: ${nameOf(list.state(), person.get(), list.me)}` : t("history"),
      },
      () => {
        news.get();
        return choreHistory(list, person.get() ? { person: person.get() } : {});
      },
    ),
  );

  function bars() {
    /** Members, and former ones who have done something in this time. */
    const all = computed(() => {
      const found = counts.get()?.people ?? {};
      const members = membersOf(list.state()).map(([id]) => id);
      const rows = [...new Set([...members, ...Object.keys(found)])].map((id) => ({
        id,
        done: found[id]?.done ?? 0,
        points: found[id]?.points ?? 0,
      }));
      return rows.sort((a, b) => b.done - a.done);
    });
    const most = computed(() => Math.max(1, ...all.get().map(({ done }) => done)));
    const isHere = computed(() => counts.get() !== null);
    return () =>
      !isHere.get() ? null : h(
        "ul",
        { class: "rows bars", "aria-label": t("bars") },
        each(() => all.get(), ({ id }) => id, (one, id) => {
          const said = () =>
            [
              t("doneCount", { n: one().done }),
              hasPoints.get() ? t("pointsWorth", { n: one().points }) : "",
            ].filter(Boolean).join(" · ");
          return h(
            "li",
            null,
            h(
              "button",
              {
                type: "button",
                class: "row",
                "aria-pressed": () => String(person.get() === id),
                onclick: () => person.update((now) => now === id ? "" : id),
              },
              avatar(id, () => nameOf(list.state(), id)),
              h(
                "span",
                { class: "row-words" },
                h(
                  "span",
                  { class: "bar-head" },
                  h("span", { class: "row-title", dir: "auto" }, () => nameOf(list.state(), id, list.me)),
                  h("span", { class: "row-text" }, said),
                ),
                h("span", {
                  class: "share-bar",
                  "aria-hidden": "true",
                  style: () => ({ "--share": one().done / most.get() }),
                }),
                () => what(id).length ? h("span", { class: "row-text" }, what(id).join(" · ")) : null,
              ),
            ),
          );
        }),
      );
  }
}

/** The points of a year, in all and month by month. @param {ChoreList} list @param {() => unknown} news */
function score(list, news) {
  const thisYear = Number(dayOf(now.peek(), list.zone()).slice(0, 4));
  const year = signal(thisYear);
  const found = signal(/** @type {Methods["chores.score"]["result"] | null} */ (null));
  effect(() => {
    news();
    let isOver = false;
    onEnd(() => isOver = true);
    list.hearth.ask("chores.score", { year: year.get() }, { room: list.room.name }).then(
      (answer) => isOver || found.set(answer),
      () => isOver || found.set(null),
    );
  });
  const months = () => Object.entries(found.get()?.months ?? {}).sort(([a], [b]) => (a < b ? 1 : -1));
  const people = (/** @type {Record<string, number>} */ sums) => Object.entries(sums).sort(([, a], [, b]) => b - a);
  const name = (/** @type {string} */ id) => nameOf(list.state(), id, list.me);
  const total = () => {
    /** @type {Record<string, number>} */ const sums = {};
    for (const [, { people = {} }] of months()) {
      for (const [id, { points }] of Object.entries(people)) sums[id] = (sums[id] ?? 0) + points;
    }
    return people(sums).filter(([, points]) => points);
  };
  const step = (/** @type {number} */ by) =>
    h("button", {
      type: "button",
      class: "quiet round",
      "aria-label": t(by < 0 ? "earlierYear" : "laterYear"),
      disabled: () => by > 0 ? year.get() >= thisYear : year.get() <= thisYear - 2,
      onclick: () => year.update((now) => now + by),
    }, icon(by < 0 ? "back" : "next"));
  const monthName = (/** @type {string} */ month) =>
    new Intl.DateTimeFormat(locale(), { month: "long", timeZone: "UTC" }).format(Date.parse(`${month}-01`));
  return section(
    {
      title: () => t("pointsOf", { year: String(year.get()) }),
      actions: h("span", { class: "steps" }, step(-1), step(1)),
    },
    () => {
      if (!total().length) return h("p", { class: "hint" }, t("noPoints"));
      const columns = total().map(([id]) => id);
      return h(
        "div",
        { class: "scrolls", tabindex: 0, role: "group", "aria-label": t("pointsOf", { year: String(year.get()) }) },
        h(
          "table",
          null,
          h("thead", null, h("tr", null, h("td", null), columns.map((id) => h("th", { scope: "col" }, name(id))))),
          h(
            "tbody",
            null,
            h(
              "tr",
              { class: "sum" },
              h("th", { scope: "row" }, String(year.get())),
              total().map(([, points]) => h("td", null, points)),
            ),
            months().map(([month, { people = {}, final }]) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, monthName(month), final && h("span", { class: "hint" }, ` ${t("isFinal")}`)),
                columns.map((id) => h("td", null, people[id]?.points ?? 0)),
              )
            ),
          ),
        ),
      );
    },
  );
}
