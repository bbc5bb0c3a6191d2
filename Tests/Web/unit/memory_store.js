// A `Store` in memory. It survives the tabs that use it, as a disk does.

/** @import { Commit, Intent, Kept } from "../../../Sources/Web/app/hearth/types/library.d.ts" */
/** @import { Facts, Store, Stored } from "../../../Sources/Web/app/hearth/store.js" */

/** @typedef {{ facts: Facts, rooms: Map<string, Kept>, intents: Map<number, Intent> }} Content */

/** @implements {Store} */
export class MemoryStore {
  /** @type {string | null} */ client = null;

  /** @param {Content} [content] shared by the tabs of one browser */
  constructor(content = { facts: {}, rooms: new Map(), intents: new Map() }) {
    this.content = content;
  }

  /** @returns {Promise<Stored>} */
  load() {
    const { facts, rooms, intents } = this.content;
    this.client = facts.client ?? null;
    return Promise.resolve(structuredClone({ facts, rooms: [...rooms.values()], intents: [...intents.values()] }));
  }

  #check() {
    if ((this.content.facts.client ?? null) !== this.client) throw new Error("erased");
  }

  /** @param {Intent[]} intents @param {number} floor */
  numberNow(intents, floor) {
    const { facts, intents: kept } = this.content;
    facts.next = Math.max(facts.next ?? 1, floor);
    return intents.map((intent) => {
      for (const [number, { id }] of [...kept]) if (id === intent.id) kept.delete(number);
      const number = facts.next ?? 1;
      facts.next = number + 1;
      kept.set(number, structuredClone({ ...intent, number }));
      return { id: intent.id, number };
    });
  }

  /** @param {Commit} commit */
  commitNow({ rooms, done, refused, floor }) {
    const { facts, rooms: kept, intents } = this.content;
    for (const room of rooms) kept.set(room.room, structuredClone(room));
    for (const number of done) intents.delete(number);
    for (const intent of refused) intents.set(intent.number, structuredClone(intent));
    facts.next = Math.max(facts.next ?? 1, floor);
  }

  /** @param {Facts} [next] */
  erase(next) {
    this.content.rooms.clear();
    this.content.intents.clear();
    this.content.facts = { ...next };
  }

  /** @param {Intent[]} intents @param {number} floor */
  async number(intents, floor) {
    await null;
    this.#check();
    return this.numberNow(intents, floor);
  }

  /** @param {Commit} commit */
  async commit(commit) {
    await null;
    this.#check();
    this.commitNow(commit);
  }

  /** @param {Facts} facts */
  async setFacts(facts) {
    await null;
    this.#check();
    Object.assign(this.content.facts, structuredClone(facts));
  }

  /** @param {{ token: string, me: string, client: string, deviceToken?: string }} who */
  async logIn({ client, ...who }) {
    await null;
    if (this.content.facts.me !== who.me) this.erase();
    Object.assign(this.content.facts, { client: this.content.facts.client ?? client, ...who });
    return (await this.load()).facts;
  }

  /** @param {string} room */
  async forget(room) {
    await null;
    this.#check();
    this.content.rooms.delete(room);
  }

  /** @param {string[]} rooms */
  async keepOnly(rooms) {
    await null;
    this.#check();
    for (const room of [...this.content.rooms.keys()]) if (!rooms.includes(room)) this.content.rooms.delete(room);
  }

  /** @param {number} number */
  async discard(number) {
    await null;
    this.#check();
    this.content.intents.delete(number);
  }

  /** @param {Facts} [next] */
  async wipe(next) {
    await null;
    this.erase(next);
    this.client = next?.client ?? null;
  }
}
