import assert from "node:assert/strict";
import { test } from "node:test";
import { added, checked, edited, find, removed, rows } from "../../../Sources/Web/app/parts/groceries.js";
import { barcodeOf, byCategory } from "../../../Sources/Web/app/parts/groceries.js";

/** @import { Lines } from "../../../Sources/Web/app/parts/groceries.js" */

/** @param {string} by @param {number} minute @param {object} [more] */
const addition = (by, minute, more = {}) => ({
  by,
  at: `2026-01-01T10:${String(minute).padStart(2, "0")}:00Z`,
  ...more,
});
/** @type {Lines} */
const home = {
  a: { name: "Eggs", key: "eggs", quantity: 6, sources: { a: addition("ana", 1, { quantity: 6 }) } },
  b: {
    name: "Milk",
    key: "milk",
    quantity: 1500,
    unit: "ml",
    sources: {
      b: addition("bo", 2, { quantity: 1, unit: "l", note: "fresh" }),
      c: addition("ana", 3, { quantity: 500, unit: "ml" }),
    },
  },
  d: { name: "eggs", key: "eggs", owner: "bo", quantity: 2, sources: { d: addition("bo", 4, { quantity: 2 }) } },
  e: {
    name: "Tea",
    key: "tea",
    checkedAt: "2026-01-01T11:00:00Z",
    checkedBy: "bo",
    sources: { e: addition("ana", 5) },
  },
};
/** @type {Lines} */
const mine = { x: { name: "Candles", key: "candles", sources: { x: addition("ana", 6) } } };

/** RFC 7396, plainly. @param {any} target @param {any} patch @returns {any} */
function merge(target, patch) {
  if (patch === null || typeof patch !== "object") return patch;
  const after = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete after[key];
    else after[key] = merge(after[key], value);
  }
  return after;
}
/** @param {Lines} lines @param {any} patch @returns {Lines} */
const after = (lines, patch) => merge({ groceries: lines }, patch).groceries;

test("of two lines that reached the server at once, the one that was made later comes first", () => {
  const [older, newer] = ["a", "b"].map((id) => ({
    [id]: { name: id, key: id, sources: { [id]: addition("ana", 1) } },
  }));
  for (const lines of [{ ...older, ...newer }, { ...newer, ...older }]) {
    assert.deepEqual(rows("ours", lines, {}, "ana").wanted.map(({ name }) => name), ["b", "a"]);
  }
});

test("all is what one person would buy: eggs of two people are one row", () => {
  const { wanted, bought } = rows("all", home, mine, "ana");
  assert.deepEqual(wanted.map(({ name, quantity }) => [name, quantity]), [["Candles", undefined], ["Milk", 1500], [
    "Eggs",
    8,
  ]]);
  assert.deepEqual(wanted[2]?.entries.map(({ id }) => id), ["a", "d"]);
  assert.deepEqual(wanted[2]?.owners, ["bo"]);
  assert.deepEqual(wanted[1]?.notes, ["fresh"]);
  assert.ok(wanted[0]?.isPrivate && !wanted[1]?.isPrivate);
  assert.deepEqual(bought.map(({ name, checkedBy }) => [name, checkedBy]), [["Tea", "bo"]]);
});

test("ours is everybody's, mine is what I have put there for myself", () => {
  assert.deepEqual(rows("ours", home, mine, "ana").wanted.map(({ name }) => name), ["Milk", "Eggs"]);
  assert.deepEqual(rows("mine", home, mine, "ana").wanted.map(({ name }) => name), ["Candles"]);
  assert.deepEqual(rows("mine", home, {}, "bo").wanted.map(({ name }) => name), ["eggs"]);
});

test("without documents, and with half a line, there are no rows", () => {
  assert.deepEqual(rows("all", undefined, undefined, null), { wanted: [], bought: [] });
  assert.deepEqual(rows("all", /** @type {any} */ ({ z: { checkedAt: "now" } }), {}, "ana").bought, []);
});

test("adding merges as the server does, into a line of the same measure that is open and everybody's", () => {
  const item = { id: "n", name: " EGGS", quantity: 4, merges: true };
  const merged = after(home, added(home, item, "ana", "2026-01-01T12:00:00Z"));
  assert.equal(merged.a?.quantity, 10);
  assert.deepEqual(Object.keys(merged.a?.sources ?? {}), ["a", "n"]);
  assert.ok(!("n" in merged));
  const litres = after(home, added(home, { id: "n", name: "milk", quantity: 1, unit: "l", merges: true }, "ana", "t"));
  assert.deepEqual([litres.b?.quantity, litres.b?.unit], [2500, "ml"]);
  for (const other of [{ ...item, merges: false, owner: "ana" }, { ...item, unit: "box" }, { ...item, name: "Tea" }]) {
    const lines = after(home, added(home, other, "ana", "t"));
    assert.equal(lines.n?.quantity, 4, JSON.stringify(other));
  }
});

test("a line of 64 additions takes no further one", () => {
  const sources = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`s${n}`, addition("ana", n)]));
  const full = { a: { name: "Eggs", key: "eggs", quantity: 64, sources } };
  assert.ok("n" in after(full, added(full, { id: "n", name: "Eggs", merges: true }, "ana", "t")));
});

test("a check and its undoing leave the rest as it was", () => {
  const bought = after(home, checked(home, "a", true, "ana", "now"));
  assert.deepEqual([bought.a?.checkedAt, bought.a?.checkedBy, bought.a?.quantity], ["now", "ana", 6]);
  assert.deepEqual(after(bought, checked(bought, "a", false, "ana", "later")), home);
  assert.equal(checked(home, "nobody", true, "ana", "now"), null);
  // An addition that was merged is found by its own id.
  assert.equal(after(home, checked(home, "c", true, "ana", "now")).b?.checkedBy, "ana");
});

test("removing takes what was seen, and the line with its last addition", () => {
  const rest = after(home, removed(home, "b", ["b"]));
  assert.deepEqual([rest.b?.quantity, rest.b?.unit, Object.keys(rest.b?.sources ?? {})], [500, "ml", ["c"]]);
  assert.ok(!("b" in after(home, removed(home, "b", ["b", "c"]))));
  assert.equal(removed(home, "gone", ["gone"]), null);
});

test("editing an addition changes the sum, and clears what is cleared", () => {
  const more = after(home, edited(home, "b", "c", { quantity: 2, unit: "l" }));
  assert.deepEqual([more.b?.quantity, more.b?.unit], [3, "l"]);
  const bare = after(home, edited(home, "a", "a", { name: "Brown eggs", quantity: null, note: "large" }));
  assert.deepEqual(bare.a, {
    name: "Brown eggs",
    key: "brown eggs",
    sources: { a: addition("ana", 1, { note: "large" }) },
  });
  assert.equal(edited(home, "a", "gone", { quantity: 1 }), null);
});

test("an addition is found in its line", () => {
  assert.equal(find(home, "c")?.id, "b");
  assert.equal(find(home, "b")?.id, "b");
  assert.equal(find(home, "q"), null);
});

test("lines merge within one list only, and keep the category that they have", () => {
  const onMarket = { ...home, m: { name: "Eggs", key: "eggs", list: "market", sources: { m: addition("bo", 1) } } };
  /** @param {object} more */
  const add = (more) =>
    after(onMarket, added(onMarket, { id: "n", name: "Eggs", merges: true, ...more }, "ana", "2026"));
  assert.equal(add({}).a?.quantity, 7);
  assert.equal(add({ list: "market" }).m?.quantity, 2);
  assert.equal(add({ list: "other", category: "dairy" }).n?.category, "dairy");
  assert.equal(add({ category: "dairy" }).a?.category, "dairy");
  // One list is what one person would buy there.
  assert.deepEqual(rows("market", onMarket, mine, "ana").wanted.map(({ key }) => key), ["home m"]);
  assert.ok(!rows("ours", onMarket, mine, "ana").wanted.some(({ key }) => key === "home m"));
});

test("list, category and barcode are the line's own", () => {
  const moved = after(home, edited(home, "a", "a", { list: "market", category: "dairy", barcode: "96385074" }));
  assert.deepEqual({ ...moved.a, sources: 0 }, {
    name: "Eggs",
    key: "eggs",
    quantity: 6,
    list: "market",
    category: "dairy",
    barcode: "96385074",
    sources: 0,
  });
  assert.equal(after(moved, edited(moved, "a", "a", { list: null })).a?.list, undefined);
  assert.deepEqual(moved.a?.sources, home.a?.sources);
});

test("categories come in the order of the list, then as they are known, and what has none comes last", () => {
  const of = (/** @type {string | undefined} */ category) => /** @type {any} */ ({ category });
  const all = ["garden", undefined, "cat food", "fruit", "fruit"].map(of);
  assert.deepEqual(byCategory(all, ["cat food"]).map(({ category }) => category), ["cat food", "fruit", "garden", ""]);
  assert.equal(byCategory(all, [])[0]?.rows.length, 2);
  assert.deepEqual(byCategory([], []), [{ category: "", rows: [] }]);
});

test("a barcode has the right check digit; UPC-A is an EAN-13 without its first 0", () => {
  assert.equal(barcodeOf("4006381333931"), "4006381333931");
  assert.equal(barcodeOf("0 36000 29145 2"), "0036000291452");
  assert.equal(barcodeOf("9638-5074"), "96385074");
  for (const wrong of ["4006381333932", "123", "", "40063813339310"]) assert.equal(barcodeOf(wrong), undefined);
});
