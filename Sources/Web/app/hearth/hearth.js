// SKELETON (W): the interface that the screens use. Documents live in memory only until the real one replaces it.
/** @import { Json, JsonObject, Phase, Refused, RoomStatus, Waiting } from "./types/library.d.ts" */
import { adopt, merge, nothing } from "./merge.js";

export class HearthError extends Error {
  /** @param {number} code @param {string} reason @param {string} message @param {Record<string, string>} [fields] */
  constructor(code, reason, message, fields = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.fields = fields;
    this.retryAfter = undefined;
    this.data = nothing;
  }
}

/** @param {Set<() => void>} listeners @param {() => void} f */
function listen(listeners, f) {
  listeners.add(f);
  return () => void listeners.delete(f);
}

class Room {
  /** @type {JsonObject | null} */ state = null;
  /** @type {JsonObject} */ live = nothing;
  /** @type {JsonObject} */ presence = nothing;
  version = 0;
  /** @type {RoomStatus} */ status = "loading";
  /** @type {Set<() => void>} */ listeners = new Set();
  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }
  /** @param {() => void} f */
  onChange(f) {
    return listen(this.listeners, f);
  }
  close() {}
  /** For tests of screens, until the real one is there. @param {JsonObject} state */
  set(state) {
    this.state = /** @type {JsonObject} */ (adopt(state));
    this.status = "current";
    for (const f of this.listeners) f();
  }
}

export class Hearth {
  /** @type {Phase} */ phase = "loggedOut";
  /** @type {string | null} */ me = null;
  /** @type {JsonObject} */ limits = nothing;
  /** @type {Waiting[]} */ waiting = [];
  /** @type {Refused[]} */ refused = [];
  /** @type {Map<string, Room>} */ #rooms = new Map();
  /** @type {Set<() => void>} */ #listeners = new Set();

  static open() {
    return Promise.resolve(new Hearth());
  }
  now() {
    return Date.now();
  }
  /** @param {() => void} f */
  onChange(f) {
    return listen(this.#listeners, f);
  }
  /** @param {string} name */
  room(name) {
    let room = this.#rooms.get(name);
    if (!room) this.#rooms.set(name, room = new Room(name));
    return room;
  }
  /** @param {{ email: string, password: string, name: string, birthday?: string }} _ @returns {Promise<void>} */
  signUp(_) {
    return Promise.reject(new HearthError(0, "offline", "There is no connection at the moment."));
  }
  /** @param {{ email: string, password: string }} _ @returns {Promise<void>} */
  logIn(_) {
    return Promise.reject(new HearthError(0, "offline", "There is no connection at the moment."));
  }
  async logOut() {}
  /**
   * @param {string} _method @param {JsonObject} _params
   * @param {{ room?: string, optimistic?: (state: any) => JsonObject | null, about?: string }} [options]
   */
  change(_method, _params, { room = "me", optimistic } = {}) {
    const target = this.room(room);
    const patch = target.state && optimistic?.(target.state);
    if (patch) target.set(/** @type {JsonObject} */ (merge(target.state ?? {}, patch)));
    return { id: crypto.randomUUID(), answer: Promise.resolve(/** @type {any} */ ({})) };
  }
  /** @param {string} _method @param {JsonObject} [_params] @param {{ room?: string }} [_options] @returns {Promise<any>} */
  ask(_method, _params, _options) {
    return Promise.reject(new HearthError(0, "offline", "There is no connection at the moment."));
  }
  /** @param {string} _id */
  retry(_id) {}
  /** @param {string} _id */
  discard(_id) {}
  /** @param {Json[]} _fixes @returns {Promise<any>} */
  report(_fixes) {
    return Promise.resolve({ shares: 0, intervalSeconds: 30 });
  }
}
