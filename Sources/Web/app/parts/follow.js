// A field that others may change while it is open.

import { computed, effect } from "./signal.js";

/** @import { Field } from "./screen.js" */

/**
 * Lets a field show what is true until the person types; `isChanged` tells whether they have.
 * @param {Field} field @param {() => string | undefined} read
 */
export function follow(field, read) {
  const { input, value } = field;
  const truth = computed(() => read() ?? "");
  let shown = value();
  effect(() => {
    const now = truth.get();
    if (value() !== shown && value().trim() !== now) return;
    if (value() !== now) {
      input.value = now;
      input.dispatchEvent(new Event("input"));
    }
    // A list may lack the value.
    shown = value();
  });
  return { ...field, isChanged: () => value() !== shown };
}
