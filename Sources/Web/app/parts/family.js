// The words of one family of screens, under short keys.

import { needWords, t } from "./words.js";

/**
 * Loads a family of words; answers how to say them: `say("title")` is `t("shopping.title")`.
 * @param {string} family
 * @returns {Promise<(key: string, values?: Record<string, string | number>) => string>}
 */
export async function wordsOf(family) {
  await needWords(family);
  return (key, values) => t(`${family}.${key}`, values);
}
