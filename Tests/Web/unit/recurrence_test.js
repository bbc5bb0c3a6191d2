// The days of repeated events are worked out on the phone, so that they are there without a network: as the server
// does it (R-REC).

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventDays, placeInMonth } from "../../../Sources/Web/app/parts/recurrence.js";

/** @param {object} repeats @param {string} start @param {string} to @param {object} [more] */
const days = (repeats, start, to, more = {}) =>
  eventDays(/** @type {any} */ ({ start, repeats, ...more }), start.slice(0, 10), to);

test("days, weeks and years are counted from the first day", () => {
  assert.deepEqual(days({ every: 3, unit: "days" }, "2026-02-26", "2026-03-05"), [
    "2026-02-26",
    "2026-03-01",
    "2026-03-04",
  ]);
  // The first day counts, even off the rule; every other week is one of the calendar.
  assert.deepEqual(days({ every: 2, unit: "weeks", weekdays: ["monday", "friday"] }, "2026-05-06", "2026-05-22"), [
    "2026-05-06",
    "2026-05-08",
    "2026-05-18",
    "2026-05-22",
  ]);
  assert.deepEqual(days({ every: 1, unit: "years" }, "2024-02-29", "2028-03-01"), [
    "2024-02-29",
    "2025-02-28",
    "2026-02-28",
    "2027-02-28",
    "2028-02-29",
  ]);
});

test("months have a day, or their last one, or a weekday by its number", () => {
  assert.deepEqual(days({ every: 1, unit: "months" }, "2026-01-31T20:00", "2026-04-30"), [
    "2026-01-31",
    "2026-02-28",
    "2026-03-31",
    "2026-04-30",
  ]);
  assert.deepEqual(days({ every: 1, unit: "months", nth: 2, weekday: "tuesday" }, "2026-12-08", "2027-02-28"), [
    "2026-12-08",
    "2027-01-12",
    "2027-02-09",
  ]);
  assert.deepEqual(days({ every: 1, unit: "months", nth: -1, weekday: "friday" }, "2026-05-29", "2026-07-31"), [
    "2026-05-29",
    "2026-06-26",
    "2026-07-31",
  ]);
});

test("it ends after its last day, or so many times, and what is still going on is there", () => {
  assert.deepEqual(days({ every: 1, unit: "days", until: "2026-05-02" }, "2026-05-01", "2026-05-09").length, 2);
  assert.deepEqual(days({ every: 1, unit: "days", count: 3 }, "2026-05-01", "2026-05-09").length, 3);
  const trip = /** @type {any} */ ({ start: "2026-05-01", end: "2026-05-04" });
  assert.deepEqual(eventDays(trip, "2026-05-04", "2026-05-09"), ["2026-05-01"]);
  assert.deepEqual(eventDays(trip, "2026-05-05", "2026-05-09"), []);
  assert.deepEqual(
    eventDays({ ...trip, repeats: { every: 1, unit: "weeks" }, lastDay: "2026-05-11" }, "2026-05-11", "2026-06-30"),
    [
      "2026-05-08",
    ],
  );
});

test("a day is such a weekday of its month", () => {
  assert.deepEqual(placeInMonth("2026-12-08"), { nth: 2, isLast: false });
  assert.deepEqual(placeInMonth("2026-12-29"), { nth: 5, isLast: true });
  assert.deepEqual(placeInMonth("2026-02-28"), { nth: 4, isLast: true });
});
