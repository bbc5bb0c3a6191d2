// All that survives a reload: documents, changes that are not answered, the account, and pictures on their way.

/** @import { Commit, Intent, Json, Kept } from "./types/library.d.ts" */

/**
 * The disk of this installation. Every write is one transaction.
 *
 * @typedef {object} Facts
 * @property {string} [client] the installation's id for the server
 * @property {string} [token]
 * @property {string} [me] whose token and documents these are
 * @property {string} [deviceToken] lets the next log-in of this person pass as one from a known device
 * @property {number} [next] the next number of a change
 * @property {Json[]} [fixes] positions that are not reported yet
 * @property {Json} [seen] what the server said of itself last
 *
 * @typedef {object} Stored
 * @property {Facts} facts
 * @property {Kept[]} rooms
 * @property {Intent[]} intents
 *
 * @typedef {object} Store
 * @property {string | null} client the installation that writes: nothing is written to what belongs to another one
 * @property {() => Promise<Stored>} load
 * @property {(intents: Intent[], floor: number) => Promise<{ id: string, number: number }[]>} number draws the next
 *   numbers, not below `floor`, and writes the intents under them, in place of what there was with their ids
 * @property {(commit: Commit) => Promise<void>} commit
 * @property {(facts: Facts) => Promise<void>} setFacts
 * @property {(facts: { token: string, me: string, client: string, deviceToken?: string }) => Promise<Facts>} logIn
 *   another person's things are erased; `client` counts then, or if there is none yet
 * @property {(room: string) => Promise<void>} forget
 * @property {(rooms: string[]) => Promise<void>} keepOnly
 * @property {(number: number) => Promise<void>} discard
 * @property {(next?: Facts) => Promise<void>} wipe erases everything; with `next`, goes on with these facts
 */

/**
 * One step for each version of the schema, from the version before.
 * @type {((db: IDBDatabase) => void)[]}
 */
export const MIGRATIONS = [
  (db) => {
    db.createObjectStore("rooms", { keyPath: "room" });
    db.createObjectStore("queue", { keyPath: "number" }).createIndex("id", "id");
    db.createObjectStore("facts");
    db.createObjectStore("files");
  },
];

/** Thrown by writes when another tab has erased everything, so that nothing comes back. */
export class Erased extends Error {}

/** A `Store` in IndexedDB. @implements {Store} */
export class DiskStore {
  /** @type {Promise<IDBDatabase> | null} */ #db = null;
  /** The installation that writes; null before there is one. @type {string | null} */ client = null;

  /**
   * @param {string} [name]
   * @param {((db: IDBDatabase) => void)[]} [migrations]
   */
  constructor(name = "hearth", migrations = MIGRATIONS) {
    this.name = name;
    this.migrations = migrations;
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    const opening = this.#db ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.name, this.migrations.length);
      request.onupgradeneeded = ({ oldVersion }) => {
        for (const migrate of this.migrations.slice(oldVersion)) migrate(request.result);
      };
      request.onsuccess = () => {
        const db = request.result;
        const drop = () => {
          db.close();
          if (this.#db === opening) this.#db = null;
        };
        // The system takes handles away (WebKit 277615); another tab wants to erase or to migrate.
        db.onclose = db.onversionchange = drop;
        resolve(db);
      };
      request.onerror = () => {
        this.#db = null;
        reject(request.error);
      };
    });
    return opening;
  }

  /**
   * Runs one transaction, on a new handle if the old one was taken away. Resolves when it is committed.
   * @template T
   * @param {string[]} names
   * @param {IDBTransactionMode} mode
   * @param {(stores: IDBObjectStore[], transaction: IDBTransaction) => () => T} work returns how to read the result
   * @param {IDBTransactionDurability} durability
   * @returns {Promise<T>}
   */
  async #run(names, mode, work, durability) {
    for (let attempt = 1;; attempt++) {
      try {
        const db = await this.#open();
        return await new Promise((resolve, reject) => {
          const transaction = db.transaction(names, mode, { durability });
          const read = work(names.map((name) => transaction.objectStore(name)), transaction);
          transaction.oncomplete = () => resolve(read());
          transaction.onabort = () => reject(transaction.error ?? new Erased());
        });
      } catch (error) {
        const name = error instanceof DOMException ? error.name : "";
        // Full is full, and a newer schema belongs to a newer page.
        if (attempt > 1 || !name || name === "QuotaExceededError" || name === "VersionError") throw error;
        this.#db = null;
      }
    }
  }

  /**
   * Writes, if the disk still belongs to this installation.
   * @template T
   * @param {string[]} names besides the facts
   * @param {(stores: IDBObjectStore[]) => () => T} work the first store has the facts
   * @param {IDBTransactionDurability} [durability]
   */
  #write(names, work, durability = "relaxed") {
    return this.#run(["facts", ...names], "readwrite", (stores, transaction) => {
      /** @type {(() => T) | undefined} */ let read;
      const [facts] = stores;
      if (facts) {
        facts.get("client").onsuccess = ({ target }) => {
          if (result(target) === this.client) read = work(stores);
          else transaction.abort();
        };
      }
      return () => /** @type {() => T} */ (read)();
    }, durability);
  }

  /** @returns {Promise<Stored>} */
  async load() {
    const found = await this.#run(["facts", "rooms", "queue"], "readonly", (stores) => {
      const [facts, rooms, queue] = /** @type {[IDBObjectStore, IDBObjectStore, IDBObjectStore]} */ (stores);
      const requests = [facts.getAllKeys(), facts.getAll(), rooms.getAll(), queue.getAll()];
      return () => requests.map(({ result }) => result);
    }, "relaxed");
    const [keys, values, rooms, intents] = /** @type {[string[], unknown[], Kept[], Intent[]]} */ (found);
    /** @type {Facts} */
    const facts = Object.fromEntries(keys.map((key, index) => [key, values[index]]));
    this.client = facts.client ?? null;
    return { facts, rooms, intents };
  }

  /** @param {Intent[]} intents @param {number} floor */
  number(intents, floor) {
    return this.#write(["queue"], ([facts, queue]) => {
      /** @type {{ id: string, number: number }[]} */ const numbers = [];
      if (facts && queue) {
        facts.get("next").onsuccess = ({ target }) => {
          let next = Math.max(result(target) ?? 1, floor);
          for (const intent of intents) {
            const number = next++;
            numbers.push({ id: intent.id, number });
            queue.index("id").getAllKeys(intent.id).onsuccess = ({ target }) => {
              for (const old of result(target)) queue.delete(old);
              queue.put({ ...intent, number });
            };
          }
          facts.put(next, "next");
        };
      }
      return () => numbers;
    }, "strict");
  }

  /** @param {Commit} commit */
  commit({ rooms, done, refused, floor }) {
    return this.#write(["rooms", "queue"], ([facts, documents, queue]) => {
      for (const kept of rooms) {
        const request = documents?.get(kept.room);
        if (!request) continue;
        request.onsuccess = () => {
          // A tab that led before may come late with an older document.
          const { epoch, version } = request.result ?? {};
          if (epoch !== kept.epoch || version <= kept.version) documents?.put(kept);
        };
      }
      for (const number of done) queue?.delete(number);
      for (const intent of refused) queue?.put(intent);
      const request = facts?.get("next");
      if (request) {
        request.onsuccess = () => {
          if ((request.result ?? 1) < floor) facts?.put(floor, "next");
        };
      }
      return () => {};
    });
  }

  /** @param {Facts} changed */
  setFacts(changed) {
    return this.#write([], ([facts]) => {
      for (const [key, value] of Object.entries(changed)) facts?.put(value, key);
      return () => {};
    });
  }

  /** @param {{ token: string, me: string, client: string, deviceToken?: string }} who @returns {Promise<Facts>} */
  async logIn({ client, ...who }) {
    await this.#run(["facts", "rooms", "queue", "files"], "readwrite", (stores) => {
      const [facts] = /** @type {[IDBObjectStore]} */ (stores);
      facts.get("me").onsuccess = ({ target }) => {
        if (result(target) !== who.me) { for (const store of stores) store.clear(); }
        facts.get("client").onsuccess = ({ target }) => {
          if (!result(target)) facts.put(client, "client");
          for (const [key, value] of Object.entries(who)) facts.put(value, key);
        };
      };
      return () => {};
    }, "strict");
    return (await this.load()).facts;
  }

  /** @param {string} room */
  forget(room) {
    return this.#write(["rooms"], ([, rooms]) => {
      rooms?.delete(room);
      return () => {};
    });
  }

  /** @param {string[]} kept */
  keepOnly(kept) {
    return this.#write(["rooms"], ([, rooms]) => {
      const request = rooms?.getAllKeys();
      if (request) {
        request.onsuccess = () => {
          for (const key of request.result) if (!kept.includes(String(key))) rooms?.delete(key);
        };
      }
      return () => {};
    });
  }

  /** @param {number} number */
  discard(number) {
    return this.#write(["queue"], ([, queue]) => {
      queue?.delete(number);
      return () => {};
    }, "strict");
  }

  /**
   * A picture that waits to be sent; kept by its SHA-256 in hexadecimal.
   * @param {string} hash
   * @param {Blob} file
   */
  putFile(hash, file) {
    return this.#write(["files"], ([, files]) => {
      files?.put(file, hash);
      return () => {};
    }, "strict");
  }

  /** @param {string} hash @returns {Promise<Blob | undefined>} */
  file(hash) {
    return this.#run(["files"], "readonly", ([files]) => {
      const request = files?.get(hash);
      return () => request?.result;
    }, "relaxed");
  }

  /** @param {string} hash */
  dropFile(hash) {
    return this.#write(["files"], ([, files]) => {
      files?.delete(hash);
      return () => {};
    });
  }

  /** @param {Facts} [next] */
  async wipe(next) {
    await this.#run(["facts", "rooms", "queue", "files"], "readwrite", (stores) => {
      for (const store of stores) store.clear();
      for (const [key, value] of Object.entries(next ?? {})) stores[0]?.put(value, key);
      return () => {};
    }, "strict");
    this.client = next?.client ?? null;
    if (next) return;
    (await this.#open()).close();
    this.#db = null;
    await new Promise((resolve) => {
      const request = indexedDB.deleteDatabase(this.name);
      // A frozen tab may block it; the content is gone already, and the rest goes with that tab.
      request.onsuccess = request.onerror = request.onblocked = resolve;
    });
  }
}

/** @param {EventTarget | null} target */
function result(target) {
  return /** @type {IDBRequest} */ (target).result;
}
