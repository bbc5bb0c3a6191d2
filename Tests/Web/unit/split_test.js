// A form shows of a bill what the server will say: both divide the drawn bills of one file alike (R-SPLIT).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { divided, ofBill } from "../../../Sources/Web/app/parts/split.js";

/** @import { Parts, Simple, Split } from "../../../Sources/Web/app/parts/split.js" */

const FIXTURE = new URL("../../HomeTests/Fixtures/splits.json", import.meta.url);
const hex = (/** @type {number} */ number) => number.toString(16).padStart(12, "0");
/** The same people and bills as in SplitTests: a high half of 1 or 0, and a number. */
const person = (/** @type {number} */ number) => `00000000-0000-0001-0000-${hex(number)}`;
const bill = (/** @type {number} */ number) => `00000000-0000-0000-0000-${hex(number)}`;
const PEOPLE = [0, 1, 2, 3, 4, 5].map(person);
const [ONE = "", TWO = "", THREE = ""] = PEOPLE;

/** Draws the cases of Fixtures/draws.py. @param {number} seed */
function drawing(seed) {
  let state = BigInt(seed);
  return (/** @type {number} */ limit) => {
    state = BigInt.asUintN(64, state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n);
    return Number((state >> 33n) % BigInt(limit));
  };
}

/** @param {(limit: number) => number} below @param {number} total @returns {Simple} */
function drawnSimple(below, total) {
  const kind = ["equal", "shares", "percent", "exact", "adjustment"][below(5)] ?? "";
  const mask = 1 + below(2 ** PEOPLE.length - 1);
  const people = PEOPLE.filter((_, at) => mask >> at & 1);
  const share = (/** @type {number} */ whole) => below(Math.floor(whole / people.length) + 1);
  /** @param {(person: string) => number} value @param {number} [whole] what the last one fills up */
  const parts = (value, whole) => {
    const values = people.slice(0, whole === undefined ? people.length : -1).map(value);
    if (whole !== undefined) values.push(whole - values.reduce((a, b) => a + b, 0));
    return { kind, parts: Object.fromEntries(people.map((one, at) => [one, values[at] ?? 0])) };
  };
  if (kind === "equal") return { people };
  if (kind === "shares") return parts(() => 1 + below(1000));
  if (kind === "percent") return parts(() => share(10_000), 10_000);
  if (kind === "exact") return parts(() => share(Math.abs(total)) * (total < 0 ? -1 : 1), total);
  return parts(() => share(Math.abs(total)) - below(50));
}

/** @param {(limit: number) => number} below @returns {[string, number, Split]} */
function drawnBill(below) {
  const id = bill(below(2 ** 31));
  let total = below(2 ** 20) * (1 + below(2 ** 11));
  if (below(5) === 0) total = -total;
  if (below(4)) return [id, total, drawnSimple(below, total)];
  const items = Array.from({ length: 1 + below(4) }, () => {
    const amount = below(Math.floor(Math.abs(total) / 3) + 2);
    return { amount, ...drawnSimple(below, amount) };
  });
  return [id, total, { kind: "itemised", items }];
}

test("10,000 drawn bills are divided as the server divides them", () => {
  const digests = JSON.parse(readFileSync(FIXTURE, "utf8"));
  for (const [block, wanted] of digests.entries()) {
    const below = drawing(77 + block);
    let digest = 14_695_981_039_346_656_037n;
    for (let n = 0; n < 100; n += 1) {
      const [id, total, split] = drawnBill(below);
      const found = divided(split, total, id);
      assert.ok("shares" in found, `${block} ${n}: ${JSON.stringify(found)}`);
      const parts = Object.entries(found.shares).sort(([a], [b]) => a < b ? -1 : 1).map(([, part]) => part);
      assert.equal(parts.reduce((a, b) => a + b, 0), total);
      for (const part of parts) {
        digest = BigInt.asUintN(64, (digest ^ BigInt.asUintN(64, BigInt(part))) * 1_099_511_628_211n);
      }
    }
    assert.equal(digest.toString(16).padStart(16, "0"), wanted, `block ${block}`);
  }
});

test("parts that do not add up say by how much, and nobody pays for nothing", () => {
  /** @type {[Split, object][]} */
  const cases = [
    [{ kind: "exact", parts: { [ONE]: 400, [TWO]: 550 } }, { offBy: 50 }],
    [{ kind: "exact", parts: { [ONE]: 700, [TWO]: 500 } }, { offBy: -200 }],
    [{ kind: "percent", parts: { [ONE]: 5000, [TWO]: 4999 } }, { offBy: 1 }],
    [{ kind: "percent", parts: { [ONE]: 10_100, [TWO]: -100 } }, { problem: "range" }],
    [{ kind: "shares", parts: { [ONE]: 1001 } }, { problem: "range" }],
    [{ kind: "adjustment", parts: { [ONE]: 600, [TWO]: 401 } }, { problem: "above" }],
    [{ kind: "itemised", items: [{ amount: -5, people: [ONE] }] }, { problem: "items" }],
    [{ kind: "itemised", items: [{ amount: 5, people: [ONE] }, { amount: 5 }] }, { problem: "nobody" }],
    [{}, { problem: "nobody" }],
  ];
  for (const [split, wanted] of cases) assert.deepEqual(ofBill(split, 1000, bill(1)), wanted, JSON.stringify(split));
});

test("what a bill has beyond its items follows them, and the largest amount keeps every unit", () => {
  const pizza = { amount: 3000, people: [ONE, TWO, THREE] };
  const wine = { amount: 2000, people: [THREE] };
  const items = (/** @type {number} */ total) => divided({ kind: "itemised", items: [pizza, wine] }, total, bill(1));
  assert.deepEqual(items(5500), { shares: { [ONE]: 1100, [TWO]: 1100, [THREE]: 3300 } });
  assert.deepEqual(items(4500), { shares: { [ONE]: 900, [TWO]: 900, [THREE]: 2700 } });
  const found = divided({ kind: "shares", parts: { [ONE]: 1, [TWO]: 999, [THREE]: 7 } }, 1e12, bill(5));
  assert.ok("shares" in found);
  assert.equal(Object.values(/** @type {Parts} */ (found.shares)).reduce((a, b) => a + b), 1e12);
});
