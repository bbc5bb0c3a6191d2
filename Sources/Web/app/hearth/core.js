// The logic of the client as a value: events and their time go in, outputs come out.
//
// It decides when to connect, which messages to send, and what a room looks like. It owns no socket, disk, clock or
// randomness: its random numbers come from a seed. The driver carries out the outputs in order, and calls `tick`
// at `deadline`. All times are in milliseconds since any fixed moment; `wall` is the device's clock.

/** @import { Answer, Commit, End, Intent, Json, JsonObject, Kept, Output } from "./types/library.d.ts" */
/** @import { Refusal, RoomEvent, RoomStatus, Snapshot } from "./types/library.d.ts" */
/** @import { Notification, Notifications } from "./types/methods.d.ts" */
import { Backoff, recovery } from "./backoff.js";
import { Queue } from "./queue.js";
import { LOGGED_OUT, LOST, NO_SPACE, readRefusal, refusal } from "./refusal.js";
import { reduce, show } from "./rooms.js";

/** The most fixes in one report, and kept until one can be sent. */
const FIXES = 60;
const FIXES_KEPT = 600;

const DEFAULTS = {
  /** The longest time until a connection is open. */
  connectLimit: 8000,
  /** The longest time until `hello` is answered. */
  greetingLimit: 30_000,
  /** A connection is dead when nothing was heard for the server's heartbeat and this. */
  grace: 20_000,
  /** Nor for this after a question that was asked because the page is looked at again. */
  probeLimit: 3000,
  /** A connection that lasted so long starts the delays anew. */
  stableAfter: 10_000,
  /** Documents and answers are written at once after such a rest, and otherwise together at its end. */
  saveInterval: 20,
  /** The rest after a write that has failed. */
  saveAgain: 1000,
};

/**
 * @typedef {{ name: "idle" }
 *   | { name: "waiting", until: number }
 *   | { name: "connecting", until: number }
 *   | { name: "greeting", call: number, until: number }
 *   | { name: "ready", since: number }
 *   | { name: "stopped", end: End }} CorePhase
 *
 * @typedef {{ kind: "subscribe", room: string } | { kind: "call" } | { kind: "fixes", count: number }} Purpose
 *
 * @typedef {object} Followed
 * @property {Snapshot | null} snapshot
 * @property {number} subscribing the newest subscription under way, or 0
 * @property {boolean} isSubscribed
 * @property {number} again when to subscribe again after a refusal for now
 */

export class Core {
  /** @type {CorePhase} */ phase = { name: "idle" };
  /** Why everything was erased, until there is another token. @type {End | null} */
  erased = null;
  /** @type {Map<string, Followed>} */ rooms = new Map();
  /** Positions that are not reported yet. @type {Json[]} */ fixes = [];
  /** @type {Map<number, Purpose>} */ #calls = new Map();
  /** @type {Output[]} */ #out = [];
  /** @type {Set<string>} */ #dirty = new Set();
  #saveAt = Infinity;
  #savedAt = -Infinity;
  /** Whether a write is under way: what happens meanwhile is written together after it. */
  #isSaving = false;
  #lastCall = 0;
  #heardAt = 0;
  #probeAt = Infinity;
  #reportAt = 0;
  #heartbeat = 25_000;
  #revision = 0;
  /** Whether the page was looked at again since the last attempt: then there is no reason to wait. */
  #isImpatient = false;

  /**
   * @param {object} options
   * @param {string} options.client the installation's id
   * @param {string | null} [options.token]
   * @param {string | null} [options.me] the person to whom the token, and what is on disk, belongs
   * @param {string} [options.app] name and version, for the server
   * @param {number} [options.seed]
   * @param {Intent[]} [options.intents] what is on disk
   * @param {Json[]} [options.fixes]
   * @param {Partial<typeof DEFAULTS>} [options.limits]
   * @param {{ changes?: number, bytes?: number }} [options.queue]
   */
  constructor({ client, token = null, me = null, app, seed = 1, intents = [], fixes = [], limits, queue }) {
    this.client = client;
    this.token = token;
    this.me = me;
    this.app = app;
    this.limits = { ...DEFAULTS, ...limits };
    this.backoff = new Backoff();
    this.queue = new Queue(queue);
    this.queue.restore(intents);
    this.fixes = fixes;
    this.#random = seed;
  }
  #random;

  /** The next time at which `tick` is due. */
  get deadline() {
    const { phase } = this;
    let time = this.#isSaving ? Infinity : this.#saveAt;
    if ("until" in phase) time = Math.min(time, phase.until);
    if (phase.name === "ready") {
      time = Math.min(time, this.queue.deadline, this.#silentAt, this.#probeAt);
      for (const { again } of this.rooms.values()) time = Math.min(time, again);
      if (this.fixes.length && !this.#isReporting) time = Math.min(time, this.#reportAt);
    }
    return time;
  }

  get #silentAt() {
    return this.#heardAt + this.#heartbeat + this.limits.grace;
  }

  // MARK: connecting

  /** Connects, without the rest of a wait, and also after a stop. @param {number} now */
  start(now) {
    const { name } = this.phase;
    if (this.erased || !this.token || name !== "idle" && name !== "waiting" && name !== "stopped") return this.#take();
    this.#connect(now);
    return this.#take();
  }

  /**
   * The network is back, or the page is looked at again: waits no longer, and trusts no silent connection.
   * @param {number} now
   */
  woken(now) {
    const { phase, limits } = this;
    switch (phase.name) {
      case "waiting":
        this.backoff.reset();
        return this.start(now);
      case "connecting":
      case "greeting": {
        // An attempt from before a long sleep is as dead as an old connection.
        const limit = phase.name === "connecting" ? limits.connectLimit : limits.greetingLimit;
        if (now - (phase.until - limit) < limits.probeLimit) return this.#take();
        this.#leave();
        this.#out.push({ kind: "disconnect" });
        this.#connect(now);
        return this.#take();
      }
      case "stopped": {
        // The tab that has taken over, or others that were too many, may have gone; a hello was late. For a token that
        // has expired and a page that is too old there is another remedy.
        const { code, reason, error } = phase.end;
        const isLasting = code === 4002 || code === 4104 || reason === "sessionEnded" || error?.code === 1;
        return isLasting ? this.#take() : this.start(now);
      }
      case "idle":
        return this.#take();
    }
    // Browsers cannot ping: subscribing again to the smallest room also tells what was missed.
    if (this.#probeAt === Infinity) this.#probeAt = now + this.limits.probeLimit;
    if (this.rooms.has("me")) this.#subscribe("me");
    return this.#take();
  }

  /** @param {number} now */
  #connect(now) {
    this.#setPhase({ name: "connecting", until: now + this.limits.connectLimit });
    this.#out.push({ kind: "connect" });
  }

  /** @param {CorePhase} phase */
  #setPhase(phase) {
    this.phase = phase;
    this.#out.push({ kind: "phase" });
  }

  /**
   * Goes on with another token. The things of another person are erased.
   * @param {{ token: string, me: string, client?: string }} who
   * @param {number} now
   */
  use({ token, me, client = this.client }, now) {
    this.#leave();
    if (this.me !== null && this.me !== me) {
      this.#forgetEverything(refusal("anotherPerson", "Somebody else logged in."));
    }
    Object.assign(this, { token, me, client, erased: null });
    this.backoff.reset();
    this.#out.push({ kind: "disconnect" });
    this.#connect(now);
    return this.#take();
  }

  /** There is a connection: says hello. @param {number} now @param {number} wall */
  opened(now, wall) {
    if (this.phase.name !== "connecting" || !this.token) {
      this.#out.push({ kind: "disconnect" });
      return this.#take();
    }
    /** @type {JsonObject} */ const params = { client: this.client, token: this.token };
    if (this.app) params.app = this.app;
    const call = this.#call("hello", params);
    this.#setPhase({ name: "greeting", call, until: now + this.limits.greetingLimit });
    for (const { id, error } of this.queue.expire(wall)) this.#settle(id, { error }, now);
    return this.#take();
  }

  /** The connection has ended, or could not be made. @param {End} end @param {number} now */
  ended(end, now) {
    this.#end(end, now);
    return this.#take();
  }

  /** @param {End} end @param {number} now */
  #end(end, now) {
    const { phase } = this;
    if (phase.name !== "connecting" && phase.name !== "greeting" && phase.name !== "ready") return;
    if (phase.name === "ready" && now - phase.since >= this.limits.stableAfter) this.backoff.reset();
    this.#leave();
    const what = recovery(end);
    if (what === "forget") return this.#erase(end);
    if (what === "stop") {
      this.#out.push({ kind: "disconnect" });
      return this.#setPhase({ name: "stopped", end });
    }
    let delay = 0;
    if ("exactly" in what) {
      this.backoff.reset();
      delay = what.exactly;
    } else if (!this.#isImpatient || what.atLeast > 0) delay = Math.max(this.backoff.next(this.#unit()), what.atLeast);
    this.#isImpatient = false;
    this.#setPhase({ name: "waiting", until: now + delay });
  }

  /** Drops what belongs to a connection. */
  #leave() {
    this.queue.disconnected();
    this.#probeAt = Infinity;
    for (const [name, room] of this.rooms) {
      room.subscribing = 0;
      room.again = Infinity;
      this.#setCurrent(name, room, false);
    }
    for (const [call, { kind }] of this.#calls) {
      if (kind === "call") this.#out.push({ kind: "called", call, answer: { error: LOST } });
    }
    this.#calls.clear();
  }

  /** Ends the session here: nothing of it may stay on this device. @param {End} end */
  #erase(end) {
    this.erased = end;
    this.#out.push({ kind: "disconnect" }, { kind: "wipe" });
    this.#forgetEverything(LOGGED_OUT);
    this.token = null;
    this.me = null;
    this.#setPhase({ name: "stopped", end });
  }

  /** The person logs out, or another tab has been logged out. */
  logOut() {
    this.#leave();
    this.#erase({ reason: "sessionEnded", why: "loggedOut" });
    return this.#take();
  }

  /** @param {Refusal} error */
  #forgetEverything(error) {
    for (const id of this.queue.wipe()) this.#out.push({ kind: "settled", id, answer: { error } });
    for (const room of [...this.rooms.keys()]) this.#close(room, error.reason);
    this.fixes = [];
    this.#dirty.clear();
    this.#saveAt = Infinity;
  }

  /** A random number from 0 to below 1 (mulberry32). */
  #unit() {
    this.#random = this.#random + 0x6D2B79F5 | 0;
    let z = Math.imul(this.#random ^ this.#random >>> 15, 1 | this.#random);
    z = z + Math.imul(z ^ z >>> 7, 61 | z) ^ z;
    return ((z ^ z >>> 14) >>> 0) / 2 ** 32;
  }

  // MARK: messages

  /** @param {string} method @param {JsonObject} params @param {boolean} [stamp] */
  #call(method, params, stamp) {
    const id = ++this.#lastCall;
    this.#out.push({ kind: "send", message: { id, method, params }, ...(stamp && { stamp }) });
    return id;
  }

  /** Takes a message of the server. @param {string} text @param {number} now */
  received(text, now) {
    if (this.phase.name !== "greeting" && this.phase.name !== "ready") return this.#take();
    this.#heardAt = now;
    this.#probeAt = Infinity;
    /** @type {any} */ let message;
    try {
      message = JSON.parse(text);
      if (typeof message.method === "string") this.#notified({ params: {}, ...message }, now);
      else if (message.error) this.#answered(message.id, { error: readRefusal(message.error) }, now);
      else this.#answered(message.id, { result: message.result ?? {} }, now);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
      // The server, or what is between, violates the protocol: another connection may be better.
      this.#out.push({ kind: "disconnect" });
      this.#end({ reason: "malformed" }, now);
    }
    return this.#proceed(now);
  }

  /** @param {number} call @param {Answer} answer @param {number} now */
  #answered(call, answer, now) {
    if (this.phase.name === "greeting" && this.phase.call === call) return this.#greeted(answer, now);
    const purpose = this.#calls.get(call);
    this.#calls.delete(call);
    switch (purpose?.kind) {
      case "subscribe":
        return this.#subscribed(purpose.room, call, answer, now);
      case "call":
        return void this.#out.push({ kind: "called", call, answer });
      case "fixes":
        return this.#reported(purpose.count, answer, now);
    }
    const taken = this.queue.take(call, answer, now);
    if (!taken) return;
    const { entry: { intent } } = taken;
    switch (taken.outcome) {
      case "answered":
        this.queue.reached(intent.room, this.rooms.get(intent.room)?.snapshot?.version ?? null);
        return this.#settle(intent.id, "error" in answer ? { result: {} } : answer, now);
      case "refused":
        return this.#settle(intent.id, answer, now);
      case "puzzled": {
        const puzzle = "error" in answer ? /** @type {JsonObject} */ (answer.error.data.puzzle) : {};
        return void this.#out.push({ kind: "solve", id: intent.id, puzzle });
      }
      case "unauthorized":
        this.#out.push({ kind: "disconnect" });
        this.#end({ reason: "refused", error: /** @type {{ error: Refusal }} */ (answer).error }, now);
    }
  }

  /** @param {string} id @param {Answer} answer @param {number} now */
  #settle(id, answer, now) {
    this.#saveSoon(now);
    this.#out.push({ kind: "settled", id, answer });
  }

  /** @param {Answer} answer @param {number} now */
  #greeted(answer, now) {
    if ("error" in answer || typeof answer.result.me !== "string") {
      this.#out.push({ kind: "disconnect" });
      return this.#end("error" in answer ? { reason: "refused", error: answer.error } : { reason: "malformed" }, now);
    }
    const { me, heartbeat, rooms } = answer.result;
    if (this.me !== null && this.me !== me) {
      const names = [...this.rooms.keys()];
      this.#forgetEverything(refusal("anotherPerson", "Somebody else logged in."));
      const token = this.token ?? "";
      this.#out.push({ kind: "wipe", next: { client: this.client, token, me } });
      for (const name of names) this.rooms.set(name, this.#followed(null));
    }
    this.me = me;
    if (Number.isFinite(heartbeat)) this.#heartbeat = heartbeat;
    this.#setPhase({ name: "ready", since: now });
    this.#out.push({ kind: "keepOnly", rooms: ["me", ...rooms] }, { kind: "greeted", greeting: answer.result });
    for (const name of this.rooms.keys()) this.#subscribe(name);
  }

  /** @param {Notification} message @param {number} now */
  #notified({ method, params }, now) {
    switch (method) {
      case "room.patch": {
        const { room, from, version, by } = params;
        const patch = /** @type {JsonObject} */ (params.patch);
        return this.#happened(room, { kind: "patch", from, version, patch, ...(by && { by }) }, now);
      }
      case "room.live":
        return this.#happened(params.room, { kind: "live", patch: /** @type {JsonObject} */ (params.patch) }, now);
      case "room.tick":
        return this.#ticked(params, now);
      case "room.closed":
        // Too far behind for single changes: the answer brings all of them at once.
        if (params.reason === "tooFarBehind") return this.#subscribe(params.room);
        return this.#closed(params.room, params.reason);
      case "session.ended":
        this.#out.push({ kind: "disconnect" });
        return this.#end({ reason: "sessionEnded", why: params.reason }, now);
      case "server.leaving":
        this.#out.push({ kind: "disconnect" });
        return this.#end({ reason: "leaving", delay: params.reconnectAfter }, now);
    }
    // Others belong to a later version of the protocol.
  }

  /** @param {Notifications["room.tick"]} params @param {number} now */
  #ticked({ at, rooms, live }, now) {
    this.#out.push({ kind: "clock", at });
    for (const [name, version] of Object.entries(rooms)) {
      const known = this.rooms.get(name)?.snapshot;
      if (!known) continue;
      if (live?.[name]) {
        const { link, state } = /** @type {JsonObject} */ (live[name]);
        /** @type {JsonObject} */ const patch = state ? { state } : {};
        if (link) patch.link = { at: link };
        this.#happened(name, { kind: "live", patch }, now);
      }
      if (version > known.version) this.#subscribe(name);
    }
  }

  // MARK: rooms

  /** @param {Snapshot | null} snapshot @returns {Followed} */
  #followed(snapshot) {
    return { snapshot, subscribing: 0, isSubscribed: false, again: Infinity };
  }

  /**
   * Follows a room, from what is on disk.
   * @param {string} name
   * @param {Kept | null} kept
   */
  follow(name, kept) {
    if (this.erased || this.rooms.has(name)) return this.#take();
    const snapshot = kept && this.token ? reduce(null, { ...kept, kind: "state", live: {} }) ?? null : null;
    this.rooms.set(name, this.#followed(snapshot));
    if (this.phase.name === "ready") this.#subscribe(name);
    return this.#take();
  }

  /** No longer follows a room; its document stays on disk. @param {string} name */
  unfollow(name) {
    if (!this.rooms.delete(name)) return this.#take();
    this.queue.reached(name, null);
    if (this.phase.name === "ready") this.#call("room.unsubscribe", { room: name });
    return this.#take();
  }

  /** @param {string} name */
  #subscribe(name) {
    const room = this.rooms.get(name);
    if (!room || room.subscribing) return;
    const { snapshot } = room;
    const call = this.#call("room.subscribe", {
      room: name,
      ...(snapshot && { epoch: snapshot.epoch, version: snapshot.version }),
    });
    room.subscribing = call;
    room.again = Infinity;
    this.#calls.set(call, { kind: "subscribe", room: name });
  }

  /** @param {string} name @param {number} call @param {Answer} answer @param {number} now */
  #subscribed(name, call, answer, now) {
    const room = this.rooms.get(name);
    if (!room || room.subscribing !== call) return;
    room.subscribing = 0;
    if ("error" in answer) {
      const { error } = answer;
      if (error.temporary) return void (room.again = now + (error.retryAfter ?? 1000));
      return this.#closed(name, error.reason, error.code);
    }
    const { epoch, version, from, patch, state, live = {}, seq = 0 } = answer.result;
    const known = room.snapshot;
    const isNext = known !== null && known.epoch === epoch && from <= known.version;
    if (!state && !isNext) throw new TypeError("a patch from nowhere");
    if (seq > 0) this.queue.confirmed(name, seq);
    if (state) this.#happened(name, { kind: "state", epoch, version, state, live }, now);
    else {
      this.#happened(name, { kind: "patch", from, version, patch }, now);
      this.#happened(name, { kind: "live", patch: live, whole: true }, now);
    }
    this.#setCurrent(name, room, true);
  }

  /** @param {string} name @param {Followed} room @param {boolean} isCurrent */
  #setCurrent(name, room, isCurrent) {
    if (room.isSubscribed === isCurrent) return;
    room.isSubscribed = isCurrent;
    this.#out.push({ kind: "room", room: name, event: { kind: "current", isCurrent } });
  }

  /** @param {string} name @param {RoomEvent} event @param {number} now */
  #happened(name, event, now) {
    const room = this.rooms.get(name);
    if (!room) return;
    const after = reduce(room.snapshot, event);
    if (after === undefined) return this.#subscribe(name);
    if (!after || after === room.snapshot) return;
    room.snapshot = after;
    if (event.kind !== "live") {
      this.queue.reached(name, event.kind === "state" ? null : after.version);
      this.#dirty.add(name);
      // A whole document costs the most to miss, and comes seldom.
      if (event.kind === "state") this.#saveAt = now;
      else this.#saveSoon(now);
    }
    this.#out.push({ kind: "room", room: name, event });
  }

  /** The room is no longer ours. @param {string} name @param {string} reason @param {number} [code] */
  #closed(name, reason, code) {
    if (!this.rooms.has(name)) return;
    this.#close(name, reason, code);
    this.#out.push({ kind: "forget", room: name });
  }

  /** @param {string} name @param {string} reason @param {number} [code] */
  #close(name, reason, code) {
    this.rooms.delete(name);
    this.#dirty.delete(name);
    this.queue.reached(name, null);
    this.#out.push({ kind: "room", room: name, event: { kind: "closed", reason, ...(code && { code }) } });
  }

  /** The document of a room with our own changes on top; null if nothing is known. @param {string} name */
  document(name) {
    const snapshot = this.rooms.get(name)?.snapshot;
    return snapshot ? show(snapshot.state, this.queue.shown(name)) : null;
  }

  /** @param {string} name @returns {RoomStatus} */
  status(name) {
    const room = this.rooms.get(name);
    return !room?.snapshot ? "loading" : room.isSubscribed ? "current" : "stale";
  }

  // MARK: changes, questions, positions

  /**
   * Queues a change. It is shown and sent once it is on disk.
   * @param {Intent} intent with number 0
   * @returns {{ error: Refusal } | { outputs: Output[] }}
   */
  change(intent) {
    const error = this.erased ? LOGGED_OUT : this.queue.add(intent);
    if (error) return { error };
    this.#store();
    return { outputs: this.#take() };
  }

  /** Takes a change that another tab has written. @param {Intent} intent @param {number} now */
  adopt(intent, now) {
    if (!this.erased) this.queue.restore([intent], 0);
    return this.#proceed(now);
  }

  /** @param {string} id @param {number} now */
  retry(id, now) {
    this.queue.retry(id);
    return this.#proceed(now);
  }

  /**
   * The number on disk that goes with it, or 0; afterwards call `dropped` or `notStored`.
   * @param {string} id
   * @param {number} now
   */
  discard(id, now) {
    const number = this.queue.discard(id);
    return { number, outputs: this.#proceed(now) };
  }

  /** A discarded change has left the disk. @param {string} id @param {number} now */
  dropped(id, now) {
    this.queue.dropped(id);
    this.#settle(id, { error: refusal("discarded", "Discarded.") }, now);
    return this.#proceed(now);
  }

  /** @param {string} id @param {string | null} solution @param {number} now */
  solved(id, solution, now) {
    this.queue.solved(id, solution, now);
    this.queue.tick(now);
    return this.#proceed(now);
  }

  /**
   * Calls a method now, outside the queue. Its answer comes as `called`; call 0 means that there is no connection.
   * @param {string} method
   * @param {JsonObject} params
   */
  call(method, params) {
    if (this.phase.name !== "ready") return { call: 0, outputs: this.#take() };
    const call = this.#call(method, params);
    this.#calls.set(call, { kind: "call" });
    return { call, outputs: this.#take() };
  }

  /**
   * Reports positions, in order, as soon as that is possible; none says that the device is there and has no position.
   * @param {Json[]} fixes
   * @param {number} now
   */
  report(fixes, now) {
    this.fixes = [...this.fixes, ...fixes].slice(-FIXES_KEPT);
    if (fixes.length) this.#out.push({ kind: "fixes" });
    else if (this.phase.name === "ready") this.#report();
    this.#reportAt = now;
    return this.#proceed(now);
  }

  /** Nobody is to have the positions that are not reported yet. */
  dropFixes() {
    if (!this.fixes.length) return this.#take();
    this.fixes = [];
    // The answer that is still to come takes none of those that follow.
    for (const purpose of this.#calls.values()) if (purpose.kind === "fixes") purpose.count = 0;
    this.#out.push({ kind: "fixes" }, { kind: "reported", answer: { error: LOST } });
    return this.#take();
  }

  /** Whether the answer to a report is still to come: the next one waits for it. */
  get #isReporting() {
    return [...this.#calls.values()].some(({ kind }) => kind === "fixes");
  }

  #report() {
    if (this.#isReporting) return;
    const batch = this.fixes.slice(0, FIXES);
    const call = this.#call("positions.report", batch.length ? { fixes: batch } : {}, true);
    this.#calls.set(call, { kind: "fixes", count: batch.length });
  }

  /** @param {number} count @param {Answer} answer @param {number} now */
  #reported(count, answer, now) {
    if ("error" in answer && answer.error.temporary) {
      this.#reportAt = now + (answer.error.retryAfter ?? 5000);
      return;
    }
    // Another device reports: what this one has seen is nobody's business.
    if ("error" in answer && answer.error.reason === "otherDevice") count = this.fixes.length;
    this.fixes = this.fixes.slice(count);
    if (count) this.#out.push({ kind: "fixes" });
    this.#out.push({ kind: "reported", answer });
  }

  // MARK: time and disk

  /** @param {number} now */
  tick(now) {
    const { phase } = this;
    switch (phase.name) {
      case "waiting":
        if (phase.until <= now) this.#connect(now);
        break;
      case "connecting":
      case "greeting":
        if (phase.until > now) break;
        this.#out.push({ kind: "disconnect" });
        this.#end({ reason: phase.name === "greeting" ? "silent" : "unreachable" }, now);
        break;
      case "ready":
        if (Math.min(this.#silentAt, this.#probeAt) <= now) {
          this.#isImpatient = this.#probeAt <= now;
          this.#out.push({ kind: "disconnect" });
          this.#end({ reason: "silent" }, now);
          break;
        }
        for (const [name, { again }] of this.rooms) if (again <= now) this.#subscribe(name);
        this.queue.tick(now);
    }
    return this.#proceed(now);
  }

  /** Sends what is due, has written what must be, and reports what has changed. @param {number} now */
  #proceed(now) {
    if (this.phase.name === "ready") {
      const mustSave = this.queue.sendReady(now, ({ room, method, params, number }, answered) => {
        return this.#call(method, {
          ...params,
          ...(room !== "me" && { room }),
          seq: number,
          ...(answered && { answered }),
        });
      });
      if (mustSave) this.#saveAt = now;
      if (this.fixes.length && this.#reportAt <= now) this.#report();
    }
    if (this.#saveAt <= now && !this.#isSaving) {
      this.#saveAt = Infinity;
      this.#isSaving = true;
      this.#out.push({ kind: "save" });
    }
    this.#store();
    return this.#take();
  }

  #store() {
    const intents = this.queue.takeUnstored();
    if (intents.length) this.#out.push({ kind: "store", intents, floor: this.queue.floor });
  }

  /** The intents are on disk. @param {{ id: string, number: number }[]} numbers @param {number} now */
  stored(numbers, now) {
    for (const id of this.queue.stored(numbers)) this.#out.push({ kind: "accepted", id });
    return this.#proceed(now);
  }

  /** They could not be written: new ones are refused. @param {string[]} ids @param {number} now */
  notStored(ids, now) {
    for (const id of this.queue.notStored(ids, now)) {
      this.#out.push({ kind: "settled", id, answer: { error: NO_SPACE } });
    }
    return this.#proceed(now);
  }

  /** @param {number} now */
  #saveSoon(now) {
    this.#saveAt = Math.min(this.#saveAt, Math.max(now, this.#savedAt + this.limits.saveInterval));
  }

  /** All that is to be written now, in one transaction; null if nothing is. @returns {Commit | null} */
  takeCommit() {
    this.#saveAt = Infinity;
    const { done, refused } = this.queue.takeAnswered();
    /** @type {Kept[]} */ const rooms = [];
    for (const name of this.#dirty) {
      const snapshot = this.rooms.get(name)?.snapshot;
      if (!snapshot) continue;
      const { epoch, version, state } = snapshot;
      rooms.push({ room: name, epoch, version, state });
    }
    this.#dirty.clear();
    this.#isSaving = rooms.length + done.length + refused.length > 0;
    if (!this.#isSaving) return null;
    return { rooms, done, refused, floor: this.queue.floor };
  }

  /** @param {number} now */
  saved(now) {
    this.queue.left(true);
    this.#isSaving = false;
    this.#savedAt = now;
    return this.#proceed(now);
  }

  /** @param {Commit} commit @param {number} now */
  notSaved({ rooms }, now) {
    this.queue.left(false);
    this.#isSaving = false;
    for (const { room } of rooms) if (this.rooms.has(room)) this.#dirty.add(room);
    this.#saveAt = now + this.limits.saveAgain;
    return this.#take();
  }

  /** @returns {Output[]} */
  #take() {
    if (this.queue.revision !== this.#revision) {
      this.#revision = this.queue.revision;
      this.#out.push({ kind: "queue" });
    }
    const outputs = this.#out;
    this.#out = [];
    return outputs;
  }
}
