// The content of a household's calendar: events, birthdays, days away, and chores with a day.

import { choreName } from "./chores.js";
import { daysAfter, daysBetween } from "./dates.js";
import { eventDays } from "./recurrence.js";
import { calendarDay, timeOfDay } from "./when.js";

/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/**
 * @typedef {object} Entry
 * @property {string} key with the day on which an event begins at its end
 * @property {"event" | "birthday" | "away" | "chore"} kind
 * @property {string} id of the event, the chore or the person
 * @property {string} day
 * @property {string} title
 * @property {string} [time] when it begins on that day
 * @property {string} [end] a time of that day, or a later day
 * @property {readonly string[]} who
 */

/**
 * All that is on from one day to another, in its order. What has begun before stands on the first day.
 * @param {HouseholdState | null} state @param {string} from @param {string} to @returns {Entry[]}
 */
export function agenda(state, from, to) {
  /** @type {Entry[]} */ const found = [];
  for (const [id, one] of Object.entries(state?.events ?? {})) {
    // Half a row may come from a change of one that is gone: it is none.
    if (!one.title) continue;
    const [first, time] = one.start.split("T");
    const [last, endTime] = (one.end ?? one.start).split("T");
    const days = daysBetween(first ?? "", last ?? "");
    // An evening that goes on past midnight is still one day.
    const length = days === 1 && time && endTime && endTime < time ? 0 : days;
    for (const begin of eventDays(one, from, to)) {
      const hasBegun = begin < from;
      if (hasBegun && !length) continue;
      found.push({
        key: `${id} ${begin}`,
        kind: "event",
        id,
        day: hasBegun ? from : begin,
        title: one.title,
        ...(time && !hasBegun ? { time } : {}),
        ...(length ? { end: daysAfter(begin, days) } : endTime && one.end ? { end: endTime } : {}),
        who: Object.keys(one.who ?? {}),
      });
    }
  }
  for (const [id, { name, birthday, away }] of Object.entries(state?.members ?? {})) {
    if (away && away.from <= to && away.to >= from) {
      const day = away.from < from ? from : away.from;
      const end = away.to > day ? { end: away.to } : {};
      found.push({ key: `${id} away`, kind: "away", id, day, title: name, ...end, who: [] });
    }
    if (!birthday) continue;
    const rule = /** @type {const} */ ({ every: 1, unit: "years" });
    // A leap year has every day.
    for (const day of eventDays({ start: `2024-${birthday}`, repeats: rule }, from, to)) {
      const title = choreName({ birthdayOf: id }, state);
      found.push({ key: `${id} ${day}`, kind: "birthday", id, day, title, who: [] });
    }
  }
  for (const [id, { chore, date, people }] of Object.entries(state?.occurrences ?? {})) {
    const one = state?.chores?.[chore];
    if (!one?.name || !date || date < from || date > to) continue;
    const time = one.time ? { time: one.time } : {};
    found.push({ key: id, kind: "chore", id: chore, day: date, title: choreName(one), ...time, who: people });
  }
  const order = (/** @type {Entry} */ { day, time = "", kind, title }) => `${day} ${time} ${kind} ${title}`;
  return found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** "19:30–22:00"; nothing for a whole day. @param {Entry} entry */
export const timeWords = ({ time, end }) =>
  [time, end?.includes(":") ? end : ""].filter(Boolean).map((one) => timeOfDay(one ?? "")).join("–");

/** The last day of one of several days. @param {Entry} entry */
export const lastDayOf = ({ end }) => end?.includes("-") ? calendarDay(end, false) : "";
