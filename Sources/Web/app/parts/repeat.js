// How often something comes again: in words, and as the fields of a form.

import { weekdayAt, WEEKDAYS } from "./dates.js";
import { placeInMonth } from "./recurrence.js";
import { field } from "./screen.js";
import { h, signal } from "./signal.js";
import { calendarDay, weekdayName } from "./when.js";
import { listed, words } from "./words.js";

/** @import { Repeat } from "./records.d.ts" */
/** @import { Field } from "./screen.js" */
/** @typedef {Pick<Repeat, "day" | "nth" | "weekday">} Place the day of a month */
/** @typedef {typeof WEEKDAYS[number]} Weekday */

const t = await words("repeat");
/** The rules that one tap chooses; any other one stays as it is. @type {[number, Repeat["unit"]][]} */
const RULES = [
  [1, "days"],
  [2, "days"],
  [3, "days"],
  [1, "weeks"],
  [2, "weeks"],
  [4, "weeks"],
  [1, "months"],
  [3, "months"],
  [6, "months"],
  [1, "years"],
];

/** "every 2 weeks" @param {number} n @param {Repeat["unit"]} unit */
const often = (n, unit) => n === 1 ? t(`repeat.every.${unit}`) : t(`repeat.everyN.${unit}`, { n });

/** @param {Weekday} day */
const named = (day) => weekdayName(WEEKDAYS.indexOf(day));

/** "on the second Tuesday of the month" @param {Place} place */
function placeWords({ day, nth, weekday }) {
  if (day) return t("repeat.onDay", { n: day });
  return nth && weekday ? t("repeat.onNth", { nth: t(`repeat.nth.${nth}`), day: named(weekday) }) : "";
}

/** The ways to say which day of its month a date is. @param {string} date @returns {Place[]} */
function placesOf(date) {
  const weekday = WEEKDAYS[weekdayAt(date)] ?? "monday";
  const { nth, isLast } = placeInMonth(date);
  return [
    { day: Number(date.slice(8)) },
    ...(nth < 5 ? [{ nth, weekday }] : []),
    ...(isLast ? [{ nth: -1, weekday }] : []),
  ];
}

/** "every 2 weeks, on Monday and Thursday, 10 times" @param {Repeat} rule */
export function repeatWords({ every = 1, unit = "weeks", weekdays, until, count, ...place }) {
  return [
    often(every, unit),
    weekdays?.length && t("repeat.onDays", { days: listed(weekdays.map(named)) }),
    placeWords(place),
    until && t("repeat.until", { day: calendarDay(until) }),
    count && t("repeat.times", { n: count }),
  ].filter(Boolean).join(", ");
}

/**
 * The field for a rule; below it stands what a rule of its unit needs: weekdays, the day of the month, and its end.
 * @param {{ label: string, rule: Repeat | undefined, date: Field, value?: string, more?: [string, string][],
 *   units?: Repeat["unit"][] }} options `date` is the field of the first day; `more` are choices that are no rules, and
 *   `value` the one that is chosen; with `units` it comes again in any case, by one of these
 */
export function repeatField({ label, rule, date, value, more = [], units }) {
  const known = rule && /** @type {[number, Repeat["unit"]]} */ ([rule.every ?? 1, rule.unit]);
  const usual = RULES.filter(([, unit]) => !units || units.includes(unit));
  const rules = known && !usual.some((one) => one.join() === known.join()) ? [known, ...usual] : usual;
  const chosen = signal(value ?? known?.join(" ") ?? "");
  const first = signal(date.value());
  date.input.addEventListener("input", () => first.set(date.value()));
  const made = field({
    label,
    name: "repeat",
    value: chosen.peek(),
    options: [
      ...(units ? [] : [/** @type {[string, string]} */ (["", t("repeat.once")])]),
      ...rules.map(([n, unit]) => /** @type {[string, string]} */ ([`${n} ${unit}`, often(n, unit)])),
      ...more,
    ],
  });
  made.input.addEventListener("input", () => chosen.set(made.value()));

  const days = signal(/** @type {readonly Weekday[]} */ (rule?.weekdays ?? []));
  /** Without a choice it is the day on which it begins. */
  const onDays = () => {
    const own = WEEKDAYS[first.get() ? weekdayAt(first.get()) : -1];
    return days.get().length ? days.get() : own ? [own] : [];
  };

  const { day, nth, weekday } = rule ?? {};
  const before = day ? { day } : nth && weekday ? { nth, weekday } : {};
  const place = signal(JSON.stringify(before));
  /** The days of the month that fit the first one, by their words. */
  const places = () => {
    const own = first.get();
    return new Map([before, ...(own ? placesOf(own) : [])].flatMap((one) => {
      const said = placeWords(one);
      return said ? [[said, JSON.stringify(one)]] : [];
    }));
  };

  const ends = field({
    label: t("repeat.ends"),
    name: "ends",
    value: rule?.until ? "until" : rule?.count ? "count" : "",
    options: ["", "until", "count"].map((one) => /** @type {[string, string]} */ ([one, t(`repeat.ends.${one}`)])),
  });
  const end = signal(ends.value());
  ends.input.addEventListener("input", () => end.set(ends.value()));
  const until = field({ label: t("repeat.lastDay"), name: "until", type: "date", value: rule?.until ?? "" });
  const count = field({ label: t("repeat.count"), name: "count", type: "number", value: String(rule?.count ?? "") });
  Object.assign(count.input, { min: "1", max: "10000", inputMode: "numeric" });
  for (const one of [ends, until, count]) one.input.addEventListener("input", () => made.problem.set(""));

  made.element.append(
    h(
      "div",
      { class: "form", hidden: () => !chosen.get().includes(" ") },
      () => chosen.get().endsWith(" weeks") ? weekly() : chosen.get().endsWith(" months") ? monthly() : null,
      ends.element,
      () => end.get() === "until" ? until.element : end.get() === "count" ? count.element : null,
    ),
  );
  return { field: made, value: read, problem };

  function weekly() {
    return h(
      "fieldset",
      { class: "field" },
      h("legend", null, t("repeat.weekdays")),
      h(
        "div",
        { class: "chips" },
        WEEKDAYS.map((one, at) =>
          h("button", {
            type: "button",
            class: "chip",
            "aria-label": weekdayName(at),
            "aria-pressed": () => String(onDays().includes(one)),
            onclick: () => {
              const now = onDays();
              days.set(now.includes(one) ? now.filter((day) => day !== one) : [...now, one]);
            },
          }, weekdayName(at, "short"))
        ),
      ),
    );
  }

  function monthly() {
    const options = [...places()].map(([said, value]) => /** @type {[string, string]} */ ([value, said]));
    const fits = options.some(([value]) => value === place.peek());
    if (!fits) {
      place.set(options.find(([value]) => value.includes("nth") === place.peek().includes("nth"))?.[0] ?? "{}");
    }
    const made = field({ label: t("repeat.dayOfMonth"), name: "place", value: place.peek(), options });
    made.input.addEventListener("input", () => place.set(made.value()));
    return options.length ? made.element : null;
  }

  /** The rule, or null if it does not come again. @returns {Repeat | null} */
  function read() {
    const [every, unit] = chosen.peek().split(" ");
    if (!unit) return null;
    const own = days.peek();
    const isUsual = !rule?.weekdays && own.length === 1 && own[0] === WEEKDAYS[weekdayAt(date.value())];
    // Without a day it is that of the first time, unless another was chosen.
    const { day, ...nth } = /** @type {Place} */ (JSON.parse(place.peek()));
    const isOther = day && (rule?.day || day !== Number(date.value().slice(8)));
    return {
      every: Number(every),
      unit: /** @type {Repeat["unit"]} */ (unit),
      ...(unit === "weeks" && own.length && !isUsual ? { weekdays: WEEKDAYS.filter((one) => own.includes(one)) } : {}),
      ...(unit === "months" ? { ...nth, ...(isOther ? { day } : {}) } : {}),
      ...(end.peek() === "until" ? { until: until.value() } : end.peek() ? { count: Number(count.value()) } : {}),
    };
  }

  /** The fault of the end, in words. */
  function problem() {
    const rule = read();
    if (rule?.until !== undefined && rule.until < date.value()) return t("repeat.needsUntil");
    const isWrong = rule?.count !== undefined && !(Number.isInteger(rule.count) && rule.count > 0 && rule.count <= 1e4);
    return isWrong ? t("repeat.needsCount") : "";
  }
}
