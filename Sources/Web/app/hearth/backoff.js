// When to come back after a connection has ended, and whether at all.

/** @import { End } from "./types/library.d.ts" */

/**
 * Delays before reconnections: random, up to a ceiling that doubles with each failure ("full jitter"), so that clients
 * do not all come back at once.
 */
export class Backoff {
  /** Failures since the last stable connection. */
  failures = 0;

  /** @param {{ base?: number, cap?: number }} [limits] ceilings in ms: after the first failure, and after any number */
  constructor({ base = 500, cap = 30_000 } = {}) {
    this.base = base;
    this.cap = cap;
  }

  /** The longest delay after the next failure, in ms. */
  get ceiling() {
    return Math.min(this.cap, this.base * 2 ** this.failures);
  }

  /**
   * The delay after a failure, in ms.
   * @param {number} unit random, from 0 to below 1
   */
  next(unit) {
    const delay = this.ceiling * unit;
    // Beyond the cap nothing changes; without a bound, 2 ** failures would overflow one day.
    this.failures = Math.min(this.failures + 1, 30);
    return delay;
  }

  reset() {
    this.failures = 0;
  }
}

/**
 * The step after the end of a connection: come back after at least `atLeast` ms or `exactly` some, stop and keep
 * everything, or forget everything.
 * @typedef {{ atLeast: number } | { exactly: number } | "stop" | "forget"} Recovery
 *
 * @param {End} end
 * @returns {Recovery}
 */
export function recovery(end) {
  switch (end.reason) {
    case "leaving":
      // The server has spread its clients over time already.
      return { exactly: end.delay ?? 0 };
    case "sessionEnded":
      return end.why === "expired" ? "stop" : "forget";
    case "refused":
      if (end.error?.temporary) return { atLeast: end.error.retryAfter ?? 0 };
      if (end.error?.code !== 1) return "stop";
      // For a call, `unauthorized` means that the server has forgotten hello; the others, that the token is no good.
      if (end.error.reason === "unauthorized") return { atLeast: 0 };
      return end.error.reason === "expired" ? "stop" : "forget";
  }
  const code = end.code ?? 0;
  if (code === 4101 || code === 4102) return "forget";
  // 4002: another token is needed. 4006: another tab goes on; coming back would close its connection in turn.
  if (code === 4002 || code === 4006 || code >= 4100 && code < 4200) return "stop";
  return { atLeast: 0 };
}
