// Times in words. Relative ones follow the clock by themselves.

import { signal } from "./signal.js";
import { locale, t } from "./words.js";

/** Milliseconds now, about four times a minute; read it and you run again when it moves. */
export const now = signal(Date.now());

const beat = () => document.visibilityState === "visible" && now.set(Date.now());
setInterval(beat, 15_000);
document.addEventListener("visibilitychange", beat);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** @type {Map<string, Intl.DateTimeFormat>} */ const formats = new Map();
/** @param {Intl.DateTimeFormatOptions} options @param {string} [zone] */
function format(options, zone) {
  const key = JSON.stringify([locale(), options, zone]);
  let made = formats.get(key);
  if (!made) {
    try {
      made = new Intl.DateTimeFormat(locale(), zone ? { ...options, timeZone: zone } : options);
    } catch {
      made = new Intl.DateTimeFormat(locale(), options); // A zone that this browser does not know.
    }
    formats.set(key, made);
  }
  return made;
}

/** @typedef {string | number | Date} Time */
/** @param {Time} time */
const millis = (time) => typeof time === "number" ? time : new Date(time).getTime();

/** Which day it is there, as YYYY-MM-DD. @param {Time} time @param {string} [zone] */
export function dayOf(time, zone) {
  const parts = new Map();
  for (
    const { type, value } of format({ year: "numeric", month: "2-digit", day: "2-digit" }, zone).formatToParts(
      millis(time),
    )
  ) {
    parts.set(type, value);
  }
  return `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
}

/** The minutes since midnight on the clocks there. @param {Time} time @param {string} [zone] */
export function minuteOf(time, zone) {
  const parts = format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, zone).formatToParts(millis(time));
  const [hours = 0, minutes = 0] = parts.filter(({ type }) => type !== "literal").map(({ value }) => Number(value));
  return 60 * hours + minutes;
}

/** "Tuesday 3 May". @param {string} date YYYY-MM-DD */
export const weekdayOf = (date) =>
  format({ weekday: "long", day: "numeric", month: "short" }, "UTC").format(Date.parse(date));

/** "Tuesday", or "Tue". @param {number} day 0 is Monday @param {"long" | "short"} [weekday] */
export const weekdayName = (day, weekday = "long") => format({ weekday }, "UTC").format(Date.UTC(2026, 0, 5 + day));

/** "14:05" @param {Time} time @param {string} [zone] */
export const clock = (time, zone) => format({ hour: "2-digit", minute: "2-digit" }, zone).format(millis(time));

/** "14:05", from such a text. @param {string} time */
export const timeOfDay = (time) => clock(`2026-01-01T${time}Z`, "UTC");

/**
 * The moment when clocks there show a minute of a day. @param {string} date @param {number} minute
 * @param {string} zone
 */
export function instantAt(date, minute, zone) {
  const wanted = Date.parse(date) + minute * MINUTE;
  let found = wanted;
  // The second time, only if the clocks change in between.
  for (let n = 0; n < 2; n += 1) {
    found += wanted - Date.parse(dayOf(found, zone)) - minuteOf(found, zone) * MINUTE;
  }
  return found;
}

/** "now", "5 minutes ago", "yesterday", "3 May". @param {Time} time @param {string} [zone] */
export function ago(time, zone) {
  const age = now.get() - millis(time);
  if (age < MINUTE) return t("justNow");
  const relative = new Intl.RelativeTimeFormat(locale(), { numeric: "auto", style: "short" });
  if (age < HOUR) return relative.format(-Math.floor(age / MINUTE), "minute");
  if (age < 6 * HOUR) return relative.format(-Math.floor(age / HOUR), "hour");
  return day(time, zone);
}

/** "today", "yesterday", "Tuesday", "3 May", "3 May 2025". @param {string} date @param {string} today */
export function nearDay(date, today) {
  const [time, days] = [Date.parse(date), Math.round((Date.parse(date) - Date.parse(today)) / DAY)];
  if (Math.abs(days) <= 1) return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(days, "day");
  if (days > -7 && days < 7) return format({ weekday: "long" }, "UTC").format(time);
  return calendarDay(date, date.slice(0, 4) !== today.slice(0, 4));
}

/** The day of a time, likewise. @param {Time} time @param {string} [zone] */
export const day = (time, zone) => nearDay(dayOf(time, zone), dayOf(now.get(), zone));

/** "14:05", or "tomorrow 14:05" on another day than today. @param {Time} time */
export const moment = (time) => dayOf(time) === dayOf(now.get()) ? clock(time) : `${day(time)} ${clock(time)}`;

/** A calendar day without a time, such as "2026-05-03". @param {string} date @param {boolean} [withYear] */
export const calendarDay = (date, withYear = true) =>
  format({ day: "numeric", month: "long", ...(withYear ? { year: "numeric" } : {}) }, "UTC").format(Date.parse(date));

/** How long from now: "25 min", "2 h 10 min", "3 days"; never below zero. @param {Time} time */
export const left = (time) => duration(Math.max(0, millis(time) - now.get()));

/** "25 min", "2 h 10 min", "3 days". @param {number} length milliseconds */
export function duration(length) {
  const unit = (/** @type {number} */ n, /** @type {string} */ name) =>
    new Intl.NumberFormat(locale(), { style: "unit", unit: name, unitDisplay: name === "day" ? "long" : "short" })
      .format(n);
  const minutes = Math.ceil(length / MINUTE);
  if (minutes < 60) return unit(minutes, "minute");
  if (minutes < 48 * 60) {
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    return rest ? `${unit(hours, "hour")} ${unit(rest, "minute")}` : unit(hours, "hour");
  }
  return unit(Math.round(minutes / (24 * 60)), "day");
}
