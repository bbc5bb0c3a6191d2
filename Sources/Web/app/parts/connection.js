// Whether the page is connected, as far as a person needs to know.

import { computed, effect, observe, onEnd, signal } from "./signal.js";

/** @import { Hearth } from "../hearth/hearth.js" */

/** True once there has been no connection for three seconds; shorter gaps are nobody's business. */
export const isCutOff = signal(false);
const hasNetwork = signal(navigator.onLine);
for (const event of ["online", "offline"]) addEventListener(event, () => hasNetwork.set(navigator.onLine));

/** Whether a change is sent at once. @param {Hearth} hearth */
export const isOnline = (hearth) => hasNetwork.peek() && hearth.phase === "live";

/** Called once by the shell. @param {Hearth} hearth */
export function watchConnection(hearth) {
  const phase = observe(hearth, ({ phase }) => phase);
  const isAway = computed(() => !hasNetwork.get() || ["offline", "connecting"].includes(phase.get()));
  effect(() => {
    if (!isAway.get()) return isCutOff.set(false);
    const timer = setTimeout(() => isCutOff.set(true), 3000);
    onEnd(() => clearTimeout(timer));
  });
}
