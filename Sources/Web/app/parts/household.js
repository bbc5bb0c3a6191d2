// Which household the person looks at, and the rooms that screens read from.

import { computed, observe, onEnd, scope, signal } from "./signal.js";

/** @import { Hearth, Room } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */

/** Kept on this device only: which household was open last. */
const KEY = "hearth.household";

/** @type {ReturnType<typeof signal<string | null>>} */
const chosen = signal(localStorage.getItem(KEY));

/** @type {WeakMap<Hearth, ReturnType<typeof roomOf<"me">>>} */ const known = new WeakMap();

/**
 * The state of a room as a signal, while the scope around it lasts.
 * @template {string} N
 * @param {Hearth} hearth @param {N} name
 */
export function roomOf(hearth, name) {
  const room = hearth.room(name);
  onEnd(() => room.close());
  const tick = observe(room, () => ({}));
  /** @template T @param {(from: Room<N>) => T} read */
  const part = (read) => computed(() => (tick.get(), read(room)));
  return {
    room,
    name,
    state: part((one) => one.state),
    status: part((one) => one.status),
    live: part((one) => one.live),
    presence: part((one) => one.presence),
  };
}

/** @typedef {ReturnType<typeof roomOf<`household/${string}`>>} Home */

/** The person's own room; one for the whole page. @param {Hearth} hearth */
export function mine(hearth) {
  let made = known.get(hearth);
  if (!made) known.set(hearth, made = scope(() => roomOf(hearth, "me")).value);
  return made;
}

/**
 * The id of the household that is open, or null: the one that was chosen, else the one joined first.
 * @param {Hearth} hearth
 */
export function household(hearth) {
  const me = mine(hearth);
  return computed(() => {
    const all = me.state.get()?.households ?? {};
    const wanted = chosen.get();
    if (wanted && wanted in all) return wanted;
    return Object.entries(all).sort(([, a], [, b]) => (a.at < b.at ? -1 : 1))[0]?.[0] ?? null;
  });
}

/** Opens another household. @param {string} id */
export function choose(id) {
  localStorage.setItem(KEY, id);
  chosen.set(id);
}

/** Forgets the choice, when the person logs out. */
export function forgetChoice() {
  localStorage.removeItem(KEY);
  chosen.set(null);
}

/**
 * The name of a person in a household's document: a member, or one who has left. Answers null for a deleted account
 * that has no number yet.
 * @param {HouseholdState | null} state @param {string | undefined} id @returns {{ name?: string, number?: number }}
 */
export function personIn(state, id) {
  if (!id) return {};
  return state?.members?.[id] ?? state?.former?.[id] ?? {};
}
