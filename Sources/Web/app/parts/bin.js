// Things that this person has just done and can still take back: for ten minutes, in the memory of this page only.

import { computed, signal } from "./signal.js";
import { now } from "./when.js";

/** Milliseconds: the ten minutes of the server, less the 15 s by which `now` may be late. */
const KEPT = 585_000;
const MOST = 20;

/**
 * @typedef {() => unknown} Undo answers, or resolves to, false if it has not worked
 * @typedef {{ id: string, text: string, about: string, at: number, undo: Undo }} Done
 */

const all = signal(/** @type {Done[]} */ ([]));
let count = 0;

/** The newest first. */
export const bin = computed(() => all.get().filter(({ at }) => now.get() - at < KEPT));

/**
 * @param {string} text what was done @param {Undo} undo works also when the screen is gone that it comes from
 * @param {string} about which thing, where the text does not say it
 */
export function keep(text, undo, about) {
  const one = { id: String(++count), text, about, at: Date.now(), undo };
  all.update((before) => [one, ...before].slice(0, MOST));
  return one;
}

/** Takes it back once, and answers whether it has. If that fails, it stays in the bin. @param {Done} one */
export async function takeBack(one) {
  if (!all.peek().includes(one)) return false;
  all.update((before) => before.filter((other) => other !== one));
  if (await one.undo() !== false) return true;
  all.update((before) => [...before, one].sort((a, b) => Number(b.id) - Number(a.id)));
  return false;
}

/** Called when the person changes. */
export const emptyBin = () => all.set([]);
