// How the cost of a bill is divided (R-SPLIT), so that a form shows what the server will say; pure.
//
// Amounts are whole numbers of a currency's smallest unit. Products of two of them need more digits than a number has.

/** @typedef {{ [person: string]: number }} Parts */
/** @typedef {"equal" | "shares" | "percent" | "exact" | "adjustment"} SimpleKind */
/** @typedef {{ kind?: string, people?: readonly string[], parts?: Parts }} Simple */
/** @typedef {Simple & { amount: number, name?: string }} Item */
/** @typedef {Simple & { items?: readonly Item[] }} Split */
/**
 * Each one's part, or what is wrong: by how much the parts are short of the whole (below 0: above it), of per cents in
 * hundredths; or a word.
 * @typedef {{ shares: Parts } | { offBy: number } | { problem: "nobody" | "range" | "above" | "items" }} Divided
 */

/** All per cents, in hundredths. */
export const WHOLE = 10_000;
/** The most shares that one person has. */
const MOST = 1000;

/** @param {number[]} numbers */
const total = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** FNV-1a of 64 bits over the 16 bytes of an id. @param {string} id */
export function turnOf(id) {
  let value = 14_695_981_039_346_656_037n;
  for (const [byte] of id.replaceAll("-", "").matchAll(/../g)) {
    value = BigInt.asUintN(64, (value ^ BigInt(parseInt(byte, 16))) * 1_099_511_628_211n);
  }
  return value;
}

/**
 * Divides in proportion to weights: each part rounded down, then a unit more for the largest remainders; of equal ones
 * the bill decides.
 * @param {number} amount @param {number[]} weights 0 or more, one of them above 0 @param {bigint} turn
 */
export function divide(amount, weights, turn) {
  const whole = BigInt(Math.abs(amount));
  const sum = BigInt(total(weights));
  const parts = weights.map((weight) => Number(whole * BigInt(weight) / sum));
  const rest = weights.map((weight) => whole * BigInt(weight) % sum);
  const first = Number(turn % BigInt(weights.length));
  const place = (/** @type {number} */ at) => (first + at) % weights.length;
  const order = [...weights.keys()].sort((a, b) => Number((rest[b] ?? 0n) - (rest[a] ?? 0n)) || place(a) - place(b));
  for (const at of order.slice(0, Math.abs(amount) - total(parts))) parts[at] = (parts[at] ?? 0) + 1;
  return amount < 0 ? parts.map((part) => 0 - part) : parts;
}

/** The persons whom a split names. @param {Split} split @returns {string[]} */
export const named = ({ people, parts, items }) =>
  [...new Set([...people ?? [], ...Object.keys(parts ?? {}), ...(items ?? []).flatMap(named)])].sort();

/**
 * The parts in the order of the people, or what is wrong.
 * @param {Simple} split @param {number} amount @param {string[]} people @param {bigint} turn
 * @returns {number[] | Exclude<Divided, { shares: Parts }>}
 */
function simple({ kind = "equal", people: among, parts = {} }, amount, people, turn) {
  const values = Object.values(parts);
  const each = people.map((person) => parts[person] ?? 0);
  switch (kind) {
    case "shares":
      if (values.some((n) => n < 1 || n > MOST)) return { problem: "range" };
      return divide(amount, each, turn);
    case "percent":
      if (values.some((n) => n < 0)) return { problem: "range" };
      if (total(values) !== WHOLE) return { offBy: WHOLE - total(values) };
      return divide(amount, each, turn);
    case "exact":
      return total(values) === amount ? each : { offBy: amount - total(values) };
    case "adjustment": {
      const rest = Math.abs(amount) - total(values);
      if (rest < 0) return { problem: "above" };
      const isIn = people.map((person) => Number(person in parts || (among ?? []).includes(person)));
      return divide(rest, isIn, turn).map((part, at) => (part + (each[at] ?? 0)) * (amount < 0 ? -1 : 1));
    }
    default:
      return divide(amount, people.map((person) => Number((among ?? []).includes(person))), turn);
  }
}

/**
 * As bills are divided: a discount is taken off the items, so it is not more than they cost.
 * @param {Split} split @param {number} amount @param {string} id the bill's @returns {Divided}
 */
export function ofBill(split, amount, id) {
  const cost = total((split.items ?? []).map((item) => item.amount));
  return cost * amount < 0 ? { problem: "items" } : divided(split, amount, id);
}

/** As any amount is divided. @param {Split} split @param {number} amount @param {string} id @returns {Divided} */
export function divided(split, amount, id) {
  const people = named(split);
  const turn = turnOf(id);
  if (!people.length) return { problem: "nobody" };
  const answer = (/** @type {number[]} */ parts) => ({
    shares: Object.fromEntries(people.map((person, at) => [person, parts[at] ?? 0])),
  });
  if (split.kind !== "itemised") {
    const parts = simple(split, amount, people, turn);
    return Array.isArray(parts) ? answer(parts) : parts;
  }
  let sums = people.map(() => 0);
  for (const item of split.items ?? []) {
    if (!named(item).length) return { problem: "nobody" };
    const parts = simple(item, item.amount, people, turn);
    if (!Array.isArray(parts)) return parts;
    sums = sums.map((sum, at) => sum + (parts[at] ?? 0));
  }
  const cost = total((split.items ?? []).map((item) => item.amount));
  const weights = sums.map((sum) => Math.max(sum, 0));
  const extra = divide(amount - cost, weights.some(Boolean) ? weights : people.map(() => 1), turn);
  return answer(sums.map((sum, at) => sum + (extra[at] ?? 0)));
}
