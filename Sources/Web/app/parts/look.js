// Language and colours: choices of this device, kept on it.

import { language, preferredLanguage, speak } from "./words.js";

/** @typedef {"system" | "light" | "dark"} Scheme */

const SCHEME = "hearth.scheme";
const LANGUAGE = "hearth.language";

/** @returns {Scheme} */
export function scheme() {
  const kept = localStorage.getItem(SCHEME);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyScheme() {
  const wanted = scheme();
  if (wanted === "system") delete document.documentElement.dataset["scheme"];
  else document.documentElement.dataset["scheme"] = wanted;
}

/** @param {Scheme} next */
export function setScheme(next) {
  localStorage.setItem(SCHEME, next);
  applyScheme();
}

/** @returns {"system" | "en" | "de"} */
export function chosenLanguage() {
  const kept = localStorage.getItem(LANGUAGE);
  return kept === "en" || kept === "de" ? kept : "system";
}

export const restoreLanguage = () => {
  const kept = chosenLanguage();
  return speak(kept === "system" ? preferredLanguage() : kept);
};

/** @param {"system" | "en" | "de"} next */
export async function setLanguage(next) {
  localStorage.setItem(LANGUAGE, next);
  await restoreLanguage();
}

export { language };
