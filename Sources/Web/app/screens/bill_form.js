// The form of a bill: the amount and what it was for are enough. Below, who has paid, the six ways to divide it, and
// what is rarer.

import { categoryFields, division, fault, line, payers } from "../parts/bill_fields.js";
import { formOf } from "../parts/bills.js";
import { wordsOf } from "../parts/family.js";
import { icon } from "../parts/icons.js";
import { plainMoney, readAmount } from "../parts/money.js";
import { membersOf } from "../parts/names.js";
import { field, form, toggle } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, h, signal, untracked } from "../parts/signal.js";
import { named } from "../parts/split.js";
import { currencyField } from "./start.js";

/** @import { BillForm, BillList, Item } from "../parts/bills.js" */
/** @import { Bill, Currency } from "../parts/records.d.ts" */

const t = await wordsOf("money");

/**
 * @param {BillList} list
 * @param {{ item?: Item, like?: Bill }} [options] the bill to change, or one to begin with
 */
export function openBillForm(list, { item, like } = {}) {
  const { me, state } = list;
  const before = item?.bill ?? like;
  const old = before && formOf(before);
  const sign = signal(old && old.amount < 0 ? -1 : 1);
  const currency = signal(old?.currency ?? list.currency());
  const residents = membersOf(state()).filter(([, one]) => one.role !== "guest").map(([person]) => person);
  // A bill may keep those who have left since.
  const persons = [...new Set([...residents, ...(old ? [...Object.keys(old.paid), ...named(old.split)] : [])])]
    .sort((a, b) => Number(b === me) - Number(a === me));
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
  const total = computed(() => {
    const n = readAmount(amountText.get(), currency.get());
    return n === undefined ? undefined : n * sign.get();
  });

  const id = item?.id ?? list.hearth.newId();
  const about = { state, me, persons, residents, id: () => id, total: () => total.get(), sign, currency };
  const paid = payers(about, old?.paid);
  const divided = division(about, old?.split);
  const date = signal(item?.bill.date ?? list.today());
  const dueDate = signal(item?.bill.dueDate ?? "");
  const category = signal(old?.category ?? "");
  const note = signal(item?.bill.note ?? "");
  /** The amount as it was paid abroad. */
  const first = item?.bill.original;
  const abroad = {
    currency: signal(/** @type {string} */ (first?.currency ?? currency.peek())),
    amount: signal(first ? plainMoney(first.amount, first.currency) : ""),
    rate: signal(first?.rate ?? ""),
  };
  /** Null if there is none, undefined if it cannot be read. */
  const original = computed(() => {
    const [typed, code, rate] = [abroad.amount.get().trim(), abroad.currency.get(), abroad.rate.get().trim()];
    if (!typed) return null;
    const n = readAmount(typed, code);
    if (!n) return undefined;
    return { amount: n, currency: /** @type {NonNullable<Currency>} */ (code), ...(rate ? { rate } : {}) };
  });
  /** The reasons why the bill is not right, in words. */
  const problem = computed(() => {
    if (!total.get()) return "";
    return paid.problem() || divided.problem() || (original.get() === undefined ? t("broken") : "");
  });

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
        h("span", null, h("span", null, paid.words, ", ", divided.words), h("span", { class: "hint" }, t("more"))),
      ),
      // Most bills need none of it, and a sheet opens faster without.
      () =>
        isOpen.get()
          ? untracked(() =>
            h(
              "div",
              { class: "form" },
              paid.fields(),
              divided.fields(),
              // The same stands above the button, which is far from here.
              fault(divided.problem),
              rest(),
            )
          )
          : null,
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
            paid: paid.parts(),
            split: divided.split(),
            date: date.peek() || list.today(),
            category: category.peek().trim() || null,
            note: note.peek().trim() || null,
            dueDate: dueDate.peek() || null,
            original: original.peek() ?? null,
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
        () => problem.get() ? [icon("alert"), problem.get()] : divided.shareWords(),
      ),
    ),
  ]);

  function rest() {
    const code = currencyField(currency.peek());
    code.input.addEventListener("change", () => currency.set(code.value()));
    return [
      categoryFields(state(), category),
      line(t("date"), "date", date, { type: "date" }),
      line(t("dueDate"), "dueDate", dueDate, { type: "date", hint: t("dueDateText") }),
      line(t("note"), "note", note, { rows: 2, maxlength: 1000 }),
      code.element,
      toggle({
        label: t("isBack"),
        text: t("isBackText"),
        isOn: () => sign.get() < 0,
        change: (on) => sign.set(on ? -1 : 1),
      }),
      h(
        "details",
        { open: Boolean(first) },
        h("summary", null, t("abroad")),
        h("div", { class: "form" }, paidAbroad()),
      ),
    ];
  }

  function paidAbroad() {
    const code = currencyField(abroad.currency.peek(), t("abroadCurrency"));
    code.input.addEventListener("change", () => abroad.currency.set(code.value()));
    return [
      h("p", { class: "hint" }, t("abroadText")),
      line(t("abroadAmount"), "original", abroad.amount, { inputmode: "decimal", autocomplete: "off" }),
      code.element,
      line(t("abroadRate"), "rate", abroad.rate, { autocomplete: "off", maxlength: 32 }),
      fault(() => original.get() === undefined ? t("broken") : ""),
    ];
  }
}
