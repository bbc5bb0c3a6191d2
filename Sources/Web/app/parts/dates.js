// Days of the calendar, as texts such as "2026-05-03".

const DAY = 86_400_000;

/** The day so many days later. @param {string} date @param {number} days */
export const daysAfter = (date, days) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

/** The number of days from one to another. @param {string} from @param {string} to */
export const daysBetween = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / DAY);

/**
 * Whether a member is away on a day.
 * @param {{ away?: { from: string, to: string } | undefined } | undefined} member @param {string} date
 */
export const isAway = (member, date) => Boolean(member?.away && member.away.from <= date && date <= member.away.to);

/** The Monday of its week. @param {string} date */
export const mondayOf = (date) => daysAfter(date, -weekdayAt(date));

/** The number of its week in the year, by ISO 8601: a week belongs to the year of its Thursday. @param {string} date */
export function isoWeek(date) {
  const thursday = daysAfter(mondayOf(date), 3);
  return 1 + Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7);
}

/** As calls and documents name them. */
export const WEEKDAYS = /** @type {const} */ ([
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
]);

/** Its place among these: 0 is Monday. @param {string} date */
export const weekdayAt = (date) => (new Date(date).getUTCDay() + 6) % 7;
