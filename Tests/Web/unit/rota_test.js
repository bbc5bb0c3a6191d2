// The rota is worked out on the phone, so that it is there without a network: as the server does it (ROT-2 to ROT-5).

import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter, isoWeek, mondayOf } from "../../../Sources/Web/app/parts/dates.js";
import { turns } from "../../../Sources/Web/app/parts/rota.js";

const MONDAY = "2026-05-04";

/** @param {number} tasks @param {number} residents @param {object} [more] */
function home(tasks, residents, more = {}) {
  const names = (/** @type {string} */ letter, /** @type {number} */ n) =>
    Array.from({ length: n }, (_, i) => letter + i);
  return /** @type {any} */ ({
    members: Object.fromEntries(names("p", residents).map((person) => [person, {}])),
    rota: {
      v: { fromWeek: MONDAY, tasks: names("t", tasks), residents: names("p", residents), restart: "never" },
    },
    ...more,
  });
}

test("weeks are those of ISO 8601", () => {
  const known = {
    "2026-01-01": 1,
    "2025-12-29": 1,
    "2026-12-31": 53,
    "2027-01-03": 53,
    "2027-01-04": 1,
    "2024-12-30": 1,
  };
  for (const [day, week] of Object.entries(known)) assert.equal(isoWeek(day), week, day);
  assert.equal(mondayOf("2026-05-10"), MONDAY);
  assert.equal(mondayOf(MONDAY), MONDAY);
});

test("in a cycle each resident does each task once; what is too much is left out, or a free week", () => {
  for (const [tasks, residents] of [[3, 3], [2, 5], [5, 2], [1, 1], [7, 4]]) {
    const state = home(Number(tasks), Number(residents));
    const cycle = Math.max(Number(tasks), Number(residents));
    const done = new Set();
    for (let n = 0; n < cycle; n += 1) {
      const week = turns(state, daysAfter(MONDAY, 7 * n));
      const doers = week.flatMap(({ person }) => person ?? []);
      assert.equal(new Set(doers).size, doers.length, "nobody has two tasks in a week");
      for (const { task, person } of week) if (person) done.add(`${task} ${person}`);
    }
    assert.equal(done.size, Number(tasks) * Number(residents));
    assert.deepEqual(turns(state, daysAfter(MONDAY, 7 * cycle)), turns(state, MONDAY));
  }
});

test("tasks move on by one each week, from the task of one's own place", () => {
  const state = home(3, 3);
  const doers = (/** @type {number} */ n) => turns(state, daysAfter(MONDAY, 7 * n)).map(({ person }) => person);
  assert.deepEqual([doers(0), doers(1)], [["p0", "p1", "p2"], ["p2", "p0", "p1"]]);
  assert.deepEqual(turns(state, daysAfter(MONDAY, -7)), []);
});

test("the one who is away on Sunday has a stand-in, or their task is open until somebody claims it", () => {
  const away = { from: "2026-05-10", to: "2026-05-12" };
  const members = { p0: { away }, p1: {} };
  const first = (/** @type {object} */ more) => turns(home(2, 2, more), MONDAY)[0];
  assert.equal(first({ members })?.isOpen, true);
  assert.equal(first({ members: { ...members, p0: { away: { ...away, delegate: "p1" } } } })?.person, "p1");
  assert.equal(first({ members: { ...members, g: { guestOf: "p0" } } })?.person, "g");
  assert.equal(first({ members: { p1: {} } })?.isOpen, true);
  const claimed = first({ members, rotaWeeks: { [MONDAY]: { claims: { t0: "p1" } } } });
  assert.deepEqual([claimed?.person, claimed?.isOpen], ["p1", false]);
});
