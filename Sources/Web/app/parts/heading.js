// Which way this phone points, for the cone at one's own dot on a map. It is told to nobody.

import { computed, effect, onEnd, signal } from "./signal.js";

/**
 * The fields of an event that are read; only iPhones have the last two.
 * @typedef {{ absolute?: boolean, alpha?: number | null, webkitCompassHeading?: number,
 *   webkitCompassAccuracy?: number }} Turn
 */

/**
 * Degrees clockwise from north to which the upper edge of the screen points, or null if that is not known: without a
 * magnet the phone's zero is any direction. @param {Turn} event @param {number} rotation of the screen, in degrees
 */
export function headingOf({ absolute, alpha, webkitCompassHeading, webkitCompassAccuracy = 0 }, rotation) {
  // `alpha` counts to the left.
  const edge = webkitCompassHeading ?? (absolute && alpha != null ? 360 - alpha : NaN);
  return Number.isFinite(edge) && webkitCompassAccuracy >= 0 ? (edge + rotation + 360) % 360 : null;
}

/** Asks an iPhone for permission to hear its motion. It refuses unless a tap is being handled. */
export function askHeading() {
  const ask = /** @type {any} */ (globalThis).DeviceOrientationEvent?.requestPermission;
  ask?.call(DeviceOrientationEvent).catch(() => {});
}

/**
 * The heading as a signal, while the scope around it lasts. The phone is heard only while its place is known.
 * @param {{ get(): unknown }} place
 */
export function headingAt(place) {
  const found = signal(/** @type {number | null} */ (null));
  const isShown = computed(() => Boolean(place.get()));
  effect(() => {
    if (!isShown.get()) return found.set(null);
    let frame = 0;
    /** @type {Turn} */ let last = {};
    const take = () => {
      frame = 0;
      found.set(headingOf(last, screen.orientation?.angle ?? 0));
    };
    const hear = (/** @type {Event} */ event) => {
      last = /** @type {any} */ (event);
      frame ||= requestAnimationFrame(take);
    };
    // In browsers that have the first event, the second one does not count from north.
    const name = "ondeviceorientationabsolute" in globalThis ? "deviceorientationabsolute" : "deviceorientation";
    addEventListener(name, hear);
    onEnd(() => {
      removeEventListener(name, hear);
      cancelAnimationFrame(frame);
    });
  });
  return found;
}
