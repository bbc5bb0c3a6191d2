// The sheets of the drinks: what was bought, one kind, how a period is settled, and the periods before.

import { avatar } from "../parts/avatar.js";
import { icon } from "../parts/icons.js";
import { money, readMoney, UNDO_WITHIN } from "../parts/money.js";
import { membersOf, nameOf } from "../parts/names.js";
import { olderButton, paging } from "../parts/paging.js";
import { computed, each, h, signal } from "../parts/signal.js";
import { field, form, list, row, section, skeleton, toggle } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { say } from "../parts/snackbar.js";
import { ago, day } from "../parts/when.js";
import { listed, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { counting } from "../parts/drinks.js" */
/** @import { Home } from "../parts/household.js" */
/** @import { Methods } from "../hearth/types/methods.d.ts" */
/** @typedef {{ hearth: Hearth, room: Home, count: ReturnType<typeof counting> }} Context */
/** @typedef {{ [person: string]: number }} Shares */

const t = await words("drinks");

/** A whole number, or undefined. @param {string} text @param {number} least @param {number} most */
function whole(text, least, most) {
  const n = /^\d{1,6}$/.test(text.trim()) ? Number(text) : NaN;
  return n >= least && n <= most ? n : undefined;
}

/** @param {Context} context */
const currencyOf = ({ room }) => room.state.peek()?.household?.currency ?? "EUR";

/** Residents, oneself first. @param {Context} context @param {boolean} withGuests @returns {[string, string][]} */
const persons = ({ hearth, room }, withGuests) =>
  membersOf(room.state.peek()).filter(([, one]) => withGuests || one.role !== "guest")
    .sort(([a], [b]) => Number(b === hearth.me) - Number(a === hearth.me))
    .map(([person]) => [person, nameOf(room.state.peek(), person, hearth.me)]);

/** @param {Context} context */
function costField(context) {
  const cost = field({
    label: t("drinks.cost", { currency: currencyOf(context) }),
    name: "cost",
    inputmode: "decimal",
    autocomplete: "off",
  });
  return {
    cost,
    /** Undefined if nothing is written. */
    read: () => cost.value().trim() ? readMoney(cost.value(), currencyOf(context)) : undefined,
    check: () => {
      if (cost.value().trim() && readMoney(cost.value(), currencyOf(context)) === undefined) {
        cost.problem.set(t("drinks.wrongCost"));
      }
    },
  };
}

/** @param {Context} context @param {string} [kind] its name, if it is known already */
export function openBought(context, kind = "") {
  const { hearth, room, count } = context;
  openSheet({ title: t("drinks.boughtTitle") }, (close) => {
    const name = field({
      label: t("drinks.kind"),
      name: "kind",
      value: kind,
      required: true,
      maxlength: 64,
      autocomplete: "off",
      autofocus: !kind,
    });
    const n = field({
      label: t("drinks.number"),
      name: "n",
      required: true,
      inputmode: "numeric",
      autocomplete: "off",
      autofocus: Boolean(kind),
    });
    const { cost, read, check } = costField(context);
    const person = field({
      label: t("drinks.boughtBy"),
      name: "person",
      value: hearth.me ?? "",
      options: persons(context, true),
    });
    const known = kind ? [] : Object.values(room.state.peek()?.drinks ?? {}).map((one) => one.name);
    return [
      known.length
        ? h(
          "div",
          { class: "chips one-row", role: "group", "aria-label": t("drinks.known") },
          known.sort(new Intl.Collator().compare).map((one) =>
            h("button", {
              type: "button",
              class: "chip",
              onclick: () => {
                name.input.value = one;
                n.input.focus();
              },
            }, h("span", { class: "one-line", dir: "auto" }, one))
          ),
        )
        : null,
      form({
        fields: [name, n, cost, person],
        action: t("drinks.boughtSave"),
        check: () => {
          if (n.value().trim() && !whole(n.value(), 1, 500)) n.problem.set(t("drinks.wrongNumber", { most: 500 }));
          check();
        },
        submit: async () => {
          const price = read();
          await close();
          count.buy(name.value().trim().replace(/\s+/gu, " "), whole(n.value(), 1, 500) ?? 1, person.value(), price);
        },
      }),
    ];
  });
}

/**
 * One kind: how many there are, for whom one is too many, and what was entered lately.
 * @param {Context} context @param {string} key
 */
export function openKind(context, key) {
  const { hearth, room, count } = context;
  const drink = () => room.state.get()?.drinks?.[key];
  const title = drink()?.name ?? "";
  openSheet({ title }, (close) => {
    const stock = field({
      label: t("drinks.stock"),
      name: "to",
      value: String(Math.max(0, drink()?.stock ?? 0)),
      required: true,
      inputmode: "numeric",
      autocomplete: "off",
      hint: t("drinks.stockText"),
    });
    const drinkers = computed(() => Object.entries(drink()?.counts ?? {}).filter(([, { drunk }]) => drunk > 0));
    const entries = computed(() =>
      Object.entries(room.state.get()?.drinkEntries ?? {}).filter(([, one]) => one.kind === key)
        .sort(([, a], [, b]) => a.at < b.at ? 1 : -1).slice(0, 5)
    );
    const isSettled = () => {
      const one = drink();
      return one && !one.stock && !one.unaccounted && !Object.keys(one.counts ?? {}).length;
    };
    const name = (/** @type {string} */ person) => nameOf(room.state.get(), person, hearth.me);
    const inside = (/** @type {string} */ person) => person === hearth.me ? t("drinks.youInside") : name(person);
    return [
      h(
        "button",
        { type: "button", class: "plain", onclick: () => openBought(context, title) },
        icon("plus"),
        t("drinks.bought"),
      ),
      form({
        fields: [stock],
        action: t("drinks.stockSave"),
        check: () => {
          if (stock.value().trim() && whole(stock.value(), 0, 10_000) === undefined) {
            stock.problem.set(t("drinks.wrongNumber", { most: 10_000 }));
          }
        },
        submit: async () => {
          const to = whole(stock.value(), 0, 10_000) ?? 0;
          await close();
          if (to !== drink()?.stock) count.correct(title, to);
        },
      }),
      () =>
        drinkers.get().length
          ? section(
            { title: t("drinks.drunk") },
            list(each(() => drinkers.get(), ([person]) => person, (item, person) =>
              row({
                before: avatar(person, () => nameOf(room.state.get(), person)),
                title: () => name(person),
                text: () => t("drinks.counts", item()[1]),
                after: room.state.peek()?.members?.[person] && h("button", {
                  type: "button",
                  class: "chip round",
                  "aria-label": () => t("drinks.oneLess", { name: inside(person) }),
                  onclick: () =>
                    count.drink(title, -1, person, t("drinks.saidLess", { name: inside(person), kind: title })),
                }, icon("minus")),
              }))),
          )
          : null,
      () =>
        entries.get().length
          ? section(
            { title: t("drinks.lately") },
            list(each(() => entries.get(), ([id]) => id, (item, id) =>
              row({
                title: () => {
                  const { act, n, person } = item()[1];
                  return t(`drinks.entry.${act}`, { n, name: name(person) });
                },
                text: () => ago(item()[1].at),
                after: () =>
                  item()[1].by === hearth.me && hearth.now() - Date.parse(item()[1].at) < UNDO_WITHIN
                    ? h(
                      "button",
                      { type: "button", class: "plain", onclick: () => count.undo(id) },
                      t("drinks.takeBack"),
                    )
                    : null,
              }))),
          )
          : null,
      () =>
        isSettled()
          ? h("button", {
            type: "button",
            class: "danger",
            onclick: async () => {
              await close();
              count.remove(key, title);
              say(t("drinks.removed", { name: title }));
            },
          }, t("drinks.remove"))
          : null,
    ];
  });
}

/** @param {Context} context */
export function openSettle(context) {
  const { hearth, room } = context;
  const { cost, read, check } = costField(context);
  const period = room.state.peek()?.drinkPeriod?.number ?? 1;
  const id = hearth.newId();
  const carriesOver = signal(false);
  const shares = signal(/** @type {Shares | null} */ (null));
  const payer = field({
    label: t("drinks.payer"),
    name: "payer",
    value: hearth.me ?? "",
    options: persons(context, false),
  });
  const hasCost = signal(false);
  cost.input.addEventListener("input", () => {
    hasCost.set(Boolean(cost.value().trim()));
    payer.element.hidden = !hasCost.peek();
  });
  payer.element.hidden = true;
  openSheet({ title: t("drinks.settle") }, (close) => () => {
    const done = shares.get();
    if (done) {
      return [
        h("p", { role: "status" }, t("drinks.settled")),
        sharesList(context, done, currencyOf(context)),
        h("button", { type: "button", class: "primary", onclick: () => close() }, t("drinks.done")),
      ];
    }
    return [
      h("p", null, t("drinks.settleText")),
      form({
        fields: [cost, payer],
        action: t("drinks.settleAction"),
        check,
        submit: async () => {
          const price = read();
          const params = {
            id,
            period,
            ...(price ? { cost: price, payer: payer.value() } : carriesOver.peek() ? { carryOver: true } : {}),
          };
          const answer = await hearth.ask("drinks.closePeriod", params, { room: room.name });
          if (price) return shares.set(answer.shares ?? {});
          await close();
          say(t("drinks.settled"));
        },
      }, () =>
        hasCost.get() ? null : toggle({
          label: t("drinks.carryOver"),
          text: t("drinks.carryOverText"),
          isOn: () => carriesOver.get(),
          change: (on) => carriesOver.set(on),
        })),
    ];
  });
}

/** @param {Context} context @param {Shares} shares @param {string} currency */
function sharesList({ hearth, room }, shares, currency) {
  return list(
    Object.entries(shares).map(([person, amount]) =>
      row({
        before: avatar(person, () => nameOf(room.state.get(), person)),
        title: nameOf(room.state.peek(), person, hearth.me),
        after: h("span", { class: "amount-of" }, money(amount, currency)),
      })
    ),
  );
}

/** @param {Context} context */
export function openPeriods(context) {
  const { hearth, room } = context;
  const state = () => room.state.peek();
  openSheet({ title: t("drinks.periods") }, () => {
    const pages = paging(hearth, "drinks.periods", room.name);
    void pages.more();
    /** @param {Methods["drinks.periods"]["result"]["items"][number]} one */
    const closed = (one) => {
      const drunk = Object.values(one.drinks ?? {}).flatMap(({ name, counts }) => {
        const n = Object.values(counts ?? {}).reduce((sum, count) => sum + count.drunk, 0);
        return n ? [t("drinks.nOf", { n, name })] : [];
      });
      const zone = state()?.household?.timeZone;
      return section(
        {
          title: one.since
            ? t("drinks.fromTo", { from: day(one.since, zone), to: day(one.at, zone) })
            : t("drinks.upTo", { to: day(one.at, zone) }),
        },
        h("p", null, drunk.length ? listed(drunk) : t("drinks.nothingDrunk")),
        one.bill
          ? [
            h(
              "p",
              { class: "hint" },
              t("drinks.paid", {
                amount: money(one.bill.cost, one.bill.currency),
                name: nameOf(state(), one.bill.payer),
              }),
            ),
            sharesList(context, one.bill.shares ?? {}, one.bill.currency),
          ]
          : one.carryOver
          ? h("p", { class: "hint" }, t("drinks.carried"))
          : null,
      );
    };
    return [
      () => pages.isBeginning() ? skeleton(3) : null,
      () => pages.isAll() && !pages.items.get().length ? h("p", { class: "empty" }, t("drinks.noPeriods")) : null,
      each(() => pages.items.get(), ({ number }) => String(number), (item) => closed(item())),
      () => pages.isAll() || pages.isBeginning() ? null : olderButton(pages, t("drinks.older")),
    ];
  });
}
