import assert from "node:assert/strict";
import { test } from "node:test";
import { adopt, isObject, merge, reuse } from "../../../Sources/Web/app/hearth/merge.js";
import { reduce, rowsOf, show } from "../../../Sources/Web/app/hearth/rooms.js";
import { mergePlainly, Random } from "./model_server.js";

/** @param {unknown} value */
const plain = (value) => JSON.parse(JSON.stringify(value));

/** The examples of RFC 7396, Appendix A. @type {[any, any, any][]} */
const EXAMPLES = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [target, patch, result] of EXAMPLES) {
  test(`RFC 7396: ${JSON.stringify(target)} and ${JSON.stringify(patch)}`, () => {
    assert.deepEqual(plain(merge(adopt(target), patch)), result);
  });
}

test("merging is the RFC's algorithm, keeps what it does not change, and changes nothing in place", () => {
  const random = new Random(7);
  /** @param {number} depth @returns {any} */
  const value = (depth) => {
    if (depth === 0 || random.below(3) === 0) return [1, "x", true, null, [1]][random.below(5)];
    return Object.fromEntries(Array.from({ length: random.below(4) }, () => [`k${random.below(4)}`, value(depth - 1)]));
  };
  for (let n = 0; n < 2000; n++) {
    const before = /** @type {any} */ (adopt(mergePlainly({}, { k0: value(2), k1: value(2) })));
    const text = JSON.stringify(before);
    const patch = value(3);
    const after = /** @type {any} */ (merge(before, patch));
    assert.deepEqual(plain(after), mergePlainly(plain(before), patch));
    assert.equal(JSON.stringify(before), text);
    assert.equal(merge(after, patch), after, "once more changes nothing, not even the identity");
    if (!isObject(patch)) continue;
    for (const key of Object.keys(before)) if (!(key in patch)) assert.equal(after[key], before[key]);
  }
});

test("many changes on top of a document are as one after another, and leave the document alone", () => {
  const random = new Random(11);
  const rows = () => Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`r${n}`, { text: `${random.below(9)}` }]));
  for (let n = 0; n < 300; n++) {
    const before = /** @type {any} */ (adopt({ t: rows(), u: rows(), v: rows() }));
    const text = JSON.stringify(before);
    const changes = Array.from({ length: random.below(6) }, () => {
      const row =
        [{ text: `${random.below(9)}` }, { more: { a: 1 } }, { more: { a: null, b: 2 } }, null][random.below(4)];
      return {
        patch: /** @type {any} */ ({ [["t", "u"][random.below(2)] ?? "t"]: { [`r${random.below(7)}`]: row } }),
        needs: [],
      };
    });
    const shown = /** @type {any} */ (show(before, changes));
    assert.deepEqual(plain(shown), changes.reduce((state, { patch }) => mergePlainly(state, patch), plain(before)));
    assert.equal(JSON.stringify(before), text);
    assert.equal(shown.v, before.v);
    /** @param {any} value */
    const check = (value) => {
      if (!isObject(value)) return;
      assert(Object.isFrozen(value) && !("toString" in value));
      Object.values(value).forEach(check);
    };
    check(shown);
  }
});

test("documents are frozen and have no prototype, so a key may be called __proto__", () => {
  const document = /** @type {any} */ (merge(undefined, JSON.parse('{"notes":{"__proto__":{"text":"x"}}}')));
  assert.deepEqual(Object.keys(document.notes), ["__proto__"]);
  assert.equal(document.notes["__proto__"].text, "x");
  assert.equal(document.notes.text, undefined);
  assert.equal("toString" in document.notes, false);
  assert(Object.isFrozen(document) && Object.isFrozen(document.notes) && Object.isFrozen(document.notes["__proto__"]));
  const adopted = /** @type {any} */ (adopt(JSON.parse('{"list":[{"constructor":1}]}')));
  assert(Object.isFrozen(adopted.list) && !("toString" in adopted.list[0]));
  assert.equal(/** @type {any} */ ({}).text, undefined, "nothing else was changed");
});

test("what equals the old value keeps its identity when a whole document comes again", () => {
  const old = /** @type {any} */ (adopt({ notes: { a: { text: "1" }, b: { text: "2" } }, chat: { c: [1, 2] } }));
  const fresh = /** @type {any} */ (adopt({ notes: { a: { text: "1" }, b: { text: "3" } }, chat: { c: [1, 2] } }));
  const mixed = /** @type {any} */ (reuse(old, fresh));
  assert.deepEqual(plain(mixed), plain(fresh));
  assert.equal(mixed.chat, old.chat);
  assert.equal(mixed.notes.a, old.notes.a);
  assert.notEqual(mixed.notes, old.notes);
  assert.equal(reuse(old, adopt(plain(old))), old);
  const less = /** @type {any} */ (reuse(old, adopt({ notes: old.notes })));
  assert.deepEqual(Object.keys(less), ["notes"]);
});

test("live documents: a patch is merged, a whole one replaces, and nothing is made up for an unknown room", () => {
  const known = reduce(null, {
    kind: "state",
    epoch: "e",
    version: 1,
    state: {},
    live: { presence: { ana: { online: true } } },
  });
  const patched = reduce(known ?? null, { kind: "live", patch: { presence: { bo: { online: true } } } });
  assert.deepEqual(plain(patched?.live), { presence: { ana: { online: true }, bo: { online: true } } });
  const whole = reduce(patched ?? null, { kind: "live", patch: { link: {} }, whole: true });
  assert.deepEqual(plain(whole?.live), { link: {} });
  assert.equal(reduce(null, { kind: "live", patch: { a: 1 } }), null);
});

test("a change needs the rows that it changes, and neither those that it adds nor their tables", () => {
  const state = { groceries: { 1: { name: "Milk", sources: { s: { by: "ana" } } } }, notes: {} };
  const patch = {
    groceries: { 1: { sources: { s: { note: "fat" }, t: { by: "bo" } } }, 2: { name: "Tea" } },
    notes: { a: {} },
  };
  assert.deepEqual(rowsOf(state, patch), [["groceries", "1"], ["groceries", "1", "sources", "s"]]);
  const needs = rowsOf(state, patch);
  const without = { groceries: { 1: { name: "Milk" } } };
  assert.deepEqual(plain(show(/** @type {any} */ (adopt(without)), [{ patch, needs }])), {
    groceries: { 1: { name: "Milk", sources: { t: { by: "bo" } } }, 2: { name: "Tea" } },
    notes: { a: {} },
  });
});
