// One purchase: what was bought, what each one pays, and who has changed what. Its buyer, its payers and the host may
// change it for 90 days.

import { avatar } from "../parts/avatar.js";
import { isSame } from "../parts/bills.js";
import { checkoutShares, unitsOf } from "../parts/checkout.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money, plainMoney, readAmount, readMoney } from "../parts/money.js";
import { forWhom, membersOf, nameOf } from "../parts/names.js";
import { empty, field, form, inWords, row, screen, section, skeleton } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, each, effect, h, signal, untracked } from "../parts/signal.js";
import { purchaseNews } from "../parts/trips.js";
import { say } from "../parts/snackbar.js";
import { parseItem } from "../parts/quantity.js";
import { ago, day } from "../parts/when.js";
import { language, words } from "../parts/words.js";
import { lineText, payerOf, shareRows, waysOf } from "./checkout.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { Split } from "../parts/split.js" */
/** @import { Purchase, PurchaseVersion } from "../parts/records.d.ts" */
/** @typedef {Purchase["lines"][number]} Line */
/** @typedef {{ key: number, line: Line, name: string, price: string, owner: string }} Typed */

const t = await words("trips");
await wordsOf("shopping");
const LONGEST = 90 * 86_400_000;

/** @param {Hearth} hearth @param {{ id: string }} params */
export function render(hearth, { id }) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const state = () => room.state.get();
  const me = hearth.me;
  const versions = signal(/** @type {readonly PurchaseVersion[]} */ ([]));
  const problem = signal("");
  const purchase = computed(() => versions.get()[0]?.purchase);
  const zone = () => state()?.household?.timeZone;
  const load = async () => {
    problem.set("");
    try {
      versions.set((await hearth.ask("trips.versions", { id }, { room: room.name })).items);
    } catch (error) {
      problem.set(inWords(error));
    }
  };
  const news = purchaseNews(state);
  effect(() => {
    news.get();
    untracked(load);
  });

  return screen(
    {
      title: t("trips.purchase"),
      back: "/shopping/history",
      class: "purchase",
      lead: () => {
        const one = purchase.get();
        return one
          ? [t("trips.by", { name: nameOf(state(), one.by, me), when: day(one.at, zone()) }), listOf(one)]
            .filter(Boolean).join(" · ")
          : null;
      },
    },
    () => {
      const one = purchase.get();
      if (one) return [about(one), changes()];
      if (!problem.get()) return skeleton(6);
      return empty({
        icon: "basket",
        text: hearth.phase === "live" ? problem.get() : t("trips.offline"),
        action: h("button", { type: "button", onclick: load }, t("trips.again")),
      });
    },
  );

  /** @param {Purchase} one */
  function listOf({ list }) {
    return list && state()?.lists?.[list]?.name;
  }

  /** @param {Purchase} one */
  function about(one) {
    const { lines, total, currency, shares = {}, note } = one;
    const mayEdit = () =>
      one.by === me || state()?.household?.host === me || (me ?? "") in (state()?.bills?.[one.bill ?? ""]?.paid ?? {});
    const isOld = hearth.now() - Date.parse(one.at) >= LONGEST;
    return [
      total ? h("p", { class: "total" }, money(total, currency)) : h("p", { class: "hint" }, t("trips.noCost")),
      note ? h("p", { dir: "auto" }, note) : null,
      section(
        { title: t("trips.things") },
        lines.length ? null : h("p", { class: "hint" }, t("trips.nothing")),
        h(
          "ul",
          { class: "rows framed" },
          lines.map((line) =>
            row({
              title: h("span", { dir: "auto" }, lineText(line)),
              text: line.owner ? forWhom(state(), line.owner, me) : "",
              after: line.price === undefined ? null : h("span", { class: "amount-of" }, money(line.price, currency)),
            })
          ),
        ),
      ),
      total ? section({ title: t("trips.each") }, shareRows(state(), me, shares, currency)) : null,
      () =>
        !mayEdit() ? null : isOld ? h("p", { class: "hint" }, t("trips.tooOld")) : h(
          "button",
          { type: "button", class: "wide", onclick: () => editSheet(one) },
          icon("edit"),
          t("trips.edit"),
        ),
    ];
  }

  function changes() {
    const all = versions.get();
    return all.length > 1
      ? section(
        { title: t("trips.changes") },
        h(
          "ul",
          { class: "rows" },
          all.map(({ by, at, purchase }, index) => {
            const before = all[index + 1]?.purchase;
            const key = by === me ? "You" : "";
            return row({
              before: avatar(by ?? "", nameOf(state(), by), { size: "small" }),
              title: t(`trips.${before ? "changed" : "wasBought"}${key}`, { name: nameOf(state(), by) }),
              text: [before ? difference(before, purchase) : "", ago(at, zone())].filter(Boolean).join(" · "),
            });
          }),
        ),
      )
      : null;
  }

  /** @param {Purchase} one */
  function editSheet(one) {
    const { currency } = one;
    const isGuest = state()?.members?.[me ?? ""]?.role === "guest";
    let count = 0;
    /** @param {Line} line @returns {Typed} */
    const typed = (line) => ({
      key: ++count,
      line,
      name: line.name,
      price: line.price === undefined ? "" : plainMoney(line.price, currency),
      owner: line.owner ?? "",
    });
    const lines = signal(one.lines.map(typed));
    const people = () => [
      ...new Set([...membersOf(state()).map(([person]) => person), ...one.lines.flatMap(({ owner }) => owner ?? [])]),
    ];
    const total = field({
      label: t("trips.total", { currency }),
      name: "total",
      value: one.total ? plainMoney(one.total, currency) : "",
      inputmode: "decimal",
      autocomplete: "off",
      required: Boolean(one.total),
    });
    const note = field({ label: t("trips.note"), name: "note", value: one.note ?? "", rows: 2, maxlength: 1000 });
    const typedTotal = signal(total.value());
    total.input.addEventListener("input", () => typedTotal.set(total.value()));
    openSheet({ title: t("trips.edit"), class: "purchase-sheet" }, (close) => {
      const about = {
        state,
        me: me ?? "",
        id: () => one.bill ?? "",
        total: () => readMoney(typedTotal.get(), currency),
      };
      const ways = waysOf(about, currency, ownWays(one));
      /** @param {Typed} one @param {Partial<Typed>} to */
      const change = ({ key }, to) =>
        lines.update((all) => all.map((other) => other.key === key ? { ...other, ...to } : other));
      return form(
        {
          fields: isGuest ? [note] : [total, note],
          action: t("trips.complete"),
          disabled: () => Boolean(ways.problem()),
          check: () => {
            const text = total.value().trim();
            if (text && readMoney(text, currency) === undefined) total.problem.set(t("trips.wrongAmount"));
            const isWrong = lines.peek().some(({ price }) => price.trim() && !isPrice(readAmount(price, currency)));
            if (isWrong) total.problem.set(t("trips.wrongAmount"));
          },
          submit: async () => {
            const changed = lines.peek().filter(({ name }) => name.trim()).map((one) => read(one, currency));
            const amount = readMoney(total.value(), currency);
            const said = note.value().trim();
            const params = /** @type {Params<"trips.edit">} */ ({
              id,
              lines: changed,
              ...(amount && !isGuest ? { total: amount, paid: ways.paid.parts() } : {}),
              ...(amount && !isGuest && ways.divided.kind.peek() ? { split: ways.divided.split() } : {}),
              ...(said === (one.note ?? "") ? {} : { note: said || null }),
            });
            await hearth.ask("trips.edit", params, { room: room.name });
            await close();
            say(t("trips.saved"));
          },
        },
        h(
          "fieldset",
          { class: "edited-lines" },
          h("legend", null, t("trips.things")),
          each(() => lines.get(), ({ key }) => String(key), (item) => {
            const known = item();
            const name = h("input", {
              "aria-label": t("trips.thing"),
              maxlength: 100,
              dir: "auto",
              value: known.name,
              oninput: () => change(known, { name: name.value }),
            });
            const price = h("input", {
              class: "price",
              inputmode: "decimal",
              autocomplete: "off",
              "aria-label": () => t("trips.priceOf", { name: item().name || t("trips.thing") }),
              placeholder: t("trips.price"),
              value: known.price,
              oninput: () => change(known, { price: price.value }),
            });
            const owner = h(
              "select",
              {
                "aria-label": t("trips.forWhom"),
                value: known.owner,
                onchange: () => change(known, { owner: owner.value }),
              },
              h("option", { value: "" }, t("trips.everybody")),
              people().map((person) => h("option", { value: person }, nameOf(state(), person, me))),
            );
            return h(
              "div",
              { class: "edited-line" },
              name,
              price,
              owner,
              h("button", {
                type: "button",
                class: "quiet round",
                "aria-label": () => t("trips.removeLine", { name: item().name || t("trips.thing") }),
                onclick: () => lines.update((all) => all.filter(({ key }) => key !== known.key)),
              }, icon("bin")),
            );
          }),
          h(
            "button",
            {
              type: "button",
              onclick: () => lines.update((all) => [...all, typed({ name: "" })]),
            },
            icon("plus"),
            t("trips.addLine"),
          ),
        ),
        isGuest ? null : ways.fields(),
        h("p", { class: "problem", role: "status" }, () => ways.problem() ? [icon("alert"), ways.problem()] : null),
      );
    });
  }

  /** Its payers, and its division where it does not follow what was bought. @param {Purchase} one */
  function ownWays(one) {
    const { bill: id = "", by, lines, sharers = [], total = 0 } = one;
    const bill = state()?.bills?.[id];
    if (!bill) return { paid: { [by]: total } };
    const split = /** @type {Split} */ (bill.split);
    const bought = lines.map((line) => ({
      owner: line.owner && payerOf(state(), line.owner),
      price: line.price,
      units: unitsOf(line),
    }));
    const usual = checkoutShares(bought, [...sharers], payerOf(state(), by), total, id);
    const isUsual = split.kind === "exact" && "shares" in usual && isSame(split.parts, usual.shares);
    return { paid: bill.paid, split: isUsual ? undefined : split };
  }
}

/** @param {number | undefined} price */
const isPrice = (price) => price !== undefined && price >= 0;

/** A line as it was typed: a new one may say how much, as on the list. @param {Typed} typed @param {string} currency */
function read({ line, name, price, owner }, currency) {
  const { price: _, owner: __, ...before } = line;
  const said = name.trim().replace(/\s+/gu, " ");
  const amount = price.trim() ? readAmount(price, currency) : undefined;
  return {
    ...(line.name ? { ...before, name: said } : parseItem(said, language.peek())),
    ...(owner ? { owner } : {}),
    ...(amount === undefined ? {} : { price: amount }),
  };
}

/** The effects of a change, in words. @param {Purchase} before @param {Purchase} after */
function difference(before, after) {
  /** @param {Line} line */
  const key = (line) => line.id ?? line.name;
  const [old, now] = [before, after].map(({ lines }) => new Map(lines.map((line) => [key(line), line])));
  const said = [];
  if (before.total !== after.total) {
    const [from, to] = [before, after].map(({ total, currency }) => total ? money(total, currency) : "–");
    said.push(t("trips.totalChanged", { before: from, after: to }));
  }
  for (const [id, line] of now ?? []) {
    const was = old?.get(id);
    if (!was) said.push(t("trips.lineAdded", { name: line.name }));
    else if (JSON.stringify(was) !== JSON.stringify(line)) said.push(t("trips.lineChanged", { name: line.name }));
  }
  for (const [id, { name }] of old ?? []) if (!now?.has(id)) said.push(t("trips.lineRemoved", { name }));
  if (before.note !== after.note) said.push(t("trips.noteChanged"));
  return said.join(", ");
}
