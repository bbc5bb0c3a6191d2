// The changes without a final answer, in the order of their numbers.
//
// A change is on disk before it is shown or sent. It keeps its number over all repetitions, and gets a new one only if
// the server says that it had no effect. The server may forget (`answered`) only
// those that have left the disk.

/** @import { Answer, Entry, Intent, JsonObject, Refusal, Shown } from "./types/library.d.ts" */
import { isObject } from "./merge.js";
import { refusal } from "./refusal.js";

/** The most numbers in use in a room, from the oldest unanswered one on: the server remembers as many answers. */
export const WINDOW = 64;
/** A delay up to this also holds back later changes of the room, which keeps their order. */
const SHORT_DELAY = 10_000;
/** A change that was sent longer ago must not be sent again: the server remembers answers for 30 days. */
const AGE = 29 * 24 * 3600_000;
/** Members of calls that the library sets. */
const RESERVED = ["room", "seq", "answered"];
/** The largest message that the server reads, less what the protocol adds to parameters. */
const MESSAGE_BYTES = 65_536 - 300;

/**
 * The effect of an answer of the server on a change.
 * @typedef {"answered" | "refused" | "delayed" | "renumbered" | "unauthorized" | "puzzled"} Outcome
 */

/**
 * Why the server could never read a change; null if it can. Unreadable ones would be sent again and again.
 * @param {Pick<Intent, "method" | "params" | "room" | "patch">} intent
 * @returns {Refusal | null}
 */
export function unreadable({ method, params, room }) {
  if (!isObject(params)) return refusal("params", "The parameters must be an object.");
  for (const name of RESERVED) {
    if (name in params) return refusal("reserved", `The parameter ${name} is set by the library itself.`);
  }
  // The parameters stand in an object, within the server's 32 levels and 10,000 values and keys.
  let nodes = 0;
  /** @param {unknown} value @param {number} depth @returns {boolean} */
  const fits = (value, depth) => {
    if (++nodes > 9_900 || depth > 30) return false;
    if (typeof value !== "object" || value === null) return true;
    if (!Array.isArray(value)) nodes += Object.keys(value).length;
    return Object.values(value).every((part) => fits(part, depth + 1));
  };
  if (!fits(params, 1)) return refusal("tooMuch", "This is too complex to be sent.");
  if (bytes(JSON.stringify({ method, params, room })) > MESSAGE_BYTES) {
    return refusal("tooMuch", "This is too long to be sent.");
  }
  return null;
}

/** @param {string} text */
function bytes(text) {
  return new TextEncoder().encode(text).length;
}

/** @param {Entry} entry @returns {boolean} whether its final answer is missing */
function isOpen({ state }) {
  return state === "storing" || state === "ready" || state === "sent" || state === "delayed";
}

export class Queue {
  /** @type {Entry[]} */ entries = [];
  /** Refused for good, until somebody discards or retries them. @type {Intent[]} */
  refused = [];
  /** New numbers must not be below it. */
  floor = 1;
  /** Grows with every change of what is shown or listed. */
  revision = 0;
  /** By room, the number up to which all answers are recorded on disk. @type {Map<string, number>} */
  #answeredUpTo = new Map();
  /** By room, the highest of these that the server has been told on this connection. @type {Map<string, number>} */
  #reportedUpTo = new Map();

  /** @param {{ changes?: number, bytes?: number }} [limits] the most open changes, and bytes of them */
  constructor({ changes = 1000, bytes = 4 << 20 } = {}) {
    this.limits = { changes, bytes };
  }

  /**
   * Takes over what is on disk already: from an earlier run, or written by another tab.
   * @param {Intent[]} intents
   * @param {number} [sends] 0 if they certainly were not sent
   */
  restore(intents, sends = 1) {
    for (const intent of intents) {
      this.floor = Math.max(this.floor, intent.number + 1);
      if (this.refused.some(({ id }) => id === intent.id)) continue;
      if (this.entries.some((entry) => entry.intent.id === intent.id)) continue;
      this.revision++;
      if (intent.error) this.refused.push(intent);
      else this.#insert({ ...this.#entry(intent), state: "ready", sends, isShown: intent.patch !== null });
    }
  }

  /**
   * Adds a new change, to be written. Returns the reason if there is no room for it.
   * @param {Intent} intent
   * @returns {Refusal | null}
   */
  add(intent) {
    const entry = this.#entry(intent);
    const open = this.entries.filter(isOpen);
    const sum = open.reduce((sum, { bytes }) => sum + bytes, entry.bytes);
    if (open.length >= this.limits.changes || sum > this.limits.bytes) {
      return refusal("tooMuch", "Too much is waiting to be sent.");
    }
    this.entries.push(entry);
    return null;
  }

  /** @param {Intent} intent @returns {Entry} */
  #entry(intent) {
    const size = 100 + bytes(JSON.stringify([intent.method, intent.params, intent.patch]));
    return {
      intent,
      state: "storing",
      isTaken: false,
      call: 0,
      until: 0,
      delays: 0,
      sends: 0,
      isShown: false,
      settlesAt: null,
      bytes: size,
    };
  }

  /** @param {Entry} entry */
  #insert(entry) {
    const { number } = entry.intent;
    const index = this.entries.findIndex(({ state, intent }) => state === "storing" || intent.number > number);
    this.entries.splice(index < 0 ? this.entries.length : index, 0, entry);
  }

  // MARK: disk

  /** The intents that need a number now. Afterwards call `stored` or `notStored`. @returns {Intent[]} */
  takeUnstored() {
    const found = this.entries.filter(({ state, isTaken }) => state === "storing" && !isTaken);
    for (const entry of found) entry.isTaken = true;
    return found.map(({ intent }) => intent);
  }

  /**
   * They are on disk under these numbers. Returns the ids of those that are new.
   * @param {{ id: string, number: number }[]} numbers
   * @returns {string[]}
   */
  stored(numbers) {
    /** @type {string[]} */ const fresh = [];
    for (const { id, number } of numbers) {
      this.floor = Math.max(this.floor, number + 1);
      const entry = this.entries.find(({ intent }) => intent.id === id);
      if (!entry || entry.state !== "storing") continue;
      if (!entry.intent.number) fresh.push(id);
      entry.intent = { ...entry.intent, number };
      entry.state = "ready";
      entry.isTaken = false;
      entry.isShown = entry.intent.patch !== null;
      this.revision++;
    }
    return fresh;
  }

  /**
   * Writing them has failed. Returns the ids of those that were new, which are dropped; the others try again.
   * @param {string[]} ids
   * @param {number} now
   */
  notStored(ids, now) {
    /** @type {string[]} */ const lost = [];
    this.entries = this.entries.filter((entry) => {
      if (entry.state !== "storing" || !ids.includes(entry.intent.id)) return true;
      entry.isTaken = false;
      entry.state = "delayed";
      entry.until = now + 1000;
      if (!entry.intent.number) lost.push(entry.intent.id);
      return entry.intent.number > 0;
    });
    return lost;
  }

  /**
   * Changes that can leave the disk with the documents: answered ones whose effect these have.
   * @returns {{ done: number[], refused: Intent[] }}
   */
  takeAnswered() {
    /** @type {number[]} */ const done = [];
    /** @type {Intent[]} */ const refused = [];
    for (const entry of this.entries) {
      if (entry.state !== "answered" || entry.settlesAt !== null) continue;
      entry.state = "leaving";
      const kept = this.refused.find(({ id, number }) => id === entry.intent.id && number === entry.intent.number);
      if (kept) refused.push(kept);
      else done.push(entry.intent.number);
    }
    return { done, refused };
  }

  /** The taken ones have left the disk, or (`false`) have not. @param {boolean} isWritten */
  left(isWritten) {
    for (const entry of this.entries) if (entry.state === "leaving") entry.state = isWritten ? "done" : "answered";
    this.#prune();
  }

  get hasAnswered() {
    return this.entries.some(({ state, settlesAt }) => state === "answered" && settlesAt === null);
  }

  /** Forgets everything but the used numbers. Returns the ids of the open changes. */
  wipe() {
    const lost = this.entries.filter(isOpen).map(({ intent }) => intent.id);
    this.entries = [];
    this.refused = [];
    this.#answeredUpTo.clear();
    this.#reportedUpTo.clear();
    this.revision++;
    return lost;
  }

  // MARK: sending

  /**
   * Refuses changes that may have been carried out so long ago that the server has forgotten its answer.
   * @param {number} wall the device's clock
   * @returns {{ id: string, error: Refusal }[]}
   */
  expire(wall) {
    const old = this.entries.filter((entry) => isOpen(entry) && entry.sends > 0 && wall - entry.intent.at > AGE);
    const error = refusal("outdated", "This has waited too long to be sent again.");
    for (const entry of old) this.#refuse(entry, error);
    return old.map(({ intent }) => ({ id: intent.id, error }));
  }

  /**
   * Sends what is due, in order. Returns true if answers must leave the disk before more can be sent.
   *
   * Rooms do not wait for each other, but for `me`: a change there may make the room of a later one.
   * @param {number} now
   * @param {(intent: Intent, answered: number) => number} send returns the number of the call
   */
  sendReady(now, send) {
    /** @type {Map<string, number>} */ const used = new Map();
    /** @type {Set<string>} */ const blocked = new Set();
    let isPendingInMe = false;
    let isPendingElsewhere = false;
    let isStalled = false;
    for (const entry of this.entries) {
      const { room } = entry.intent;
      // The number of a delayed change is void.
      if (entry.state === "delayed") {
        if (entry.until - now > SHORT_DELAY) continue;
      } else used.set(room, (used.get(room) ?? 0) + 1);
      if (!isOpen(entry)) continue;
      if (entry.state !== "sent") {
        const isFree = !blocked.has(room) && !(room === "me" ? isPendingElsewhere : isPendingInMe);
        if (entry.state !== "ready" || !isFree) blocked.add(room);
        else if ((used.get(room) ?? 0) > WINDOW) {
          blocked.add(room);
          isStalled = true;
        } else {
          entry.call = send(entry.intent, this.#takeMark(room));
          entry.state = "sent";
          entry.sends++;
          // It can no longer be discarded.
          this.revision++;
        }
      }
      if (room === "me") isPendingInMe = true;
      else isPendingElsewhere = true;
    }
    return isStalled && this.hasAnswered;
  }

  /** The number up to which the server may forget its answers in a room; 0 if it knows already. @param {string} room */
  #takeMark(room) {
    let mark = this.#answeredUpTo.get(room) ?? 0;
    for (const { intent, state } of this.entries) {
      if (intent.room !== room || state === "done" || state === "delayed" || state === "storing") continue;
      mark = Math.min(mark, intent.number - 1);
    }
    if (mark <= (this.#reportedUpTo.get(room) ?? 0)) return 0;
    this.#reportedUpTo.set(room, mark);
    return mark;
  }

  /**
   * Takes the answer to a call; undefined if the call is none of the queue's.
   * @param {number} call
   * @param {Answer} answer
   * @param {number} now
   * @returns {{ outcome: Outcome, entry: Entry } | undefined}
   */
  take(call, answer, now) {
    const entry = this.entries.find((entry) => entry.state === "sent" && entry.call === call);
    if (!entry) return undefined;
    if ("result" in answer) {
      const { version } = answer.result;
      return this.#answered(entry, typeof version === "number" ? version : null);
    }
    const { error } = answer;
    const { code, reason } = error;
    if (code === 4 && reason === "skipped") {
      this.#renumber(entry, now);
      return { outcome: "renumbered", entry };
    }
    if (reason === "puzzleNeeded" && isObject(error.data.puzzle)) {
      entry.state = "delayed";
      entry.until = Infinity;
      return { outcome: "puzzled", entry };
    }
    if (error.temporary) {
      entry.state = "delayed";
      entry.until = now + Math.max(error.retryAfter ?? 1000 * 2 ** Math.min(entry.delays, 6), 10);
      entry.delays++;
      return { outcome: "delayed", entry };
    }
    if (code === 1 && reason === "unauthorized") {
      entry.state = "ready";
      return { outcome: "unauthorized", entry };
    }
    // Sent again after it has ended the membership: this says that it is done.
    if (code === 3 && entry.sends > 1 && entry.intent.method === "members.leave") return this.#answered(entry, null);
    this.#refuse(entry, error);
    return { outcome: "refused", entry };
  }

  /** @param {Entry} entry @param {number | null} version @returns {{ outcome: Outcome, entry: Entry }} */
  #answered(entry, version) {
    entry.state = "answered";
    entry.settlesAt = version;
    this.revision++;
    return { outcome: "answered", entry };
  }

  /** @param {Entry} entry @param {Refusal} error */
  #refuse(entry, error) {
    this.#hide(entry);
    entry.state = "answered";
    this.refused.push({ ...entry.intent, error });
    this.revision++;
  }

  /** @param {number} now */
  tick(now) {
    for (let entry; (entry = this.entries.find((entry) => this.#dueAt(entry) <= now));) {
      this.#renumber(entry, now);
    }
  }

  /** The end of the next delay. */
  get deadline() {
    return Math.min(...this.entries.map((entry) => this.#dueAt(entry)));
  }

  /**
   * When a delayed change gets a new number. While a later one of its room is being written, that one could not be
   * moved behind it. @param {Entry} entry
   */
  #dueAt({ state, until, intent: { room } }) {
    const isWriting = () =>
      this.entries.some((other) => other.intent.room === room && other.state === "storing" && other.isTaken);
    return state === "delayed" && !isWriting() ? until : Infinity;
  }

  /**
   * Gives a change a new number, and with it all later ones of its room that certainly had no effect, so that their
   * order stays.
   * @param {Entry} first
   * @param {number} now
   */
  #renumber(first, now) {
    const from = this.entries.indexOf(first);
    /** @type {Entry[]} */ const moved = [];
    this.entries = this.entries.filter((entry, index) => {
      const hadNoEffect = entry.state === "delayed" && entry.until <= now + SHORT_DELAY ||
        entry.state === "ready" && !entry.sends || entry.state === "storing" && !entry.isTaken;
      if (entry !== first && !(index > from && entry.intent.room === first.intent.room && hadNoEffect)) return true;
      entry.state = "storing";
      entry.sends = 0;
      moved.push(entry);
      return false;
    });
    this.entries.push(...moved);
    this.revision++;
  }

  /**
   * The puzzle of a change has this solution; null if there is none.
   * @param {string} id
   * @param {string | null} solution
   * @param {number} now
   */
  solved(id, solution, now) {
    const entry = this.entries.find(({ intent, until }) => intent.id === id && until === Infinity);
    if (!entry) return;
    // The widest wait after a failed search: the next call brings another puzzle.
    entry.until = solution ? now : now + 60_000;
    if (solution) entry.intent = { ...entry.intent, params: { ...entry.intent.params, puzzle: solution } };
  }

  /** Tries a refused change again, under a new number. @param {string} id */
  retry(id) {
    const index = this.refused.findIndex((intent) => intent.id === id);
    const [intent] = index < 0 ? [] : this.refused.splice(index, 1);
    if (!intent) return;
    const { error: _, ...again } = intent;
    this.entries = this.entries.filter((entry) => entry.intent.id !== id);
    this.entries.push(this.#entry(again));
    this.revision++;
  }

  /**
   * Drops a refused change, or holds back a waiting one, until `dropped` or `notStored`. Returns its number on disk, or
   * 0 if it stays.
   * @param {string} id
   */
  discard(id) {
    this.revision++;
    const index = this.refused.findIndex((intent) => intent.id === id);
    if (index >= 0) return this.refused.splice(index, 1)[0]?.number ?? 0;
    const entry = this.discardable.get(id);
    if (!entry) return 0;
    entry.state = "storing";
    // The number that it has is not written again: the change waits for `dropped`.
    entry.isTaken = true;
    return entry.intent.number;
  }

  /** A discarded change has left the disk. @param {string} id */
  dropped(id) {
    this.entries = this.entries.filter(({ intent }) => intent.id !== id);
    this.revision++;
  }

  /** The connection is gone: what was underway is sent again, under the same numbers. */
  disconnected() {
    for (const entry of this.entries) if (entry.state === "sent") entry.state = "ready";
    this.#reportedUpTo.clear();
  }

  // MARK: shown state

  /** @param {string} [room] @returns {Shown[]} the shown changes, in order */
  shown(room) {
    /** @type {Shown[]} */ const shown = [];
    for (const { isShown, intent: { id, room: place, patch, needs } } of this.entries) {
      if (isShown && patch && (!room || room === place)) shown.push({ id, room: place, patch, needs });
    }
    return shown;
  }

  /** The changes without a final answer. */
  get waiting() {
    return this.entries.filter((entry) => isOpen(entry) && entry.intent.number).map(({ intent }) => intent);
  }

  /**
   * By id, the waiting changes that were never sent, and whose thing no later one names.
   * @returns {Map<string, Entry>}
   */
  get discardable() {
    const found = new Map();
    /** @type {Set<string>} */ const named = new Set();
    for (const entry of this.entries.filter(isOpen).reverse()) {
      const { state, sends, intent: { id, room, params } } = entry;
      if (state === "ready" && !sends && !named.has(String(params["id"]))) found.set(id, entry);
      // An id is a text of its own, or a part of a room's name.
      for (const word of JSON.stringify([room, params]).split(/["/]/)) named.add(word);
    }
    return found;
  }

  /**
   * A room's document has reached this version; null if it was replaced as a whole or is not there.
   * @param {string} room
   * @param {number | null} version
   */
  reached(room, version) {
    for (const entry of this.entries) {
      if (entry.intent.room !== room || entry.settlesAt === null) continue;
      if (version === null || version >= entry.settlesAt) this.#hide(entry);
    }
    this.#prune();
  }

  /**
   * The document that follows has every call of this client up to `mark` that had an effect.
   * @param {string} room
   * @param {number} mark
   */
  confirmed(room, mark) {
    this.floor = Math.max(this.floor, mark + 1);
    for (const entry of this.entries) {
      const { intent, state, sends } = entry;
      if (intent.room !== room || !intent.number || intent.number > mark) continue;
      if (sends && state !== "delayed" && state !== "storing") this.#hide(entry);
    }
  }

  /** @param {Entry} entry */
  #hide(entry) {
    if (entry.isShown) this.revision++;
    entry.isShown = false;
    entry.settlesAt = null;
  }

  /** Removes what is done, from the front of each room: later ones still count in its window of numbers. */
  #prune() {
    /** @type {Set<string>} */ const isBehind = new Set();
    this.entries = this.entries.filter(({ intent: { room, number }, state }) => {
      if (state === "done" && !isBehind.has(room)) {
        this.#answeredUpTo.set(room, Math.max(this.#answeredUpTo.get(room) ?? 0, number));
        return false;
      }
      if (state !== "delayed") isBehind.add(room);
      return true;
    });
  }
}
