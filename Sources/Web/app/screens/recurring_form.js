// The form of a bill that comes again. To keep it needs the PIN, since others will owe for it without being asked.

import { categoryFields, choice, division, fault, line } from "../parts/bill_fields.js";
import { isSame } from "../parts/bills.js";
import { confirmed, PIN, pinNotice } from "../parts/confirm.js";
import { daysBetween } from "../parts/dates.js";
import { plainMoney, readMoney } from "../parts/money.js";
import { membersOf, nameOf } from "../parts/names.js";
import { ask } from "../parts/payments.js";
import { end } from "../parts/recurring.js";
import { repeatField } from "../parts/repeat.js";
import { field, form } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, h, signal } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { named } from "../parts/split.js";
import { icon } from "../parts/icons.js";
import { words } from "../parts/words.js";
import { currencyField } from "./start.js";

/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { BillList } from "../parts/bills.js" */
/** @import { Recurring } from "../parts/recurring.js" */
/** @import { Split } from "../parts/split.js" */

const t = await words("recurring");
/** Days: the first one is in a year at the latest, and the others are told so long before at the most. */
const FARTHEST = 365, LEAD = 14, USUAL_LEAD = 3;

/** @param {BillList} list @param {Recurring} [item] the one to change */
export function openRecurringForm(list, item) {
  const { hearth, me, state } = list;
  const old = item?.bill;
  const id = item?.id ?? hearth.newId();
  const today = list.today();
  const residents = membersOf(state()).filter(([, one]) => one.role !== "guest").map(([person]) => person);
  const before = /** @type {Split | undefined} */ (old?.split);
  // Nobody can take part who has left; that is why such a bill waits.
  const persons = [...residents].sort((a, b) => Number(b === me) - Number(a === me));
  const currency = signal(/** @type {string} */ (old?.currency ?? list.currency()));
  const amountText = signal(old ? plainMoney(old.amount, currency.peek()) : "");
  const amount = field({
    label: t("recurring.amount"),
    name: "amount",
    value: amountText.peek(),
    required: true,
    inputmode: "decimal",
    autocomplete: "off",
    placeholder: plainMoney(0, currency.peek()),
  });
  amount.input.addEventListener("input", () => amountText.set(amount.value()));
  const title = field({
    label: t("recurring.what"),
    name: "title",
    value: old?.title ?? "",
    required: true,
    maxlength: 100,
    autofocus: !old,
  });
  const first = field({
    label: t("recurring.first"),
    name: "first",
    type: "date",
    value: old?.first ?? today,
    required: true,
  });
  const repeat = repeatField({
    label: t("recurring.often"),
    rule: old?.repeat,
    date: first,
    ...(old ? {} : { value: "1 months" }),
    units: ["weeks", "months", "years"],
  });
  const total = computed(() => readMoney(amountText.get(), currency.get()));
  const host = signal(old && residents.includes(old.host) ? old.host : me);
  const stays = before && named(before).every((person) => residents.includes(person)) ? before : undefined;
  const about = { state, me, persons, residents, id: () => id, total: () => total.get(), sign: signal(1), currency };
  const divided = division(about, stays);
  const lead = signal(String(old?.lead ?? USUAL_LEAD));
  const category = signal(old?.category ?? (old ? "" : "rent"));
  const note = signal(old?.note ?? "");
  const code = currencyField(currency.peek());
  code.input.addEventListener("change", () => currency.set(code.value()));

  const read = () => ({
    title: title.value().trim().replace(/\s+/gu, " "),
    amount: total.peek() ?? 0,
    currency: currency.peek(),
    host: host.peek(),
    split: divided.split(),
    first: first.value(),
    repeat: repeat.value(),
    lead: Number(lead.peek()),
    category: category.peek().trim() || null,
    note: note.peek().trim() || null,
  });
  /** All of a new one; of an old one only what changes. */
  function changes() {
    const known = /** @type {Record<string, unknown> | undefined} */ (old);
    return Object.fromEntries(
      Object.entries(read()).filter(([key, value]) => known ? !isSame(known[key] ?? null, value) : value !== null),
    );
  }

  openSheet({ title: t(item ? "recurring.changeTitle" : "recurring.new") }, (close) => [
    pinNotice(hearth),
    form(
      {
        fields: [title, amount, first, repeat.field],
        action: t(item ? "recurring.save" : "recurring.add"),
        disabled: () => Boolean(divided.problem()),
        check: () => {
          if (amount.value().trim() && !total.peek()) {
            amount.problem.set(t("recurring.wrongAmount", { example: plainMoney(124000, currency.peek()) }));
          }
          repeat.field.problem.set(repeat.problem());
          const ahead = first.value() ? daysBetween(today, first.value()) : 0;
          const isWrong = first.value() !== old?.first && (ahead < 0 || ahead > FARTHEST);
          if (isWrong) first.problem.set(t("recurring.firstWrong"));
        },
        submit: async () => {
          const bill = changes();
          const params = /** @type {Params<"recurringBills.add">} */ ({ id, bill });
          const method = item ? "recurringBills.edit" : "recurringBills.add";
          const isNeeded = !item || old?.paused || Object.keys(bill).length > 0;
          const call = () => ask(list)(method, /** @type {Params<"recurringBills.edit">} */ (params));
          const said = read().title;
          const what = `${t(item ? "recurring.save" : "recurring.add")}: ${said}`;
          if (isNeeded && !await confirmed(hearth, what, call, PIN)) return;
          await close();
          if (item) return say(t("recurring.saved"));
          const added = /** @type {Recurring["bill"]} */ ({ title: said });
          say(t("recurring.added", { title: said }), { undo: () => end(list, { id, bill: added }) });
        },
      },
      choice(t("recurring.host"), "host", host, persons.map((person) => [person, nameOf(state(), person, me)])),
      divided.fields(),
      fault(divided.problem),
      choice(
        t("recurring.lead"),
        "lead",
        lead,
        Array.from(
          { length: LEAD + 1 },
          (_, n) => [String(n), n ? t("recurring.leadDays", { n }) : t("recurring.leadNone")],
        ),
      ),
      h("p", { class: "hint" }, t("recurring.leadText")),
      h(
        "details",
        null,
        h("summary", null, t("recurring.more")),
        h(
          "div",
          { class: "form" },
          categoryFields(state(), category),
          line(t("recurring.note"), "note", note, { rows: 2, maxlength: 1000 }),
          code.element,
        ),
      ),
      h(
        "p",
        { class: () => `bill-sum ${divided.problem() ? "problem" : "hint"}`, role: "status" },
        () => divided.problem() ? [icon("alert"), divided.problem()] : divided.shareWords(),
      ),
    ),
  ]);
}
