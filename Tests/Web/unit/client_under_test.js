// A core with a simulated clock and disk, and a server that the test plays: the twin of CoreUnderTest.swift.

/** @import { Answer, End, Output } from "../../../Sources/Web/app/hearth/types/library.d.ts" */
import { Core } from "../../../Sources/Web/app/hearth/core.js";
import { rowsOf } from "../../../Sources/Web/app/hearth/rooms.js";
import { MemoryStore } from "./memory_store.js";

export const house = "household/9f000000-0000-4000-8000-000000000001";
export const ana = "a0000000-0000-4000-8000-000000000001";
export const bo = "b0000000-0000-4000-8000-000000000001";
export const client = "c11e0000-0000-4000-8000-00000000000a";

/** @typedef {ConstructorParameters<typeof Core>[0]} CoreOptions */

let clients = 0;

export class ClientUnderTest {
  /** Distinguishes the ids that this one gives out. */
  serial = ++clients;
  now = 0;
  wall = Date.parse("2026-05-01T09:00:00.000Z");
  /** Outputs that the test has not taken yet. @type {Output[]} */ outputs = [];
  /** Messages sent since they were last taken. @type {any[]} */ sent = [];
  /** How changes ended. @type {Map<string, Answer>} */ settled = new Map();
  /** @type {Set<string>} */ accepted = new Set();
  isSlow = false;
  isFull = false;
  /** Writes that wait. @type {Output[]} */ writes = [];
  lastID = 0;

  /** @param {Partial<CoreOptions>} [options] @param {MemoryStore} [store] */
  constructor(options = {}, store = new MemoryStore()) {
    this.store = store;
    const { intents, facts, rooms } = store.content;
    this.kept = rooms;
    this.core = new Core({
      client,
      token: "t",
      me: /** @type {string} */ (facts.me ?? ana),
      app: "test",
      intents: [...intents.values()].map((intent) => structuredClone(intent)),
      fixes: [...(facts.fixes ?? [])],
      ...options,
    });
  }

  /** @param {Output[]} outputs */
  run(outputs) {
    for (const output of outputs) {
      switch (output.kind) {
        case "send":
          this.sent.push(JSON.parse(JSON.stringify(output.message)));
          break;
        case "store":
        case "save":
          this.writes.push(output);
          break;
        case "wipe":
          this.store.erase(output.next);
          this.outputs.push(output);
          break;
        case "forget":
          this.kept.delete(output.room);
          this.outputs.push(output);
          break;
        case "keepOnly":
          for (const room of [...this.kept.keys()]) if (!output.rooms.includes(room)) this.kept.delete(room);
          break;
        case "disconnect":
          this.sent = [];
          this.outputs.push(output);
          break;
        case "fixes":
          this.store.content.facts.fixes = this.core.fixes;
          break;
        case "settled":
          this.settled.set(output.id, output.answer);
          this.outputs.push(output);
          break;
        case "accepted":
          this.accepted.add(output.id);
          break;
        default:
          this.outputs.push(output);
      }
    }
    if (!this.isSlow) this.write();
  }

  /** Carries out writes that wait. */
  write() {
    for (let output; (output = this.writes.shift());) {
      if (output.kind === "store") {
        const { intents, floor } = output;
        if (this.isFull) this.run(this.core.notStored(intents.map(({ id }) => id), this.now));
        else this.run(this.core.stored(this.store.numberNow(intents, floor), this.now));
      } else {
        const commit = this.core.takeCommit();
        if (!commit) continue;
        if (this.isFull) this.run(this.core.notSaved(commit, this.now));
        else {
          this.store.commitNow(commit);
          this.run(this.core.saved(this.now));
        }
      }
    }
  }

  take() {
    const outputs = this.outputs;
    this.outputs = [];
    return outputs;
  }

  takeSent() {
    const sent = this.sent;
    this.sent = [];
    return sent;
  }

  /** @param {number} time */
  advance(time) {
    const end = this.now + time;
    for (let rounds = 0; this.core.deadline <= end; rounds++) {
      if (rounds > 10_000) throw new Error("time stands still");
      this.to(Math.max(this.now, this.core.deadline));
      this.run(this.core.tick(this.now));
    }
    this.to(end);
  }

  /** @param {number} now */
  to(now) {
    this.wall += now - this.now;
    this.now = now;
  }

  start() {
    this.run(this.core.start(this.now));
  }

  open() {
    this.run(this.core.opened(this.now, this.wall));
  }

  /** @param {End} end */
  end(end) {
    this.sent = [];
    this.run(this.core.ended(end, this.now));
  }

  /** @param {unknown} message */
  say(message) {
    this.run(this.core.received(JSON.stringify(message), this.now));
  }

  /** @param {{ id: number }} call @param {unknown} result */
  answer({ id }, result) {
    this.say({ jsonrpc: "2.0", id, result });
  }

  /** @param {{ id: number }} call @param {number} code @param {string} reason @param {object} [data] */
  refuse({ id }, code, reason, data = {}) {
    this.say({ jsonrpc: "2.0", id, error: { code, message: "No.", data: { reason, ...data } } });
  }

  /** @param {object} [change] */
  greeting(change = {}) {
    return {
      me: ana,
      session: "5e000000-0000-4000-8000-000000000001",
      now: "2026-05-01T09:00:00.000Z",
      heartbeat: 25000,
      limits: {},
      rooms: [house],
      ...change,
    };
  }

  /** @param {object} [change] of the greeting */
  connect(change) {
    this.start();
    this.open();
    this.answer(this.takeSent().find(({ method }) => method === "hello"), this.greeting(change));
  }

  /** Connects, and follows the house at version 1, with one note. */
  follow() {
    this.connect();
    this.run(this.core.follow(house, null));
    const result = {
      room: house,
      epoch: "k3",
      version: 1,
      state: { notes: { a: "x" } },
      reason: "new",
      live: {},
      seq: 0,
    };
    this.answer(this.takeSent().at(-1), result);
    this.take();
    return this;
  }

  nextID(take = true) {
    return `i${this.serial}.${take ? ++this.lastID : this.lastID + 1}`;
  }

  /**
   * @param {string} method @param {any} params @param {string} room @param {any} patch
   * @returns {string} the id, or the reason why there is none
   */
  change(method, params, room, patch = null) {
    const id = this.nextID();
    const state = this.core.document(room);
    const needs = state && patch ? rowsOf(state, patch) : [];
    const taken = this.core.change({ id, number: 0, room, method, params, patch, needs, about: "", at: this.wall });
    if ("error" in taken) return taken.error.reason;
    this.run(taken.outputs);
    return id;
  }

  /** The room's document as screens see it. */
  shown(room = house) {
    return JSON.parse(JSON.stringify(this.core.document(room)));
  }
}
