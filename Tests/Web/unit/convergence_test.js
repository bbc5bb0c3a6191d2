// SYN-3, SYN-11: with any faults in any order, an accepted change takes effect once or its refusal is listed, and the
// shown state becomes the server's.

/** @import { Output } from "../../../Sources/Web/app/hearth/types/library.d.ts" */
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { ClientUnderTest, house } from "./client_under_test.js";
import { MemoryStore } from "./memory_store.js";
import { ModelServer, Random } from "./model_server.js";

const RUNS = Number(process.env.HEARTH_CLIENT_RUNS ?? 300);
const ROOMS = [house, "household/0a000000-0000-4000-8000-000000000001", "me"];

/** One client, one server, and the messages between them. */
class Play {
  /** @type {any[]} */ toServer = [];
  /** @type {any[]} */ toClient = [];
  isConnected = false;
  last = 0;
  kills = 0;
  /** The names of this process's changes, by their ids there. @type {Map<string, string>} */ names = new Map();
  /** @type {Set<string>} */ accepted = new Set();
  /** @type {Set<string>} */ refused = new Set();
  /** @type {Set<string>} */ rejected = new Set();

  /** @param {number} seed */
  constructor(seed) {
    this.random = new Random(seed);
    this.server = new ModelServer(ROOMS, new Random(seed ^ 0xFF));
    this.client = this.begin(new MemoryStore());
  }

  /** @param {MemoryStore} store */
  begin(store) {
    const client = new ClientUnderTest({ seed: this.random.below(2 ** 31) }, store);
    this.names = new Map([...store.content.intents.values()].map(({ id, params }) => [id, String(params.id)]));
    for (const intent of store.content.intents.values()) {
      this.accepted.add(String(intent.params.id));
      // Of a refusal that was not written yet the server tells again.
      if (!intent.error) this.refused.delete(String(intent.params.id));
    }
    for (const room of ROOMS) client.run(client.core.follow(room, store.content.rooms.get(room) ?? null));
    client.start();
    this.client = client;
    this.settle();
    return client;
  }

  /** @param {number} count */
  draw(count) {
    return this.random.below(count);
  }

  step() {
    const what = this.draw(20);
    if (what < 6) this.change();
    else if (what < 8) this.others();
    else if (what < 12) this.deliverToServer();
    else if (what < 16) this.deliverToClient();
    else if (what === 16) this.disconnect();
    else if (what < 19) this.client.advance(this.draw(3000));
    else if (this.draw(4) === 0) this.kill();
    this.settle();
    this.check();
  }

  change() {
    const name = `c${++this.last}`;
    const room = ROOMS[this.draw(3)] ?? house;
    const key = `k${this.draw(4)}`;
    const value = this.draw(8) === 0 ? "no" : name;
    const { client } = this;
    client.isSlow = this.draw(6) === 0;
    client.isFull = this.draw(20) === 0;
    this.names.set(client.nextID(false), name);
    client.change("put", { id: name, key, value }, room, { n: { [key]: value } });
    client.isFull = false;
  }

  others() {
    const value = this.draw(3) === 0 ? null : `o${this.draw(1000)}`;
    const room = ROOMS[this.draw(3)] ?? house;
    this.toClient.push(...this.server.otherChange(room, { n: { [`k${this.draw(4)}`]: value } }));
  }

  deliverToServer() {
    if (!this.isConnected) return;
    for (const message of this.toServer.splice(0, 1 + this.draw(4))) {
      this.toClient.push(...this.server.receive(message));
    }
  }

  deliverToClient() {
    for (let n = 1 + this.draw(4); n > 0 && this.isConnected && this.toClient.length; n--) {
      this.client.say(this.toClient.shift());
      this.settle();
    }
  }

  /** Messages underway to the server may still arrive; its answers never do. */
  disconnect() {
    if (!this.isConnected) return;
    for (const message of this.toServer.splice(0, this.draw(this.toServer.length + 1))) this.server.receive(message);
    this.hangUp();
    this.client.end({ reason: "lost" });
  }

  hangUp() {
    this.isConnected = false;
    this.toServer = [];
    this.toClient = [];
    this.server.disconnect();
  }

  /** The page goes at once, with what it has not written; another one opens on the same disk. */
  kill() {
    this.kills++;
    for (const message of this.toServer.splice(0, this.draw(this.toServer.length + 1))) this.server.receive(message);
    this.hangUp();
    this.note();
    const { store, now } = this.client;
    this.client = this.begin(store);
    this.client.to(now);
  }

  /** Notes how changes have ended. */
  note() {
    const { client } = this;
    for (const id of client.accepted) this.accepted.add(this.names.get(id) ?? "?");
    for (const [id, answer] of client.settled) {
      if (!("error" in answer)) continue;
      const name = this.names.get(id) ?? "?";
      if (answer.error.reason === "storage") this.rejected.add(name);
      else this.refused.add(name);
    }
    client.settled.clear();
    client.accepted.clear();
  }

  /** Carries out the client's requests to the network. */
  settle() {
    const { client } = this;
    if (!client) return;
    for (;;) {
      const outputs = client.take();
      this.note();
      const kinds = new Set(outputs.map(({ kind }) => kind));
      if (kinds.has("disconnect")) this.hangUp();
      if (!kinds.has("connect")) break;
      this.isConnected = true;
      client.open();
    }
    const sent = client.takeSent();
    if (this.isConnected) this.toServer.push(...sent);
  }

  /** Each document is an earlier state of the server, and nothing that was refused is shown on top. */
  check() {
    for (const [name, { snapshot }] of this.client.core.rooms) {
      if (!snapshot) continue;
      assert.deepEqual(JSON.parse(JSON.stringify(snapshot.state)), this.server.room(name).states[snapshot.version]);
      for (const { id } of this.client.core.queue.shown(name)) assert(!this.refused.has(this.names.get(id) ?? ""));
    }
    for (const { room, version } of this.client.kept.values()) {
      // All that has left the disk is in the documents there.
      const waiting = [...this.client.store.content.intents.values()].map(({ params }) => String(params.id));
      for (const { id, version: effect } of this.server.room(room).effects) {
        if (effect > version && this.accepted.has(id)) assert(waiting.includes(id), `${id} is lost on disk`);
      }
    }
  }

  /** Delivers everything from now on, without faults. */
  finish() {
    this.client.isSlow = false;
    this.client.write();
    for (let rounds = 0; rounds < 1000; rounds++) {
      this.settle();
      while (this.toServer.length || this.toClient.length) {
        const message = this.toServer.shift();
        if (message) this.toClient.push(...this.server.receive(message));
        if (this.toClient.length) this.client.say(this.toClient.shift());
        this.settle();
      }
      if (this.isConnected && !this.client.core.queue.entries.length) break;
      this.client.advance(500);
    }
    this.check();
    const { core, store } = this.client;
    assert.equal(core.queue.entries.length, 0, "everything has its answer");
    for (const room of ROOMS) assert.deepEqual(this.client.shown(room), this.server.room(room).state);
    const effects = ROOMS.flatMap((room) => this.server.room(room).effects.map(({ id }) => id));
    assert.equal(new Set(effects).size, effects.length, "nothing twice");
    for (const id of effects) {
      assert(!this.refused.has(id) && !this.rejected.has(id), `${id} was refused, and had an effect`);
      assert(this.accepted.has(id), `${id} came out of nowhere`);
    }
    for (const id of this.accepted) assert(this.refused.has(id) || effects.includes(id), `${id} is lost`);
    const refused = new Set([...store.content.intents.values()].map(({ params }) => String(params.id)));
    assert.deepEqual(refused, this.refused, "the disk has exactly the refused ones");
  }
}

test(`the client converges despite lost messages, full disks, reloads and others' changes (${RUNS} seeds)`, () => {
  const first = Number(process.env.HEARTH_CLIENT_SEED ?? Math.floor(Math.random() * 2 ** 31));
  let kills = 0, repeated = 0, forNow = 0, refused = 0, rejected = 0, effects = 0;
  for (let run = 0; run < RUNS; run++) {
    const play = new Play(first + run);
    try {
      for (let n = 0; n < 100; n++) play.step();
      play.finish();
    } catch (error) {
      if (error instanceof Error) error.message = `HEARTH_CLIENT_SEED=${first + run}: ${error.message}`;
      throw error;
    }
    kills += play.kills;
    repeated += play.server.repeated;
    forNow += play.server.refusedForNow;
    refused += play.refused.size;
    rejected += play.rejected.size;
    effects += ROOMS.reduce((sum, room) => sum + play.server.room(room).effects.length, 0);
  }
  // Runs without faults would prove nothing.
  assert(kills && repeated && forNow && refused && rejected && effects > RUNS);
});
