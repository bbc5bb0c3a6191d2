// Dinners: the state of an evening in words, and the members' answers.

import { daysAfter, isAway, weekdayAt, WEEKDAYS } from "./dates.js";
import { icon } from "./icons.js";
import { nameOf } from "./names.js";
import { h, observe } from "./signal.js";
import { say } from "./snackbar.js";
import { dayOf, minuteOf, now, timeOfDay } from "./when.js";
import { listed, words } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { Home } from "./household.js" */
/** @import { IconName } from "./icons.js" */

/**
 * @typedef {"in" | "out" | "unknown"} Eats
 * @typedef {{ eats?: Eats | null, guests?: number, cook?: boolean }} Changes
 * @typedef {{ eats?: Eats | null, guests?: number | null, cook?: boolean | null, late?: boolean, by?: string }} Answer
 * @typedef {{ eats: Eats, guests: number, cooks: boolean, isLate: boolean, isAway: boolean, isUsual: boolean,
 *   by?: string | undefined }} Meal
 */

const t = await words("dinner");
/** The day of a dinner begins at four in the morning. */
const DAY_START = 4 * 60;
const MOST_GUESTS = 9;

/** The day of the dinner that is next or not yet over. @param {HouseholdState | null} state */
export function tonight(state) {
  const [time, zone] = [now.get(), state?.household?.timeZone];
  return minuteOf(time, zone) < DAY_START ? daysAfter(dayOf(time, zone), -1) : dayOf(time, zone);
}

/** Whether it is past midnight, and the evening of yesterday not over. @param {HouseholdState | null} state */
export const isNight = (state) => tonight(state) !== dayOf(now.get(), state?.household?.timeZone);

/** @param {HouseholdState | null} state */
export const cutoffOf = (state) => state?.household?.dinnerCutoff ?? "17:00";

/** Whether an answer is a late one. @param {HouseholdState} state @param {string} date @param {number} time */
export function isLate(state, date, time) {
  const [zone, [hours = 0, minutes = 0]] = [state.household?.timeZone, cutoffOf(state).split(":").map(Number)];
  const day = dayOf(time, zone);
  return day > date || (day === date && minuteOf(time, zone) > 60 * hours + minutes);
}

/**
 * A member's part in an evening, by their answer or else by their pattern.
 * @param {HouseholdState | null} state @param {string} date @param {string} person
 * @param {Answer | undefined} [said] their answer, if it is not in the state yet
 * @returns {Meal}
 */
export function meal(state, date, person, said = state?.dinner?.[date]?.answers?.[person]) {
  const away = isAway(state?.members?.[person], date);
  const answer = away ? undefined : said;
  const pattern = state?.dinnerPatterns?.[person];
  const usual = pattern && pattern.from <= date ? pattern.days?.[WEEKDAYS[weekdayAt(date)] ?? "sunday"] : undefined;
  return {
    eats: away ? "out" : answer?.eats ?? usual ?? "unknown",
    guests: answer?.guests ?? 0,
    cooks: answer?.cook === true,
    isLate: answer?.late === true,
    isAway: away,
    isUsual: !away && !answer?.eats && usual !== undefined,
    by: answer?.by,
  };
}

/** All members' meals, and how many eat. @param {HouseholdState | null} state @param {string} date */
function evening(state, date) {
  const meals = Object.keys(state?.members ?? {}).map((person) => ({ person, ...meal(state, date, person) }));
  return { meals, eating: meals.reduce((sum, { eats, guests }) => sum + (eats === "in" ? 1 + guests : 0), 0) };
}

/**
 * "3 eat, Ben cooks"; of whom nothing is known, by name or in `few` words; and who has said so late.
 * @param {HouseholdState | null} state @param {string} date @param {string | null} me
 */
export function eveningWords(state, date, me) {
  const { meals, eating } = evening(state, date);
  const names = (/** @type {typeof meals} */ some) =>
    some.map(({ person }) => person === me ? t("dinner.youInside") : nameOf(state, person));
  const [cooks, open] = [meals.filter((one) => one.cooks), meals.filter(({ eats }) => eats === "unknown")];
  const late = meals.filter((one) => one.isLate);
  const isMe = cooks.length === 1 && cooks[0]?.person === me;
  const nobody = !open.length ? "nobodyEats" : open.length === meals.length ? "nobodySaid" : "nobodySoFar";
  const head = eating ? t("dinner.eating", { n: eating }) : t(`dinner.${nobody}`);
  const cook = isMe ? t("dinner.youCook") : t("dinner.cooks", { n: cooks.length, names: listed(names(cooks)) });
  const openWords = open.length === 1 && open[0]?.person === me
    ? t("dinner.youOpen")
    : t("dinner.open", { names: listed(names(open)) });
  return {
    title: cooks.length ? t("dinner.both", { head, cook }) : head,
    open: open.length && open.length < meals.length ? openWords : "",
    few: open.length && open.length < meals.length ? t("dinner.openCount", { n: open.length }) : "",
    late: late.length ? t("dinner.lateOnes", { names: listed(names(late)) }) : "",
  };
}

/** The answers that have not reached the server yet, each as its day and person. @param {Hearth} hearth */
export function unsentAnswers(hearth) {
  const answers = () => hearth.waiting.filter(({ method }) => method === "dinner.set");
  return observe(
    hearth,
    () => new Set(answers().map(({ params: { date, person = hearth.me } }) => `${date} ${person}`)),
  );
}

/**
 * How a member answers; what they said before is one tap away.
 * @param {Hearth} hearth @param {Home} room
 */
export function answering(hearth, room) {
  /** The last answer by day and person, and its change. @type {Map<string, { id: string, row: Answer }>} */
  const last = new Map();
  /**
   * The answer that counts: a second tap may come before the first is shown.
   * @param {string} date @param {string} person
   */
  function current(date, person) {
    const one = last.get(`${date} ${person}`);
    const isShown = !one || hearth.waiting.some(({ id }) => id === one.id);
    return (isShown ? room.state.peek()?.dinner?.[date]?.answers?.[person] : one.row) ?? {};
  }
  /** @param {string} date @param {string} person @param {Changes} changes */
  function put(date, person, changes) {
    const row = after(current(date, person), changes);
    const { eats, ...rest } = changes;
    const params = /** @type {Params<"dinner.set">} */ ({
      date,
      ...(person === hearth.me ? {} : { person }),
      ...(eats === undefined ? {} : { eats }),
      ...rest,
    });
    const { id, answer } = hearth.change("dinner.set", params, {
      room: room.name,
      about: t("dinner.about"),
      optimistic: (state) => {
        const at = hearth.now();
        const by = person === hearth.me ? null : hearth.me;
        const late = isLate(state, date, at) || null;
        const whole = { ...row, late, at: new Date(at).toISOString(), by };
        return { dinner: { [date]: { answers: { [person]: whole } } } };
      },
    });
    const key = `${date} ${person}`;
    last.set(key, { id, row });
    const forget = () => void (last.get(key)?.id === id && last.delete(key));
    answer.then(forget, forget);
    return row;
  }
  /** @param {string} date @param {string} person @param {Changes | ((old: Answer) => Changes)} wanted */
  return (date, person, wanted) => {
    const old = current(date, person);
    const changes = typeof wanted === "function" ? wanted(old) : wanted;
    const { eats, guests, cooks } = meal(room.state.peek(), date, person, put(date, person, changes));
    const said = "cook" in changes && !("eats" in changes)
      ? cooks ? "dinner.said.cook" : "dinner.said.noCook"
      : guests
      ? "dinner.said.guests"
      : `dinner.said.${eats}`;
    const name = person === hearth.me ? "" : nameOf(room.state.peek(), person);
    say(name ? t("dinner.saidOf", { name, what: t(said, { n: guests }) }) : t(said, { n: guests }), {
      undo: () => void put(date, person, { eats: old.eats ?? null, guests: old.guests ?? 0, cook: old.cook === true }),
      isBrief: true,
    });
  };
}

/**
 * The answer after a change, as the server makes it: guests come to a member who eats at home, and one who says that
 * they are out does not cook. @param {Answer} old @param {Changes} changes
 */
function after(old, { eats, guests, cook }) {
  let [eatsNow, guestsNow, cookNow] = [eats === undefined ? old.eats : eats, guests ?? old.guests, old.cook];
  if (guests) eatsNow = "in";
  if (eatsNow !== "in") guestsNow = 0;
  if (eats === "out") cookNow = false;
  return { eats: eatsNow ?? null, guests: guestsNow || null, cook: (cook ?? cookNow) || null };
}

/**
 * In, out, or with one more guest: one tap each.
 * @param {Home} room @param {string} person @param {() => string} date @param {ReturnType<typeof answering>} answer
 */
export function choices(room, person, date, answer) {
  const mine = () => meal(room.state.get(), date(), person);
  /**
   * @param {IconName} sign @param {() => string} text @param {() => boolean} isOn
   * @param {Changes | ((old: Answer) => Changes)} changes
   */
  const choice = (sign, text, isOn, changes) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": () => String(isOn()),
        disabled: () => mine().isAway,
        onclick: () => answer(date(), person, changes),
      },
      icon(sign),
      text,
    );
  /** @param {Event & { currentTarget: HTMLElement }} event */
  const fewer = ({ currentTarget }) => {
    answer(date(), person, ({ guests }) => {
      const rest = Math.max(0, (guests ?? 0) - 1);
      // The button goes with the last guest, and would take the focus away.
      if (!rest) /** @type {HTMLElement} */ (currentTarget.previousElementSibling).focus();
      return { guests: rest };
    });
  };
  return h(
    "div",
    { class: "dinner-choices", role: "group", "aria-label": t("dinner.question") },
    choice(
      "home",
      () => t("dinner.in"),
      () => mine().eats === "in",
      { eats: "in", guests: 0 },
    ),
    choice("leave", () => t("dinner.out"), () => mine().eats === "out", { eats: "out" }),
    choice(
      "addPerson",
      () => mine().guests ? t("dinner.guests", { n: mine().guests }) : t("dinner.guest"),
      () => mine().guests > 0,
      ({ guests }) => ({ guests: Math.min(MOST_GUESTS, (guests ?? 0) + 1) }),
    ),
    h("button", {
      type: "button",
      class: "chip",
      "aria-label": t("dinner.fewer"),
      hidden: () => !mine().guests,
      onclick: fewer,
    }, icon("minus")),
    () => {
      const state = room.state.get();
      if (mine().isAway) return h("p", { class: "hint" }, t("dinner.state.away"));
      const isOpen = state && mine().eats === "unknown" && isLate(state, date(), now.get());
      return isOpen ? h("p", { class: "hint" }, t("dinner.isLate", { time: timeOfDay(cutoffOf(state)) })) : null;
    },
  );
}
