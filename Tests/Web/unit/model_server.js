// A small model of the server for one client: rooms with versions, patches and receipts.
//
// `put {id, key, value}` sets a value. It is refused for good if the value is `no`, and sometimes for now.

/** @import { Json } from "../../../Sources/Web/app/hearth/types/library.d.ts" */
import { ana } from "./client_under_test.js";

/** Random numbers from a seed (mulberry32). */
export class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.seed = seed | 0;
  }

  /** @param {number} count */
  below(count) {
    this.seed = this.seed + 0x6D2B79F5 | 0;
    let z = Math.imul(this.seed ^ this.seed >>> 15, 1 | this.seed);
    z = z + Math.imul(z ^ z >>> 7, 61 | z) ^ z;
    return ((z ^ z >>> 14) >>> 0) % count;
  }
}

/**
 * RFC 7396 as the RFC writes it, so that the library's own is not tested by itself.
 * @param {any} target
 * @param {any} patch
 */
export function mergePlainly(target, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const after = { ...(target && typeof target === "object" && !Array.isArray(target) ? target : {}) };
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) delete after[key];
    else after[key] = mergePlainly(after[key], patch[key]);
  }
  return after;
}

class ModelRoom {
  /** @type {any[]} */ states = [{}];
  /** @type {Map<number, { call: string, answer: object }>} */ receipts = new Map();
  mark = 0;
  /** @type {{ id: string, version: number }[]} */ effects = [];
  isWatched = false;

  get version() {
    return this.states.length - 1;
  }
  get state() {
    return this.states[this.version];
  }
}

export class ModelServer {
  refusedForNow = 0;
  repeated = 0;
  /** Whether it never refuses for now, and always has the patches. */
  isSteady = false;

  /** @param {string[]} names @param {Random} random */
  constructor(names, random) {
    this.rooms = new Map(names.map((name) => [name, new ModelRoom()]));
    this.random = random;
  }

  /** @param {string} name */
  room(name) {
    const room = this.rooms.get(name);
    if (!room) throw new Error(name);
    return room;
  }

  disconnect() {
    for (const room of this.rooms.values()) room.isWatched = false;
  }

  /** @param {any} message @returns {object[]} the server's messages that follow from it */
  receive({ id, method, params }) {
    switch (method) {
      case "hello": {
        const rooms = [...this.rooms.keys()].filter((name) => name !== "me");
        return [{ id, result: { me: ana, heartbeat: 25000, limits: {}, now: "2026-05-01T09:00:00.000Z", rooms } }];
      }
      case "room.subscribe":
        return [{ id, result: this.subscribe(params) }];
      default: {
        const told = this.put(params.room ?? "me", params);
        const answer = told.pop();
        return [...told, { id, ...answer }];
      }
    }
  }

  /** @param {any} params */
  subscribe({ room: name, epoch, version }) {
    const room = this.room(name);
    room.isWatched = true;
    const common = { room: name, epoch: "e", version: room.version, live: {}, seq: room.mark };
    // Sometimes the server no longer has the patches since then.
    if (epoch !== "e" || !this.isSteady && this.random.below(4) === 0) {
      return { ...common, state: room.state, reason: "tooOld" };
    }
    /** @type {any} */ const n = { ...room.state.n };
    for (const key of Object.keys(room.states[version].n ?? {})) n[key] ??= null;
    return { ...common, from: version, patch: room.version === version ? {} : { n } };
  }

  /** @param {string} name @param {any} params @returns {object[]} notifications, and the answer last */
  put(name, { seq, answered, id, key, value }) {
    const room = this.room(name);
    for (const number of [...room.receipts.keys()]) if (number <= (answered ?? 0)) room.receipts.delete(number);
    const call = JSON.stringify([id, key, value]);
    const receipt = room.receipts.get(seq);
    if (receipt) {
      this.repeated++;
      return [receipt.call === call ? receipt.answer : refusal(4, "reused")];
    }
    // A number whose answer was forgotten must never come again, so that this cannot be taken for `skipped`.
    if (seq <= (answered ?? 0)) throw new Error("a number that was answered");
    if (seq <= room.mark) return [refusal(4, "skipped")];
    if (!this.isSteady && this.random.below(12) === 0) {
      this.refusedForNow++;
      return [refusal(7, "busy", { temporary: true, retryAfter: this.random.below(3000) })];
    }
    /** @type {object[]} */ let told = [];
    /** @type {object} */ let answer = refusal(2, "forbidden");
    if (value !== "no") {
      told = this.otherChange(name, { n: { [key]: value } });
      room.effects.push({ id, version: room.version });
      answer = { result: { version: room.version } };
    }
    room.mark = seq;
    room.receipts.set(seq, { call, answer });
    if (room.receipts.size > 64) room.receipts.delete(Math.min(...room.receipts.keys()));
    return [...told, answer];
  }

  /** A change of anybody. @param {string} name @param {object} patch @param {string} [by] @returns {object[]} */
  otherChange(name, patch, by) {
    const room = this.room(name);
    room.states.push(mergePlainly(room.state, patch));
    if (!room.isWatched) return [];
    const { version } = room;
    return [{ method: "room.patch", params: { room: name, from: version - 1, version, patch, ...(by && { by }) } }];
  }
}

/** @param {number} code @param {string} reason @param {object} [data] */
function refusal(code, reason, data = {}) {
  return { error: { code, message: "No.", data: { reason, ...data } } };
}
