// Hearth's client for browsers: survives bad networks, reloads, and hours offline.
//
//     const hearth = await Hearth.open();
//     const room = hearth.room(`household/${id}`);
//     room.onChange(() => show(room.state));
//     const note = hearth.newId();
//     hearth.change("notes.add", { id: note, text: "Milk is out" }, {
//       room, optimistic: () => ({ notes: { [note]: { text: "Milk is out" } } }), about: "the note about milk",
//     });
//
// A change is on disk before it is shown, and shown before it is sent. It is carried out once, in its room's order, or
// listed in `refused`. One tab leads: it has the socket and runs the `Core`. The others show what it tells, and put
// their changes on the same disk. This file only carries out what the core decides.

/** @import { Answer, End, Intent, Json, JsonObject, Output, Patch, PatchOf } from "./types/library.d.ts" */
/** @import { Phase, Refused, RoomEvent, Shown, StateOf, Waiting } from "./types/library.d.ts" */
/** @import { Methods, Params } from "./types/methods.d.ts" */
/** @import { Facts } from "./store.js" */
import { BROWSER } from "./browser.js";
import { Core } from "./core.js";
import { adopt, isObject, nothing } from "./merge.js";
import { unreadable } from "./queue.js";
import { HearthError, LOGGED_OUT, LOST, NO_SPACE, OFFLINE, readRefusal } from "./refusal.js";
import { listen, Room } from "./room.js";
import { reduce, rowsOf } from "./rooms.js";

export { HearthError, Room };

/** Solves a puzzle; few people ever need it. @param {JsonObject} puzzle */
const solve = async (puzzle) => (await import("./puzzle.js")).solve(puzzle);

/** How long a question waits for a connection that is being made, and a follower for its leader's answer. */
const PATIENCE = 10_000;
/** A leader that does not answer for so long is frozen. */
const FROZEN = 1000;
/** The rest after another connection of this installation has ended that of the leader. */
const REPLACED = 2000;
/** So long a log-out waits for the server's answer. */
const GOODBYE = 3000;
/** By so much the device's clock may move before its distance to the server's is taken anew. */
const CLOCK = 2000;

/**
 * @typedef {object} Status what all tabs know of the connection
 * @property {Phase} phase
 * @property {string | null} client
 * @property {string | null} me
 * @property {string | null} session
 * @property {JsonObject} limits
 * @property {string[]} openid
 * @property {{ version?: string, mapTiles?: string }} page
 * @property {number} offset
 * @property {boolean} isEnded
 *
 * @typedef {{ method: string, params: JsonObject } | { fixes: Json[] } | { discard: string }} Question
 *
 * @typedef {object} Queued what all tabs know of the queue
 * @property {Shown[]} shown
 * @property {Waiting[]} waiting
 * @property {Refused[]} refused
 */

/** @type {Status} */
const NOBODY = {
  phase: "loggedOut",
  client: null,
  me: null,
  session: null,
  limits: nothing,
  openid: [],
  page: {},
  offset: 0,
  isEnded: false,
};

/** Ends of a session that the person has wanted. */
const OWN_ENDS = new Set(["loggedOut", "accountDeleted"]);

export class Hearth {
  #status = NOBODY;
  /** @type {Queued} */ #queued = { shown: [], waiting: [], refused: [] };
  /** This tab's changes that are on disk and that the leader has not listed yet. @type {Intent[]} */ #own = [];
  /** @type {Map<string, Room>} */ #rooms = new Map();
  /** @type {Set<() => void>} */ #listeners = new Set();
  /** The leader's. @type {Core | null} */ #core = null;
  /** Told while the leader reads its disk. @type {any[] | null} */ #backlog = null;
  /** Messages for the leader, kept until there is one. @type {any[]} */ #early = [];
  /** Whether another tab has said that it leads. */ #isLed = false;
  /** @type {{ send(text: string): void, leave(): void } | null} */ #socket = null;
  /** Disk work, one after another. @type {Promise<unknown>} */ #disk = Promise.resolve();
  /** @type {Map<string, (answer: Answer) => void>} */ #answers = new Map();
  /** Calls underway, of this and of other tabs. @type {Map<number, (answer: Answer) => void>} */ #calls = new Map();
  /** @type {((answer: Answer) => void)[]} */ #reports = [];
  /** Rooms that other tabs show, by tab. @type {Map<string, string[]>} */ #wanted = new Map();
  /** The households of `me` when they were last looked at. @type {Set<string>} */ #households = new Set();
  /** @type {(() => void) | null} */ #timer = null;
  /** @type {Set<string>} */ #changedRooms = new Set();
  #hasChanged = false;
  /** @type {() => void} */ #unwatch = () => {};

  /**
   * @param {{ endpoint?: string, app?: string, browser?: Partial<typeof BROWSER> }} options
   */
  constructor({ endpoint = globalThis.location?.origin, app = "Hearth web", browser }) {
    const url = new URL("/sync", endpoint);
    url.protocol = url.protocol.replace("http", "ws");
    this.socketURL = url.href;
    this.callURL = new URL("/rpc", url.href.replace(/^ws/, "http")).href;
    this.app = app;
    this.browser = { ...BROWSER, ...browser };
    this.store = this.browser.store();
    this.tab = this.browser.newId();
    this.tabs = this.browser.tabs({
      lead: () => void this.#lead(),
      follow: () => this.#follow(),
      hear: (message) => this.#hear(message),
    });
  }

  /**
   * Reads what is on disk, and connects; waits for no network.
   * @param {{ endpoint?: string, app?: string, browser?: Partial<typeof BROWSER> }} [options] `endpoint`: the server's
   *   address, such as `https://hearth.home`; by default the page's own origin. `app`: name and version, for the server
   */
  static async open(options = {}) {
    const hearth = new Hearth(options);
    await hearth.#open();
    return hearth;
  }

  async #open() {
    try {
      const { facts, rooms, intents } = await this.store.load();
      this.#remember(facts);
      for (const kept of rooms) {
        const room = this.#room(kept.room);
        room.snapshot = reduce(null, { ...kept, kind: "state", live: nothing }) ?? null;
        this.#changedRooms.add(kept.room);
      }
      this.#list(intents);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "VersionError")) throw error;
      // A newer page has been here.
      this.#status = { ...NOBODY, phase: "outdated" };
      return;
    }
    this.#flush();
    this.#unwatch = this.browser.watchPage({
      woken: () => this.#woken(),
      hidden: () => this.#core && this.#run([{ kind: "save" }]),
      // Browsers leave dead connections open; an attempt would be of no use now.
      offline: () => this.#core && this.phase === "live" && this.#run(this.#core.woken(this.browser.now())),
    });
    this.tabs.join();
    // The page may have been shown before its disk was read.
    if (this.browser.isHidden()) this.tabs.tell({ kind: "ask", tab: this.tab });
    else this.#look();
  }

  /** Writes what is not on disk yet, and ends. */
  async close() {
    this.#unwatch();
    const core = this.#core;
    if (core) this.#run([{ kind: "save" }]);
    await this.#disk;
    this.#follow();
    this.tabs.leave();
  }

  // MARK: what screens read

  get phase() {
    return this.#status.phase;
  }
  /** The person; with phase `loggedOut` the one whose token has expired. */
  get me() {
    return this.#status.me;
  }
  /** Whether the session was ended elsewhere, or its token is not valid: the person has not logged out themselves. */
  get isEnded() {
    return this.#status.isEnded;
  }
  /** This log-in, as it is listed in `me.devices`. */
  get session() {
    return this.#status.session;
  }
  /** The limits that `hello` told, by name (protocol.md, Limits). @returns {JsonObject} */
  get limits() {
    return this.#status.limits;
  }
  /** The page that the server has: its version, and the address of map tiles if there are any. */
  get page() {
    return this.#status.page;
  }
  /** The names of OpenID providers that the server trusts; before a log-in known after `greet`. */
  get openid() {
    return this.#status.openid ?? [];
  }
  /** Whether this tab has the connection. */
  get isLeader() {
    return this.#core !== null;
  }
  /**
   * Called with each change that this device could not keep: it is lost, and in no list.
   * @type {((error: HearthError) => void) | null}
   */
  onUnkept = null;
  /** The server's clock, in ms since 1970. */
  now() {
    return this.browser.wall() + this.#status.offset;
  }
  /** An id for something new; one that is made in a later millisecond is greater. */
  newId() {
    return this.browser.newId();
  }
  /** Changes without their final answer. @returns {Waiting[]} */
  get waiting() {
    const known = new Set(this.#queued.waiting.map(({ id }) => id));
    return [...this.#queued.waiting, ...this.#own.filter(({ id }) => !known.has(id)).map(waitingOf)];
  }
  /** Changes that were refused for good, until `discard` or `retry`. @returns {Refused[]} */
  get refused() {
    return this.#queued.refused;
  }

  /** @param {() => void} f called after anything of the above has changed @returns {() => void} ends that */
  onChange(f) {
    return listen(this.#listeners, f);
  }

  /**
   * A room, followed while somebody has it. `me` and households are followed in any case.
   * @template {string} N
   * @param {N} name `me`, `household/ID`, `household/ID/mine` or `share/ID`
   * @returns {Room<N>}
   */
  room(name) {
    const room = this.#room(name);
    if (room.users++ === 0) {
      // It may have come into being, or let us in, since it was last asked for.
      if (room.closed) {
        room.closed = null;
        this.#changedRooms.add(name);
      }
      this.#want();
      this.#flush();
    }
    return room;
  }

  /**
   * The document of a room as it is known here, without following it.
   * @template {string} N @param {N} name @returns {StateOf<N> | null}
   */
  peek(name) {
    return this.#rooms.get(name)?.state ?? null;
  }

  /** @template {string} N @param {N} name @returns {Room<N>} */
  #room(name) {
    let room = /** @type {Room<N> | undefined} */ (this.#rooms.get(name));
    if (!room) this.#rooms.set(name, room = new Room(name, () => this.#want()));
    return room;
  }

  // MARK: accounts

  /**
   * Makes an account, and logs in.
   * @param {{ email: string, password: string, name: string, birthday?: string, device?: string }} account
   */
  signUp(account) {
    return this.#enter("auth.signUp", { device: "Browser", ...account });
  }

  /** @param {{ email: string, password: string, device?: string }} account */
  async logIn(account) {
    const { facts: { deviceToken } } = await this.store.load();
    await this.#enter("auth.logIn", { device: "Browser", ...account, ...(deviceToken && { deviceToken }) });
  }

  /** @param {{ provider: string, idToken: string, name?: string, birthday?: string, device?: string }} account */
  logInWith(account) {
    return this.#enter("auth.logInWithToken", { device: "Browser", ...account });
  }

  /** Asks for a code by mail. Without a log-in there is no connection to ask on. @param {string} email */
  forgotPassword(email) {
    return this.#post("auth.forgotPassword", { email });
  }

  /** @param {{ email: string, code: string, newPassword: string, device?: string }} account */
  resetPassword(account) {
    return this.#enter("auth.resetPassword", { device: "Browser", ...account });
  }

  /** @param {string} method @param {JsonObject} params */
  async #enter(method, params) {
    await this.adopt(await this.#solving((params) => this.#post(method, params), params));
  }

  /**
   * Goes on with a session that the server has made.
   * @param {{ me: string, token: string, deviceToken?: string }} session
   */
  async adopt({ me, token, deviceToken }) {
    const who = { me, token, client: this.newId(), ...(deviceToken && { deviceToken }) };
    // Nothing that is on its way to the disk may reach that of another person.
    if (this.#core && this.me !== null && this.me !== me) this.#run(this.#core.logOut());
    await this.#write(() => this.store.logIn(who));
    Promise.resolve(this.browser.persist()).catch(() => {});
    if (!this.#core) return this.tabs.tell({ kind: "loggedIn" });
    await this.#use();
  }

  /** Asks what the server tells strangers, for a log-in form; done when it has answered, or does not. */
  greet() {
    return /** @type {Promise<void>} */ (new Promise((resolve) => {
      const done = () => {
        cancel();
        socket.leave();
        resolve();
      };
      const cancel = this.browser.after(done, PATIENCE);
      const socket = this.browser.connect(this.socketURL, {
        opened: () => {
          const params = { client: this.newId(), app: this.app };
          socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "hello", params }));
        },
        received: (text) => {
          const { result } = JSON.parse(text);
          if (result) this.#know(result);
          this.#flush();
          done();
        },
        ended: done,
      });
    }));
  }

  /** Goes on with the account that is on disk. */
  #use() {
    return this.#write(async () => {
      const { token, me, client } = (await this.store.load()).facts;
      if (!this.#core || !token || !me || !client) return;
      this.#run(this.#core.use({ token, me, client }, this.browser.now()));
      this.#households = new Set();
      this.#want();
    });
  }

  /** Ends the session, here and on the server; nothing of it stays on this device, whatever the network does. */
  async logOut() {
    if (this.phase === "live") {
      // The line may be dead, which shows late: whoever logs out may hand the device over at once.
      const asked = this.ask("auth.logOut").catch(() => {});
      await Promise.race([asked, new Promise((resolve) => void this.browser.after(() => resolve(null), GOODBYE))]);
    }
    // The server's answer may have done it already.
    if (this.#core && !this.#core.erased) this.#run(this.#core.logOut());
    if (!this.#core) {
      this.tabs.tell({ kind: "logOut" });
      // This tab may lead in a moment, with what was on the disk.
      this.#backlog?.push({ kind: "logOut" });
      // The leader may be frozen: the same twice harms nobody.
      await this.#write(() => this.store.wipe());
      this.#erased();
    }
    await this.#disk;
  }

  /** @param {string} method @param {JsonObject} params @returns {Promise<any>} */
  async #post(method, params) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "Content-Type": "application/json" };
    let message;
    try {
      message = await (await this.browser.fetch(this.callURL, { method: "POST", headers, body })).json();
    } catch {
      throw new HearthError(OFFLINE);
    }
    if (message.error) throw new HearthError(readRefusal(message.error));
    return message.result;
  }

  /**
   * Calls; if the server asks for a proof of work, solves it and calls again.
   * @param {(params: JsonObject) => Promise<any>} call
   * @param {JsonObject} params
   */
  async #solving(call, params) {
    try {
      return await call(params);
    } catch (error) {
      if (!(error instanceof HearthError) || !isObject(error.data.puzzle)) throw error;
      const puzzle = await solve(error.data.puzzle);
      if (!puzzle) throw error;
      return await call({ ...params, puzzle });
    }
  }

  // MARK: changes, questions, positions

  /**
   * Keeps a change, shows it, and sends it once that is possible: it is carried out once, or refused.
   *
   * @template {keyof Methods} M @template {string} [N="me"]
   * @template {Patch<StateOf<N>> | null | undefined} [P=null]
   * @param {M} method
   * @param {Params<M>} params without `room`; choose ids of new things, so that later changes can name them
   * @param {object} [options]
   * @param {N | Room<N>} [options.room] by default `me`
   * @param {(state: StateOf<N>) => PatchOf<StateOf<N>, P>} [options.optimistic] the merge patch that shows it, or null
   * @param {string} [options.about] words for the list of refused changes
   * @returns {{ id: string, answer: Promise<Methods[M]["result"]> }} nobody needs to wait for the answer
   */
  change(method, params, { room: where = /** @type {N} */ ("me"), optimistic, about = "" } = {}) {
    const room = this.#room(typeof where === "string" ? where : where.name);
    const patch = room.state && optimistic?.(room.state) || null;
    /** @type {Intent} */
    const intent = {
      id: this.newId(),
      number: 0,
      room: room.name,
      method,
      params: /** @type {JsonObject} */ (adopt(/** @type {any} */ (params))),
      patch: patch && /** @type {JsonObject} */ (adopt(patch)),
      needs: patch ? rowsOf(/** @type {JsonObject} */ (room.state), patch) : [],
      about,
      at: this.browser.wall(),
    };
    /** @type {Promise<any>} */
    const answer = new Promise((resolve, reject) => {
      this.#answers.set(intent.id, (answer) => {
        if ("result" in answer) resolve(answer.result);
        else reject(new HearthError(answer.error));
      });
    });
    // Refusals are listed anyway, but for what this device could not keep.
    answer.catch((error) => ["storage", "tooMuch"].includes(error.reason) && this.onUnkept?.(error));
    const error = this.me === null ? LOGGED_OUT : unreadable(intent);
    if (error) this.#settle(intent.id, { error });
    else if (!this.#core) void this.#keep(intent);
    else {
      const taken = this.#core.change(intent);
      if ("error" in taken) this.#settle(intent.id, taken);
      else this.#run(taken.outputs);
    }
    return { id: intent.id, answer };
  }

  /** A follower puts a change on disk itself. @param {Intent} intent */
  async #keep(intent) {
    try {
      const [drawn] = await this.#write(() => this.store.number([intent], 1));
      intent = { ...intent, number: drawn?.number ?? 0 };
    } catch {
      return this.#settle(intent.id, { error: NO_SPACE });
    }
    if (this.#core) return this.#run(this.#core.adopt(intent, this.browser.now()));
    this.#own.push(intent);
    this.#backlog?.push({ kind: "wrote", intent });
    this.tabs.tell({ kind: "wrote", intent });
    this.#changedRooms.add(intent.room);
    this.#hasChanged = true;
    this.#flush();
  }

  /**
   * Calls a method now; refused with a `HearthError` if that is not possible, or if the server refuses.
   *
   * @template {keyof Methods} M
   * @param {M} method
   * @param {Params<M>} [params] without `room`
   * @param {{ room?: string | Room }} [options]
   * @returns {Promise<Methods[M]["result"]>}
   */
  ask(method, params = /** @type {any} */ ({}), { room } = {}) {
    const name = typeof room === "object" ? room.name : room;
    const all = /** @type {JsonObject} */ ({ ...params, ...(name && name !== "me" && { room: name }) });
    const answer = this.#solving((params) => this.#ask({ method, params }), all);
    // A new password ends the old ones of these (protocol.md, Passwords).
    answer.then(({ deviceToken }) => deviceToken && this.#write(() => this.store.setFacts({ deviceToken }))).catch(
      () => {},
    );
    return answer;
  }

  /**
   * Asks the server at once, however far away the next attempt is.
   * @returns {Promise<boolean>} whether it has answered, and everything is as it has it
   */
  renew() {
    if (this.#core) this.#woken();
    else this.#tellLeader({ kind: "wake" });
    // The server answers in order, so everything new arrives before this answer.
    return this.ask("room.subscribe", /** @type {any} */ ({ room: "me" })).then(() => true, () => false);
  }

  /**
   * Reports positions, in their order. They are kept until the server has them.
   * @param {Json[]} fixes as `positions.report` takes them; none says that there is no position at the moment
   * @returns {Promise<Methods["positions.report"]["result"]>} the answer to the next report
   */
  report(fixes) {
    return this.#ask({ fixes });
  }

  /** Drops the positions that are not reported yet. */
  dropFixes() {
    if (this.#core) this.#run(this.#core.dropFixes());
    else this.#tellLeader({ kind: "dropFixes" });
  }

  /** @param {Question} what @returns {Promise<any>} */
  #ask(what) {
    return new Promise((resolve, reject) => {
      this.#question(what, (answer) => {
        if ("result" in answer) resolve(answer.result);
        else reject(new HearthError(answer.error));
      });
    });
  }

  /** The last question to another tab. */
  #lastQuestion = 0;
  /** @type {Map<number, (answer: Answer) => void>} */ #questions = new Map();

  /** @param {Question} what @param {(answer: Answer) => void} done */
  #question(what, done) {
    const core = this.#core;
    if (!core) {
      const call = ++this.#lastQuestion;
      const cancel = this.browser.after(() => finish({ error: OFFLINE }), PATIENCE);
      /** @param {Answer} answer */
      const finish = (answer) => {
        cancel();
        this.#questions.delete(call);
        done(answer);
      };
      this.#questions.set(call, finish);
      return this.#tellLeader({ kind: "question", tab: this.tab, call, what });
    }
    if ("discard" in what) return void this.#discard(core, what.discard, done);
    if ("fixes" in what) {
      this.#reports.push(done);
      return this.#run(core.report(what.fixes.map(adopt), this.browser.now()));
    }
    if (this.phase === "connecting") {
      // A question at the start of a page should not be told that there is no network.
      const end = listen(this.#listeners, () => this.phase !== "connecting" && proceed());
      const cancel = this.browser.after(() => proceed(), PATIENCE);
      const proceed = () => {
        end();
        cancel();
        this.#call(what.method, what.params, done);
      };
      return;
    }
    this.#call(what.method, what.params, done);
  }

  /** @param {string} method @param {JsonObject} params @param {(answer: Answer) => void} done */
  #call(method, params, done) {
    const { call = 0, outputs = [] } = this.#core?.call(method, params) ?? {};
    if (call) this.#calls.set(call, done);
    this.#run(outputs);
    if (!call) done({ error: OFFLINE });
  }

  /** Tries a refused change again. @param {string} id */
  retry(id) {
    if (this.#core) this.#run(this.#core.retry(id, this.browser.now()));
    else this.#tellLeader({ kind: "retry", id });
  }

  /**
   * Takes a refused change off the list, or takes back a waiting one that `canDiscard`.
   * @param {string} id
   * @returns {Promise<boolean>} whether it is gone, from the disk too; else it may have been sent meanwhile
   */
  discard(id) {
    return this.#ask({ discard: id }).then(() => true, () => false);
  }

  /** @param {Core} core @param {string} id @param {(answer: Answer) => void} done */
  async #discard(core, id, done) {
    const { number, outputs } = core.discard(id, this.browser.now());
    this.#run(outputs);
    const isWritten = number && await this.#write(() => this.store.discard(number)).then(() => true, () => false);
    // Another tab that leads by now may have read the disk before.
    if (!number || core !== this.#core) return done({ error: LOST });
    const now = this.browser.now();
    this.#run(isWritten ? core.dropped(id, now) : core.notStored([id], now));
    done(isWritten ? { result: {} } : { error: LOST });
  }

  // MARK: the leader

  async #lead() {
    const backlog = this.#backlog = this.#early.splice(0);
    const stored = await this.#write(() => this.store.load()).catch(() => null);
    if (!stored) return void this.browser.after(() => backlog === this.#backlog && this.#lead(), 1000);
    const { facts, rooms, intents } = stored;
    // Another tab may have taken over meanwhile.
    if (backlog !== this.#backlog) return;
    const core = this.#core = new Core({
      client: facts.client ?? "",
      token: facts.token ?? null,
      me: facts.me ?? null,
      app: this.app,
      seed: this.browser.seed(),
      intents,
      fixes: facts.fixes ?? [],
    });
    for (const kept of rooms) {
      const room = this.#room(kept.room);
      // The leader before may have told more than it has written.
      if (room.snapshot?.epoch === kept.epoch && room.snapshot.version >= kept.version) continue;
      room.snapshot = reduce(null, { ...kept, kind: "state", live: nothing }) ?? null;
    }
    this.#backlog = null;
    this.#own = [];
    this.#remember(facts);
    this.#want();
    this.#run([{ kind: "queue" }, { kind: "phase" }, ...core.start(this.browser.now())]);
    for (const id of [...this.#answers.keys()]) this.#check(id);
    const heard = backlog.filter(({ kind }) => kind === "question").map(({ tab, call }) => `${tab} ${call}`);
    this.#loseQuestions(heard);
    this.tabs.tell({ kind: "wants", heard });
    this.tabs.tell(this.#state());
    for (const message of backlog) this.#hear(message);
  }

  /** Tells the leader: another tab, or this one if it leads next. @param {object} message */
  #tellLeader(message) {
    if (this.#backlog) this.#backlog.push(message);
    else if (this.#isLed) this.tabs.tell(message);
    else this.#early.push(message);
  }

  /**
   * Ends the questions of this tab that the new leader has not heard, since the tab that led before is gone.
   * @param {string[]} heard as `TAB CALL`
   */
  #loseQuestions(heard) {
    for (const [call, done] of this.#questions) if (!heard.includes(`${this.tab} ${call}`)) done({ error: LOST });
  }

  /** Another tab leads now. */
  #follow() {
    this.#socket?.leave();
    this.#socket = null;
    this.#timer?.();
    this.#core = null;
    this.#backlog = null;
    for (const done of this.#calls.values()) done({ error: LOST });
    for (const done of this.#reports.splice(0)) done({ error: LOST });
    this.#calls.clear();
    this.tabs.tell({ kind: "ask", tab: this.tab });
  }

  /** Follows the rooms that this tab, or another, needs. */
  #want() {
    const mine = [...this.#rooms.values()].filter(({ users }) => users).map(({ name }) => name);
    const core = this.#core;
    if (!core) return this.tabs.tell({ kind: "want", tab: this.tab, rooms: mine });
    const households = this.#rooms.get("me")?.snapshot?.state.households;
    const ids = new Set(isObject(households) ? Object.keys(households) : []);
    /** @type {Set<string>} */ const wanted = new Set(["me", ...mine, ...[...this.#wanted.values()].flat()]);
    for (const id of ids) {
      for (const name of [`household/${id}`, `household/${id}/mine`]) {
        // The person is in the room again.
        if (!this.#households.has(id)) this.#room(name).closed = null;
        wanted.add(name);
      }
    }
    this.#households = ids;
    for (const name of core.rooms.keys()) {
      if (!name.startsWith("share/") || wanted.has(name)) continue;
      this.#room(name).isCurrent = false;
      this.#run(core.unfollow(name));
    }
    for (const name of wanted) {
      const room = this.#room(name);
      if (room.closed || core.rooms.has(name)) continue;
      const { snapshot } = room;
      const outputs = core.follow(name, snapshot && { room: name, ...snapshot });
      room.snapshot = core.rooms.get(name)?.snapshot ?? null;
      this.#changedRooms.add(name);
      this.#run(outputs);
    }
  }

  /** Carries out what the core has decided. @param {Output[]} outputs */
  #run(outputs) {
    const core = this.#core;
    if (!core) return;
    /** @type {[string, RoomEvent][]} */ const events = [];
    /** @type {[string, Answer][]} */ const settled = [];
    let hasQueue = false;
    let hasStatus = false;
    for (const output of outputs) {
      switch (output.kind) {
        case "connect":
          this.#connect();
          break;
        case "disconnect":
          this.#socket?.leave();
          this.#socket = null;
          break;
        case "send": {
          const { message, stamp } = output;
          if (stamp) message.params = { ...message.params, sentAt: new Date(this.browser.wall()).toISOString() };
          this.#socket?.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
          break;
        }
        case "store":
          void this.#number(output.intents, output.floor);
          break;
        case "save":
          void this.#save();
          break;
        case "fixes":
          this.#write(() => this.store.setFacts({ fixes: core.fixes })).catch(() => {});
          break;
        case "forget":
          this.#write(() => this.store.forget(output.room)).catch(() => {});
          break;
        case "keepOnly":
          this.#write(() => this.store.keepOnly(output.rooms)).catch(() => {});
          break;
        case "wipe":
          if (output.next) this.#write(() => this.store.wipe(output.next)).catch(() => {});
          else this.#wipe(!OWN_ENDS.has(core.erased?.why ?? ""));
          break;
        case "room": {
          const room = this.#room(output.room);
          if (output.event.kind === "closed") this.#closed(room, output.event);
          else if (output.event.kind === "current") room.isCurrent = output.event.isCurrent;
          else {
            room.snapshot = core.rooms.get(output.room)?.snapshot ?? null;
            room.closed = null;
            room.note(output.event);
          }
          this.#changedRooms.add(output.room);
          events.push([output.room, output.event]);
          break;
        }
        case "greeted":
          this.#greeted(output.greeting);
          hasStatus = true;
          break;
        case "phase":
          // The end is shown when nothing is left on the disk.
          if (core.erased) break;
          this.#status = { ...this.#status, phase: phaseOf(core), client: core.client || null, me: core.me };
          hasStatus = true;
          if (core.phase.name === "stopped" && core.phase.end.code === 4006) this.#replaced(core);
          break;
        case "clock": {
          const offset = Date.parse(output.at) - this.browser.wall();
          if (Math.abs(offset - this.#status.offset) < CLOCK) break;
          this.#status = { ...this.#status, offset };
          hasStatus = true;
          break;
        }
        case "queue":
          hasQueue = true;
          break;
        case "settled":
          settled.push([output.id, output.answer]);
          break;
        case "solve":
          void solve(output.puzzle).catch(() => null).then((puzzle) =>
            this.#run(core.solved(output.id, puzzle, this.browser.now()))
          );
          break;
        case "called":
          this.#calls.get(output.call)?.(output.answer);
          this.#calls.delete(output.call);
          break;
        case "reported":
          for (const done of this.#reports.splice(0)) done(output.answer);
      }
    }
    if (hasQueue) this.#list(core.queue.waiting, core);
    this.#hasChanged ||= hasStatus;
    if (events.length || settled.length || hasQueue || hasStatus) {
      this.tabs.tell({
        kind: "told",
        events,
        settled,
        ...(hasQueue && { queued: this.#queued }),
        ...(hasStatus && { status: this.#status }),
      });
    }
    this.#schedule();
    this.#flush();
    for (const [id, answer] of settled) this.#settle(id, answer);
    if (events.some(([room, { kind }]) => room === "me" && kind !== "live")) this.#want();
  }

  #connect() {
    /** @param {(core: Core, now: number) => Output[]} f */
    const on = (f) => {
      if (this.#core) this.#run(f(this.#core, this.browser.now()));
    };
    this.#socket?.leave();
    try {
      this.#socket = this.browser.connect(this.socketURL, {
        opened: () => on((core, now) => core.opened(now, this.browser.wall())),
        received: (text) => on((core, now) => core.received(text, now)),
        ended: (end) => on((core, now) => core.ended(end, now)),
      });
    } catch {
      // The browser forbids it. In a turn of its own: the outputs that led here are still being carried out.
      this.browser.after(() => on((core, now) => core.ended({ reason: "unreachable" }, now)), 0);
    }
  }

  #schedule() {
    this.#timer?.();
    const { deadline } = /** @type {Core} */ (this.#core);
    this.#timer = deadline === Infinity ? null : this.browser.after(() => {
      if (this.#core) this.#run(this.#core.tick(this.browser.now()));
    }, Math.max(0, deadline - this.browser.now()));
  }

  /** Disk work after all that came before. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #write(work) {
    const done = this.#disk.then(work, work);
    this.#disk = done.catch(() => {});
    return done;
  }

  /** @param {Intent[]} intents @param {number} floor */
  async #number(intents, floor) {
    const core = this.#core;
    if (!core) return;
    try {
      const numbers = await this.#write(() => this.store.number(intents, floor));
      if (core === this.#core) return this.#run(core.stored(numbers, this.browser.now()));
      // Another tab leads by now, and may have read the disk before.
      for (const intent of intents) {
        const number = numbers.find(({ id }) => id === intent.id)?.number ?? 0;
        this.tabs.tell({ kind: "wrote", intent: { ...intent, number } });
      }
    } catch {
      if (core === this.#core) this.#run(core.notStored(intents.map(({ id }) => id), this.browser.now()));
    }
  }

  async #save() {
    const core = this.#core;
    /** @type {ReturnType<Core["takeCommit"]>} */ let commit = null;
    try {
      await this.#write(async () => {
        commit = core?.takeCommit() ?? null;
        if (commit) await this.store.commit(commit);
      });
      if (commit && core && core === this.#core) this.#run(core.saved(this.browser.now()));
    } catch {
      if (commit && core && core === this.#core) this.#run(core.notSaved(commit, this.browser.now()));
    }
  }

  /** @param {any} greeting */
  #greeted(greeting) {
    const seen = { ...this.#know(greeting), session: greeting.session };
    this.#status = { ...this.#status, ...seen };
    this.#write(() => this.store.setFacts({ seen })).catch(() => {});
  }

  /** Takes over the server's words about itself. @param {any} greeting */
  #know({ limits, openid = [], page = {}, now }) {
    const known = { limits, openid, page, offset: Date.parse(now) - this.browser.wall() || 0 };
    this.#status = { ...this.#status, .../** @type {any} */ (adopt(known)) };
    this.#hasChanged = true;
    return known;
  }

  /** @param {Facts} facts */
  #remember({ client, me, token, seen }) {
    /** @type {Partial<Status>} */
    const known = isObject(seen) ? /** @type {any} */ (adopt(seen)) : {};
    const phase = token ? "connecting" : "loggedOut";
    this.#status = { ...this.#status, ...known, client: client ?? null, me: me ?? null, phase };
    this.#hasChanged = true;
  }

  // MARK: all tabs

  /**
   * Lists the changes: those of the core, or as they are on disk.
   * @param {Intent[]} intents
   * @param {Core} [core]
   */
  #list(intents, core) {
    const before = this.#queued.shown;
    const open = intents.filter(({ error }) => !error);
    const discardable = core?.queue.discardable;
    this.#queued = {
      shown: core ? core.queue.shown() : open.flatMap(shownOf),
      waiting: open.map((intent) => ({ ...waitingOf(intent), canDiscard: discardable?.has(intent.id) })),
      refused: (core ? core.queue.refused : intents).flatMap((intent) => {
        return intent.error ? [{ ...waitingOf(intent), error: intent.error }] : [];
      }),
    };
    for (const { room } of [...before, ...this.#queued.shown]) this.#changedRooms.add(room);
    this.#hasChanged = true;
  }

  /** Shows what has changed, once for everything that came together. */
  #flush() {
    const names = [...this.#changedRooms];
    const hasChanged = this.#hasChanged;
    this.#changedRooms.clear();
    this.#hasChanged = false;
    const listed = new Set(this.#queued.shown.map(({ id }) => id));
    const shown = [...this.#queued.shown, ...this.#own.filter(({ id }) => !listed.has(id)).flatMap(shownOf)];
    const changed = names.map((name) => this.#room(name)).filter((room) => {
      return room.refresh(shown.filter((change) => change.room === room.name));
    });
    for (const room of changed) for (const f of [...room.listeners]) f();
    for (const room of changed) room.tellNews();
    if (hasChanged) { for (const f of [...this.#listeners]) f(); }
  }

  /** @param {Room} room @param {{ reason: string, code?: number }} closed */
  #closed(room, { reason, code }) {
    room.snapshot = null;
    room.isCurrent = false;
    // With the person, the room is not gone but unknown.
    const isForgotten = reason === "sessionEnded" || reason === "anotherPerson";
    room.closed = isForgotten ? null : { reason, ...(code && { code }) };
  }

  /** @param {string} id @param {Answer} answer */
  #settle(id, answer) {
    this.#own = this.#own.filter((intent) => intent.id !== id);
    this.#answers.get(id)?.(answer);
    this.#answers.delete(id);
  }

  /** A change that is nowhere any more was answered while nobody told us. @param {string} id */
  #check(id) {
    const { waiting, refused } = this;
    if (refused.some((change) => change.id === id) || waiting.some((change) => change.id === id)) return;
    if (this.#core?.queue.entries.some(({ intent }) => intent.id === id)) return;
    this.#settle(id, { result: {} });
  }

  /** The session is over: whoever sees that may close the page at once. @param {boolean} isEnded */
  #wipe(isEnded) {
    void this.#write(async () => {
      await this.store.wipe().catch(() => {});
      this.#erased(isEnded);
      this.tabs.tell({ kind: "erased", isEnded });
    });
    this.#write(() => this.browser.clearBrowser()).catch(() => {});
  }

  /** Nothing is left of the session, here or in another tab. @param {boolean} [isEnded] */
  #erased(isEnded = false) {
    this.#own = [];
    this.#queued = { shown: [], waiting: [], refused: [] };
    this.#households = new Set();
    for (const id of [...this.#answers.keys()]) this.#settle(id, { error: LOGGED_OUT });
    for (const room of this.#rooms.values()) {
      room.snapshot = null;
      room.isCurrent = false;
      room.closed = null;
      this.#changedRooms.add(room.name);
    }
    this.#status = { ...NOBODY, offset: this.#status.offset, isEnded };
    this.#hasChanged = true;
    this.#flush();
  }

  /**
   * The hello of a page that is gone may come late. Where there are locks, no other tab is connected, so it comes back.
   * @param {Core} core
   */
  #replaced(core) {
    if (!this.tabs.locks) return;
    this.browser.after(() => core === this.#core && !this.browser.isHidden() && this.#woken(), REPLACED);
  }

  #woken() {
    if (this.#core) this.#run(this.#core.woken(this.browser.now()));
    else if (!this.browser.isHidden()) this.#look();
  }

  /** A tab that somebody looks at should lead: hidden ones are slowed down, or frozen. */
  #look() {
    this.#cancelSteal?.();
    this.#cancelSteal = this.browser.after(() => this.#steal(), FROZEN);
    this.tabs.tell({ kind: "ask", tab: this.tab });
  }
  /** @type {(() => void) | null} */ #cancelSteal = null;

  #steal() {
    this.#cancelSteal = null;
    if (!this.#core && !this.#backlog && !this.browser.isHidden()) this.tabs.join({ steal: true });
  }

  /** All that a tab needs to go on from. */
  #state() {
    const rooms = [...this.#rooms.values()].map(({ name, snapshot, isCurrent, closed }) => {
      return { name, snapshot, isCurrent, closed };
    });
    return { kind: "state", status: this.#status, queued: this.#queued, rooms, isHidden: this.browser.isHidden() };
  }

  /** @param {any} message from another tab */
  #hear(message) {
    if (this.#backlog) return void this.#backlog.push(message);
    if (message.kind === "erased") {
      if (!this.#core) this.#erased(message.isEnded);
    } else if (this.#core) this.#hearFollower(this.#core, message);
    else this.#hearLeader(message);
  }

  /** @param {Core} core @param {any} message */
  #hearFollower(core, message) {
    const now = this.browser.now();
    switch (message.kind) {
      case "ask":
        return this.tabs.tell(this.#state());
      case "wake":
        return this.#run(core.woken(now));
      case "wrote":
        return this.#run(core.adopt(message.intent, now));
      case "want":
        this.#wanted.set(message.tab, message.rooms);
        return this.#want();
      case "question":
        return this.#question(message.what, (answer) => {
          const { tab, call } = message;
          if (tab === this.tab) this.#questions.get(call)?.(answer);
          else this.tabs.tell({ kind: "answer", tab, call, answer });
        });
      case "retry":
        return this.retry(message.id);
      case "dropFixes":
        return this.dropFixes();
      case "logOut":
        return core.erased ? undefined : this.#run(core.logOut());
      case "loggedIn":
        return void this.#use();
    }
  }

  /** @param {any} message */
  #hearLeader(message) {
    switch (message.kind) {
      case "wants":
        this.#loseQuestions(message.heard);
        return this.#want();
      case "answer":
        if (message.tab === this.tab) this.#questions.get(message.call)?.(message.answer);
        return;
      case "state": {
        const { status, queued, rooms, isHidden } = message;
        this.#isLed = true;
        for (const early of this.#early.splice(0)) this.tabs.tell(early);
        this.#mirror(status, queued);
        for (const { name, snapshot, isCurrent, closed } of rooms) {
          const room = this.#room(name);
          room.snapshot = snapshot && (reduce(null, { ...snapshot, kind: "state" }) ?? null);
          Object.assign(room, { isCurrent, closed });
          this.#changedRooms.add(name);
        }
        this.#flush();
        for (const id of [...this.#answers.keys()]) if (!this.#own.some((own) => own.id === id)) this.#check(id);
        if (!this.#cancelSteal) return;
        this.#cancelSteal();
        this.#cancelSteal = null;
        if (isHidden) this.#steal();
        return;
      }
      case "told": {
        const { status, queued, events, settled } = message;
        this.#mirror(status, queued);
        for (const [name, event] of events) this.#mirrorRoom(this.#room(name), event);
        for (const [id, answer] of settled) this.#settle(id, answer);
        this.#flush();
      }
    }
  }

  /** @param {Status | undefined} status @param {Queued | undefined} queued */
  #mirror(status, queued) {
    if (status) {
      this.#status = /** @type {any} */ (adopt(/** @type {any} */ (status)));
      this.store.client = status.client;
    }
    if (queued) {
      for (const { room } of [...this.#queued.shown, ...queued.shown]) this.#changedRooms.add(room);
      const listed = new Set([...queued.waiting, ...queued.refused].map(({ id }) => id));
      this.#own = this.#own.filter(({ id }) => !listed.has(id));
      this.#queued = queued;
    }
    this.#hasChanged ||= Boolean(status || queued);
  }

  /** @param {Room} room @param {RoomEvent} event */
  #mirrorRoom(room, event) {
    this.#changedRooms.add(room.name);
    if (event.kind === "closed") return this.#closed(room, event);
    if (event.kind === "current") return void (room.isCurrent = event.isCurrent);
    const after = reduce(room.snapshot, event);
    if (after) {
      if (after !== room.snapshot) room.note(event);
      room.snapshot = after;
      room.closed = null;
    } else if (event.kind !== "live") this.tabs.tell({ kind: "ask", tab: this.tab });
  }
}

/** @param {Intent} intent @returns {Waiting} */
function waitingOf({ id, method, params, room, about, at }) {
  return { id, method, params, room, about, since: at };
}

/** @param {Intent} intent @returns {Shown[]} */
function shownOf({ id, room, patch, needs }) {
  return patch ? [{ id, room, patch, needs }] : [];
}

/** @param {Core} core @returns {Phase} */
function phaseOf(core) {
  const { phase } = core;
  if (!core.token) return "loggedOut";
  switch (phase.name) {
    case "ready":
      return "live";
    case "waiting":
      return "offline";
    case "stopped": {
      /** @type {End} */ const { code, why, error } = phase.end;
      if (code === 4002 || why === "expired" || error?.reason === "expired") return "loggedOut";
      return code === 4104 ? "outdated" : "offline";
    }
    default:
      // One sentence for a long absence, rather than two that take turns.
      return core.backoff.failures ? "offline" : "connecting";
  }
}
