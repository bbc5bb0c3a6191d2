// How the cost of a trip is divided by what was bought for whom (R-CHECKOUT), so that the checkout shows what the
// server will say; pure.

import { derivedId } from "./ids.js";
import { measure } from "./quantity.js";
import { divide, turnOf } from "./split.js";

/** @import { Parts } from "./split.js" */
/**
 * @typedef {object} Bought one thing
 * @property {string | undefined} [owner] who pays for it; everybody's has none
 * @property {number | undefined} [price] in the currency's smallest unit; without one, only the total tells its cost
 * @property {number} [units] in thousandths
 */
/**
 * Each one's part, or by how much the prices are above the total.
 * @typedef {{ shares: Parts } | { over: number }} Shared
 */

/** One, in thousandths. */
const ONE = 1000;

/** The units of a line: its quantity if it is a count. @param {{ quantity?: number, unit?: string }} line */
export const unitsOf = ({ quantity = 1, unit }) => measure(unit).kind === "count" ? Math.round(quantity * ONE) : ONE;

/**
 * @param {Bought[]} lines @param {string[]} sharers the members who share what is everybody's: those who are not away
 * @param {string} buyer shares it if there are none @param {number} total above 0
 * @param {string} bill decides who pays a unit that is left over @returns {Shared}
 */
export function checkoutShares(lines, sharers, buyer, total, bill) {
  const all = sharers.length ? sharers : [buyer];
  const owners = lines.flatMap(({ owner }) => owner ?? []);
  const people = [...new Set([...owners, ...owners.length < lines.length || !lines.length ? all : []])].sort();
  const turn = turnOf(bill);
  const takers = (/** @type {Bought} */ { owner }) =>
    people.map((person) => Number(owner ? owner === person : all.includes(person)));
  let sums = people.map(() => 0), weights = people.map(() => 0), rest = total;
  for (const line of lines) {
    const { owner, price, units = ONE } = line;
    if (price === undefined) {
      // One's own units count as often as there are people who share everybody's: without fractions.
      const weight = owner ? units * all.length : units;
      weights = added(weights, takers(line).map((took) => took * weight));
    } else {
      sums = added(sums, divide(price, takers(line), turn));
      rest -= price;
    }
  }
  // If all have prices, the rest, such as tax, is in proportion to what each one's things cost.
  if (lines.length && lines.every(({ price }) => price !== undefined)) weights = sums;
  else if (rest < 0) return { over: -rest };
  if (weights.every((weight) => !weight)) weights = people.map(() => 1);
  sums = added(sums, divide(rest, weights, turn));
  return { shares: Object.fromEntries(people.map((person, at) => [person, sums[at] ?? 0])) };
}

/** @param {number[]} some @param {number[]} others */
const added = (some, others) => some.map((one, at) => one + (others[at] ?? 0));

/** The id of the bill that a purchase makes, by which its odd units are given out. @param {string} purchase */
export const billOf = (purchase) => derivedId("tripBill", purchase);
