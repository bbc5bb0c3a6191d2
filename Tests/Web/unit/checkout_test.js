// The preview of a checkout is what the server says then (R-CHECKOUT): its vectors are those of CheckoutTests.swift.

import assert from "node:assert/strict";
import { test } from "node:test";
import { billOf, checkoutShares, unitsOf } from "../../../Sources/Web/app/parts/checkout.js";
import { derivedId } from "../../../Sources/Web/app/parts/ids.js";

/** @import { Bought } from "../../../Sources/Web/app/parts/checkout.js" */

const id = (/** @type {number} */ high, /** @type {number} */ low) => `00000000-0000-000${high}-0000-00000000000${low}`;
const people = [0, 1, 2].map((n) => id(1, n));
const [a = "", b = "", c = ""] = people;

/** @param {Bought[]} lines @param {number} total @param {string[]} [sharers] */
function parts(lines, total, sharers = people) {
  const found = checkoutShares(lines, sharers, a, total, id(0, 1));
  if ("over" in found) return found;
  assert.equal(Object.values(found.shares).reduce((sum, part) => sum + part, 0), total);
  return people.map((person) => found.shares[person] ?? 0);
}

test("GRO-11, R-CHECKOUT: more wanted is more paid; what is everybody's is for those who are not away", () => {
  const own = { owner: b, units: 3000 };
  assert.deepEqual(parts([own, { units: 3000 }], 1800), [300, 1200, 300]);
  assert.deepEqual(parts([{}], 100, [a, c]), [50, 0, 50]);
  assert.deepEqual(parts([{}], 100, []), [100, 0, 0], "nobody is there: the buyer");
  assert.deepEqual(parts([own, { units: 1000 }], 400, []), [100, 300, 0]);
  assert.deepEqual(parts([], 90), [30, 30, 30]);
});

test("R-042: tax and discount are in proportion, and zero subtotals are divided equally", () => {
  const priced = [{ owner: a, price: 8591 }, { owner: b, price: 500 }];
  assert.deepEqual(parts(priced, 10_000), [9450, 550, 0]);
  assert.deepEqual(parts(priced, 8091), [7646, 445, 0]);
  assert.deepEqual(parts([{ owner: a, price: 0 }, { owner: c, price: 0 }], 100), [50, 0, 50]);
  assert.deepEqual(parts([{ owner: a, price: 24_034 }, { owner: b, price: 400 }], 24_434), [24_034, 400, 0]);
  assert.deepEqual(parts([{ owner: b, price: 700 }, { owner: c }], 1000), [0, 700, 300]);
});

test("R-CHECKOUT: prices above the total are refused where something has none", () => {
  assert.deepEqual(parts([{ owner: b, price: 1001 }, {}], 1000), { over: 1 });
});

test("units are a count, and 1 of anything else", () => {
  assert.equal(unitsOf({ quantity: 6 }), 6000);
  assert.equal(unitsOf({ quantity: 2, unit: "pc" }), 2000);
  assert.equal(unitsOf({ quantity: 500, unit: "g" }), 1000);
  assert.equal(unitsOf({}), 1000);
});

test("the bill's id follows from the purchase's", async () => {
  // SHA-256 of "tripBill", a zero byte and the bytes of the id; its first 16 bytes, as a UUID of version 8.
  assert.equal(await billOf("e9930000-0000-4000-8000-000000000001"), "f472be32-ffb6-8645-a980-735344de088f");
});

test("the id of a bill that comes again follows from its day", async () => {
  // As a server has posted it.
  const id = await derivedId("recurringBill", "f23c7bd9-55a7-858f-9a8c-10001529c836", "2026-11-28");
  assert.equal(id, "b0c685f8-3268-8ab3-bf84-d57c464eba79");
});
