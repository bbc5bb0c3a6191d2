import assert from "node:assert/strict";
import { test } from "node:test";
import { measure, nameKey, parseItem, quantityText, readNumber, sum } from "../../../Sources/Web/app/parts/quantity.js";

/** @type {[string, string, (number | undefined)?, string?][]} */
const LINES = [
  ["milk", "milk"],
  ["  Oat   milk ", "Oat milk"],
  ["2 l milk", "milk", 2, "l"],
  ["2l milk", "milk", 2, "l"],
  ["2 Liter Milch", "Milch", 2, "l"],
  ["milk 2 l", "milk", 2, "l"],
  ["milk 2l", "milk", 2, "l"],
  ["milk 2", "milk", 2],
  ["2 milk", "milk", 2],
  ["2x milk", "milk", 2],
  ["2 × milk", "milk", 2],
  ["milk x2", "milk", 2],
  ["6 Eier", "Eier", 6],
  ["6 Stück Eier", "Eier", 6],
  ["1,5 kg potatoes", "potatoes", 1.5, "kg"],
  ["1.5 kg potatoes", "potatoes", 1.5, "kg"],
  ["½ l cream", "cream", 0.5, "l"],
  ["1½ kg flour", "flour", 1.5, "kg"],
  ["1 ½ kg flour", "flour", 1.5, "kg"],
  ["1/2 l cream", "cream", 0.5, "l"],
  ["0,125 l cream", "cream", 0.125, "l"],
  ["500g flour", "flour", 500, "g"],
  ["500 Gramm Mehl", "Mehl", 500, "g"],
  ["2 bottles of wine", "wine", 2, "bottle"],
  ["1 bottle wine", "wine", 1, "bottle"],
  ["3 Dosen Tomaten", "Tomaten", 3, "Dose"],
  ["Wein 2 Flaschen", "Wein", 2, "Flasche"],
  ["a bag of crisps", "a bag of crisps"],
  ["1 dozen eggs", "eggs", 12],
  ["dozen eggs", "eggs", 12],
  ["٢ حليب", "حليب", 2],
  ["牛乳 2 l", "牛乳", 2, "l"],
  // A word of a name stays there.
  ["7up", "7up"],
  ["2 7up", "7up", 2],
  ["milk 3.5 %", "milk 3.5 %"],
  ["milk 3.5%", "milk 3.5%"],
  ["80 % rum", "80 % rum"],
  ["3-in-1 cleaner", "3-in-1 cleaner"],
  ["vitamin B12", "vitamin B12"],
  ["type 405 flour", "type 405 flour"],
  ["100", "100"],
  ["2 l", "2 l"],
  ["0 milk", "0 milk"],
  ["1.2345 kg tea", "1.2345 kg tea"],
  ["1234567890 eggs", "1234567890 eggs"],
  ["-2 eggs", "-2 eggs"],
  ["1e3 eggs", "1e3 eggs"],
  ["", ""],
];

test("a line is read as people mean it", () => {
  for (const [line, name, quantity, unit] of LINES) {
    const expected = { name, ...(quantity === undefined ? {} : { quantity }), ...(unit === undefined ? {} : { unit }) };
    assert.deepEqual(parseItem(line), expected, JSON.stringify(line));
  }
});

test("a sign between thousands depends on the language, a decimal comma does not", () => {
  assert.equal(readNumber("1.000", "de"), 1000);
  assert.equal(readNumber("1.000", "en"), 1);
  assert.equal(readNumber("1,000", "en"), 1000);
  assert.equal(readNumber("1,5", "en"), 1.5);
  assert.equal(readNumber("1.5", "de"), 1.5);
  assert.equal(readNumber("1/0"), undefined);
  assert.equal(readNumber("999999999.999"), 999_999_999.999);
});

test("what the parser gives, the server takes", () => {
  for (const [line] of LINES) {
    const { quantity, unit } = parseItem(line);
    if (quantity !== undefined) assert.match(String(quantity), /^\d+(\.\d{1,3})?$/);
    if (unit !== undefined) assert.ok(unit.length <= 16);
  }
});

test("sums are the server's: in the base unit if units differ, exact, and 1 for what has no quantity", () => {
  assert.deepEqual(sum([{ quantity: 6 }, { quantity: 4 }]), { quantity: 10 });
  assert.deepEqual(sum([{ quantity: 1, unit: "l" }, { quantity: 500, unit: "ml" }]), { quantity: 1500, unit: "ml" });
  assert.deepEqual(sum([{ quantity: 0.1, unit: "kg" }, { quantity: 0.2, unit: "kg" }]), { quantity: 0.3, unit: "kg" });
  assert.deepEqual(sum([{}, {}]), { quantity: 2 });
  assert.deepEqual(sum([{}]), {});
  assert.deepEqual(sum([{ unit: "bottle" }, { quantity: 2, unit: "bottle" }]), { quantity: 3, unit: "bottle" });
  assert.deepEqual(sum([]), {});
  assert.equal(measure("KG").kind, measure("g").kind);
  assert.notEqual(measure("bottle").kind, measure("can").kind);
});

test("names of one thing have one key", () => {
  assert.equal(nameKey(" Eggs "), "eggs");
  assert.equal(nameKey("Ｍｉｌｋ"), "milk");
  assert.equal(nameKey("GROẞE  Straße"), "grosse strasse");
  assert.equal(nameKey("ΟΔΟΣ"), nameKey("οδος"));
});

test("quantities are shown as people say them", () => {
  assert.equal(quantityText(undefined, undefined), "");
  assert.equal(quantityText(undefined, "bottle"), "bottle");
  assert.equal(quantityText(10, undefined), "10");
  assert.equal(quantityText(10, "pc"), "10");
  assert.equal(quantityText(1500, "ml", "en"), "1.5\u00A0l");
  assert.equal(quantityText(1500, "ml", "de"), "1,5\u00A0l");
  assert.equal(quantityText(500, "g"), "500\u00A0g");
  assert.equal(quantityText(3, "bottle"), "3\u00A0bottles");
  assert.equal(quantityText(1, "bottle"), "1\u00A0bottle");
  assert.equal(quantityText(2, "Flasche", "de"), "2\u00A0Flaschen");
  assert.equal(quantityText(0.333, "l", "en"), "0.333\u00A0l");
});
