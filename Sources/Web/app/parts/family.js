// A family of screens loads its words and its style sheet before one of them is shown.

import { needWords, t } from "./words.js";

/**
 * Loads both. Answers how to say the words, under short keys: `say("title")` is `t("shopping.title")`.
 * @param {string} family `screens/FAMILY.css` and `strings/FAMILY.LANGUAGE.js`
 * @returns {Promise<(key: string, values?: Record<string, string | number | undefined>) => string>}
 */
export async function wordsOf(family) {
  await Promise.all([needWords(family), styleOf(family)]);
  return (key, values) => t(`${family}.${key}`, values);
}

/** @type {Map<string, Promise<void>>} */ const styles = new Map();

/** Loads a style sheet alone. @param {string} family `screens/FAMILY.css` */
export function styleOf(family) {
  const { href } = new URL(`../screens/${family}.css`, import.meta.url);
  let loaded = styles.get(href);
  if (loaded) return loaded;
  loaded = new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    // A screen without its style sheet is better than none.
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
  styles.set(href, loaded);
  return loaded;
}
