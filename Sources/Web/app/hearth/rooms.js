// One function changes what is known of a room, whether the leading tab has it from the server or another tab from
// that one.

/** @import { Json, JsonObject, RoomEvent, Shown, Snapshot } from "./types/library.d.ts" */
import { adopt, isObject, merge, nothing } from "./merge.js";

/**
 * The snapshot after an event: null if the room no longer exists, undefined if something was missed before.
 * @param {Snapshot | null} known
 * @param {RoomEvent} event
 * @returns {Snapshot | null | undefined}
 */
export function reduce(known, event) {
  switch (event.kind) {
    case "state": {
      const { epoch, version, state, live } = event;
      return { epoch, version, state: object(adopt(state)), live: object(adopt(live)) };
    }
    case "patch":
      // A patch that is known already has no effect, which is why `from` may be earlier than the known version.
      if (!known || event.version <= known.version) return known;
      if (event.from > known.version) return undefined;
      return { ...known, version: event.version, state: object(merge(known.state, event.patch)) };
    case "live":
      return known && { ...known, live: object(event.whole ? adopt(event.patch) : merge(known.live, event.patch)) };
    case "current":
      return known;
    case "closed":
      return null;
  }
}

/**
 * A document with unconfirmed changes on top.
 *
 * The part of a change that belongs to a row which has gone meanwhile is left out: merged, it would bring back half
 * a row.
 * @param {JsonObject} state
 * @param {Pick<Shown, "patch" | "needs">[]} changes in their order
 * @returns {JsonObject}
 */
export function show(state, changes) {
  /** @type {Set<object>} */ const fresh = new Set();
  for (const { patch, needs } of changes) {
    let left = /** @type {Json} */ (patch);
    for (const path of needs) if (!isObject(at(state, path))) left = without(left, path);
    state = object(merge(state, left, fresh));
  }
  fresh.forEach(Object.freeze);
  return state;
}

/**
 * The rows that a patch changes and that are there now, as paths.
 *
 * Documents alternate: a table at the first level, its rows at the second, lists in a row at the third, their rows at
 * the fourth. Tables are not needed, since empty ones are left out of documents.
 * @param {JsonObject} state
 * @param {JsonObject} patch
 * @returns {string[][]}
 */
export function rowsOf(state, patch) {
  /** @type {string[][]} */ const needs = [];
  /** @param {Json | undefined} value @param {Json | undefined} change @param {string[]} path */
  const walk = (value, change, path) => {
    if (!isObject(value) || !isObject(change) || path.length > 4) return;
    if (path.length === 2 || path.length === 4) needs.push(path);
    for (const key of Object.keys(change)) walk(value[key], change[key], [...path, key]);
  };
  walk(state, patch, []);
  return needs;
}

/** @param {Json | undefined} value @param {string[]} path */
function at(value, path) {
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value;
}

/** @param {Json} patch @param {string[]} path @returns {Json} */
function without(patch, [key = "", ...rest]) {
  if (!isObject(patch) || !(key in patch)) return patch;
  const copy = Object.assign(Object.create(null), patch);
  if (rest.length) copy[key] = without(copy[key], rest);
  else delete copy[key];
  return copy;
}

/** @param {Json} value @returns {JsonObject} */
function object(value) {
  return isObject(value) ? value : nothing;
}
