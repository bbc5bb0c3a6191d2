// Between me and one other person: what is open and by which bills, and all bills that concern both.

import { billsOf, categoryIcon, owedOf, owedWords, titleOf } from "../parts/bills.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money } from "../parts/money.js";
import { leftOf, openPayment, paymentPages, pendingRows, remind } from "../parts/payments.js";
import { nameOf } from "../parts/names.js";
import { empty, list as rows, row, screen, section, skeleton } from "../parts/screen.js";
import { computed, each, h, when } from "../parts/signal.js";
import { calendarDay } from "../parts/when.js";
import { billPages } from "./bill_pages.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Owed } from "../parts/bills.js" */

const t = await wordsOf("money");

/** @param {Hearth} hearth @param {Record<string, string>} params */
export function render(hearth, { id: other = "" }) {
  const list = billsOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me } = list;
  const name = () => nameOf(state(), other);
  const isHere = computed(() => Boolean(state()));
  const isKnown = computed(() => other in (state()?.members ?? {}) || other in (state()?.former ?? {}));
  const owed = computed(() => owedOf(state(), me).filter((one) => one.other === other));
  /** The open amounts between the two, whoever the advice lets pay. */
  const open = computed(() =>
    Object.entries(state()?.debts ?? {}).filter(([, { from, to }]) =>
      from === me && to === other || from === other && to === me
    )
  );
  const lead = () => {
    const [first, ...more] = owed.get();
    if (!isKnown.get()) return "";
    if (!first) return t("squareWithName", { name: name() });
    if (more.length) return owedWords(owed.get());
    const amount = money(Math.abs(first.amount), first.currency);
    return t(first.amount < 0 ? "youOweName" : "nameOwesYou", { name: name(), amount });
  };

  return screen(
    {
      title: h("span", { dir: "auto" }, name),
      back: "/money",
      class: "money",
      lead: h("span", { role: "status" }, lead),
    },
    () => isHere.get() ? null : skeleton(4),
    () => isHere.get() && !isKnown.get() ? empty({ icon: "person", text: t("unknownPerson") }) : null,
    () =>
      isKnown.get() && state()?.household?.simplify ? h("p", { class: "hint simplified" }, t("simplifiedOpen")) : null,
    pendingRows(list, other),
    () => isKnown.get() && !list.isGuest() ? buttons() : null,
    when(() => open.get().length, () =>
      section(
        { title: t("open") },
        each(() => open.get(), ([key]) => key, (item) => debt(() => item()[1])),
      )),
    when(() => isKnown.get(), () => [
      section({ title: () => t("billsWith", { name: name() }) }, billPages(list, [me, other])),
      h("div", null, paymentPages(list, other)),
    ]),
  );

  /** For each currency: I pay, or say that I have got it; and a reminder. */
  function buttons() {
    const rest = leftOf(list, owed.get());
    if (!rest.length) return null;
    const isMember = other in (state()?.members ?? {});
    const label = (/** @type {string} */ key, /** @type {Owed} */ one) =>
      t(key, { amount: money(Math.abs(one.amount), one.currency) });
    return h(
      "div",
      { class: "buttons settle" },
      rest.map((one) =>
        h("button", {
          type: "button",
          class: "primary",
          onclick: () => openPayment(list, one),
        }, label(one.amount < 0 ? "pay" : "gotIt", one))
      ),
      isMember && rest.some(({ amount }) => amount > 0)
        ? h("button", { type: "button", onclick: () => remind(list, other) }, icon("bell"), t("remind"))
        : null,
    );
  }

  /** @param {() => import("../parts/records.d.ts").OpenDebt} one */
  function debt(one) {
    const parts = () => (one().bills ?? []).map((part, at) => ({ ...part, key: part.bill ?? String(at) }));
    return rows(each(parts, ({ key }) => key, (item) => {
      const { bill: id } = item();
      const bill = () => state()?.bills?.[id ?? ""];
      return row({
        before: h("span", { class: "sign" }, () => icon(categoryIcon(bill()?.category))),
        title: () => titleOf(bill(), t(id ? "olderBill" : "olderBills")),
        text: () => {
          const whole = bill()?.shares?.[one().from];
          const left = item().left;
          return [
            bill()?.date ? calendarDay(bill()?.date ?? "", false) : "",
            whole && whole > left ? t("leftOf", { amount: money(whole, one().currency) }) : "",
          ].filter(Boolean).join(" · ");
        },
        after: () =>
          h(
            "span",
            { class: `share-of ${one().from === me ? "bad" : "good"}` },
            h("small", null, t(one().from === me ? "youOweThem" : "owesYou")),
            h("strong", null, money(item().left, one().currency)),
          ),
        ...(id ? { href: `/money/bill/${id}` } : {}),
      });
    }));
  }
}
