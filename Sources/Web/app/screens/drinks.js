// Drinks: one tap counts one for a person. Below, what each has to buy, and how a period is settled.

import { avatar } from "../parts/avatar.js";
import { buysNext, counting, toBuy, totals } from "../parts/drinks.js";
import { styleOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { membersOf, nameOf } from "../parts/names.js";
import { computed, each, h, observe } from "../parts/signal.js";
import { empty, list, row, screen, section, skeleton, waitingMark } from "../parts/screen.js";
import { words } from "../parts/words.js";
import { openBought, openKind, openPeriods, openSettle } from "./drinks_sheets.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Drink } from "../parts/records.d.ts" */

const [t] = await Promise.all([words("drinks"), styleOf("dinner")]);
/** With more kinds than these, their names stand above as a way to each. */
const FEW = 5;

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const state = () => room.state.get();
  const me = hearth.me ?? "";
  const isHere = computed(() => Boolean(state()));
  const count = counting(hearth, room);
  const context = { hearth, room, count };
  // By name: a tap must not move anything under the thumb.
  const kinds = computed(() => {
    const names = new Intl.Collator();
    return Object.entries(state()?.drinks ?? {}).filter(([, one]) => one.name)
      .sort(([, a], [, b]) => names.compare(a.name, b.name));
  });
  const isUsed = (/** @type {Drink} */ one) => one.stock > 0 || Object.keys(one.counts ?? {}).length > 0;
  const used = computed(() => kinds.get().filter(([, one]) => isUsed(one)));
  const unused = computed(() => kinds.get().filter(([, one]) => !isUsed(one)));
  const people = computed(() =>
    membersOf(state()).map(([person]) => person).sort((a, b) => Number(b === me) - Number(a === me))
  );
  const unsent = observe(hearth, () => hearth.waiting.filter(({ method }) => method.startsWith("drinks.")).length);
  const hasMany = computed(() => used.get().length > FEW);

  return screen(
    { title: t("drinks.title"), back: "/", lead: () => kinds.get().length ? nextWords() : null },
    () => isHere.get() ? null : skeleton(6),
    () => isHere.get() && !kinds.get().length ? empty({ icon: "cup", text: t("drinks.empty") }) : null,
    () => hasMany.get() ? jumps() : null,
    h("div", { class: "drinks" }, each(() => used.get(), ([key]) => key, (item, key) => kind(key, () => item()[1]))),
    () =>
      unused.get().length
        ? h(
          "details",
          { class: "drinks" },
          h("summary", null, () => t("drinks.unused", { n: unused.get().length })),
          each(() => unused.get(), ([key]) => key, (item, key) => kind(key, () => item()[1])),
        )
        : null,
    () => isHere.get() && kinds.get().length ? period() : null,
    () =>
      isHere.get() &&
      h(
        "button",
        { type: "button", class: "primary fab", onclick: () => openBought(context) },
        icon("plus"),
        t("drinks.bought"),
      ),
  );

  function nextWords() {
    const next = buysNext(state());
    const mark = waitingMark(() => unsent.get() > 0);
    if (!next) return [t("drinks.nobodyBuys"), mark];
    const [person, n] = next;
    return [
      person === me ? t("drinks.youBuy", { n }) : t("drinks.buysNext", { n, name: nameOf(state(), person) }),
      mark,
    ];
  }

  function jumps() {
    return h(
      "ul",
      { class: "chips one-row", "aria-label": t("drinks.jump") },
      each(() => used.get(), ([key]) => key, (item, key) =>
        h(
          "li",
          null,
          h("button", {
            type: "button",
            class: "chip",
            onclick: () => document.getElementById(headID(key))?.focus(),
          }, h("span", { class: "one-line", dir: "auto" }, () => item()[1].name)),
        )),
    );
  }

  /** An id must have no spaces, to be named by others. @param {string} key */
  function headID(key) {
    return `drink-${encodeURIComponent(key)}`;
  }

  /** A kind, and a button for each person. @param {string} key @param {() => Drink} one */
  function kind(key, one) {
    return h(
      "section",
      { class: "section", "aria-labelledby": headID(key) },
      h(
        "div",
        { class: "section-head" },
        h("h2", { id: headID(key), tabindex: -1 }, h("bdi", null, () => one().name)),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": () => t("drinks.openKind", { name: one().name, left: leftWords(one()) }),
            onclick: () => openKind(context, key),
          },
          () => leftWords(one()),
          icon("more"),
        ),
      ),
      h(
        "ul",
        { class: "faces" },
        each(() => people.get(), (person) => person, (_, person) => {
          const inside = () => person === me ? t("drinks.youInside") : nameOf(state(), person);
          const n = () => one().counts?.[person]?.drunk ?? 0;
          return h(
            "li",
            null,
            h(
              "button",
              {
                type: "button",
                class: "counted",
                "aria-label": () => t("drinks.tap", { name: inside(), kind: one().name, n: n() }),
                onclick: () =>
                  count.drink(one().name, 1, person, t("drinks.saidOne", { name: inside(), kind: one().name })),
              },
              avatar(person, () => nameOf(state(), person)),
              () => n() ? h("span", { class: "badge" }, n()) : null,
              h("span", { class: "one-line", dir: "auto" }, () => nameOf(state(), person, me)),
            ),
          );
        }),
      ),
    );
  }

  /** Below 0, somebody has bought some and not said so. @param {Drink} one */
  function leftWords({ stock }) {
    return stock > 0 ? t("drinks.left", { n: stock }) : t("drinks.noneLeft");
  }

  /** Each person's drinks to buy. */
  function period() {
    const counts = computed(() =>
      [...totals(state()?.drinks ?? {})].sort(([a, one], [b, other]) => toBuy(other) - toBuy(one) || (a < b ? -1 : 1))
    );
    const isGuest = () => state()?.members?.[me]?.role === "guest";
    return section(
      { title: t("drinks.toBuy") },
      h(
        "ul",
        { class: "rows framed" },
        each(() => counts.get(), ([person]) => person, (item, person) =>
          row({
            before: avatar(person, () => nameOf(state(), person)),
            title: () => nameOf(state(), person, me),
            text: () => t("drinks.counts", { drunk: item()[1].drunk, bought: item()[1].bought }),
            after: () => h("span", { class: "amount-of" }, toBuyWords(toBuy(item()[1]))),
          })),
      ),
      list(
        () =>
          isGuest() || !counts.get().length
            ? null
            : row({ before: icon("check"), title: t("drinks.settle"), onclick: () => openSettle(context) }),
        row({ before: icon("clock"), title: t("drinks.periods"), onclick: () => openPeriods(context) }),
      ),
    );
  }

  /** @param {number} n */
  function toBuyWords(n) {
    return n > 0 ? t("drinks.owes", { n }) : n < 0 ? t("drinks.ahead", { n: -n }) : t("drinks.even");
  }
}
