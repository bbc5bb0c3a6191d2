// Rent, and all that is paid again and again: when it comes next, what each one owes then, and whether it is paid.

import { billsOf, categoryIcon } from "../parts/bills.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money } from "../parts/money.js";
import { nameOf } from "../parts/names.js";
import { dayToPay, end, notePaid, recurringIn, sharesOf } from "../parts/recurring.js";
import { repeatWords } from "../parts/repeat.js";
import { empty, screen, skeleton } from "../parts/screen.js";
import { computed, each, h } from "../parts/signal.js";
import { calendarDay, dayOf } from "../parts/when.js";
import { words } from "../parts/words.js";
import { act } from "./inbox.js";
import { openRecurringForm } from "./recurring_form.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Recurring } from "../parts/recurring.js" */

await wordsOf("money");
const t = await words("recurring");

/** @param {Hearth} hearth */
export function render(hearth) {
  const list = billsOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me } = list;
  const name = (/** @type {string | undefined} */ person) => nameOf(state(), person, me);
  const isHere = computed(() => Boolean(state()));
  const items = computed(() => recurringIn(state()));
  const shares = sharesOf(items);
  const mayAdd = computed(() => isHere.get() && !list.isGuest());
  const hasAny = computed(() => items.get().length > 0);
  const day = (/** @type {string | undefined} */ date) =>
    calendarDay(date ?? "", date?.slice(0, 4) !== list.today().slice(0, 4));

  /** The next one that I pay, or of which I owe a part: of those that have come, the ones that I have not paid. */
  const lead = () => {
    const all = items.get().flatMap((one) => {
      const { bill } = one;
      const [last, mine] = [dayToPay(bill, list.today()) ?? "", isHost(one) ? bill.amount : shares(one)[me] ?? 0];
      const isOpen = bill.posted?.[last]?.host === me && !bill.posted[last]?.paidOn;
      const on = isOpen ? last : bill.paused ? undefined : bill.next;
      return on && mine ? [{ one, on, mine }] : [];
    }).sort((a, b) => (a.on < b.on ? -1 : 1));
    const [first] = all;
    if (!first) return "";
    const { title, currency } = first.one.bill;
    const amount = money(first.mine, currency);
    return t(isHost(first.one) ? "recurring.leadHost" : "recurring.leadPart", { title, amount, day: day(first.on) });
  };
  const isHost = (/** @type {Recurring} */ { bill }) => bill.host === me;

  return screen(
    {
      title: t("recurring.title"),
      back: "/money",
      class: "money",
      lead: h("span", { role: "status" }, lead),
    },
    () => isHere.get() ? null : skeleton(4),
    h(
      "ul",
      { class: "rows pending", "aria-label": t("recurring.title") },
      each(() => items.get(), ({ id }) => id, (item) => card(item)),
    ),
    () => isHere.get() && !hasAny.get() ? empty({ icon: "again", text: t("recurring.empty") }) : null,
    () =>
      mayAdd.get()
        ? h(
          "button",
          { type: "button", class: "primary fab", onclick: () => openRecurringForm(list) },
          icon("plus"),
          t("recurring.new"),
        )
        : null,
  );

  /** @param {() => Recurring} item */
  function card(item) {
    const one = () => item().bill;
    const last = computed(() => dayToPay(one(), list.today()));
    const posted = () => one().posted?.[last.get() ?? ""];
    const mayPay = () => posted()?.host === me && !posted()?.paidOn;
    const mayChange = () =>
      !list.isGuest() && (one().author === me || one().host === me || state()?.household?.host === me);
    return h(
      "li",
      { class: "card" },
      h(
        "div",
        { class: "row" },
        h("span", { class: "sign" }, () => icon(categoryIcon(one().category))),
        h(
          "span",
          { class: "row-words" },
          h("span", { class: "row-title", dir: "auto" }, () => one().title),
          h("span", { class: "row-text" }, () =>
            [
              repeatWords(one().repeat),
              t(one().host === me ? "recurring.byYou" : "recurring.by", { name: name(one().host) }),
            ].join(" · ")),
          () => one().note ? h("span", { class: "row-text", dir: "auto" }, one().note) : null,
        ),
        h("span", { class: "share-of" }, h("strong", null, () => money(one().amount, one().currency))),
      ),
      () =>
        one().paused
          ? h("p", { class: "notice" }, icon("alert"), t("recurring.paused"))
          : one().next
          ? coming()
          : h("p", { class: "hint" }, t("recurring.over")),
      () => posted() ? paidLink() : null,
      () =>
        mayPay() || mayChange()
          ? h(
            "div",
            { class: "row-buttons" },
            mayPay() &&
              act(t("recurring.paid"), "primary", () => notePaid(list, item().id, last.get() ?? "")),
            mayChange() && h(
              "button",
              { type: "button", "aria-label": t("recurring.changeName", { title: one().title }), onclick: change },
              t("recurring.change"),
            ),
            mayChange() && h(
              "button",
              {
                type: "button",
                "aria-label": t("recurring.endName", { title: one().title }),
                onclick: () => end(list, item()),
              },
              t("recurring.end"),
            ),
          )
          : null,
    );

    function change() {
      openRecurringForm(list, item());
    }

    /** Before it comes, what each one will owe; and from when on. */
    function coming() {
      const { next, nextAt = "", currency } = one();
      const parts = Object.entries(shares(item())).sort(([a], [b]) => Number(b === me) - Number(a === me));
      const from = dayOf(nextAt, list.zone());
      const said = [
        t("recurring.next", { day: day(next) }),
        from < (next ?? "") && t("recurring.from", { day: day(from) }),
      ];
      return [
        h("p", { class: "hint" }, said.filter(Boolean).join(" ")),
        h(
          "ul",
          { class: "part-list" },
          parts.map(([person, amount]) =>
            h(
              "li",
              null,
              h("span", { dir: "auto" }, name(person)),
              h("span", { class: "amount-of" }, money(amount, currency)),
            )
          ),
        ),
      ];
    }

    function paidLink() {
      const { bill = "", paidOn, paidBy } = posted() ?? {};
      const said = paidOn
        ? t(paidBy === me ? "recurring.paidByYou" : "recurring.paidBy", { name: name(paidBy), day: day(last.get()) })
        : t("recurring.unpaid", { day: day(last.get()) });
      return h("a", { class: "button plain", href: `/money/bill/${bill}` }, icon(paidOn ? "check" : "clock"), said);
    }
  }
}
