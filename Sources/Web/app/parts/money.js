// Amounts of money: the server counts in the smallest unit of a currency. They are read digit by digit, since a number
// of a computer cannot hold most decimal fractions.

import { groupSign, plainDigits } from "./quantity.js";
import { locale } from "./words.js";

/** By their decimals, currencies that do not have two (ISO 4217). Browsers leave out coins that are rare. */
const DECIMALS = [
  "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  "",
  "",
  "BHD IQD JOD KWD LYD OMR TND",
  "CLF UYW",
];
/** For so many milliseconds the server lets a bill, a payment or a drink be taken back. */
export const UNDO_WITHIN = 600_000;
/** The server's largest amount. */
const MOST = 1e12;

/** @param {string} currency */
export function decimalsOf(currency) {
  const found = DECIMALS.findIndex((all) => all.includes(currency));
  return found < 0 ? 2 : found;
}

/** @param {number} amount @param {string} currency @param {Intl.NumberFormatOptions} options */
function written(amount, currency, options) {
  const decimals = decimalsOf(currency);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(locale(), { ...digits, ...options }).format(amount / 10 ** decimals);
}

/** "€12.40" @param {number} amount @param {string} currency */
export const money = (amount, currency) => written(amount, currency, { style: "currency", currency });

/** "12.40", for a field to write in. @param {number} amount @param {string} currency */
export const plainMoney = (amount, currency) => written(amount, currency, { useGrouping: false });

/**
 * A decimal number as the person writes it, in units of its last decimal; undefined if it is none, or finer.
 * @param {string} text @param {number} decimals @param {string} [language]
 */
export function readDecimal(text, decimals, language = locale()) {
  let plain = plainDigits(text).replace(/[\s'’]/gu, "").replace("−", "-");
  const group = groupSign(language);
  // "1.234,50" and "1,234.50" are clear; a single sign before three digits stands as the language has it.
  if (/^-?\d{1,3}(\.\d{3})+,\d+$/.test(plain)) plain = plain.replaceAll(".", "");
  else if (/^-?\d{1,3}(,\d{3})+\.\d+$/.test(plain)) plain = plain.replaceAll(",", "");
  else if (new RegExp(`^-?[1-9]\\d{0,2}(\\${group}\\d{3})+$`).test(plain)) plain = plain.replaceAll(group, "");
  const [, sign, whole = "", rest = ""] = /^(-?)(\d{0,13})(?:[.,](\d*))?$/.exec(plain) ?? [];
  const fraction = rest.replace(/0+$/, "");
  if (sign === undefined || !(whole || rest) || fraction.length > decimals) return undefined;
  const amount = Number(whole + fraction.padEnd(decimals, "0"));
  return amount > MOST ? undefined : sign && amount ? -amount : amount;
}

/** An amount, perhaps 0 or less, or undefined. @param {string} text @param {string} currency */
export const readAmount = (text, currency) => readDecimal(text, decimalsOf(currency));

/** An amount above 0, or undefined. @param {string} text @param {string} currency */
export function readMoney(text, currency) {
  const amount = readAmount(text, currency);
  return amount !== undefined && amount > 0 ? amount : undefined;
}

/** "-12.40" in every language, for other programs. @param {number} amount @param {string} currency */
export function exactMoney(amount, currency) {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, "0");
  const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  return `${amount < 0 ? "-" : ""}${whole}${rest && "."}${rest}`;
}
