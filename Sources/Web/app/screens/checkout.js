// The checkout: what I have bought, what it cost, and what each one's share of it is. It works without a network, since
// the page divides as the server does.

import { avatar } from "../parts/avatar.js";
import { division, fault, payers } from "../parts/bill_fields.js";
import { billOf, checkoutShares, unitsOf } from "../parts/checkout.js";
import { isAway } from "../parts/dates.js";
import { wordsOf } from "../parts/family.js";
import { removed } from "../parts/groceries.js";
import { household } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money, plainMoney, readAmount, readMoney } from "../parts/money.js";
import { forWhom, membersOf, nameOf } from "../parts/names.js";
import { quantityText } from "../parts/quantity.js";
import { address, go } from "../parts/router.js";
import { field, row, screen, section, skeleton, toggle } from "../parts/screen.js";
import { shoppingList } from "../parts/shopping.js";
import { computed, each, h, signal, untracked } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { named } from "../parts/split.js";
import { dayOf } from "../parts/when.js";
import { language, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { Shared } from "../parts/bill_fields.js" */
/** @import { Line } from "../parts/records.d.ts" */
/** @import { Parts, Split } from "../parts/split.js" */
/** @typedef {{ id: string, line: Line }} Item */
/** @typedef {ReturnType<typeof waysOf>} Ways */

const list = await wordsOf("shopping");
const t = await words("trips");
/** The server takes so many at once. */
const MOST = 200;

/**
 * Guests have no bills: the member whom they visit pays for them.
 * @param {HouseholdState | null} state @param {string} person
 */
export const payerOf = (state, person) => state?.members?.[person]?.guestOf ?? person;

/** The members who have bills. @param {HouseholdState | null} state */
export const residents = (state) =>
  membersOf(state).filter(([, one]) => one.role !== "guest").map(([person]) => person);

/** "2 l milk". @param {{ name: string, quantity?: number | undefined, unit?: string | undefined }} line */
export const lineText = ({ name, quantity, unit }) =>
  [quantityText(quantity, unit, language.peek()), name].filter(Boolean).join(" ");

/**
 * Each one's part of a cost. @param {HouseholdState | null} state @param {string | null} me
 * @param {{ [person: string]: number }} shares @param {string} currency
 */
export function shareRows(state, me, shares, currency) {
  const all = Object.entries(shares).filter(([, amount]) => amount).sort(([a], [b]) =>
    Number(b === me) - Number(a === me)
  );
  return h(
    "ul",
    { class: "rows framed" },
    all.map(([person, amount]) =>
      row({
        before: avatar(person, nameOf(state, person), { size: "small" }),
        title: nameOf(state, person, me),
        after: h("b", { class: "amount-of" }, money(amount, currency)),
      })
    ),
  );
}

/**
 * The payers, and the division where it does not follow what was bought for whom.
 * @param {Pick<Shared, "state" | "me" | "id" | "total">} about @param {string} currency
 * @param {{ paid?: Parts | undefined, split?: Split | undefined }} [old] of the purchase that is changed
 */
export function waysOf(about, currency, { paid: oldPaid, split } = {}) {
  const people = residents(about.state());
  const persons = [...new Set([...people, ...Object.keys(oldPaid ?? {}), ...split ? named(split) : []])]
    .sort((a, b) => Number(b === about.me) - Number(a === about.me));
  const all = { ...about, persons, residents: people, sign: signal(1), currency: signal(currency) };
  const paid = payers(all, oldPaid);
  const divided = division(all, split, ["", t("trips.byThings")]);
  return {
    paid,
    divided,
    problem: () => paid.problem() || divided.problem(),
    fields: () =>
      people.length > 1
        ? [
          paid.fields(t("trips.paidBy")),
          h(
            "details",
            { open: Boolean(split) },
            h("summary", null, t("trips.otherwise")),
            h("div", { class: "form" }, divided.fields(), fault(divided.problem)),
          ),
        ]
        : null,
  };
}

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = hearth.me ?? "";
  const shopping = shoppingList(hearth, household(hearth).peek() ?? "", list);
  const state = () => shopping.home.get();
  const isHere = computed(() => state() !== null);
  const currency = () => state()?.household?.currency ?? "EUR";
  const isGuest = computed(() => state()?.members?.[me]?.role === "guest");
  const wantedTrip = address.peek().query.get("trip") ?? "";
  const trip = computed(() => {
    const one = shopping.trips.get()?.[wantedTrip];
    return one?.by === me ? { id: wantedTrip, ...one } : shopping.trip.get();
  });
  // The page chooses the ids, and who pays the odd cent follows from them.
  const id = hearth.newId();
  const bill = signal("");
  billOf(id).then((made) => bill.set(made));

  /** The items on the lists that this trip is for. @type {{ get(): Item[] }} */
  const items = computed(() => {
    const on = trip.get()?.list;
    const collator = new Intl.Collator(language.peek());
    return Object.entries(shopping.homeLines.get() ?? {})
      .flatMap(([key, line]) => line?.name && (!on || line.list === on) ? [{ id: key, line }] : [])
      .sort((a, b) => collator.compare(a.line.name, b.line.name) || (a.id < b.id ? -1 : 1));
  });
  /** Ticks since midnight are of this trip, too: it may have begun before the others were told. */
  const midnight = new Date(new Date(hearth.now()).setHours(0, 0, 0, 0)).toISOString();
  const since = () => [trip.get()?.at ?? "", midnight].sort()[0] ?? "";
  /** @param {Item} item */
  const isMine = ({ line }) => line.checkedBy === me && String(line.checkedAt) >= since();
  /** The choices that I have made otherwise. */
  const chosen = signal(/** @type {Record<string, boolean>} */ ({}));
  const isIn = (/** @type {Item} */ item) => chosen.get()[item.id] ?? isMine(item);
  const bought = computed(() => items.get().filter(isIn).slice(0, MOST));
  const mine = computed(() => items.get().filter(isMine));
  const rest = computed(() => items.get().filter((item) => !isMine(item)));
  const hasRest = computed(() => rest.get().length > 0);

  const hasPrices = signal(false);
  const prices = signal(/** @type {Record<string, string>} */ ({}));
  /** The price in words; undefined where there is none, null if it is no amount. @param {string} key */
  const priceOf = (key) => {
    const text = hasPrices.get() ? prices.get()[key]?.trim() : "";
    if (!text) return undefined;
    const amount = readAmount(text, currency());
    return amount === undefined || amount < 0 ? null : amount;
  };
  const sum = computed(() => bought.get().reduce((all, item) => all + (priceOf(item.id) ?? 0), 0));
  const isPriced = computed(() => sum.get() > 0 && bought.get().every((item) => priceOf(item.id) !== undefined));
  const isBroken = computed(() => bought.get().some((item) => priceOf(item.id) === null));
  const totalText = signal("");
  const total = computed(() => totalText.get().trim() ? readMoney(totalText.get(), currency()) : undefined);
  /** The ways to pay and to divide it that are chosen, once there is a household. */
  const chosenWays = signal(/** @type {Ways | null} */ (null));
  const result = computed(() => {
    const amount = total.get();
    if (!amount || !bill.get()) return null;
    const own = chosenWays.get()?.divided;
    if (own?.kind.get()) {
      const shares = own.shares.get();
      return shares && { shares };
    }
    const lines = bought.get().map(({ id, line }) => ({
      owner: line.owner && payerOf(state(), line.owner),
      price: priceOf(id) ?? undefined,
      units: unitsOf(line),
    }));
    const today = dayOf(hearth.now(), state()?.household?.timeZone);
    const there = residents(state()).filter((person) => !isAway(state()?.members?.[person] ?? {}, today));
    return checkoutShares(lines, there, payerOf(state(), me), amount, bill.get());
  });

  return screen(
    {
      title: t("trips.checkout"),
      back: "/shopping/shop",
      class: "checkout",
      lead: h("span", { role: "status" }, () => {
        const n = bought.get().length;
        return n ? t("trips.chosen", { n }) : t("trips.nothingChosen");
      }),
    },
    // Typed text stays, whatever the others do meanwhile.
    () => isHere.get() ? untracked(() => [things(), cost()]) : skeleton(6),
  );

  function things() {
    return [
      h("ul", { class: "rows", "aria-label": t("trips.basket") }, each(() => mine.get(), (one) => one.id, thing)),
      () =>
        hasRest.get()
          ? h(
            "details",
            // Without a basket, this is what one has come to choose from.
            { open: untracked(() => !mine.get().length) },
            h("summary", null, () => t("trips.rest", { n: rest.get().length })),
            h("ul", { class: "rows" }, each(() => rest.get(), (one) => one.id, thing)),
          )
          : null,
    ];
  }

  /** @param {() => Item} item @param {string} key */
  function thing(item, key) {
    const box = h("input", {
      type: "checkbox",
      checked: () => isIn(item()),
      onchange: () => chosen.update((all) => ({ ...all, [key]: box.checked })),
    });
    const owner = () => item().line.owner;
    return h(
      "li",
      { class: "bought-line" },
      h(
        "label",
        { class: "row" },
        box,
        h(
          "span",
          { class: "row-words" },
          h("span", { class: "row-title", dir: "auto" }, () => lineText(item().line)),
          () => {
            const person = owner();
            return person ? h("span", { class: "row-text" }, forWhom(state(), person, me)) : null;
          },
        ),
      ),
      () => hasPrices.get() && isIn(item()) ? priceField(key, item().line.name) : null,
    );
  }

  /** @param {string} key @param {string} name */
  function priceField(key, name) {
    const input = h("input", {
      class: "price",
      inputmode: "decimal",
      autocomplete: "off",
      "aria-label": t("trips.priceOf", { name }),
      "aria-invalid": () => priceOf(key) === null ? "true" : null,
      placeholder: plainMoney(0, currency()),
      value: prices.peek()[key] ?? "",
      oninput: () => prices.update((all) => ({ ...all, [key]: input.value })),
    });
    return input;
  }

  function cost() {
    const amount = field({
      label: t("trips.total", { currency: currency() }),
      name: "total",
      inputmode: "decimal",
      autocomplete: "off",
      hint: t("trips.totalHint"),
      placeholder: plainMoney(0, currency()),
    });
    amount.input.addEventListener("input", () => totalText.set(amount.value()));
    const ways = waysOf({ state, me, id: () => bill.get(), total: () => total.get() }, currency());
    chosenWays.set(ways);
    const note = field({ label: t("trips.note"), name: "note", rows: 2, maxlength: 1000 });
    const over = () => {
      const found = result.get();
      return found && "over" in found ? found.over : 0;
    };
    const complete = h("button", { type: "button", class: "primary wide", onclick: finish }, () => {
      const value = total.get();
      return value ? t("trips.completeWith", { amount: money(value, currency()) }) : t("trips.complete");
    });
    return [
      isGuest.get() ? h("p", { class: "hint" }, t("trips.guestCost")) : h(
        "div",
        { class: "form" },
        amount.element,
        () =>
          isPriced.get() && sum.get() !== total.get()
            ? h("button", {
              type: "button",
              class: "chip",
              onclick: () => {
                amount.input.value = plainMoney(sum.peek(), currency());
                amount.problem.set("");
                totalText.set(amount.value());
              },
            }, t("trips.sumOfPrices", { amount: money(sum.get(), currency()) }))
            : null,
        ways.fields(),
        toggle({
          label: t("trips.prices"),
          text: t("trips.pricesText"),
          isOn: () => hasPrices.get(),
          change: (on) => hasPrices.set(on),
        }),
      ),
      () => {
        const found = result.get();
        if (!found) return null;
        if ("over" in found) {
          return h(
            "p",
            { class: "problem" },
            icon("alert"),
            t("trips.over", { amount: money(found.over, currency()) }),
          );
        }
        return section({ title: t("trips.each") }, shareRows(state(), me, found.shares, currency()));
      },
      h("div", { class: "form" }, note.element),
      complete,
    ];

    function finish() {
      const isWrong = Boolean(totalText.peek().trim()) && total.get() === undefined;
      amount.problem.set(isWrong ? t("trips.wrongAmount") : "");
      if (isWrong || over()) return amount.input.focus();
      if (ways.problem()) return say(ways.problem());
      if (isBroken.get()) {
        /** @type {HTMLElement | null} */ (document.querySelector(".price[aria-invalid]"))?.focus();
        return say(t("trips.wrongAmount"));
      }
      if (!bought.get().length && !total.get()) return say(t("trips.nothingChosen"));
      send(ways, note.value().trim());
    }
  }

  /** @param {Ways} ways @param {string} note */
  function send({ paid, divided }, note) {
    const amount = total.get();
    const now = trip.get();
    const all = bought.get();
    const lines = all.map(({ id, line }) => {
      const price = priceOf(id);
      return { id, sources: Object.keys(line.sources), ...(price === undefined || price === null ? {} : { price }) };
    });
    const params = /** @type {Params<"trips.complete">} */ ({
      id,
      ...(now ? { trip: now.id } : {}),
      lines,
      ...(amount ? { total: amount } : {}),
      ...(amount && paid.payer.peek() !== me ? { paid: paid.parts() } : {}),
      ...(amount && divided.kind.peek() ? { split: divided.split() } : {}),
      ...(note ? { note } : {}),
    });
    const { answer } = hearth.change("trips.complete", params, {
      room: shopping.room,
      about: t("trips.aboutComplete"),
      optimistic: ({ groceries }) => {
        const known = /** @type {Record<string, Line> | undefined} */ (groceries);
        const gone = lines.map((one) => removed(known, one.id, one.sources)?.groceries);
        return { groceries: Object.assign({}, ...gone), ...(now ? { trips: { [now.id]: null } } : {}) };
      },
    });
    const look = { label: t("trips.look"), act: () => go(`/shopping/purchase/${id}`) };
    const members = state();
    answer.then(({ skipped = {} }) => {
      const left = Object.entries(skipped).map(([key, { by }]) => {
        const item = all.find((one) => one.id === key)?.line.name ?? "";
        return by
          ? t("trips.alreadyBought", { name: nameOf(members, by, me), item })
          : t("trips.skippedGone", { item });
      });
      if (left.length) say(left.join(" "), look);
    }, () => {});
    go("/shopping", { replace: true });
    const n = all.length;
    say(amount ? t("trips.completedFor", { n, amount: money(amount, currency()) }) : t("trips.completed", { n }), look);
  }
}
