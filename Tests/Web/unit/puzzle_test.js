import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sha256, solve } from "../../../Sources/Web/app/hearth/puzzle.js";

/** @param {string} text */
const hash = (text) => createHash("sha256").update(text).digest("hex");

test("SHA-256 of texts of all lengths around its blocks", () => {
  for (let length = 0; length < 200; length++) {
    assert.equal(
      sha256("é".repeat(length % 3) + "x".repeat(length)),
      hash("é".repeat(length % 3) + "x".repeat(length)),
    );
  }
});

test("SEC-10: a puzzle is solved, up to and with its last number", async () => {
  const puzzle = { algorithm: "SHA-256", challenge: hash("salt2500"), maxnumber: 2500, salt: "salt", signature: "s" };
  const solution = JSON.parse(atob(await solve(puzzle) ?? ""));
  const { maxnumber: _, ...rest } = puzzle;
  assert.deepEqual(solution, { ...rest, number: 2500 });
  assert.equal(await solve({ ...puzzle, maxnumber: 2499 }), null, "none within its bounds");
});

test("a puzzle that asks for too much, or for something else, is not tried", async () => {
  assert.equal(
    await solve({ algorithm: "SHA-256", challenge: hash("s0"), maxnumber: 1e9, salt: "s", signature: "s" }),
    null,
  );
  assert.equal(
    await solve({ algorithm: "SHA-512", challenge: hash("s0"), maxnumber: 10, salt: "s", signature: "s" }),
    null,
  );
  assert.equal(await solve({}), null);
});
