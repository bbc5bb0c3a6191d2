// Money: what I owe and am owed in all, then with each person, then the newest bills.

import { avatar } from "../parts/avatar.js";
import { billsOf, owedOf, owedWords, sums } from "../parts/bills.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { membersOf, nameOf } from "../parts/names.js";
import { leftOf, openPayment, pendingRows, remindAll } from "../parts/payments.js";
import { refusals } from "../parts/refusals.js";
import { empty, row, screen, section, skeleton } from "../parts/screen.js";
import { computed, each, h } from "../parts/signal.js";
import { openBillForm } from "./bill_form.js";
import { billPages } from "./bill_pages.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Owed } from "../parts/bills.js" */

const t = await wordsOf("money");

/** @param {Hearth} hearth */
export function render(hearth) {
  const list = billsOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me } = list;
  const isHere = computed(() => Boolean(state()));
  const owed = computed(() => owedOf(state(), me));
  /** By person, those first whom I owe most. */
  const people = computed(() => {
    /** @type {Map<string, Owed[]>} */ const found = new Map();
    for (const one of owed.get()) found.set(one.other, [...found.get(one.other) ?? [], one]);
    const most = (/** @type {Owed[]} */ all) => Math.min(...all.map(({ amount }) => amount));
    return [...found].sort(([, a], [, b]) => most(a) - most(b));
  });
  const square = computed(() =>
    membersOf(state()).map(([id]) => id).filter((id) =>
      id !== me && state()?.members?.[id]?.role !== "guest" && !owed.get().some(({ other }) => other === id)
    )
  );
  /** Without what is on its way. */
  const left = computed(() => leftOf(list, owed.get()));
  const mayRemind = computed(() => left.get().some(({ amount, other }) => amount > 0 && state()?.members?.[other]));
  const hasBills = computed(() => list.items.get().length > 0);
  /** The requests for money that wait for my answer. */
  const asked = computed(() =>
    Object.values(state()?.requests ?? {}).filter(({ parts }) => parts?.[me]?.state === "pending").length
  );
  const mayAdd = computed(() => isHere.get() && !list.isGuest());

  return screen(
    {
      title: t("title"),
      class: "money",
      lead: h("span", { role: "status" }, () => state() ? owedWords(owed.get()) : ""),
      actions: () =>
        hasBills.get() ? h("a", { class: "button quiet", href: "/money/spending" }, icon("bars"), t("spending")) : null,
    },
    refusals(hearth, list.refused),
    () => isHere.get() ? null : skeleton(6),
    () => {
      const n = asked.get();
      return n
        ? h("p", { class: "notice" }, icon("send"), t("asked", { n }), h("a", { href: "/money/requests" }, t("answer")))
        : null;
    },
    () =>
      owed.get().length && state()?.household?.simplify ? h("p", { class: "hint simplified" }, t("simplified")) : null,
    pendingRows(list),
    h(
      "ul",
      { class: "rows owed", "aria-label": t("people") },
      each(() => people.get(), ([id]) => id, (item, id) => {
        const all = () => item()[1];
        const side = (/** @type {1 | -1} */ sign) => {
          const some = all().filter(({ amount }) => amount * sign > 0);
          return some.length
            ? h(
              "span",
              { class: `share-of ${sign > 0 ? "good" : "bad"}` },
              h("small", null, t(sign > 0 ? "owesYou" : "youOweThem")),
              h("strong", null, sums(some)),
            )
            : null;
        };
        const mine = () => left.get().filter(({ other, amount }) => other === id && amount < 0);
        const line = row({
          before: avatar(id, () => nameOf(state(), id)),
          title: () => nameOf(state(), id),
          text: () => state()?.members?.[id] ? "" : t("former"),
          after: [() => side(-1), () => side(1)],
          href: `/money/with/${id}`,
        });
        line.append(h("span", null, () =>
          mine().map((one) =>
            h("button", {
              type: "button",
              class: "chip",
              "aria-label": t("payName", { name: nameOf(state(), id), amount: sums([one]) }),
              onclick: () => openPayment(list, one),
            }, t("payShort"))
          )));
        return line;
      }),
    ),
    () => isHere.get() && !list.isGuest() ? more() : null,
    () =>
      hasBills.get() && square.get().length
        ? h(
          "p",
          { class: "square-with" },
          h("span", { class: "hint" }, t("squareWith")),
          square.get().map((id) =>
            h(
              "a",
              { class: "button chip", href: `/money/with/${id}` },
              avatar(id, nameOf(state(), id), { size: "small" }),
              h("span", { class: "one-line", dir: "auto" }, nameOf(state(), id)),
            )
          ),
        )
        : null,
    () =>
      hasBills.get()
        ? section({ title: t("bills") }, billPages(list))
        : isHere.get()
        ? empty({ icon: "money", text: t(list.isGuest() ? "emptyGuest" : "empty") })
        : null,
    () =>
      mayAdd.get()
        ? h(
          "button",
          { type: "button", class: "primary fab", onclick: () => openBillForm(list) },
          icon("plus"),
          t("new"),
        )
        : null,
  );

  function more() {
    return h(
      "p",
      { class: "square-with" },
      h("a", { class: "button chip", href: "/money/recurring" }, icon("again"), t("recurring")),
      h("a", { class: "button chip", href: "/money/requests" }, icon("send"), t("requests")),
      () =>
        mayRemind.get()
          ? h("button", { type: "button", class: "chip", onclick: () => remindAll(list) }, icon("bell"), t("remindAll"))
          : null,
    );
  }
}
