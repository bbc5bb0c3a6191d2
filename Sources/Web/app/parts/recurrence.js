// The days of a repeated event, worked out as the server does (R-REC), so that they are known without a network.

import { daysAfter, daysBetween, mondayOf, weekdayAt, WEEKDAYS } from "./dates.js";

/** @import { CalendarEvent, Repeat } from "./records.d.ts" */

/** Months since the year 0. @param {string} date */
const monthOf = (date) => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1;

/** A day of a month, or its last one if it is shorter. @param {number} month @param {number} day */
function dayOfMonth(month, day) {
  const last = new Date(Date.UTC(Math.floor(month / 12), month % 12 + 1, 0)).toISOString();
  return last.slice(0, 8) + String(Math.min(day, Number(last.slice(8, 10)))).padStart(2, "0");
}

/** The first to fourth such weekday of a month, or -1: the last. @param {number} month @param {number} nth */
function nthOfMonth(month, nth, /** @type {number} */ weekday) {
  const [first, last] = [dayOfMonth(month, 1), dayOfMonth(month, 31)];
  return nth < 0
    ? daysAfter(last, -((weekdayAt(last) - weekday + 7) % 7))
    : daysAfter(first, (weekday - weekdayAt(first) + 7) % 7 + 7 * (nth - 1));
}

/** How often its weekday has come in its month by then, and whether that is the last time. @param {string} date */
export const placeInMonth = (date) => ({
  nth: Math.ceil(Number(date.slice(8)) / 7),
  isLast: monthOf(daysAfter(date, 7)) !== monthOf(date),
});

/**
 * The first day of a rule after another one. Its ends are not looked at.
 * @param {Repeat} rule @param {string} day @param {string} first its first day, whether or not it fits the rule
 */
function dayAfter({ every = 1, unit, weekdays, day: anchor, nth, weekday }, day, first) {
  if (day < first) return first;
  if (unit === "days") return daysAfter(first, (Math.floor(daysBetween(first, day) / every) + 1) * every);
  if (unit === "weeks") {
    const start = mondayOf(first);
    const wanted = (weekdays?.length ? weekdays.map((one) => WEEKDAYS.indexOf(one)) : [weekdayAt(first)]).sort();
    for (let week = Math.floor(daysBetween(start, day) / 7 / every) * every;; week += every) {
      const found = wanted.map((one) => daysAfter(start, 7 * week + one)).find((one) => one > day);
      if (found) return found;
    }
  }
  const months = unit === "years" ? 12 * every : every;
  const start = monthOf(first);
  for (let month = start + Math.floor((monthOf(day) - start) / months) * months;; month += months) {
    const found = nth && weekday
      ? nthOfMonth(month, nth, WEEKDAYS.indexOf(weekday))
      : dayOfMonth(month, anchor ?? Number(first.slice(8)));
    if (found > day) return found;
  }
}

/**
 * The days on which an event begins, of all times that it takes place on a day from `from` to `to`.
 * @param {Pick<CalendarEvent, "start" | "end" | "repeats" | "lastDay">} event @param {string} from @param {string} to
 */
export function eventDays({ start, end, repeats, lastDay }, from, to) {
  const first = start.slice(0, 10);
  const length = end ? daysBetween(first, end.slice(0, 10)) : 0;
  const earliest = daysAfter(from, -length);
  // The server tells the last day; until it has answered, a number of times is counted.
  let left = lastDay ? Infinity : repeats ? repeats.count ?? Infinity : 1;
  const ends = lastDay ? daysAfter(lastDay, -length) : repeats?.until ?? to;
  const last = ends < to ? ends : to;
  const days = [];
  let day = repeats && first < earliest && left === Infinity
    ? dayAfter(repeats, daysAfter(earliest, -1), first)
    : first;
  for (; day <= last && left > 0; left -= 1) {
    if (day >= earliest) days.push(day);
    if (!repeats) break;
    day = dayAfter(repeats, day, first);
  }
  return days;
}
