// Reads "2 l milk", "milk 2" or "1,5 kg Kartoffeln" as a name, a quantity and a unit, and writes quantities; pure.
//
// The server adds quantities of the same measure (protocol.md §8). The page therefore writes in its units
// where it has one, and in one word for each package: two bottles and one bottle are three bottles.

/** @typedef {{ name: string, quantity?: number, unit?: string }} Item */

/** The server's units, by what people write for them. */
const MEASURES = words({
  g: "g gr gramm gram grams gramme grammes",
  kg: "kg kilo kilos kilogramm kilogram kilograms",
  ml: "ml milliliter millilitre milliliters millilitres",
  cl: "cl zentiliter centilitre centilitres",
  dl: "dl deziliter decilitre decilitres",
  l: "l lt ltr liter litre liters litres",
  pc: "x × pc pcs piece pieces stück stueck stk stk. st st.",
  oz: "oz ounce ounces",
  lb: "lb lbs pound pounds",
});

/** Packages, in the languages of the page: one word, and the word for several. */
const PACKAGES = [
  ["pack", "packs"],
  ["packet", "packets"],
  ["bottle", "bottles"],
  ["can", "cans"],
  ["tin", "tins"],
  ["jar", "jars"],
  ["bag", "bags"],
  ["box", "boxes"],
  ["bunch", "bunches"],
  ["carton", "cartons"],
  ["crate", "crates"],
  ["loaf", "loaves"],
  ["roll", "rolls"],
  ["slice", "slices"],
  ["tube", "tubes"],
  ["bar", "bars"],
  ["cup", "cups"],
  ["Packung", "Packungen"],
  ["Päckchen", "Päckchen"],
  ["Flasche", "Flaschen"],
  ["Dose", "Dosen"],
  ["Glas", "Gläser"],
  ["Beutel", "Beutel"],
  ["Tüte", "Tüten"],
  ["Schachtel", "Schachteln"],
  ["Bund", "Bund"],
  ["Karton", "Kartons"],
  ["Kiste", "Kisten"],
  ["Kasten", "Kästen"],
  ["Laib", "Laibe"],
  ["Rolle", "Rollen"],
  ["Scheibe", "Scheiben"],
  ["Tube", "Tuben"],
  ["Tafel", "Tafeln"],
  ["Becher", "Becher"],
  ["Netz", "Netze"],
];

/** @type {Map<string, string>} */
const UNITS = new Map(MEASURES);
/** @type {Map<string, string>} The words for several, by the word for one. */
const PLURALS = new Map();
for (const [one = "", several = one] of PACKAGES) {
  PLURALS.set(one.toLowerCase(), several);
  for (const word of [one, several]) if (!UNITS.has(word.toLowerCase())) UNITS.set(word.toLowerCase(), one);
}

const DOZENS = new Set(["dozen", "dutzend"]);
const FRACTIONS = new Map([["½", 0.5], ["¼", 0.25], ["¾", 0.75], ["⅓", 0.333], ["⅔", 0.667]]);
/** The server's largest quantity. */
const LIMIT = 999_999_999.999;

/** @param {Record<string, string>} table @returns {Map<string, string>} */
function words(table) {
  return new Map(Object.entries(table).flatMap(([unit, all]) => all.split(" ").map((word) => [word, unit])));
}

/** Digits of other scripts as ASCII ones. @param {string} text */
export function plainDigits(text) {
  return text.replace(/[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\uFF10-\uFF19]/gu, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - ([0x0660, 0x06F0, 0x0966, 0xFF10].findLast((zero) => zero <= code) ?? 0));
  }).replaceAll("٫", ".");
}

/**
 * A number as people write it, or `undefined`. A comma or a point is the decimal sign, unless it stands as the
 * language's sign between thousands: `1.000` is a thousand in German and one in English.
 * @param {string} text @param {string} locale
 */
export function readNumber(text, locale = "en") {
  const plain = plainDigits(text);
  const fraction = /^(\d{0,9})([½¼¾⅓⅔])$/u.exec(plain) ?? /^(\d{1,9})\/(\d{1,3})$/u.exec(plain);
  if (fraction) {
    const [, whole = "", rest = ""] = fraction;
    const value = FRACTIONS.has(rest) ? Number(whole || 0) + (FRACTIONS.get(rest) ?? 0) : Number(whole) / Number(rest);
    return checked(value);
  }
  const group = groupSign(locale);
  const number = new RegExp(`^[1-9]\\d{0,2}(\\${group}\\d{3})+$`).test(plain) ? plain.replaceAll(group, "") : plain;
  if (!/^\d{1,9}([.,]\d{1,3})?$/.test(number)) return undefined;
  return checked(Number(number.replace(",", ".")));
}

/** @param {string} locale */
export function groupSign(locale) {
  const sign = new Intl.NumberFormat(locale).formatToParts(1.5).find((part) => part.type === "decimal")?.value;
  return sign === "," ? "." : ",";
}

/** @param {number} value */
function checked(value) {
  const rounded = Math.round(value * 1000) / 1000;
  return rounded > 0 && rounded <= LIMIT ? rounded : undefined;
}

/** One word for a unit, if it is one. @param {string | undefined} word */
export function readUnit(word) {
  return word === undefined ? undefined : UNITS.get(word.normalize("NFKC").toLowerCase());
}

/**
 * The name, quantity and unit in a typed line. A word that is not surely a quantity belongs to the name:
 * "7up", "milk 3.5 %", "3-in-1 cleaner".
 * @param {string} line @param {string} [locale] @returns {Item}
 */
export function parseItem(line, locale = "en") {
  const tokens = line.trim().split(/\s+/u).filter(Boolean);
  return atStart(tokens, locale) ?? atEnd(tokens, locale) ?? { name: tokens.join(" ") };
}

/** "2 l milk", "2l milk", "2x milk", "6 Eier", "2 bottles of wine". @param {string[]} tokens @param {string} locale */
function atStart(tokens, locale) {
  const amount = readAmount(tokens, locale);
  if (!amount) return null;
  const rest = tokens.slice(amount.length);
  if (amount.unit !== undefined && rest.length > 1 && /^(of|von|vom)$/iu.test(rest[0] ?? "")) rest.shift();
  return item(rest, amount);
}

/** "milk 2 l", "milk 2l", "milk x2", "eggs 6". @param {string[]} tokens @param {string} locale */
function atEnd(tokens, locale) {
  for (const length of [2, 1]) {
    const last = tokens.slice(-length);
    if (tokens.length <= length) continue;
    if (length === 1) last[0] = (last[0] ?? "").replace(/^[x×](?=\d)/iu, "");
    const amount = readAmount(last, locale);
    if (amount?.length === length) return item(tokens.slice(0, -length), amount);
  }
  return null;
}

/**
 * A quantity at the front, with its unit if there is one.
 * @param {string[]} tokens @param {string} locale
 * @returns {{ quantity: number, unit?: string, length: number } | null}
 */
function readAmount([first = "", second, third], locale) {
  if (DOZENS.has(first.toLowerCase()) && second !== undefined) return { quantity: 12, length: 1 };
  const number = readNumber(first, locale);
  if (number !== undefined) {
    if (second !== undefined && DOZENS.has(second.toLowerCase())) return { quantity: number * 12, length: 2 };
    const half = second === undefined ? undefined : FRACTIONS.get(second);
    if (half !== undefined) {
      const unit = readUnit(third);
      return { quantity: number + half, ...(unit === undefined ? {} : { unit }), length: unit === undefined ? 2 : 3 };
    }
    const unit = readUnit(second);
    return unit === undefined ? { quantity: number, length: 1 } : { quantity: number, unit, length: 2 };
  }
  // The number and the unit in one word, such as "500g". A letter that is no unit makes it a name, such as "7up".
  const [, digits = "", letters = ""] = /^([\p{Nd}.,/½¼¾⅓⅔٫]+)(\p{L}+\.?|×)$/u.exec(first) ?? [];
  const joined = readNumber(digits, locale);
  const unit = readUnit(letters);
  return joined === undefined || unit === undefined ? null : { quantity: joined, unit, length: 1 };
}

/** @param {string[]} name @param {{ quantity: number, unit?: string }} amount @returns {Item | null} */
function item(name, { quantity, unit }) {
  if (!name.length || name[0]?.startsWith("%")) return null;
  // Pieces need no unit: they are what a bare number counts.
  return { name: name.join(" "), quantity, ...(unit === undefined || unit === "pc" ? {} : { unit }) };
}

/**
 * The key that two names of one thing have in common, as the server makes it (R-MERGE): compatibility forms, case and
 * spaces do not count.
 * @param {string} name
 */
export function nameKey(name) {
  const folded = [...name.normalize("NFKC")]
    .map((letter) => letter === "ı" ? letter : letter.toLowerCase().toUpperCase().toLowerCase()).join("");
  return folded.normalize("NFKC").split(/\s+/u).filter(Boolean).join(" ");
}

/** The measure of a unit, and how many of the smallest unit it is. @param {string | undefined} unit */
export function measure(unit) {
  const key = unit === undefined ? "pc" : nameKey(unit);
  switch (key) {
    case "pc":
      return { kind: "count", factor: 1, base: "pc" };
    case "g":
      return { kind: "mass", factor: 1, base: "g" };
    case "kg":
      return { kind: "mass", factor: 1000, base: "g" };
    case "ml":
      return { kind: "volume", factor: 1, base: "ml" };
    case "cl":
      return { kind: "volume", factor: 10, base: "ml" };
    case "dl":
      return { kind: "volume", factor: 100, base: "ml" };
    case "l":
      return { kind: "volume", factor: 1000, base: "ml" };
    default:
      return { kind: `other ${key}`, factor: 1, base: null };
  }
}

/**
 * The sum of additions of one measure, as the server adds them: one without a quantity counts as 1; in thousandths, so
 * that 0.1 and 0.2 are 0.3. A single addition stays as it was written.
 * @param {{ quantity?: number | undefined, unit?: string | undefined }[]} parts
 * @returns {{ quantity?: number, unit?: string }}
 */
export function sum(parts) {
  const [first] = parts;
  if (!first) return {};
  /** @param {string | undefined} unit */
  const withUnit = (unit) => unit === undefined ? {} : { unit };
  if (parts.length === 1) {
    return { ...(first.quantity === undefined ? {} : { quantity: first.quantity }), ...withUnit(first.unit) };
  }
  const base = parts.every((part) => part.unit === first.unit) ? null : measure(first.unit).base;
  const thousandths = parts.reduce(
    (all, { quantity = 1, unit }) => all + Math.round(quantity * 1000) * (base === null ? 1 : measure(unit).factor),
    0,
  );
  return { quantity: thousandths / 1000, ...withUnit(base ?? first.unit) };
}

/**
 * A quantity as a list shows it: "1.5 l" and not "1500 ml", "3 bottles", and a bare number for pieces.
 * @param {number | undefined} quantity @param {string | undefined} unit @param {string} [locale]
 */
export function quantityText(quantity, unit, locale = "en") {
  if (quantity === undefined) return unit === undefined || unit === "pc" ? "" : unit;
  const big = quantity >= 1000 && (unit === "g" || unit === "ml");
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 }).format(big ? quantity / 1000 : quantity);
  if (unit === undefined || unit === "pc") return number;
  const word = big ? (unit === "g" ? "kg" : "l") : unit;
  return `${number}\u00A0${quantity === 1 ? word : PLURALS.get(word.toLowerCase()) ?? word}`;
}
