// The bills of a household and what follows from them. A change is shown at once, and one tap takes it back; who owes
// how much is the server's word.

import { wordsOf } from "./family.js";
import { icon } from "./icons.js";
import { money } from "./money.js";
import { nameOf } from "./names.js";
import { waitingMark } from "./screen.js";
import { computed, h, observe } from "./signal.js";
import { say } from "./snackbar.js";
import { ofBill } from "./split.js";
import { dayOf, nearDay, now } from "./when.js";
import { hasWords, listed } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Patch } from "../hearth/types/library.d.ts" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */
/** @import { Home } from "./household.js" */
/** @import { IconName } from "./icons.js" */
/** @import { Bill } from "./records.d.ts" */
/** @import { Split } from "./split.js" */
/**
 * The bill as a form has it.
 * @typedef {{ title: string, amount: number, currency: string, paid: { [person: string]: number }, split: Split,
 *   date: string, category: string | null, note: string | null, dueDate: string | null,
 *   original: Bill["original"] | null }} BillForm
 */
/** @typedef {{ id: string, bill: Bill }} Item */

const t = await wordsOf("money");

/** The built-in categories, and a sign for each. @type {Record<string, IconName>} */
export const CATEGORIES = {
  rent: "home",
  utilities: "bolt",
  internet: "globe",
  groceries: "basket",
  household: "chores",
  furniture: "sofa",
  eatingOut: "fork",
  drinks: "cup",
  transport: "car",
  health: "heart",
  leisure: "smile",
  other: "receipt",
};

/** @param {string | undefined} category */
export const categoryIcon = (category) => CATEGORIES[category ?? ""] ?? "receipt";
/** A built-in one in the reader's language, or a name of the household's own. @param {string} category */
export const categoryName = (category) => hasWords(`money.category.${category}`) ? t(`category.${category}`) : category;

/** @param {Bill} bill @returns {BillForm} */
export const formOf = ({ title, amount, currency, paid = {}, split, date, category, note, dueDate, original }) => ({
  title,
  amount,
  currency,
  paid,
  split: /** @type {Split} */ (split),
  date,
  category: category ?? null,
  note: note ?? null,
  dueDate: dueDate ?? null,
  original: original ?? null,
});

/** Without what is not said. @param {BillForm} form */
const saidIn = (form) => Object.fromEntries(Object.entries(form).filter(([, value]) => value !== null));

const isTable = (/** @type {unknown} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The patch that makes one value of another. @param {any} before @param {any} after @returns {any} */
function patchTo(before, after) {
  if (!isTable(before) || !isTable(after)) return after;
  const gone = Object.keys(before).filter((key) => after[key] === undefined).map((key) => [key, null]);
  const rest = Object.entries(after).map(([key, value]) => [key, patchTo(before[key], value)]);
  return Object.fromEntries([...gone, ...rest]);
}

/** For a comparison: members in one order, without empty ones. @param {any} value @returns {unknown} */
function plain(value) {
  if (Array.isArray(value)) return value.every((one) => typeof one === "string") ? [...value].sort() : value.map(plain);
  if (!isTable(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => /** @type {[string, unknown]} */ ([key, plain(one)]));
  return entries.filter(([key, one]) => JSON.stringify(one) !== "[]" && !(key === "kind" && one === "equal"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether two values say the same. @param {unknown} one @param {unknown} other */
export const isSame = (one, other) => JSON.stringify(plain(one)) === JSON.stringify(plain(other));

/** The titles that the server gives to bills that it makes itself. @type {Record<string, string>} */
const MADE = { trip: "Groceries", drinks: "Drinks" };
/**
 * What a bill is for, in the reader's language if the server has named it.
 * @param {Bill | null | undefined} bill @param {string} [unknown] said if there is no such bill
 */
export function titleOf(bill, unknown = "") {
  const kind = bill?.origin?.kind ?? "";
  return bill?.title && bill.title === MADE[kind] ? t(`made.${kind}`) : bill?.title ?? unknown;
}

/** A bill whose id has no row of its own, or half of one, is none. @param {[string, Bill | undefined]} entry */
const isWhole = ([, bill]) => Boolean(bill?.title);

/** @typedef {ReturnType<typeof billsOf>} BillList */

/** Inside the scope of a screen: it ends with it. @param {Hearth} hearth @param {Home} room */
export function billsOf(hearth, room) {
  const me = hearth.me ?? "";
  const state = () => room.state.get();
  const table = computed(() => state()?.bills);
  const waiting = observe(
    hearth,
    () => new Set(hearth.waiting.flatMap(({ method, params }) => /^bills/.test(method) ? Object.values(params) : [])),
  );
  const refused = observe(hearth, () => hearth.refused);
  const at = () => new Date(hearth.now()).toISOString();

  /**
   * @template {keyof Methods} M
   * @param {M} method @param {Params<M>} params @param {string} about
   * @param {(state: HouseholdState) => Patch<HouseholdState> | null} optimistic
   */
  const change = (method, params, about, optimistic) =>
    hearth.change(method, params, { room: room.name, about, optimistic });

  /** @param {string} id @param {BillForm} form @param {Partial<Bill>} before @returns {Bill} */
  function row(id, form, { category: _, note: __, dueDate: ___, original: ____, ...more }) {
    const found = ofBill(form.split, form.amount, id);
    return /** @type {Bill} */ ({ ...more, ...saidIn(form), shares: "shares" in found ? found.shares : {} });
  }

  /** @param {string} id @param {string} title */
  const drop = (id, title) =>
    change("bills.remove", { id }, t("aboutRemove", { title }), () => ({ bills: { [id]: null } }));

  /** @param {Item} item @param {BillForm} after */
  function put({ id, bill }, after) {
    const before = formOf(bill);
    const keys = /** @type {(keyof BillForm)[]} */ (Object.keys(after)).filter((key) =>
      !isSame(before[key], after[key])
    );
    if (!keys.length) return false;
    const changes = /** @type {Params<"bills.edit">["bill"]} */ (
      Object.fromEntries(keys.map((key) => [key, after[key]]))
    );
    change("bills.edit", { id, bill: changes }, t("aboutEdit", { title: after.title }), ({ bills }) => ({
      bills: { [id]: patchTo(bills?.[id], row(id, after, bill)) },
    }));
    return true;
  }

  return {
    hearth,
    me,
    room,
    state,
    zone: () => state()?.household?.timeZone,
    today: () => dayOf(now.get(), state()?.household?.timeZone),
    currency: () => state()?.household?.currency ?? "EUR",
    isGuest: () => state()?.members?.[me]?.role === "guest",
    /** The bills of the state, the newest first. */
    items: computed(() =>
      /** @type {[string, Bill][]} */ (Object.entries(table.get() ?? {}).filter(isWhole)).map(([id, bill]) => ({
        id,
        bill,
      })).sort((a, b) => (a.bill.at < b.bill.at ? 1 : -1))
    ),
    refused: computed(() => refused.get().filter((one) => one.room === room.name && /^bills\./.test(one.method))),
    /** @param {string} id */
    isWaiting: (id) => waiting.get().has(id),
    /** Its author, the payers and the host may change a bill, unless it follows a purchase. @param {Bill} bill */
    mayChange: (bill) =>
      bill.origin?.kind !== "trip" &&
      (bill.by === me || me in (bill.paid ?? {}) || state()?.household?.host === me),

    /** @param {string} id @param {BillForm} form */
    add(id, form) {
      const bill = /** @type {Params<"bills.add">["bill"]} */ (saidIn(form));
      change("bills.add", { id, bill }, t("aboutAdd", { title: form.title }), () => ({
        bills: { [id]: row(id, form, { by: me, at: at() }) },
      }));
      say(t("added", { title: form.title }), { undo: () => drop(id, form.title) });
    },
    /** @param {Item} item @param {BillForm} after */
    edit(item, after) {
      const undone = { id: item.id, bill: row(item.id, after, item.bill) };
      if (put(item, after)) say(t("saved"), { undo: () => put(undone, formOf(item.bill)), isBrief: true });
    },
    /** @param {Item} item */
    remove(item) {
      const title = titleOf(item.bill);
      drop(item.id, title);
      say(t("removed", { title }), { undo: () => void this.restore(item) });
    },
    /** The new id of a bill that is brought back. @param {Item} item */
    restore({ id, bill: { removedAt: _, removedBy: _by, ...bill } }) {
      const newId = hearth.newId();
      change("bills.restore", { id, newId }, t("aboutAdd", { title: titleOf(bill) }), () => ({
        bills: { [newId]: { ...bill, was: id } },
      }));
      return newId;
    },
  };
}

/** @typedef {{ other: string, currency: string, amount: number }} Owed above 0: they owe me */

/**
 * The amounts to be paid between a person and each other one: by the advice where the household wants it (R-NET).
 * @param {HouseholdState | null} state @param {string} me @returns {Owed[]}
 */
export function owedOf(state, me) {
  const all = Object.values((state?.household?.simplify ? state.transfers : state?.debts) ?? {});
  return all.flatMap(({ from, to, currency, amount }) =>
    from === me ? [{ other: to, currency, amount: -amount }] : to === me ? [{ other: from, currency, amount }] : []
  );
}

/** "€12.40 and $3.00": sums by currency. @param {{ currency: string, amount: number }[]} all */
export function sums(all) {
  /** @type {Map<string, number>} */ const found = new Map();
  for (const { currency, amount } of all) found.set(currency, (found.get(currency) ?? 0) + Math.abs(amount));
  return listed([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, amount]) => money(amount, currency)));
}

/** "You owe …", "… owes you": both are told, and nothing is netted that the server does not. @param {Owed[]} all */
export function owedWords(all) {
  const [owe, owed] = [all.filter(({ amount }) => amount < 0), all.filter(({ amount }) => amount > 0)];
  if (owe.length && owed.length) return t("both", { owe: sums(owe), owed: sums(owed) });
  return owe.length
    ? t("youOwe", { owe: sums(owe) })
    : owed.length
    ? t("youAreOwed", { owed: sums(owed) })
    : t("square");
}

/** "You paid €12.40" @param {BillList} list @param {Bill} bill */
function paidWords({ state, me }, bill) {
  const payers = Object.keys(bill.paid ?? {});
  const amount = money(Math.abs(bill.amount), bill.currency);
  const isBack = bill.amount < 0;
  if (payers.length === 1 && payers[0] === me) return t(isBack ? "youGot" : "youPaid", { amount });
  const names = listed(
    payers.map((person) => payers.length > 1 && person === me ? t("youInside") : nameOf(state(), person)),
  );
  return t(isBack ? "got" : "paid", { name: names, amount });
}

/** One bill in a list. @param {BillList} list @param {() => Item} item */
export function billRow(list, item) {
  const bill = () => item().bill;
  const share = () => bill().shares?.[list.me];
  return h(
    "li",
    { class: "bill" },
    h(
      "a",
      { class: "row", href: () => `/money/bill/${item().id}` },
      h("span", { class: "sign" }, () => icon(categoryIcon(bill().category))),
      h(
        "span",
        { class: "row-words" },
        h("span", { class: "row-title", dir: "auto" }, () => titleOf(bill())),
        h("span", { class: "row-text" }, () => `${paidWords(list, bill())} · ${nearDay(bill().date, list.today())}`),
      ),
      waitingMark(() => list.isWaiting(item().id)),
      h(
        "span",
        { class: "share-of" },
        () => {
          const mine = share();
          return mine === undefined
            ? h("small", null, t("notYours"))
            : [h("small", null, t("yourShare")), h("strong", null, money(mine, bill().currency))];
        },
      ),
    ),
  );
}
