// A browser with several tabs, and a server, without a network, a disk or time of their own.

/** @import { Listener } from "../../../Sources/Web/app/hearth/socket.js" */
/** @import { Member } from "../../../Sources/Web/app/hearth/tabs.js" */
import { createHash } from "node:crypto";
import { Hearth } from "../../../Sources/Web/app/hearth/hearth.js";
import { Tabs } from "../../../Sources/Web/app/hearth/tabs.js";
import { ana, bo, house } from "./client_under_test.js";
import { MemoryStore } from "./memory_store.js";
import { ModelServer, Random } from "./model_server.js";

/** Lets everything happen that waits for nothing but its turn. */
export async function settle() {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** Web Locks, of one name. */
class Locks {
  /** @type {{ work: () => unknown, resolve: (value: unknown) => void, reject: (error: Error) => void }[]} */ queue =
    [];
  /** @type {{ reject: (error: Error) => void } | null} */ holder = null;

  /** @param {string} _ @param {{ steal?: boolean, signal?: AbortSignal }} options @param {() => unknown} work */
  request(_, { steal, signal }, work) {
    return new Promise((resolve, reject) => {
      const request = { work, resolve, reject };
      signal?.addEventListener("abort", () => {
        if (!this.queue.includes(request)) return;
        this.queue = this.queue.filter((other) => other !== request);
        reject(new Error("aborted"));
      });
      if (steal) {
        this.holder?.reject(new Error("stolen"));
        this.holder = null;
        this.queue.unshift(request);
      } else this.queue.push(request);
      this.next();
    });
  }

  next() {
    const request = this.queue[0];
    if (this.holder || !request) return;
    this.queue.shift();
    this.holder = request;
    queueMicrotask(async () => {
      const value = await request.work();
      request.resolve(value);
      if (this.holder !== request) return;
      this.holder = null;
      this.next();
    });
  }
}

/** The server: one person's rooms, and a log-in for Ana and Bo. */
export class FakeServer {
  /** @type {Set<FakeSocket>} */ sockets = new Set();
  model = new ModelServer([house, `${house}/mine`, "me"], new Random(1));
  /** Whether answers wait in `held`. */
  isHolding = false;
  /** @type {(() => void)[]} */ held = [];
  isReachable = true;
  isSilent = false;
  /** Told with each greeting. @type {object} */ about = {};
  /** @type {string[]} */ hellos = [];
  /** Calls of `put`, as they came. @type {any[]} */ puts = [];
  puzzles = 0;
  /** @type {any[]} */ logIns = [];

  constructor() {
    this.model.isSteady = true;
    this.model.room("me").states = [{ households: { [house.slice("household/".length)]: { name: "Elm" } } }];
  }

  /** @param {FakeSocket} socket @param {any} message */
  receive(socket, message) {
    if (this.isSilent) return;
    const { id, method, params } = message;
    if (method === "hello") this.hellos.push(params.token);
    if (method === "put") this.puts.push(params);
    /** @type {object[]} */ let answers;
    if (method === "auth.logOut") {
      answers = [{ id, result: {} }, { method: "session.ended", params: { reason: "loggedOut" } }];
    } else if (method === "room.subscribe" && socket.isOfBo) {
      const me = { room: "me", epoch: "b", version: 1, state: { profile: { name: "Bo" } }, live: {}, seq: 0 };
      const error = { code: 3, message: "No.", data: { reason: "room" } };
      answers = [params.room === "me" ? { id, result: me } : { id, error }];
    } else if (method === "hello" && params.token === "of Bo") {
      socket.isOfBo = true;
      answers = [{ id, result: { me: bo, heartbeat: 25000, limits: { noteText: 1 }, rooms: [], now: new Date(0) } }];
    } else if (method === "chat.list") answers = [{ id, result: { items: [] } }];
    else if (method === "auth.changePassword") answers = [{ id, result: { deviceToken: "device 2" } }];
    else if (method === "room.unsubscribe") {
      this.model.room(params.room).isWatched = false;
      answers = [{ id, result: {} }];
    } else if (method === "room.subscribe" && !this.model.rooms.has(params.room)) {
      answers = [{ id, error: { code: 3, message: "No.", data: { reason: "room" } } }];
    } else if (method === "positions.report") {
      answers = [{ id, result: { shares: params.fixes?.length ?? 0, intervalSeconds: 30 } }];
    } else answers = this.model.receive(message);
    if (method === "hello") Object.assign(/** @type {any} */ (answers[0]).result, this.about);
    for (const answer of answers) {
      if (this.isHolding) this.held.push(() => socket.hear(answer));
      else socket.hear(answer);
    }
  }

  /** Sends what was held. */
  release() {
    this.isHolding = false;
    for (const send of this.held.splice(0)) send();
  }

  /** A change of somebody else, or of the server. @param {string} room @param {object} patch @param {string} [by] */
  change(room, patch, by) {
    const told = this.model.otherChange(room, patch, by);
    for (const message of told) for (const socket of this.sockets) socket.hear(message);
  }

  /** @param {number} [code] */
  hangUp(code) {
    this.model.disconnect();
    for (const socket of [...this.sockets]) socket.end(code);
  }

  /** @param {any} message */
  call({ method, params }) {
    if (method !== "auth.logIn") return { error: { code: -32601, message: "?", data: { reason: "methodNotFound" } } };
    if (this.puzzles > 0 && !params.puzzle) {
      const puzzle = { algorithm: "SHA-256", maxnumber: 10, salt: "s", signature: "x" };
      const challenge = createHash("sha256").update("s7").digest("hex");
      return {
        error: { code: 2, message: "Solve.", data: { reason: "puzzleNeeded", puzzle: { ...puzzle, challenge } } },
      };
    }
    this.logIns.push(params);
    if (params.password !== "right") return { error: { code: 1, message: "Wrong.", data: { reason: "login" } } };
    return {
      result: {
        me: params.email === "bo" ? bo : ana,
        token: params.email === "bo" ? "of Bo" : "of Ana",
        deviceToken: "device 1",
      },
    };
  }
}

class FakeSocket {
  isOfBo = false;

  /** @param {FakeServer} server @param {Listener} listener */
  constructor(server, listener) {
    this.server = server;
    /** @type {Listener | null} */ this.listener = listener;
    if (server.isReachable) server.sockets.add(this);
    queueMicrotask(() => server.isReachable ? this.listener?.opened() : this.end());
  }

  /** @param {string} text */
  send(text) {
    const message = JSON.parse(text);
    queueMicrotask(() => this.listener && this.server.receive(this, message));
  }

  /** @param {object} message */
  hear(message) {
    const text = JSON.stringify(message);
    queueMicrotask(() => this.listener?.received(text));
  }

  /** @param {number} [code] */
  end(code) {
    const { listener } = this;
    this.leave();
    listener?.ended(code ? { reason: "closed", code } : { reason: "lost" });
  }

  leave() {
    this.listener = null;
    this.server.sockets.delete(this);
  }
}

/** One browser: its disk, its locks, and its tabs. */
export class FakeBrowser {
  now = 0;
  locks = new Locks();
  /** @type {Set<any>} */ channels = new Set();
  /** @type {{ at: number, f: () => void }[]} */ timers = [];
  cleared = 0;
  last = 0;
  /** How often the disk was asked to write a change, for a test that makes it fail. */
  isFull = false;

  /** @param {FakeServer} server */
  constructor(server) {
    this.server = server;
    /** @type {import("./memory_store.js").Content} */
    this.disk = { facts: {}, rooms: new Map(), intents: new Map() };
  }

  /** Opens a tab. @param {{ isHidden?: boolean }} [options] */
  async open({ isHidden = false } = {}) {
    const state = { isHidden, isFrozen: false };
    /** @type {any} */ let page;
    const channel = {
      /** @type {any} */ onmessage: null,
      postMessage: (/** @type {unknown} */ message) => {
        for (const other of this.channels) {
          if (other === channel) continue;
          const data = structuredClone(message);
          queueMicrotask(() => other.onmessage?.({ data }));
        }
      },
      close: () => void this.channels.delete(channel),
    };
    this.channels.add(channel);
    const hearth = await Hearth.open({
      endpoint: "http://hearth.test",
      browser: {
        store: () => new MemoryStore(this.disk),
        connect: (_, listener) => new FakeSocket(this.server, listener),
        tabs: (/** @type {Member} */ member) => {
          return new Tabs(member, { locks: /** @type {any} */ (this.locks), channel: /** @type {any} */ (channel) });
        },
        now: () => this.now,
        wall: () => Date.parse("2026-05-01T09:00:00.000Z") + this.now,
        seed: () => 1,
        newId: () => `id${++this.last}`,
        after: (f, delay) => {
          const timer = { at: this.now + delay, f };
          this.timers.push(timer);
          return () => void (this.timers = this.timers.filter((other) => other !== timer));
        },
        fetch: async (_, { body }) => {
          await null;
          if (!this.server.isReachable) throw new TypeError("no network");
          return new Response(JSON.stringify(this.server.call(JSON.parse(String(body)))));
        },
        watchPage: (on) => {
          page = on;
          return () => {};
        },
        isHidden: () => state.isHidden,
        clearBrowser: () => Promise.resolve(void this.cleared++),
        persist: () => Promise.resolve(true),
      },
    });
    await settle();
    /** @param {boolean} isHidden */
    const show = async (isHidden) => {
      state.isHidden = isHidden;
      if (isHidden) page.hidden();
      else page.woken();
      await settle();
    };
    /** The tab stops without a word, as when it is killed. */
    const kill = async () => {
      channel.onmessage = null;
      channel.postMessage = () => {};
      this.channels.delete(channel);
      await hearth.close();
      await settle();
    };
    return { hearth, show, kill, page: () => page };
  }

  /** @param {number} time */
  async advance(time) {
    const end = this.now + time;
    for (let rounds = 0;; rounds++) {
      if (rounds > 1000) throw new Error("time stands still");
      await settle();
      const next = this.timers.sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.timers.shift();
      this.now = Math.max(this.now, next.at);
      next.f();
    }
    this.now = end;
  }
}

/** A browser where Ana is logged in, with one tab. */
export async function opened() {
  const server = new FakeServer();
  const browser = new FakeBrowser(server);
  const tab = await browser.open();
  await tab.hearth.logIn({ email: "ana", password: "right" });
  await settle();
  return { server, browser, tab, hearth: tab.hearth };
}
