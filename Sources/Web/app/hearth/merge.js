// Documents and the merge patches that change them (RFC 7396).
//
// All objects of a document are frozen and have no prototype, so a key may be called `__proto__`. Parts that a patch
// does not change keep their identity: a screen finds out with `===` whether it has anything to draw.

/** @import { Json, JsonObject } from "./types/library.d.ts" */

/**
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The document without anything in it. @type {JsonObject} */
export const nothing = Object.freeze(Object.create(null));

/**
 * A frozen copy without prototypes, of a value that came from outside.
 * @param {Json} value
 * @returns {Json}
 */
export function adopt(value) {
  if (Array.isArray(value)) return /** @type {Json} */ (Object.freeze(value.map(adopt)));
  if (!isObject(value)) return value;
  const copy = Object.create(null);
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (part !== undefined) copy[key] = adopt(part);
  }
  return Object.freeze(copy);
}

/**
 * Merges a patch into a document. Returns the same object if that changes nothing.
 * @param {Json | undefined} target
 * @param {Json} patch
 * @param {Set<object>} [fresh] objects that nobody else has seen: they are changed in place, and new ones are added;
 *   the caller freezes them. So many patches one after another copy a large table once
 * @returns {Json}
 */
export function merge(target, patch, fresh) {
  if (!isObject(patch)) {
    return Array.isArray(patch) && target !== undefined && isSame(target, patch) ? target : adopt(patch);
  }
  const before = isObject(target) ? target : nothing;
  let after = before;
  const edit = () => {
    if (after === before && !fresh?.has(before)) {
      after = copy(before);
      fresh?.add(after);
    }
    return after;
  };
  for (const key of Object.keys(patch)) {
    const change = /** @type {Json} */ (patch[key]);
    if (change === null) {
      if (key in after) delete edit()[key];
      continue;
    }
    const value = merge(before[key], change, fresh);
    if (value !== before[key]) edit()[key] = value;
  }
  return fresh || after === before ? after : Object.freeze(after);
}

/** @param {JsonObject} object @returns {JsonObject} */
function copy(object) {
  return Object.assign(Object.create(null), object);
}

/** @param {Json | undefined} one @param {Json | undefined} other @returns {boolean} */
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * The new value, with every part that equals the old one taken from there: so it keeps its identity.
 * @param {Json | undefined} old
 * @param {Json} value
 * @returns {Json}
 */
export function reuse(old, value) {
  if (old === value || !isObject(old) || !isObject(value)) {
    return old !== undefined && Array.isArray(value) && isSame(old, value) ? old : value;
  }
  const keys = Object.keys(value);
  let isEqual = keys.length === Object.keys(old).length;
  let isMixed = false;
  const mixed = Object.create(null);
  for (const key of keys) {
    const next = /** @type {Json} */ (value[key]);
    const part = mixed[key] = key in old ? reuse(old[key], next) : next;
    if (part !== old[key] || !(key in old)) isEqual = false;
    if (part !== next) isMixed = true;
  }
  return isEqual ? old : isMixed ? Object.freeze(mixed) : value;
}
