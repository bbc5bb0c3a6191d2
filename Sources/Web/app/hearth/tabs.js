// The tabs of one browser: one of them leads, and all hear what it tells.
//
// The leader alone has a socket and numbers. The lock passes by itself when its tab closes. Where there are no locks,
// every tab leads, and the server closes all connections but one (4006).

const NAME = "hearth";

/**
 * @typedef {object} Member
 * @property {() => void} lead this tab leads from now on
 * @property {() => void} follow another one has taken over
 * @property {(message: any) => void} hear
 */

export class Tabs {
  /** @type {(() => void) | null} */ #resign = null;
  /** @type {AbortController | null} */ #waiting = null;
  #isLeft = false;

  /**
   * @param {Member} member
   * @param {{ locks?: LockManager | undefined, channel?: BroadcastChannel | undefined }} [platform]
   */
  constructor(
    member,
    { locks = globalThis.navigator?.locks, channel = new BroadcastChannel(NAME) } = {},
  ) {
    this.member = member;
    this.locks = locks;
    this.channel = channel;
    channel.onmessage = ({ data }) => member.hear(data);
  }

  /** @param {unknown} message to all other tabs */
  tell(message) {
    if (!this.#isLeft) this.channel.postMessage(message);
  }

  /**
   * Leads as soon as nobody else does.
   * @param {{ steal?: boolean }} [options] `steal`: at once; the other one becomes a follower
   */
  join({ steal = false } = {}) {
    if (this.#isLeft || this.#resign) return;
    if (!this.locks) {
      this.#resign = () => {};
      return this.member.lead();
    }
    // A tab that takes the lock by force no longer waits for it.
    this.#waiting?.abort();
    const waiting = this.#waiting = steal ? null : new AbortController();
    this.locks.request(NAME, waiting ? { signal: waiting.signal } : { steal }, () => {
      if (this.#isLeft || this.#resign) return;
      this.member.lead();
      return new Promise((resolve) => this.#resign = () => resolve(undefined));
    }).catch(() => {
      if (!this.#resign) return;
      this.#resign = null;
      this.member.follow();
      this.join();
    });
  }

  leave() {
    this.#isLeft = true;
    this.#resign?.();
    this.channel.close();
  }
}
