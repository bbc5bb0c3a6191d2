// Where I am, for my own eyes: how far others are from me. It is told to nobody.

import { askHeading } from "./heading.js";

/**
 * @typedef {{ place: { lat: number, lon: number }, accuracy: number }} Here
 * @typedef {"unknown" | "asking" | "known" | "denied" | "unavailable"} HereState
 */

/** @type {{ state: HereState, here: Here | null }} */
export const mine = { state: "unknown", here: null };

/** @type {Set<() => void>} */ const listeners = new Set();
/** @type {number | null} */ let watch = null;

/** @param {HereState} state @param {Here | null} here */
function set(state, here) {
  Object.assign(mine, { state, here });
  for (const f of listeners) f();
}

/** Calls `f` whenever I am elsewhere. The place is watched only while somebody listens. @param {() => void} f */
export function onHere(f) {
  listeners.add(f);
  // Only if I have allowed it before: a question that nobody has asked for would be refused, and then stays so.
  navigator.permissions?.query({ name: "geolocation" }).then(({ state }) => {
    if (state === "granted" && listeners.has(f)) locate();
  }, () => {});
  return () => {
    listeners.delete(f);
    if (listeners.size || watch === null) return;
    navigator.geolocation.clearWatch(watch);
    watch = null;
    set("unknown", null);
  };
}

/** Finds out where I am, asking me if need be: after a tap on a button that says why. */
export function locate() {
  if (watch !== null) return;
  if (!navigator.geolocation) return set("unavailable", null);
  set("asking", mine.here);
  watch = navigator.geolocation.watchPosition(({ coords }) => {
    const { latitude: lat, longitude: lon, accuracy } = coords;
    set("known", { place: { lat, lon }, accuracy });
  }, ({ code }) => {
    set(code === 1 ? "denied" : mine.here ? "known" : "unavailable", mine.here);
    if (code !== 1 || watch === null) return;
    navigator.geolocation.clearWatch(watch);
    watch = null;
  }, { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 });
}

/** Asks for the place and the heading; must be called while a tap is handled. */
export function locateAndTurn() {
  askHeading();
  locate();
}

/** Where I am, once. @returns {Promise<Here | null>} */
export function once() {
  return new Promise((resolve) => {
    if (!navigator.geolocation) return resolve(null);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        resolve({ place: { lat: coords.latitude, lon: coords.longitude }, accuracy: coords.accuracy });
      },
      () => resolve(null),
      { enableHighAccuracy: true, maximumAge: 10_000, timeout: 15_000 },
    );
  });
}
