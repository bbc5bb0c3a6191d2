// How the cost of a trip is divided by what was bought for whom (R-CHECKOUT), so that the checkout shows what the
// server will say; pure.

import { measure } from "./quantity.js";
import { divided } from "./split.js";

/** @import { Parts } from "./split.js" */
/**
 * @typedef {object} Bought one thing
 * @property {string | undefined} [owner] who pays for it; everybody's has none
 * @property {number | undefined} [price] in the currency's smallest unit; without one, only the total tells its cost
 * @property {number} [units] in thousandths
 */
/** Each one's part, or by how much the prices are above the total. @typedef {{ shares: Parts } | { over: number }} Shared */

/** One, in thousandths. */
const ONE = 1000;

/** The units of a line: its quantity if it is a count. @param {{ quantity?: number, unit?: string }} line */
export const unitsOf = ({ quantity = 1, unit }) => measure(unit).kind === "count" ? Math.round(quantity * ONE) : ONE;

/** The parts of a split that has nothing wrong. @param {Parameters<typeof divided>} how */
function parts(...how) {
  const found = divided(...how);
  return "shares" in found ? found.shares : {};
}

/**
 * @param {Bought[]} lines @param {string[]} sharers the members who share what is everybody's: those who are not away
 * @param {string} buyer shares it if there are none @param {number} total above 0
 * @param {string} bill decides who pays a unit that is left over @returns {Shared}
 */
export function checkoutShares(lines, sharers, buyer, total, bill) {
  const all = sharers.length ? [...sharers].sort() : [buyer];
  const unpriced = lines.filter(({ price }) => price === undefined);
  const items = lines.flatMap(({ owner, price }) =>
    price === undefined ? [] : [{ amount: price, people: owner ? [owner] : all }]
  );
  const priced = { kind: "itemised", items };
  const prices = items.reduce((sum, { amount }) => sum + amount, 0);
  // The rest, such as tax, is in proportion to what each one's things cost.
  if (!unpriced.length && items.length) return { shares: parts(priced, total, bill) };
  if (prices > total) return { over: prices - total };
  const shares = items.length ? parts(priced, prices, bill) : {};
  const rest = inProportion(total - prices, weights(unpriced, all), bill);
  for (const [person, part] of Object.entries(rest)) shares[person] = (shares[person] ?? 0) + part;
  return { shares };
}

/** By how much each counts in what has no price: their own units, and their part of everybody's, without fractions. */
function weights(/** @type {Bought[]} */ lines, /** @type {string[]} */ all) {
  /** @type {Parts} */ const found = {};
  const count = (/** @type {string} */ person, /** @type {number} */ n) => {
    found[person] = (found[person] ?? 0) + n;
  };
  for (const { owner, units = ONE } of lines) {
    if (owner) count(owner, all.length * units);
    else for (const person of all) count(person, units);
  }
  // Nothing was bought that is still on a list: it is everybody's.
  return lines.length ? found : Object.fromEntries(all.map((person) => [person, 1]));
}

/**
 * A bill divides what is above its items in proportion to them: here each one's item is their weight.
 * @param {number} amount @param {Parts} weights @param {string} bill
 */
function inProportion(amount, weights, bill) {
  const all = Object.entries(weights);
  const items = all.map(([person, weight]) => ({ amount: weight, people: [person] }));
  const whole = all.reduce((sum, [, weight]) => sum + weight, amount);
  const sums = parts({ kind: "itemised", items }, whole, bill);
  return Object.fromEntries(all.map(([person, weight]) => [person, (sums[person] ?? weight) - weight]));
}

/** The id of the bill that a purchase makes, by which its odd units are given out. @param {string} purchase */
export async function billOf(purchase) {
  const cause = [...purchase.replaceAll("-", "").matchAll(/../g)].map(([byte]) => parseInt(byte, 16));
  const text = new Uint8Array([...new TextEncoder().encode("tripBill\0"), ...cause]);
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).slice(0, 16);
  // A UUID of version 8.
  bytes[6] = (bytes[6] ?? 0) & 0x0f | 0x80;
  bytes[8] = (bytes[8] ?? 0) & 0x3f | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
