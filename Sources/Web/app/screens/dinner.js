// The dinners: tonight and the two weeks after it, the person's usual week, and how often each has cooked.

import { avatar } from "../parts/avatar.js";
import { daysAfter, WEEKDAYS } from "../parts/dates.js";
import {
  answering,
  choices,
  cutoffOf,
  eveningWords,
  isLate,
  isNight,
  meal,
  tonight,
  unsentAnswers,
} from "../parts/dinner.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { membersOf, nameOf } from "../parts/names.js";
import { computed, each, h, signal } from "../parts/signal.js";
import { inWords, list, row, screen, section, segments, skeleton, toggle, waitingMark } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { timeOfDay, weekdayName, weekdayOf } from "../parts/when.js";
import { t } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Eats } from "../parts/dinner.js" */
/** @import { Methods } from "../hearth/types/methods.d.ts" */
/** @import { Pattern } from "../parts/records.d.ts" */

await wordsOf("dinner");
/** So many days after tonight can be answered for. */
const DAYS = 14;

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const state = () => room.state.get();
  const me = hearth.me ?? "";
  const answer = answering(hearth, room);
  const unsent = unsentAnswers(hearth);
  const today = computed(() => tonight(state()));
  const days = computed(() => Array.from({ length: DAYS }, (_, n) => daysAfter(today.get(), n + 1)));
  const isHere = computed(() => Boolean(state()));

  return screen(
    { title: t("dinner.title"), back: "/", lead },
    () => isHere.get() ? [mine(() => today.get()), everybody(() => today.get()), coming(), more()] : skeleton(6),
  );

  function lead() {
    if (!state()) return null;
    const { title } = headWords(today.get());
    return isNight(state()) ? `${dayName(today.get())}: ${title}` : title;
  }

  /** @param {string} date */
  function headWords(date) {
    return eveningWords(state(), date, hearth.me);
  }

  /** @param {() => string} date */
  function mine(date) {
    return h("div", { class: "stack" }, choices(room, me, date, answer), cooking(date, me));
  }

  /** @param {() => string} date @param {string} person */
  function cooking(date, person) {
    return toggle({
      label: t(person === me ? "dinner.iCook" : "dinner.theyCook"),
      isOn: () => meal(state(), date(), person).cooks,
      change: (cook) => answer(date(), person, { cook }),
      disabled: () => meal(state(), date(), person).isAway,
    });
  }

  /** Everybody's answer; a tap answers for one of them. @param {() => string} date */
  function everybody(date) {
    return h(
      "ul",
      { class: "rows framed" },
      each(() => membersOf(state()), ([person]) => person, (_, person) =>
        row({
          before: avatar(person, () => nameOf(state(), person)),
          title: () => nameOf(state(), person, me),
          text: () => answerWords(date(), person),
          after: [
            waitingMark(() => unsent.get().has(`${date()} ${person}`)),
            () => meal(state(), date(), person).isLate ? late() : icon("next"),
          ],
          onclick: () => openPerson(date(), person),
        })),
    );
  }

  function late() {
    return h("span", { class: "late-mark" }, icon("clock"), t("dinner.state.late"));
  }

  /** @param {string} date @param {string} person */
  function answerWords(date, person) {
    const one = meal(state(), date, person);
    return [
      one.isAway
        ? t("dinner.state.away")
        : one.guests
        ? t("dinner.state.guests", { n: one.guests })
        : t(`dinner.state.${one.isUsual ? "usual." : ""}${one.eats}`),
      one.cooks && t("dinner.state.cooks"),
      one.by && (one.by === me ? t("dinner.state.byYou") : t("dinner.state.by", { name: nameOf(state(), one.by) })),
    ].filter(Boolean).join(" · ");
  }

  /** @param {string} date @param {string} person */
  function openPerson(date, person) {
    openSheet({ title: nameOf(state(), person, me) }, () => [
      h("p", null, () => `${dayName(date)}: ${answerWords(date, person)}`),
      choices(room, person, () => date, answer),
      cooking(() => date, person),
    ]);
  }

  /** By weekdays in the night, when the calendar says another day than the evening. @param {string} date */
  function dayName(date) {
    if (isNight(state())) return weekdayOf(date);
    if (date === today.get()) return t("dinner.tonight");
    return date === daysAfter(today.get(), 1) ? t("dinner.tomorrow") : weekdayOf(date);
  }

  function coming() {
    return section(
      { title: t("dinner.coming") },
      h(
        "ul",
        { class: "rows framed evenings" },
        each(() => days.get(), (date) => date, (_, date) =>
          h(
            "li",
            null,
            h(
              "button",
              { type: "button", class: "row", onclick: () => openDay(date) },
              h(
                "span",
                { class: "row-words" },
                h("span", { class: "row-title" }, () => dayName(date)),
                h("span", { class: "row-text" }, () => shortText(date)),
              ),
              waitingMark(() => unsent.get().has(`${date} ${me}`)),
            ),
            h("div", { class: "chips" }, quick(date, "in"), quick(date, "out")),
          )),
      ),
    );
  }

  /** @param {string} date */
  function shortText(date) {
    const { title, few } = headWords(date);
    return [title, few].filter(Boolean).join(" · ");
  }

  /** @param {string} date */
  function dayText(date) {
    const { title, open, late } = headWords(date);
    return [title, open, late].filter(Boolean).join(" · ");
  }

  /** The person's own answer for an evening, in one tap. @param {string} date @param {"in" | "out"} eats */
  function quick(date, eats) {
    const one = () => meal(state(), date, me);
    return h("button", {
      type: "button",
      class: "chip round",
      "aria-pressed": () => String(one().eats === eats),
      "aria-label": () => `${dayName(date)}: ${t(`dinner.${eats}`)}`,
      disabled: () => one().isAway,
      onclick: () => answer(date, me, eats === "in" ? { eats, guests: 0 } : { eats }),
    }, icon(eats === "in" ? "home" : "leave"));
  }

  /** @param {string} date */
  function openDay(date) {
    openSheet({ title: dayName(date) }, () => [
      h("p", { role: "status" }, () => dayText(date)),
      mine(() => date),
      everybody(() => date),
    ]);
  }

  function more() {
    return [
      list(
        row({ before: icon("again"), title: t("dinner.usual"), after: icon("next"), onclick: openPattern }),
        row({ before: icon("activity"), title: t("dinner.counts"), after: icon("next"), onclick: openCounts }),
      ),
      h("p", { class: "hint" }, () => t("dinner.until", { time: timeOfDay(cutoffOf(state())) })),
    ];
  }

  // MARK: the usual week

  function openPattern() {
    const days = () => /** @type {Pattern} */ (state()?.dinnerPatterns?.[me]?.days ?? {});
    /** @param {typeof WEEKDAYS[number]} day @param {Eats} eats */
    function set(day, eats) {
      const next = Object.fromEntries(
        Object.entries({ ...days(), [day]: eats }).filter(([, one]) => one !== "unknown"),
      );
      const gone = Object.fromEntries(Object.keys(days()).map((one) => [one, null]));
      hearth.change("dinner.pattern", { days: next }, {
        room: room.name,
        optimistic: (home) => {
          const from = daysAfter(today.peek(), isLate(home, today.peek(), hearth.now()) ? 1 : 0);
          return { dinnerPatterns: { [me]: { from, days: { ...gone, ...next } } } };
        },
        about: t("dinner.aboutUsual"),
      });
    }
    openSheet({ title: t("dinner.usual") }, () => [
      h("p", { class: "hint" }, t("dinner.usualText")),
      WEEKDAYS.map((day, at) =>
        h(
          "div",
          { class: "usual-day" },
          h("span", { "aria-hidden": "true" }, weekdayName(at)),
          segments({
            label: weekdayName(at),
            choices: /** @type {[Eats, string][]} */ ([
              ["in", t("dinner.in")],
              ["out", t("dinner.out")],
              ["unknown", t("dinner.either")],
            ]),
            value: () => days()[day] ?? "unknown",
            change: (eats) => set(day, eats),
          }),
        )
      ),
    ]);
  }

  // MARK: who has cooked

  function openCounts() {
    const counts = signal(/** @type {Methods["dinner.counts"]["result"]["members"] | null} */ (null));
    const problem = signal("");
    hearth.ask("dinner.counts", {}, { room: room.name }).then(
      ({ members }) => counts.set(members),
      (error) => problem.set(inWords(error)),
    );
    const rows = () => {
      const cooked = (/** @type {string} */ person) => counts.get()?.[person]?.cooked ?? 0;
      return membersOf(state()).sort(([a], [b]) => cooked(b) - cooked(a));
    };
    openSheet({ title: t("dinner.counts") }, () => [
      h("p", { class: "hint" }, t("dinner.countsText")),
      () => problem.get() && h("p", { class: "problem", role: "alert" }, icon("alert"), problem.get()),
      () => counts.get() || problem.get() ? null : skeleton(3),
      () =>
        counts.get() && list(
          rows().map(([person]) => {
            const { ate = 0, guests = 0, cooked = 0 } = counts.get()?.[person] ?? {};
            return row({
              before: avatar(person, () => nameOf(state(), person)),
              title: nameOf(state(), person, me),
              text: t("dinner.countsOf", { ate, guests, cooked }),
            });
          }),
        ),
    ]);
  }
}
