// The fields of an amount that several people share: who has paid it, and the six ways to divide it. Each one's share
// is shown as the server will say it, since the page chooses the bill's id.

import { CATEGORIES, categoryIcon, categoryName } from "./bills.js";
import { wordsOf } from "./family.js";
import { icon } from "./icons.js";
import { money, plainMoney, readAmount, readDecimal } from "./money.js";
import { nameOf } from "./names.js";
import { nameKey } from "./quantity.js";
import { check, field } from "./screen.js";
import { computed, each, h, signal, untracked } from "./signal.js";
import { named, ofBill, WHOLE } from "./split.js";
import { listed, locale } from "./words.js";

/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Item as Line, Parts, Split } from "./split.js" */
/** @typedef {{ [person: string]: string }} Texts */
/** @typedef {{ key: number, name: string, amount: string, people: readonly string[], split: Line | null }} Typed */
/**
 * The amount that is divided, and its people.
 * @typedef {object} Shared
 * @property {() => HouseholdState | null} state
 * @property {string} me
 * @property {readonly string[]} persons all who may be chosen
 * @property {readonly string[]} residents those among whom it is divided at first
 * @property {() => string} id of the bill, from which it follows who pays the odd unit; read as a signal
 * @property {() => number | undefined} total read as a signal; undefined as long as it is no amount
 * @property {{ get(): number, peek(): number }} sign below 0 for money that came back
 * @property {{ get(): string, peek(): string }} currency
 */

const t = await wordsOf("money");
const KINDS = /** @type {const} */ (["equal", "shares", "percent", "exact", "adjustment", "itemised"]);
/** @typedef {typeof KINDS[number]} Kind */
/** Per cents have two decimals. */
const PERCENT = 2;

/** The names of people, as the reader says them. @param {Shared} about */
const nameIn = ({ state, me }) => (/** @type {string} */ person) => nameOf(state(), person, me);

/**
 * A choice that a signal holds.
 * @template {string} V
 * @param {string} label @param {string} name @param {{ peek(): V, set(value: V): void }} value
 * @param {[string, string][]} options @param {() => void} [then]
 */
export function choice(label, name, value, options, then) {
  const made = field({ label, name, value: value.peek(), options });
  made.input.addEventListener("change", () => {
    then?.();
    value.set(/** @type {V} */ (made.value()));
  });
  return made.element;
}

/**
 * A field whose text a signal holds.
 * @param {string} label @param {string} name @param {{ peek(): string, set(value: string): void }} value
 */
export function line(label, name, value, options = {}) {
  const made = field({ label, name, value: value.peek(), ...options });
  made.input.addEventListener("input", () => value.set(made.value()));
  return made.element;
}

/**
 * A number beside a person.
 * @param {string} person @param {ReturnType<typeof signal<Texts>>} values
 * @param {{ label: string, placeholder: string, inputmode?: string }} options
 */
function number(person, values, { label, placeholder, inputmode = "decimal" }) {
  return h("input", {
    type: "text",
    inputmode,
    autocomplete: "off",
    "aria-label": label,
    placeholder,
    value: values.peek()[person] ?? "",
    oninput: (/** @type {Event} */ event) => {
      const { value } = /** @type {HTMLInputElement} */ (event.target);
      values.update((all) => ({ ...all, [person]: value }));
    },
  });
}

/** A fault in words, as it stands below a list; the same stands above the button. @param {() => string} problem */
export const fault = (problem) =>
  h("p", { class: "problem", "aria-hidden": "true" }, () => problem() ? [icon("alert"), problem()] : null);

/**
 * The people who have paid: one of them, or several with a part each.
 * @param {Shared} about @param {Parts} [old]
 */
export function payers(about, old) {
  const { me, persons, total, sign, currency } = about;
  const name = nameIn(about);
  const before = Object.entries(old ?? { [me]: 0 });
  const payer = signal(before.length > 1 ? "" : before[0]?.[0] ?? me);
  const texts = signal(
    /** @type {Texts} */ (before.length > 1
      ? Object.fromEntries(before.map(([one, n]) => [one, plainMoney(n * sign.peek(), currency.peek())]))
      : {}),
  );
  const paid = computed(() => {
    const all = total() ?? 0;
    if (payer.get()) return { parts: { [payer.get()]: all }, left: 0, isBroken: false };
    const found = persons.map((person) => /** @type {const} */ ([person, texts.get()[person]?.trim() ?? ""]))
      .filter(([, typed]) => typed)
      .map(([person, typed]) => /** @type {const} */ ([person, readAmount(typed, currency.get())]));
    const isBroken = found.some(([, n]) => n === undefined || n < 0);
    const parts = Object.fromEntries(found.filter(([, n]) => n).map(([person, n]) => [person, (n ?? 0) * sign.get()]));
    return { parts, left: Object.values(parts).reduce((rest, n) => rest - n, all), isBroken };
  });
  const problem = computed(() => {
    const { left, isBroken } = paid.get();
    if (isBroken) return t("broken");
    const amount = money(Math.abs(left), currency.get());
    return left ? t(left * sign.get() > 0 ? "paidShort" : "paidOver", { amount }) : "";
  });
  return {
    payer,
    problem: () => total() ? problem.get() : "",
    parts: () => paid.get().parts,
    words() {
      const one = payer.get();
      return one === me ? t("paidByYou") : t("paidBy", { name: one ? name(one) : t("several") });
    },
    fields: (label = t("payer")) => [
      choice(label, "payer", payer, [
        ...persons.map((one) => /** @type {[string, string]} */ ([one, name(one)])),
        ["", t("severalPayers")],
      ]),
      () =>
        payer.get() ? null : untracked(() =>
          h(
            "ul",
            { class: "parts-of" },
            persons.map((person) =>
              h(
                "li",
                null,
                h("span", { dir: "auto" }, name(person)),
                number(person, texts, {
                  label: person === me ? t("paidYourself") : t("paidOf", { name: name(person) }),
                  placeholder: plainMoney(0, currency.peek()),
                }),
              )
            ),
          )
        ),
      () => payer.get() ? null : fault(() => total() ? problem.get() : ""),
    ],
  };
}

/**
 * How an amount is divided.
 * @param {Shared} about @param {Split} [old] @param {[string, string]} [none] a choice that divides in no way of these
 */
export function division(about, old, none) {
  const { me, persons, residents, total, sign, currency } = about;
  const name = nameIn(about);
  /** Amounts of a bill of money that came back are written without the sign. @param {number} amount */
  const text = (amount) => plainMoney(amount * sign.peek(), currency.peek());
  const kind = signal(/** @type {Kind | ""} */ (old ? old.kind ?? "equal" : none ? "" : "equal"));
  const among = signal(/** @type {readonly string[]} */ (old ? named(old) : residents));
  const texts = signal(/** @type {Texts} */ ({}));
  const items = signal(/** @type {readonly Typed[]} */ ([]));
  let lines = 0;
  if (old) {
    const write = {
      shares: String,
      percent: (/** @type {number} */ n) => decimal(n, PERCENT),
      exact: text,
      adjustment: (/** @type {number} */ n) => plainMoney(n, currency.peek()),
    };
    const how = write[/** @type {keyof typeof write} */ (kind.peek())] ?? String;
    texts.set(Object.fromEntries(Object.entries(old.parts ?? {}).map(([person, n]) => [person, how(n)])));
    items.set((old.items ?? []).map((line) => ({
      key: ++lines,
      name: line.name ?? "",
      amount: text(line.amount),
      people: named(line),
      split: line.kind && line.kind !== "equal" ? line : null,
    })));
  }

  /** Undefined if it is no amount. */
  const read = (/** @type {string} */ typed) => readAmount(typed, currency.get());
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
  const result = computed(() => {
    const { made } = split.get();
    // As long as nothing is written, all of it is missing.
    const isUnwritten = among.get().length > 0 && !named(made).length;
    if (isUnwritten && made.kind === "exact") return { offBy: total() ?? 0 };
    if (isUnwritten && made.kind === "percent") return { offBy: WHOLE };
    return ofBill(made, total() ?? 0, about.id());
  });
  const shares = computed(() => {
    const found = result.get();
    return kind.get() && !split.get().isBroken && total() && "shares" in found ? found.shares : null;
  });
  /** The reason why it does not add up, in words. */
  const problem = computed(() => {
    const found = result.get();
    if (!total() || !kind.get()) return "";
    if (split.get().isBroken) return t("broken");
    if ("problem" in found) return t(`wrong.${found.problem}`);
    if (!("offBy" in found)) return "";
    const isPercent = kind.get() === "percent";
    // Below 0 something is too much, also of money that came back.
    const isShort = found.offBy * (isPercent ? 1 : sign.get()) > 0;
    const by = Math.abs(found.offBy);
    return t(isShort ? "short" : "over", {
      amount: isPercent ? `${decimal(by, PERCENT)} %` : money(by, currency.get()),
    });
  });

  return { kind, split: () => split.get().made, shares, problem: () => problem.get(), words, shareWords, fields };

  /** Among whom, in a line. */
  function words() {
    const all = among.get();
    const one = kind.get();
    if (!one) return none?.[1] ?? "";
    if (one !== "equal") return t(`kindInside.${one}`);
    if (residents.length > 1 && all.length === residents.length && residents.every((one) => all.includes(one))) {
      return t("amongAll");
    }
    return all.length > 3 ? t("amongSome", { n: all.length }) : t("among", {
      names: listed(all.map((one) => one === me ? t("youInside") : name(one))),
    });
  }

  /** The share of each, as far as it can be said in a line. */
  function shareWords() {
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
  }

  function fields() {
    const kinds = KINDS.map((one) => /** @type {[string, string]} */ ([one, t(`kind.${one}`)]));
    return [
      choice(t("split"), "kind", kind, none ? [none, ...kinds] : kinds, () => texts.set({})),
      // The fields stay, whatever the others do meanwhile.
      () => {
        const one = kind.get();
        return untracked(() => one === "itemised" ? lineList() : one ? splitList() : null);
      },
    ];
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
          check(
            isIn,
            () => among.update((all) => isIn() ? all.filter((id) => id !== person) : [...all, person]),
            name(person),
          ),
          () =>
            one === "equal" || !isIn() ? null : number(person, texts, {
              label: person === me ? t(`yours.${one}`) : t(`of.${one}`, { name: name(person) }),
              placeholder: one === "percent" ? "%" : plainMoney(0, currency.peek()),
              // A phone's digits alone have no minus.
              inputmode: one === "adjustment" ? "text" : "decimal",
            }),
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
}

/**
 * The category: one of the built-in ones, of the household's own, or a new one.
 * @param {HouseholdState | null} state @param {ReturnType<typeof signal<string>>} category
 */
export function categoryFields(state, category) {
  const own = Object.values(state?.billCategories ?? {}).map((one) => one.name);
  const all = [...Object.keys(CATEGORIES), ...own];
  const other = signal(category.peek() && !all.includes(category.peek()) ? category.peek() : "");
  return [
    h(
      "fieldset",
      { class: "field" },
      h("legend", null, t("category")),
      h(
        "div",
        { class: "chips" },
        all.map((one) =>
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
    line(t("ownCategory"), "category", {
      peek: () => other.peek(),
      set: (text) => {
        other.set(text);
        // In the spelling that is known already, so that it is one category.
        category.set(all.find((one) => nameKey(categoryName(one)) === nameKey(text)) ?? text);
      },
    }, { maxlength: 40 }),
  ];
}

/** "12.5" from 1250. @param {number} n @param {number} decimals */
const decimal = (n, decimals) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: decimals, useGrouping: false }).format(n / 10 ** decimals);
