// Amounts are read as people write them, to the last unit, and told apart from formulas in a table.

import assert from "node:assert/strict";
import { test } from "node:test";
import { csvRow } from "../../../Sources/Web/app/parts/csv.js";
import { decimalsOf, exactMoney, readDecimal } from "../../../Sources/Web/app/parts/money.js";

/**
 * The text, the decimals and the language, and the number of smallest units.
 * @type {[string, number, string, number?][]}
 */
const WRITTEN = [
  ["12.40", 2, "en", 1240],
  ["12,40", 2, "en", 1240],
  ["12.4", 2, "de", 1240],
  ["12,", 2, "de", 1200],
  [",5", 2, "de", 50],
  [" 1 234,56 ", 2, "fr", 123_456],
  ["1’234.50", 2, "de-CH", 123_450],
  ["1.234,56", 2, "en", 123_456],
  ["1,234.56", 2, "de", 123_456],
  ["1.234", 2, "de", 123_400],
  ["1,234", 2, "en", 123_400],
  ["1.234", 3, "en", 1234],
  ["1.234", 2, "en"],
  ["12.400", 2, "en", 1240],
  ["12.401", 2, "en"],
  ["500", 0, "en", 500],
  ["500.5", 0, "en"],
  ["١٢٫٥", 2, "en", 1250],
  ["-0.60", 2, "en", -60],
  ["−3", 2, "en", -300],
  ["0", 2, "en", 0],
  // None of these is what a computer's decimal fractions make of it.
  ["0.29", 2, "en", 29],
  ["1.005", 3, "en", 1005],
  ["9999999999.99", 2, "en", 999_999_999_999],
  ["10000000000.01", 2, "en"],
  ["", 2, "en"],
  [".", 2, "en"],
  ["12.4.0", 2, "en"],
  ["1,2345.60", 2, "en"],
  ["€12", 2, "en"],
  ["1e3", 2, "en"],
];

test("an amount is read as it is written, and nothing is rounded", () => {
  for (const [text, decimals, language, wanted] of WRITTEN) {
    assert.equal(readDecimal(text, decimals, language), wanted, `${text} in ${language}`);
  }
});

test("each currency has its own decimals", () => {
  const found = ["EUR", "JPY", "TND", "CLF", "HUF", "ISK"].map(decimalsOf);
  assert.deepEqual(found, [2, 0, 3, 4, 2, 0]);
  const amounts = [exactMoney(5, "EUR"), exactMoney(-1240, "EUR"), exactMoney(500, "JPY"), exactMoney(-5, "TND")];
  assert.deepEqual(amounts, ["0.05", "-12.40", "500", "-0.005"]);
});

test("no text of a table becomes a formula, and numbers stay numbers", () => {
  const cells = ["=1+1", "+49 30", "@x", "-12.40", "-a", 'say "hi"', "a,b", "two\nlines", "plain"];
  assert.equal(
    csvRow(cells),
    `'=1+1,'+49 30,'@x,-12.40,'-a,"say ""hi""","a,b","two\nlines",plain\r\n`,
  );
});
