// The colours of people.

import assert from "node:assert/strict";
import { test } from "node:test";
import { giveColours, hueOf } from "../../../Sources/Web/app/parts/avatar.js";

/** @param {number} n */
const people = (n) => Array.from({ length: n }, () => crypto.randomUUID());

test("no two members have the same colour while there are enough, and the first one keeps theirs", () => {
  for (let round = 0; round < 20; round += 1) {
    const members = people(10);
    const usual = hueOf(members[0] ?? "");
    giveColours(members);
    const hues = members.map(hueOf);
    assert.equal(new Set(hues).size, 10);
    assert.equal(hues[0], usual);
    // A newcomer changes no member's colour.
    giveColours([...members, ...people(1)]);
    assert.deepEqual(members.map(hueOf), hues);
  }
});

test("more members than colours share some", () => {
  const members = people(25);
  giveColours(members);
  assert.equal(new Set(members.map(hueOf)).size, 10);
});
