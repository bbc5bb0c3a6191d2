// How people are called: by their name, as "You", or as a former member.

import { mine, personIn, roomOf } from "./household.js";
import { h } from "./signal.js";
import { listed, t } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Member } from "./records.d.ts" */

/**
 * @param {HouseholdState | null} state @param {string | undefined} id
 * @param {string | null} [me] who reads it; left out, nobody is "You"
 * @returns {string}
 */
export function nameOf(state, id, me) {
  if (id && id === me) return t("you");
  const { name, number } = personIn(state, id);
  return name ?? (number ? t("formerMember", { number }) : t("somebody"));
}

/** Answers how those are called with whom the person lives. @param {Hearth} hearth */
export function mateNames(hearth) {
  const homes = Object.keys(mine(hearth).state.peek()?.households ?? {})
    .map((id) => roomOf(hearth, `household/${id}`));
  return (/** @type {string | undefined} */ id) =>
    homes.map(({ state }) => personIn(state.get(), id).name).find(Boolean) ?? t("somebody");
}

/** "for Bo" @param {HouseholdState | null} state @param {string} id @param {string | null} me */
export const forWhom = (state, id, me) => id === me ? t("forYou") : t("forName", { name: nameOf(state, id) });

/**
 * "You and Bo": the reader comes first.
 * @param {HouseholdState | null} state @param {readonly string[]} ids @param {string | null} me
 */
export const namesOf = (state, ids, me) =>
  listed(ids.toSorted((a, b) => Number(b === me) - Number(a === me)).map((id) => nameOf(state, id, me)));

/** An email address, which goes on in a second line at its host if it must. @param {string} address */
export const emailWords = (address) => address.split(/(?=@)/).flatMap((part, at) => at ? [h("wbr"), part] : part);

/** Members by the time when they came. @param {HouseholdState | null} state @returns {[string, Member][]} */
export const membersOf = (state) =>
  Object.entries(state?.members ?? {}).sort(([, a], [, b]) => (a.joinedAt < b.joinedAt ? -1 : 1));
