// A bill: who has paid, each one's share, and what was changed by whom.

import { avatar } from "../parts/avatar.js";
import { billsOf, categoryIcon, categoryName, formOf, isSame, titleOf } from "../parts/bills.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money, UNDO_WITHIN } from "../parts/money.js";
import { nameOf, namesOf } from "../parts/names.js";
import { olderButton, paging } from "../parts/paging.js";
import { refusals } from "../parts/refusals.js";
import { go } from "../parts/router.js";
import { empty, list as rows, row, screen, section, skeleton } from "../parts/screen.js";
import { computed, each, effect, h, observe, untracked } from "../parts/signal.js";
import { ago, calendarDay, now } from "../parts/when.js";
import { listed } from "../parts/words.js";
import { openBillForm } from "./bill_form.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Methods } from "../hearth/types/methods.d.ts" */
/** @import { BillForm } from "../parts/bills.js" */
/** @import { Bill } from "../parts/records.d.ts" */
/** @typedef {Methods["bills.versions"]["result"]["items"][number]} Version */

const t = await wordsOf("money");

/** @param {Hearth} hearth @param {Record<string, string>} params */
export function render(hearth, { id = "" }) {
  const list = billsOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me } = list;
  const name = (/** @type {string | undefined} */ person) => nameOf(state(), person, me);
  const versions = paging(hearth, "bills.versions", list.room.name, { filter: { id } });
  const here = computed(() => state()?.bills?.[id]);
  // Bills that were changed long ago are not in the document; their last version is as good.
  /** As it was last known, until its last version is here. @type {Bill | undefined} */ let last;
  const bill = computed(() => {
    const one = here.get();
    const found = one?.title ? one : /** @type {Bill | undefined} */ (versions.items.get()[0]?.bill);
    return last = found ?? last;
  });
  /** Below 0 once it is gone, so that its last version is asked for. */
  const edits = computed(() => here.get() ? here.get()?.edits ?? 0 : -1);
  const isLive = observe(hearth, () => hearth.phase === "live");
  effect(() => {
    edits.get();
    // A bill that is not sent yet has no versions.
    if (!isLive.get() || list.isWaiting(id)) return;
    untracked(() => versions.again());
  });
  const isThere = computed(() => Boolean(bill.get()));
  const isGone = computed(() => Boolean(bill.get()?.removedAt) || !isThere.get() && versions.isAll());
  const mayChange = computed(() => {
    const one = bill.get();
    return Boolean(one && !one.removedAt && !list.isGuest() && list.mayChange(one));
  });
  const one = () => /** @type {Bill} */ (bill.get());

  return screen(
    {
      title: h("span", { dir: "auto" }, () => titleOf(bill.get(), t("bill"))),
      back: "/money",
      class: "bill-screen",
    },
    refusals(hearth, list.refused),
    () => isGone.get() && !isThere.get() ? empty({ icon: "receipt", text: t("gone") }) : null,
    () => isThere.get() || isGone.get() ? null : skeleton(4),
    () => isThere.get() ? content() : null,
  );

  function content() {
    const shares = computed(() =>
      Object.entries(one().shares ?? {}).sort(([a], [b]) => Number(b === me) - Number(a === me))
    );
    const payers = computed(() => Object.entries(one().paid ?? {}));
    const amountOf = (/** @type {number} */ amount) => money(amount, one().currency);
    return [
      h(
        "div",
        { class: "bill-head" },
        h("span", { class: "sign" }, () => icon(categoryIcon(one().category))),
        h("p", { class: "bill-amount" }, () => amountOf(one().amount)),
        h("p", { class: "hint" }, payerWords),
      ),
      () => isGone.get() ? h("p", { class: "notice urgent" }, icon("bin"), removedWords()) : null,
      h(
        "ul",
        { class: "facts card" },
        h("li", null, icon("calendar"), () => calendarDay(one().date)),
        () => one().category ? h("li", null, icon("receipt"), categoryName(one().category ?? "")) : null,
        () => one().dueDate ? h("li", null, icon("clock"), t("due", { day: calendarDay(one().dueDate ?? "") })) : null,
        () =>
          one().note ? h("li", null, icon("note"), h("span", { class: "bill-note", dir: "auto" }, one().note)) : null,
        () => {
          const first = one().original;
          return first ? h("li", null, icon("globe"), h("span", { dir: "auto" }, abroadWords(first))) : null;
        },
        () => {
          const kind = one().origin?.kind;
          return kind && kind !== "trip" ? h("li", null, icon("info"), t(`origin.${kind}`)) : null;
        },
      ),
      () => {
        const { kind, ref } = one().origin ?? {};
        return kind === "trip"
          ? rows(
            row({
              before: icon("basket"),
              title: t("origin.trip"),
              after: icon("next"),
              href: `/shopping/purchase/${ref}`,
            }),
          )
          : null;
      },
      () =>
        payers.get().length > 1
          ? section(
            { title: t("payer") },
            rows(
              payers.get().map(([person, amount]) =>
                row({
                  before: avatar(person, nameOf(state(), person)),
                  title: name(person),
                  after: h("span", { class: "amount-of" }, amountOf(amount)),
                })
              ),
            ),
          )
          : null,
      section(
        // The server has divided what comes from elsewhere, so that it has amounts.
        { title: () => t(one().origin ? "eachPart" : `kind.${one().split.kind ?? "equal"}`) },
        rows(each(() => shares.get(), ([person]) => person, (item, person) =>
          row({
            before: avatar(person, () => nameOf(state(), person)),
            title: () => name(person),
            after: h("span", { class: "amount-of" }, () => amountOf(item()[1])),
          }))),
        () => one().split.items?.length ? items() : null,
      ),
      () => mayChange.get() ? buttons() : null,
      () => mayChange.get() || list.isGuest() ? null : h("div", { class: "buttons" }, restore(), copy()),
      history(),
    ];
  }

  function removedWords() {
    const by = one().removedBy;
    return by === me ? t("removedByYou") : t("removedBy", { name: name(by) });
  }

  function payerWords() {
    const people = Object.keys(one().paid ?? {});
    if (people.length === 1 && people[0] === me) return t(one().amount < 0 ? "backToYou" : "paidByYou");
    const names = people.map((person) => person === me ? t("youInside") : nameOf(state(), person));
    return t(one().amount < 0 ? "backTo" : "paidBy", { name: listed(names) });
  }

  function items() {
    const { split, currency } = one();
    return h(
      "ul",
      { class: "facts bill-lines" },
      (split.items ?? []).map((line) =>
        h(
          "li",
          null,
          h(
            "span",
            { class: "row-words" },
            h("span", { dir: "auto" }, line.name ?? t("item")),
            h(
              "span",
              { class: "row-text" },
              namesOf(state(), [...line.people ?? [], ...Object.keys(line.parts ?? {})], me),
            ),
          ),
          h("span", { class: "amount-of" }, money(line.amount, currency)),
        )
      ),
    );
  }

  function restore() {
    const { removedAt, removedBy } = one();
    const isMine = removedBy === me || list.mayChange(one());
    if (!removedAt || !isMine || now.get() - Date.parse(removedAt) > UNDO_WITHIN) return null;
    return h(
      "button",
      { type: "button", onclick: () => go(`/money/bill/${list.restore({ id, bill: one() })}`, { replace: true }) },
      icon("undo"),
      t("restore"),
    );
  }

  function copy() {
    return h(
      "button",
      { type: "button", onclick: () => openBillForm(list, { like: one() }) },
      icon("copy"),
      t("duplicate"),
    );
  }

  function buttons() {
    return h(
      "div",
      { class: "buttons" },
      h(
        "button",
        { type: "button", onclick: () => openBillForm(list, { item: { id, bill: one() } }) },
        icon("edit"),
        t("edit"),
      ),
      copy(),
      h(
        "button",
        {
          type: "button",
          class: "danger",
          onclick: () => {
            list.remove({ id, bill: one() });
            go("/money", { replace: true });
          },
        },
        icon("bin"),
        t("remove"),
      ),
    );
  }

  function history() {
    const changes = computed(() => {
      const all = versions.items.get();
      return all.map((version, at) => ({ version, before: all[at + 1] }));
    });
    return section(
      { title: t("history") },
      () => versions.items.get().length || isLive.get() ? null : h("p", { class: "hint" }, t("historyOffline")),
      h(
        "ul",
        { class: "points" },
        each(() => changes.get(), ({ version }) => `${version.edits} ${version.bill.removedAt ?? ""}`, (item) => {
          const { version, before } = item();
          const who = version.by === me ? t("youSubject") : nameOf(state(), version.by);
          const key = version.bill.removedAt
            ? "didRemove"
            : version.edits
            ? "didChange"
            : version.bill.was
            ? "didRestore"
            : "didAdd";
          return h(
            "li",
            null,
            h("p", null, t(version.by === me ? `${key}You` : key, { name: who })),
            before && key === "didChange" ? differences(version.bill, before.bill) : null,
            h("p", { class: "hint" }, () => ago(version.at, list.zone())),
          );
        }),
      ),
      () => versions.items.get().length && !versions.isAll() ? olderButton(versions, t("older")) : null,
    );
  }

  /** The changes, one thing a line. @param {Version["bill"]} after @param {Version["bill"]} before */
  function differences(after, before) {
    const [now, then] = [formOf(/** @type {Bill} */ (after)), formOf(/** @type {Bill} */ (before))];
    /** @type {{ [key in keyof BillForm]?: (form: BillForm) => string }} */
    const words = {
      title: (form) => form.title,
      amount: (form) => money(form.amount, form.currency),
      paid: (form) => namesOf(state(), Object.keys(form.paid), me),
      split: (form) => t(`kind.${form.split.kind ?? "equal"}`),
      date: (form) => calendarDay(form.date),
      category: (form) => form.category ? categoryName(form.category) : "–",
      note: (form) => form.note ?? "–",
      dueDate: (form) => form.dueDate ? calendarDay(form.dueDate) : "–",
      original: (form) => form.original ? abroadWords(form.original) : "–",
    };
    const lines = Object.entries(words).filter(([key]) => {
      const field = /** @type {keyof BillForm} */ (key);
      // A single payer pays the new amount by itself.
      if (key === "paid" && isSame(Object.keys(now.paid), Object.keys(then.paid)) && now.amount !== then.amount) {
        return false;
      }
      return !isSame(now[field], then[field]) || key === "amount" && now.currency !== then.currency;
    });
    return h(
      "ul",
      null,
      lines.map(([key, say]) => {
        const [old, fresh] = [say(then), say(now)];
        const label = t(`field.${key}`);
        return h("li", { dir: "auto" }, old === fresh ? label : t("fromTo", { field: label, from: old, to: fresh }));
      }),
    );
  }
}

/** "CZK 300.00 abroad · 25.3" @param {NonNullable<Bill["original"]>} first */
const abroadWords = ({ amount, currency, rate }) =>
  [t("original", { amount: money(amount, currency) }), rate].filter(Boolean).join(" · ");
