// Lists that are asked for page by page: each row once, whatever is tapped meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf } from "../../../Sources/Web/app/parts/pages.js";

/** A list of five, in pages of two; what is asked waits for its turn. @param {boolean} [repeats] */
function five(repeats = false) {
  /** @type {((isThere?: boolean) => void)[]} */ const asked = [];
  /** @type {unknown[]} */ const failures = [];
  /** @type {string[]} */ const places = [];
  let rows = ["5", "4", "3", "2", "1"];
  const ask = (/** @type {string | undefined} */ before) => {
    places.push(before ?? "newest");
    return new Promise((resolve, reject) => {
      const start = before ? rows.indexOf(before) : 0;
      const [items, next] = [rows.slice(start, start + 2), rows[start + 2]];
      asked.push((isThere = true) => isThere ? resolve({ items, ...(next && { next }) }) : reject(new Error("away")));
    });
  };
  const pages = pagesOf(ask, { failed: (error) => failures.push(error), repeats });
  /** @param {boolean} [isThere] */
  const answer = async (isThere) => {
    asked.shift()?.(isThere);
    for (let turn = 0; turn < 5; turn++) await null;
  };
  return { pages, answer, failures, places, add: (/** @type {string} */ row) => rows = [row, ...rows] };
}

test("all pages come one after another, and none after the last one", async () => {
  const { pages, answer, places } = five();
  pages.more();
  assert.equal(pages.isBeginning(), true);
  for (let page = 0; page < 4; page++) {
    await answer();
    pages.more();
  }
  assert.deepEqual(pages.items.get(), ["5", "4", "3", "2", "1"]);
  assert.deepEqual(places, ["newest", "3", "1"]);
  assert.deepEqual([pages.isAll(), pages.isBusy.get(), pages.isBeginning()], [true, false, false]);
});

test("two quick taps ask for one page", async () => {
  const { pages, answer, places } = five();
  pages.more();
  await answer();
  pages.more();
  pages.more();
  await answer();
  await answer();
  assert.deepEqual(pages.items.get(), ["5", "4", "3", "2"]);
  assert.deepEqual(places, ["newest", "3"]);
});

test("where the first page is on the screen already, the next one comes with it", async () => {
  const { pages, answer } = five(true);
  pages.more();
  await answer();
  await answer();
  assert.deepEqual(pages.items.get(), ["5", "4", "3", "2"]);
});

test("a list that begins again shows its newest rows, and no answer from before", async () => {
  const { pages, answer, add, places } = five();
  pages.more();
  await answer();
  pages.more();
  add("6");
  pages.again();
  await answer();
  assert.deepEqual(pages.items.get(), ["5", "4"], "they stay until there are others");
  await answer();
  assert.deepEqual(pages.items.get(), ["6", "5"]);
  assert.deepEqual(places, ["newest", "3", "newest"]);
  assert.equal(pages.isBusy.get(), false);
});

test("a page that does not come is told once, and asked for again by the next tap", async () => {
  const { pages, answer, failures } = five();
  pages.more();
  await answer();
  pages.more();
  await answer(false);
  assert.equal(failures.length, 1);
  assert.deepEqual([pages.items.get(), pages.isAll()], [["5", "4"], false]);
  pages.more();
  await answer();
  assert.deepEqual(pages.items.get(), ["5", "4", "3", "2"]);
  // The list has begun again: the failure of an earlier question is not told.
  pages.more();
  pages.again();
  await answer(false);
  assert.equal(failures.length, 1);
});
