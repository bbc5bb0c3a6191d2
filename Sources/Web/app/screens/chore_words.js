// How rules are said: how often a chore comes, and whose turn it is.

import { wordsOf } from "../parts/family.js";
import { calendarDay, weekdayName as nameOfDay } from "../parts/when.js";
import { listed } from "../parts/words.js";

/** @import { Chore } from "../parts/records.d.ts" */
/** @typedef {NonNullable<Chore["repeat"]>} Repeat */

const t = await wordsOf("chores");

/** The built-in chores, the commonest first. */
export const ESSENTIALS = /** @type {const} */ ([
  "dishes",
  "trash",
  "vacuum",
  "bathroom",
  "kitchen",
  "laundry",
  "dishwasher",
  "recycling",
  "mop",
  "dust",
  "toilet",
  "fridge",
  "cooking",
  "shopping",
  "ironing",
  "beds",
  "windows",
  "plants",
  "pets",
  "mail",
]);
/** As the server knows them: what people choose most comes first. */
export const STRATEGIES = /** @type {const} */ ([
  "fixed",
  "roundRobin",
  "leastCompleted",
  "leastPoints",
  "random",
  "byWeekday",
  "open",
]);
export const WEEKDAYS = /** @type {const} */ ([
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
]);

/** @param {typeof WEEKDAYS[number]} day */
export const weekdayName = (day) => nameOfDay((WEEKDAYS.indexOf(day) + 1) % 7);

/** "every other week, on Monday and Thursday" @param {Repeat} rule */
export function repeatWords({ every = 1, unit = "weeks", weekdays, day, nth, weekday, until, count }) {
  const often = every === 1 ? t(`every.${unit}`) : t(`everyN.${unit}`, { n: every });
  const rest = [
    weekdays?.length ? t("onDays", { days: listed(weekdays.map(weekdayName)) }) : "",
    day ? t("onDay", { n: day }) : "",
    nth && weekday ? t(nth < 0 ? "onLast" : "onNth", { n: nth, day: weekdayName(weekday) }) : "",
    until ? t("until", { day: calendarDay(until) }) : "",
    count ? t("times", { n: count }) : "",
  ];
  return [often, ...rest.filter(Boolean)].join(", ");
}
