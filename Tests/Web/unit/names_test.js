import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, namesOf } from "../../../Sources/Web/app/parts/names.js";

const state = /** @type {any} */ ({ members: { ana: { name: "Ana" }, bo: { name: "Bo" } } });

test("of several people the one who reads it comes first", () => {
  // No language is loaded, so that words are their keys.
  assert.equal(namesOf(state, ["ana", "bo"], "bo"), "you and Ana");
  assert.equal(namesOf(state, ["ana", "bo"], null), "Ana and Bo");
  assert.equal(namesOf(state, [], "bo"), "");
  assert.equal(nameOf(state, "bo"), "Bo");
  assert.equal(nameOf(state, "cleo"), "somebody");
});
