// Amounts of money: the server counts in the smallest unit of a currency.

import { readNumber } from "./quantity.js";
import { language, locale } from "./words.js";

/** @param {string} currency */
const format = (currency) => new Intl.NumberFormat(locale(), { style: "currency", currency });
/** @param {string} currency */
const units = (currency) => 10 ** (format(currency).resolvedOptions().maximumFractionDigits ?? 2);

/** "€12.40" @param {number} amount @param {string} currency */
export const money = (amount, currency) => format(currency).format(amount / units(currency));

/** The amount that a person has written, or undefined. @param {string} text @param {string} currency */
export function readMoney(text, currency) {
  const amount = (readNumber(text, language.peek()) ?? NaN) * units(currency);
  const whole = Math.round(amount);
  return whole > 0 && Math.abs(amount - whole) < 1e-6 ? whole : undefined;
}
