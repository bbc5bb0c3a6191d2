// The currency that a device proposes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { likelyCurrency } from "../../../Sources/Web/app/parts/likely_currency.js";

test("in Europe the time zone tells the currency, elsewhere the region of the language", () => {
  for (
    const [zone, region, currency] of /** @type {[string, string, string][]} */ ([
      ["Europe/Berlin", "GB", "EUR"],
      ["Europe/Berlin", "US", "EUR"],
      ["Europe/London", "GB", "GBP"],
      ["Europe/London", "DE", "GBP"],
      ["Europe/Zurich", "DE", "CHF"],
      ["Europe/Isle_of_Man", "US", "GBP"],
      ["Europe/Kiev", "UA", "UAH"],
      ["Europe/Sofia", "BG", "EUR"],
      ["America/New_York", "US", "USD"],
      ["Asia/Calcutta", "IN", "INR"],
      ["Asia/Tokyo", "GB", "GBP"],
      ["Atlantic/Canary", "ES", "EUR"],
      ["UTC", "", "EUR"],
    ])
  ) assert.equal(likelyCurrency(zone, region), currency, `${zone} ${region}`);
});
