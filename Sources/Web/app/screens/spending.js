// The spending, by month and by category: by all, or my part of it. And the whole ledger as a file.

import { billsOf, categoryIcon, categoryName } from "../parts/bills.js";
import { csvRow, download } from "../parts/csv.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { decimalsOf, exactMoney, money } from "../parts/money.js";
import { nameOf } from "../parts/names.js";
import { empty, inWords, screen, section, segments, skeleton } from "../parts/screen.js";
import { computed, each, effect, h, onEnd, signal } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { locale } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Methods } from "../hearth/types/methods.d.ts" */
/** @typedef {Methods["bills.spending"]["result"]} Spending */

const t = await wordsOf("money");
/** So many months stand side by side. */
const MONTHS = 6;
/** The sums of so many are kept. */
const KEPT = 36;

/** The month so many later. @param {string} month YYYY-MM @param {number} by */
const monthAfter = (month, by) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + by, 1)).toISOString().slice(0, 7);

/** @param {string} month @param {Intl.DateTimeFormatOptions} [options] */
const monthName = (month, options = { month: "long", year: "numeric" }) =>
  new Intl.DateTimeFormat(locale(), { ...options, timeZone: "UTC" }).format(Date.parse(`${month}-01`));

/** @param {Hearth} hearth */
export function render(hearth) {
  const list = billsOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me, room } = list;
  const thisMonth = computed(() => list.today().slice(0, 7));
  const last = signal(thisMonth.peek());
  const chosen = signal(/** @type {string | null} */ (thisMonth.peek()));
  const whose = signal(/** @type {"all" | "mine"} */ ("all"));
  const wanted = signal(list.currency());
  const found = signal(/** @type {Spending | null} */ (null));
  const problem = signal("");
  effect(() => {
    // The sums are the server's.
    list.items.get();
    const asked = { to: last.get(), months: MONTHS };
    let isOver = false;
    onEnd(() => isOver = true);
    hearth.ask("bills.spending", asked, { room: room.name }).then(
      (answer) => isOver || (found.set(answer), problem.set("")),
      (error) => isOver || (found.set(null), problem.set(inWords(error))),
    );
  });

  const months = computed(() => Array.from({ length: MONTHS }, (_, at) => monthAfter(last.get(), at + 1 - MONTHS)));
  const currencies = computed(() => [...new Set((found.get()?.months ?? []).map((one) => one.currency))].sort());
  const currency = () => currencies.get().includes(wanted.get()) ? wanted.get() : currencies.get()[0] ?? wanted.get();
  /** By category, what was spent in some months. @param {string[]} some */
  const spent = (some) => {
    /** @type {Map<string, number>} */ const sums = new Map();
    for (const row of found.get()?.months ?? []) {
      if (row.currency !== currency() || !some.includes(row.month)) continue;
      for (const [category, { amount, people }] of Object.entries(row.categories ?? {})) {
        const part = whose.get() === "mine" ? people?.[me] ?? 0 : amount;
        if (part) sums.set(category, (sums.get(category) ?? 0) + part);
      }
    }
    return [...sums].sort(([, a], [, b]) => b - a);
  };
  const total = (/** @type {string[]} */ some) => spent(some).reduce((sum, [, amount]) => sum + amount, 0);
  const shown = computed(() => months.get().filter((month) => chosen.get() === null || month === chosen.get()));
  const isHere = computed(() => found.get() !== null);
  const isEmpty = computed(() => isHere.get() && !found.get()?.months?.length);
  const range = () => `${monthName(months.get()[0] ?? "")} – ${monthName(last.get())}`;
  const span = () => chosen.get() ? monthName(chosen.get() ?? "") : range();

  return screen(
    {
      title: t("spending"),
      back: "/money",
      class: "money",
      lead: h("span", { role: "status" }, () => {
        if (problem.get()) return t("spendingOffline");
        if (!isHere.get()) return "";
        const amount = money(total(shown.get()), currency());
        return t(whose.get() === "mine" ? "spentMine" : "spentAll", { span: span(), amount });
      }),
    },
    segments({
      label: t("whose"),
      choices: [["all", t("ofAll")], ["mine", t("ofMine")]],
      value: () => whose.get(),
      change: (one) => whose.set(one),
    }),
    () =>
      currencies.get().length > 1
        ? h(
          "div",
          { class: "chips currencies", role: "group", "aria-label": t("currency") },
          currencies.get().map((one) =>
            h("button", {
              type: "button",
              class: "chip",
              "aria-pressed": () => String(currency() === one),
              onclick: () => wanted.set(one),
            }, one)
          ),
        )
        : null,
    () => isHere.get() || problem.get() ? null : skeleton(4),
    () => isHere.get() ? chart() : null,
    () => isEmpty.get() ? empty({ icon: "bars", text: t("spendingEmpty") }) : null,
    () => isHere.get() && !isEmpty.get() ? [section({ title: span }, categories()), table()] : null,
    section(
      { title: t("export") },
      h("p", { class: "hint" }, t("exportText")),
      h("div", { class: "buttons spaced" }, exportButton()),
    ),
  );

  function step(/** @type {number} */ by) {
    const first = () => monthAfter(thisMonth.get(), 1 - KEPT);
    const isAtEnd = () => by > 0 ? last.get() >= thisMonth.get() : (months.get()[0] ?? "") <= first();
    return h("button", {
      type: "button",
      class: "quiet round",
      "aria-label": t(by > 0 ? "laterMonths" : "earlierMonths"),
      disabled: isAtEnd,
      onclick: () => {
        last.update((now) => monthAfter(now, by));
        chosen.set(by > 0 && last.peek() === thisMonth.peek() ? last.peek() : null);
      },
    }, icon(by > 0 ? "next" : "before"));
  }

  function chart() {
    const most = computed(() => Math.max(1, ...months.get().map((month) => total([month]))));
    const short = (/** @type {number} */ amount) => {
      const units = amount / 10 ** decimalsOf(currency());
      const isLong = Math.abs(units) >= 10_000;
      const options = isLong ? { notation: /** @type {const} */ ("compact") } : {};
      return new Intl.NumberFormat(locale(), { ...options, maximumFractionDigits: isLong ? 1 : 0 }).format(units);
    };
    return section(
      { title: range, actions: h("span", { class: "steps" }, step(-MONTHS), step(MONTHS)) },
      h(
        "ul",
        { class: "month-chart", "aria-label": t("byMonth") },
        each(() => months.get(), (month) => month, (_, month) =>
          h(
            "li",
            null,
            h(
              "button",
              {
                type: "button",
                class: "quiet",
                "aria-pressed": () => String(chosen.get() === month),
                "aria-label": () => `${monthName(month)}: ${money(total([month]), currency())}`,
                onclick: () => chosen.update((now) => now === month ? null : month),
              },
              h(
                "span",
                { class: "column", style: () => ({ "--share": Math.max(0, total([month])) / most.get() }) },
                () => total([month]) ? h("small", null, short(total([month]))) : null,
              ),
              h("span", null, monthName(month, { month: "short" })),
            ),
          )),
      ),
    );
  }

  function categories() {
    const rows = computed(() => spent(shown.get()));
    const most = computed(() => Math.max(1, ...rows.get().map(([, amount]) => amount)));
    return [
      () => rows.get().length ? null : h("p", { class: "hint" }, t("nothingSpent")),
      h(
        "ul",
        { class: "rows" },
        each(() => rows.get(), ([category]) => category, (item, category) =>
          h(
            "li",
            null,
            h(
              "div",
              { class: "row" },
              h("span", { class: "sign" }, icon(categoryIcon(category))),
              h(
                "span",
                { class: "row-words" },
                h(
                  "span",
                  { class: "spent-head" },
                  h("span", { class: "row-title", dir: "auto" }, categoryName(category)),
                  h("span", { class: "amount-of" }, () => money(item()[1], currency())),
                ),
                h("span", {
                  class: "spent",
                  "aria-hidden": "true",
                  style: () => ({ "--share": Math.max(0, item()[1]) / most.get() }),
                }),
              ),
            ),
          )),
      ),
    ];
  }

  /** The same numbers for whoever cannot see the columns, or wants all of them. */
  function table() {
    return h(
      "details",
      null,
      h("summary", null, t("asTable")),
      () => {
        const columns = spent(months.get()).map(([category]) => category);
        const amountOf = (/** @type {string[]} */ some, /** @type {string} */ category) =>
          money(spent(some).find(([one]) => one === category)?.[1] ?? 0, currency());
        return h(
          "div",
          { class: "scrolls", tabindex: 0, role: "group", "aria-label": t("asTable") },
          h(
            "table",
            null,
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                h("td", null),
                columns.map((one) => h("th", { scope: "col" }, categoryName(one))),
                h("th", { scope: "col" }, t("sum")),
              ),
            ),
            h(
              "tbody",
              null,
              [...months.get()].reverse().map((month) =>
                h(
                  "tr",
                  null,
                  h("th", { scope: "row" }, monthName(month)),
                  columns.map((one) => h("td", null, amountOf([month], one))),
                  h("td", null, money(total([month]), currency())),
                )
              ),
            ),
          ),
        );
      },
    );
  }

  function exportButton() {
    const isBusy = signal(false);
    return h(
      "button",
      {
        type: "button",
        "aria-busy": () => String(isBusy.get()),
        onclick: async () => {
          if (isBusy.peek()) return;
          isBusy.set(true);
          try {
            download(`${state()?.household?.name ?? "Hearth"} ${list.today()}.csv`, await ledger(), "text/csv");
            say(t("exported"));
          } catch (error) {
            say(inWords(error));
          } finally {
            isBusy.set(false);
          }
        },
      },
      icon("share"),
      t("exportAction"),
    );
  }

  /** A row for each person of each entry: they add up to their balance, as those of `hearth ledger` do. */
  async function ledger() {
    const [entries, bills] = [await all("ledger.list"), await all("bills.list")];
    const titles = new Map(bills.map(({ id, bill }) => [id, bill.title]));
    const rows = entries.reverse().flatMap(({ n, at, kind, ref, by, currency, people = {} }) =>
      Object.entries(people).sort(([a], [b]) => (a < b ? -1 : 1)).map(([person, amount]) => [
        n,
        at,
        kind,
        ref,
        titles.get(ref) ?? "",
        by ?? "",
        currency,
        person,
        nameOf(state(), person),
        exactMoney(amount, currency),
      ])
    );
    const head = ["entry", "at", "kind", "ref", "title", "by", "currency", "person", "name", "amount"];
    return [head, ...rows].map(csvRow).join("");
  }

  /** All pages. @template {"ledger.list" | "bills.list"} M @param {M} method */
  async function all(method) {
    /** @type {Methods[M]["result"]["items"][number][]} */ const items = [];
    for (let before = "";;) {
      const page = await hearth.ask(method, { limit: 100, ...(before && { before }) }, { room: room.name });
      items.push(...page.items);
      if (!page.next) return items;
      before = page.next;
    }
  }
}
