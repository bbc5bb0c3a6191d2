// The form of a bill: the amount and what it was for are enough. Below, who has paid, and the six ways to divide it.
// Each one's share is shown as the server will say it, since the page chooses the bill's id.

import { CATEGORIES, categoryIcon, categoryName, formOf } from "../parts/bills.js";
import { wordsOf } from "../parts/family.js";
import { icon } from "../parts/icons.js";
import { money, plainMoney, readAmount, readDecimal } from "../parts/money.js";
import { membersOf, nameOf } from "../parts/names.js";
import { field, form, toggle } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, each, h, signal } from "../parts/signal.js";
import { named, ofBill, WHOLE } from "../parts/split.js";
import { nameKey } from "../parts/quantity.js";
import { listed, locale } from "../parts/words.js";
import { currencyField } from "./start.js";

/** @import { BillForm, BillList, Item } from "../parts/bills.js" */
/** @import { Bill } from "../parts/records.d.ts" */
/** @import { Item as Line, Split } from "../parts/split.js" */
/** @typedef {{ [person: string]: string }} Texts */
/** @typedef {{ key: number, name: string, amount: string, people: readonly string[], split: Line | null }} Typed */

const t = await wordsOf("money");
const KINDS = /** @type {const} */ (["equal", "shares", "percent", "exact", "adjustment", "itemised"]);
/** @typedef {typeof KINDS[number]} Kind */
/** Per cents have two decimals. */
const PERCENT = 2;

/**
 * @param {BillList} list
 * @param {{ item?: Item, like?: Bill }} [options] the bill to change, or one to begin with
 */
export function openBillForm(list, { item, like } = {}) {
  const { me, state } = list;
  const before = item?.bill ?? like;
  const id = item?.id ?? list.hearth.newId();
  const old = before && formOf(before);
  const sign = signal(old && old.amount < 0 ? -1 : 1);
  const currency = signal(old?.currency ?? list.currency());
  const residents = membersOf(state()).filter(([, one]) => one.role !== "guest").map(([person]) => person);
  // A bill may keep those who have left since.
  const persons = [...new Set([...residents, ...(old ? [...Object.keys(old.paid), ...named(old.split)] : [])])]
    .sort((a, b) => Number(b === me) - Number(a === me));
  const name = (/** @type {string} */ person) => nameOf(state(), person, me);
  /** Amounts of a bill of money that came back are written without the sign. @param {number} amount */
  const text = (amount) => plainMoney(amount * sign.peek(), currency.peek());

  const title = field({ label: t("what"), name: "title", value: old?.title ?? "", required: true, maxlength: 100 });
  const amountText = signal(old ? text(old.amount) : "");
  const amount = field({
    label: t("amount"),
    name: "amount",
    value: amountText.peek(),
    required: true,
    inputmode: "decimal",
    autocomplete: "off",
    autofocus: !before,
    placeholder: plainMoney(0, currency.peek()),
  });
  amount.input.addEventListener("input", () => amountText.set(amount.value()));

  const kind = signal(/** @type {Kind} */ (old?.split.kind ?? "equal"));
  const among = signal(/** @type {readonly string[]} */ (old ? named(old.split) : residents));
  const texts = signal(/** @type {Texts} */ ({}));
  const items = signal(/** @type {readonly Typed[]} */ ([]));
  const payer = signal(old ? Object.keys(old.paid).length > 1 ? "" : Object.keys(old.paid)[0] ?? me : me);
  const paidTexts = signal(/** @type {Texts} */ ({}));
  const date = signal(item?.bill.date ?? list.today());
  const category = signal(old?.category ?? "");
  const note = signal(item?.bill.note ?? "");
  let lines = 0;
  if (old) {
    const { parts = {} } = old.split;
    const write = {
      shares: String,
      percent: (/** @type {number} */ n) => decimal(n, PERCENT),
      exact: text,
      adjustment: (/** @type {number} */ n) => plainMoney(n, currency.peek()),
    };
    const how = write[/** @type {keyof typeof write} */ (kind.peek())] ?? String;
    texts.set(Object.fromEntries(Object.entries(parts).map(([person, n]) => [person, how(n)])));
    items.set((old.split.items ?? []).map((line) => ({
      key: ++lines,
      name: line.name ?? "",
      amount: text(line.amount),
      people: named(line),
      split: line.kind && line.kind !== "equal" ? line : null,
    })));
    if (!payer.peek()) paidTexts.set(Object.fromEntries(Object.entries(old.paid).map(([one, n]) => [one, text(n)])));
  }

  /** Undefined if it is no amount. */
  const read = (/** @type {string} */ typed) => readAmount(typed, currency.get());
  const total = computed(() => {
    const n = read(amountText.get());
    return n === undefined ? undefined : n * sign.get();
  });
  /** The numbers that are written beside people; `broken` if one of them is none. */
  const split = computed(() => {
    const one = kind.get();
    const people = [...among.get()].sort();
    let isBroken = false;
    /** @param {(typed: string) => number | undefined} how */
    const numbers = (how) => {
      const found = people.map((person) => /** @type {const} */ ([person, texts.get()[person]?.trim() ?? ""]))
        .map(([person, typed]) => /** @type {const} */ ([person, typed ? how(typed) : 0]));
      isBroken ||= found.some(([, n]) => n === undefined);
      return Object.fromEntries(
        found.map(([person, n]) => /** @type {const} */ ([person, n ?? 0])).filter(([, n]) => n),
      );
    };
    /** @type {Split} */ let made = { people };
    if (one === "shares") made = { kind: one, parts: numbers((typed) => readDecimal(typed, 0)) };
    if (one === "percent") made = { kind: one, parts: numbers((typed) => readDecimal(typed, PERCENT)) };
    if (one === "exact") {
      const parts = numbers((typed) => {
        const n = read(typed);
        return n === undefined ? n : n * sign.get();
      });
      made = { kind: one, parts };
    }
    if (one === "adjustment") made = { kind: one, people, parts: numbers(read) };
    if (one === "itemised") {
      made = {
        kind: one,
        items: items.get().map(({ name, amount, people, split }) => {
          const n = read(amount);
          isBroken ||= n === undefined;
          const called = name.trim() ? { name: name.trim() } : {};
          // A line that was divided in another way stays so until its people are chosen anew.
          const how = split ?? { people: [...people].sort() };
          return { ...how, ...called, amount: (n ?? 0) * sign.get() };
        }),
      };
    }
    return { made, isBroken };
  });
  const paid = computed(() => {
    const all = total.get() ?? 0;
    if (payer.get()) return { parts: { [payer.get()]: all }, left: 0, isBroken: false };
    const found = persons.map((person) => /** @type {const} */ ([person, paidTexts.get()[person]?.trim() ?? ""]))
      .filter(([, typed]) => typed).map(([person, typed]) => /** @type {const} */ ([person, read(typed)]));
    const isBroken = found.some(([, n]) => n === undefined || n < 0);
    const parts = Object.fromEntries(found.filter(([, n]) => n).map(([person, n]) => [person, (n ?? 0) * sign.get()]));
    return { parts, left: Object.values(parts).reduce((rest, n) => rest - n, all), isBroken };
  });
  const result = computed(() => {
    const { made } = split.get();
    // As long as nothing is written, all of it is missing.
    const isUnwritten = among.get().length > 0 && !named(made).length;
    if (isUnwritten && made.kind === "exact") return { offBy: total.get() ?? 0 };
    if (isUnwritten && made.kind === "percent") return { offBy: WHOLE };
    return ofBill(made, total.get() ?? 0, id);
  });
  const shares = computed(() => {
    const found = result.get();
    return !split.get().isBroken && total.get() && "shares" in found ? found.shares : null;
  });
  /** The reasons why the bill is not right, in words. */
  const problem = computed(() => {
    const found = result.get();
    if (!total.get()) return "";
    if (split.get().isBroken || paid.get().isBroken) return t("broken");
    if (paid.get().left) return off(paid.get().left, (n) => money(n, currency.get()), "paidShort", "paidOver");
    if ("problem" in found) return t(`wrong.${found.problem}`);
    if (!("offBy" in found)) return "";
    const inWords = (/** @type {number} */ n) =>
      kind.get() === "percent" ? `${decimal(n, PERCENT)} %` : money(n, currency.get());
    return off(found.offBy, inWords, "short", "over");
  });

  /** Below 0 something is too much, also of money that came back. */
  function off(
    /** @type {number} */ by,
    /** @type {(n: number) => string} */ inWords,
    /** @type {string} */ short,
    /** @type {string} */ over,
  ) {
    const isShort = by * (kind.get() === "percent" && short === "short" ? 1 : sign.get()) > 0;
    return t(isShort ? short : over, { amount: inWords(Math.abs(by)) });
  }

  const who = () => {
    const all = among.get();
    if (kind.get() !== "equal") return t(`kindInside.${kind.get()}`);
    if (residents.length > 1 && all.length === residents.length && residents.every((one) => all.includes(one))) {
      return t("amongAll");
    }
    return all.length > 3 ? t("amongSome", { n: all.length }) : t("among", {
      names: listed(all.map((one) => one === me ? t("youInside") : nameOf(state(), one))),
    });
  };
  const payerWords = () => {
    const one = payer.get();
    return one === me ? t("paidByYou") : t("paidBy", { name: one ? nameOf(state(), one) : t("several") });
  };
  /** The share of each, as far as it can be said in a line. */
  const shareWords = () => {
    const found = shares.get();
    if (!found) return "";
    const values = Object.values(found);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const [low, high] = [money(least, currency.get()), money(most, currency.get())];
    if (values.length > 1 && most - least <= 1) {
      return t(least === most ? "each" : "eachOr", { amount: low, other: high });
    }
    const mine = found[me];
    return mine === undefined ? t("notYoursLong") : t("mine", { amount: money(mine, currency.get()) });
  };

  const isOpen = signal(Boolean(before));
  const more = () =>
    h(
      "details",
      {
        class: "bill-more",
        open: isOpen.peek(),
        ontoggle: (/** @type {Event} */ event) => isOpen.set(/** @type {HTMLDetailsElement} */ (event.target).open),
      },
      h(
        "summary",
        null,
        h("span", null, h("span", null, payerWords, ", ", who), h("span", { class: "hint" }, t("more"))),
      ),
      // Most bills need none of it, and a sheet opens faster without.
      () => isOpen.get() ? h("div", { class: "form" }, everything()) : null,
    );

  openSheet({ title: t(item ? "change" : "new") }, (close) => [
    form(
      {
        fields: [amount, title],
        action: t(item ? "save" : "add"),
        disabled: () => Boolean(problem.get()),
        check: () => {
          if (amount.value().trim() && !total.peek()) amount.problem.set(t("wrongAmount", { example: text(1240) }));
        },
        submit: async () => {
          /** @type {BillForm} */
          const said = {
            title: title.value().trim().replace(/\s+/gu, " "),
            amount: total.peek() ?? 0,
            currency: currency.peek(),
            paid: paid.peek().parts,
            split: split.peek().made,
            date: date.peek() || list.today(),
            category: category.peek().trim() || null,
            note: note.peek().trim() || null,
          };
          await close();
          if (item) list.edit(item, said);
          else list.add(id, said);
        },
      },
      more(),
      h(
        "p",
        { class: () => `bill-sum ${problem.get() ? "problem" : "hint"}`, role: "status" },
        () => problem.get() ? [icon("alert"), problem.get()] : shareWords(),
      ),
    ),
  ]);

  function everything() {
    const options = (
      /** @type {[string, string][]} */ more,
    ) => [...persons.map((one) => /** @type {[string, string]} */ ([one, name(one)])), ...more];
    return [
      choice(t("payer"), "payer", payer, options([["", t("severalPayers")]])),
      () => payer.get() ? null : numbers(persons, paidTexts, { label: (one) => t("paidOf", { name: name(one) }) }),
      choice(t("split"), "kind", kind, KINDS.map((one) => [one, t(`kind.${one}`)]), () => texts.set({})),
      () => kind.get() === "itemised" ? lineList() : splitList(),
      // The same stands above the button, which is far from here.
      h("p", { class: "problem", "aria-hidden": "true" }, () => problem.get() ? [icon("alert"), problem.get()] : null),
      ...rest(),
    ];
  }

  /**
   * @template {string} V
   * @param {string} label @param {string} name @param {{ peek(): V, set(value: V): void }} value
   * @param {[string, string][]} options @param {() => void} [then]
   */
  function choice(label, name, value, options, then) {
    const made = field({ label, name, value: value.peek(), options });
    made.input.addEventListener("change", () => {
      then?.();
      value.set(/** @type {V} */ (made.value()));
    });
    return made.element;
  }

  /** @param {string} label @param {string} name @param {{ peek(): string, set(value: string): void }} value */
  function line(label, name, value, options = {}) {
    const made = field({ label, name, value: value.peek(), ...options });
    made.input.addEventListener("input", () => value.set(made.value()));
    return made.element;
  }

  /**
   * A number for each of some people.
   * @param {string[]} people @param {ReturnType<typeof signal<Texts>>} values
   * @param {{ label: (person: string) => string }} options
   */
  function numbers(people, values, { label }) {
    return h(
      "ul",
      { class: "parts-of" },
      people.map((person) =>
        h("li", null, h("span", { dir: "auto" }, name(person)), number(person, values, label(person)))
      ),
    );
  }

  /** @param {string} person @param {ReturnType<typeof signal<Texts>>} values @param {string} label */
  function number(person, values, label) {
    return h("input", {
      type: "text",
      // A phone's digits alone have no minus.
      inputmode: kind.peek() === "adjustment" && values === texts ? "text" : "decimal",
      autocomplete: "off",
      "aria-label": label,
      placeholder: values === texts && kind.peek() === "percent" ? "%" : plainMoney(0, currency.peek()),
      value: values.peek()[person] ?? "",
      oninput: (/** @type {Event} */ event) => {
        const { value } = /** @type {HTMLInputElement} */ (event.target);
        values.update((all) => ({ ...all, [person]: value }));
      },
    });
  }

  /** The people who take part, with what, and what comes of it. */
  function splitList() {
    const one = kind.peek();
    if (one === "shares" && !Object.keys(texts.peek()).length) {
      texts.set(Object.fromEntries(persons.map((person) => [person, "1"])));
    }
    return h(
      "ul",
      { class: "parts-of", "aria-label": t("amongWhom") },
      persons.map((person) => {
        const isIn = () => among.get().includes(person);
        return h(
          "li",
          null,
          h(
            "label",
            { class: "check" },
            h("input", {
              type: "checkbox",
              checked: isIn,
              onchange: () => among.update((all) => isIn() ? all.filter((id) => id !== person) : [...all, person]),
            }),
            h("span", { dir: "auto" }, name(person)),
          ),
          () => one === "equal" || !isIn() ? null : number(person, texts, t(`of.${one}`, { name: name(person) })),
          share(person),
        );
      }),
    );
  }

  /** @param {string} person */
  function share(person) {
    return h("span", { class: "amount-of" }, () => {
      const part = shares.get()?.[person];
      return part === undefined ? "" : money(part, currency.get());
    });
  }

  /** The items of a receipt, each with its people. */
  function lineList() {
    if (!items.peek().length) addLine();
    /** @param {number} key @param {Partial<Typed>} change */
    const put = (key, change) => items.update((all) => all.map((one) => one.key === key ? { ...one, ...change } : one));
    const typed = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).value;
    return h(
      "div",
      { class: "lines" },
      each(() => items.get(), ({ key }) => String(key), (one) => {
        const { key, name: called, amount: cost } = one();
        const label = () => one().name || t("item");
        return h(
          "fieldset",
          { class: "line" },
          h("legend", { class: "unseen" }, label),
          h("input", {
            type: "text",
            "aria-label": t("item"),
            placeholder: t("item"),
            maxlength: 100,
            dir: "auto",
            value: called,
            oninput: (/** @type {Event} */ event) => put(key, { name: typed(event) }),
          }),
          h("input", {
            type: "text",
            inputmode: "decimal",
            autocomplete: "off",
            "aria-label": t("itemCost"),
            placeholder: plainMoney(0, currency.peek()),
            value: cost,
            oninput: (/** @type {Event} */ event) => put(key, { amount: typed(event) }),
          }),
          h("button", {
            type: "button",
            class: "quiet round",
            "aria-label": () => t("itemRemove", { name: label() }),
            onclick: () => items.update((all) => all.filter((other) => other.key !== key)),
          }, icon("close")),
          h(
            "div",
            { class: "chips" },
            persons.map((person) =>
              h(
                "button",
                {
                  type: "button",
                  class: "chip",
                  "aria-pressed": () => String(one().people.includes(person)),
                  onclick: () => {
                    const { people } = one();
                    const next = people.includes(person) ? people.filter((id) => id !== person) : [...people, person];
                    put(key, { people: next, split: null });
                  },
                },
                h("span", { class: "one-line", dir: "auto" }, name(person)),
              )
            ),
          ),
        );
      }),
      h("button", { type: "button", class: "plain wide", onclick: addLine }, icon("plus"), t("itemAdd")),
      h("p", { class: "hint" }, t("itemsRest")),
      h(
        "ul",
        { class: "parts-of" },
        each(
          () => Object.keys(shares.get() ?? {}),
          (person) => person,
          (_, person) => h("li", null, h("span", { dir: "auto" }, name(person)), share(person)),
        ),
      ),
    );
  }

  function addLine() {
    items.update((all) => [...all, { key: ++lines, name: "", amount: "", people: residents, split: null }]);
  }

  function rest() {
    const own = Object.values(state()?.billCategories ?? {}).map((one) => one.name);
    const isOwn = category.peek() && !(category.peek() in CATEGORIES) && !own.includes(category.peek());
    const other = signal(isOwn ? category.peek() : "");
    const typed = line(t("ownCategory"), "category", {
      peek: () => other.peek(),
      set: (text) => {
        other.set(text);
        // In the spelling that is known already, so that it is one category.
        category.set(
          [...Object.keys(CATEGORIES), ...own].find((one) => nameKey(categoryName(one)) === nameKey(text)) ?? text,
        );
      },
    }, { maxlength: 40 });
    const money = currencyField(currency.peek());
    money.input.addEventListener("change", () => currency.set(money.value()));
    return [
      h(
        "fieldset",
        { class: "field" },
        h("legend", null, t("category")),
        h(
          "div",
          { class: "chips" },
          [...Object.keys(CATEGORIES), ...own].map((one) =>
            h(
              "button",
              {
                type: "button",
                class: "chip",
                "aria-pressed": () => String(category.get() === one),
                onclick: () => category.update((now) => now === one ? "" : one),
              },
              icon(categoryIcon(one)),
              h("span", { class: "one-line", dir: "auto" }, categoryName(one)),
            )
          ),
        ),
      ),
      typed,
      line(t("date"), "date", date, { type: "date" }),
      line(t("note"), "note", note, { rows: 2, maxlength: 1000 }),
      money.element,
      toggle({
        label: t("isBack"),
        text: t("isBackText"),
        isOn: () => sign.get() < 0,
        change: (on) => sign.set(on ? -1 : 1),
      }),
    ];
  }
}

/** "12.5" from 1250. @param {number} n @param {number} decimals */
const decimal = (n, decimals) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: decimals, useGrouping: false }).format(n / 10 ** decimals);
