// The people whom I know here: housemates of all my households, and contacts.

import { mine, roomOf } from "./household.js";
import { computed, onEnd, scope } from "./signal.js";
import { language } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Home } from "./household.js" */

/**
 * Everybody with whom I may share a position, without me, by name; while the scope around lasts.
 * @param {Hearth} hearth @returns {{ get(): [string, string][] }}
 */
export function acquaintances(hearth) {
  const me = mine(hearth);
  /** @type {Map<string, { value: Home, end: () => void }>} */
  const rooms = new Map();
  onEnd(() => rooms.forEach(({ end }) => end()));
  return computed(() => {
    /** @type {Map<string, string>} */
    const people = new Map();
    for (const [person, { name }] of Object.entries(me.state.get()?.contacts ?? {})) people.set(person, name);
    for (const household of Object.keys(me.state.get()?.households ?? {})) {
      let room = rooms.get(household);
      if (!room) rooms.set(household, room = scope(() => roomOf(hearth, `household/${household}`)));
      for (const [person, { name }] of Object.entries(room.value.state.get()?.members ?? {})) people.set(person, name);
    }
    people.delete(hearth.me ?? "");
    return [...people].sort(([, a], [, b]) => a.localeCompare(b, language.peek()));
  });
}
