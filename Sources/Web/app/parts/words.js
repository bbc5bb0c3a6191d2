// The words of the page, in the person's language. A family of words is loaded with the screens that need it.

import { signal } from "./signal.js";

/** @typedef {string | Record<string, string>} Word a text, or one for each plural form of `{n}` */

export const LANGUAGES = /** @type {const} */ ({ en: "English", de: "Deutsch" });

/** @type {Record<string, Word>} */ let table = {};
/** @type {Set<string>} */ const families = new Set();
/** The language that is shown; whatever shows dates and numbers depends on it. */
export const language = signal(/** @type {"en" | "de"} */ ("en"));

/** The first of the person's languages that there are words in. @returns {"en" | "de"} */
export function preferredLanguage() {
  for (const wanted of navigator.languages ?? []) {
    const short = wanted.slice(0, 2);
    if (short === "en" || short === "de") return short;
  }
  return "en";
}

/** The person's own variety of the language that is shown, such as en-GB: times and numbers follow it. */
export function locale() {
  const short = language.get();
  return navigator.languages?.find((wanted) => wanted.slice(0, 2) === short) ?? (short === "en" ? "en-GB" : short);
}

/** @param {string} family @param {"en" | "de"} of */
async function load(family, of) {
  const module = await import(`../strings/${family && `${family}.`}${of}.js`);
  return /** @type {Record<string, Word>} */ (module.default);
}

/** Adds a family of words, such as "out": `strings/out.en.js`, `strings/out.de.js`. @param {string} family */
export async function needWords(family) {
  if (families.has(family)) return;
  const words = await load(family, language.peek());
  families.add(family);
  Object.assign(table, words);
}

/**
 * For the top of a screen's module: `const t = await words("out")`. @param {string} family
 */
export async function words(family) {
  await needWords(family);
  return t;
}

/** @param {"en" | "de"} next */
export async function speak(next) {
  families.add("");
  const all = await Promise.all([...families].map((family) => load(family, next)));
  table = Object.assign({}, ...all);
  document.documentElement.lang = next;
  language.set(next);
}

/**
 * The text of `key` with its `{places}` filled; a number `n` chooses the plural form.
 * @param {string} key @param {Record<string, string | number | undefined>} [values]
 */
export function t(key, values = {}) {
  let word = table[key];
  if (word === undefined) {
    reportError(new Error(`no words for ${key}`));
    return key;
  }
  if (typeof word !== "string") {
    const form = new Intl.PluralRules(language.peek()).select(Number(values.n));
    word = word[form] ?? word.other ?? "";
  }
  return word.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? new Intl.NumberFormat(locale()).format(value) : isolated(value);
  });
}

/** Whether there are words for `key`. @param {string} key */
export const hasWords = (key) => key in table;

/** A name that runs from right to left must not turn the sentence around it. @param {string} text */
function isolated(text) {
  return /[\u0590-\u08ff\ufb1d-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text;
}

/** "Ana, Bo and Chiara" @param {string[]} names */
export const listed = (names) => new Intl.ListFormat(language.peek()).format(names.map(isolated));
