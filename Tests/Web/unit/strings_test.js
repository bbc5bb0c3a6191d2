// Every language says the same things, with the same places to fill; and all that is asked for is said.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const APP = new URL("../../../Sources/Web/app/", import.meta.url);
const STRINGS = new URL("strings/", APP);
const files = readdirSync(STRINGS).filter((name) => name.endsWith(".js"));
/** @param {string} name @returns {Promise<Record<string, string | Record<string, string>>>} */
const load = async (name) => (await import(new URL(name, STRINGS).href)).default;
/** @param {string | Record<string, string>} word */
const places = (word) =>
  [...new Set(JSON.stringify(word).match(/\{\w+\}/g) ?? [])].filter((place) => place !== "{n}").sort();

for (const name of files.filter((one) => /(^|\.)en\.js$/.test(one))) {
  test(`${name} has a German twin`, async () => {
    const [english, german] = [await load(name), await load(name.replace(/en\.js$/, "de.js"))];
    assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
    for (const [key, word] of Object.entries(english)) {
      const twin = german[key] ?? "";
      assert.deepEqual(places(twin), places(word), key);
      assert.equal(typeof twin, typeof word, key);
      if (typeof word !== "string") assert.ok("one" in word && "other" in word, key);
    }
  });
}

test("what screens ask for is said, and only once", async () => {
  /** @type {Map<string, string>} */ const known = new Map();
  for (const name of files.filter((one) => /(^|\.)en\.js$/.test(one))) {
    for (const key of Object.keys(await load(name))) {
      assert.ok(!known.has(key), `${key} is in ${name} and in ${known.get(key)}`);
      known.set(key, name);
    }
  }
  for (const folder of ["", "parts/", "screens/"]) {
    for (const name of readdirSync(new URL(folder, APP)).filter((one) => one.endsWith(".js"))) {
      const text = readFileSync(new URL(folder + name, APP), "utf8");
      for (const [, key = ""] of text.matchAll(/\bt\(\s*"([^"]+)"/g)) {
        // A screen of one family may leave the family's own name out.
        const names = [key, `shopping.${key}`, `out.${key}`, `chores.${key}`, `money.${key}`, `payments.${key}`];
        assert.ok(names.some((one) => known.has(one)), `${folder}${name} asks for ${key}`);
      }
    }
  }
});

test("each word is asked for", async () => {
  const folders = ["", "parts/", "screens/"].map((folder) => new URL(folder, APP));
  const sources = folders.flatMap((folder) =>
    readdirSync(folder).filter((one) => one.endsWith(".js")).map((one) => readFileSync(new URL(one, folder), "utf8"))
  );
  const text = sources.join("\n");
  // A name with a part that is only known when it is asked for, such as `inbox.kind.${kind}`.
  const patterns = [...text.matchAll(/`((?:[\w.]|\$\{[^`}]*\})*\$\{[^`}]*\}[\w.]*)`/g)]
    .map(([, name = ""]) => name.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(".", "\\.")))
    .filter((parts) => parts.join("").length > 2)
    .map((parts) => new RegExp(`^${parts.join(".*")}$`));
  /** @param {string} name */
  const isAsked = (name) =>
    text.includes(`"${name}"`) || patterns.some((one) => one.test(name)) || /^(show|hide)(Pin|Password)$/.test(name);
  const words = (await Promise.all(files.map(load))).flatMap((one) => Object.keys(one));
  const never = words.filter((key) =>
    !isAsked(key) && !isAsked(key.replace(/^(shopping|out|chores|money|payments)\./, ""))
  );
  assert.deepEqual(never, []);
});

// Members of `data`; refusals that the library deals with; and those that a screen says in its own way.
const NOT_SHOWN = new Set([
  ...["by", "trip", "left", "cost", "retryAfter", "reason"],
  ...["puzzleNeeded", "reused", "skipped", "forgotten", "moving", "sealed", "unanswered", "clients", "subscriptions"],
  ...["provider", "position", "exceeds"],
]);

test("each refusal that protocol.md names has words", async () => {
  const words = new Set((await Promise.all(files.map(load))).flatMap((one) => Object.keys(one)));
  const text = readFileSync(new URL("../../../protocol.md", APP), "utf8");
  const [, table = ""] = text.match(/\n\| code \| name \| meaning \|\n([^]*?)\n\n/) ?? [];
  const rows = table.split("\n").filter((row) => /^\| [2-6] \|/.test(row));
  assert.equal(rows.length, 5);
  const reasons = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, reason = ""]) => reason));
  assert.deepEqual(reasons.filter((one) => !NOT_SHOWN.has(one) && !words.has(`refused.${one}`)), []);
});
