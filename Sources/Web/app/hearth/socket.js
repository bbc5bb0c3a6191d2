// A WebSocket that says at most once how it ended, and nothing after it was left.

/** @import { End } from "./types/library.d.ts" */

/**
 * @typedef {object} Listener
 * @property {() => void} opened
 * @property {(text: string) => void} received
 * @property {(end: End) => void} ended
 */

export class Socket {
  /** @type {WebSocket | null} */ #socket = null;

  /**
   * @param {string} url
   * @param {Listener} listener
   */
  constructor(url, listener) {
    let isOpen = false;
    const socket = this.#socket = new WebSocket(url, "hearth.v1");
    socket.onopen = () => {
      isOpen = true;
      listener.opened();
    };
    socket.onmessage = ({ data }) => listener.received(String(data));
    socket.onclose = ({ code }) => {
      this.leave();
      // 1006 stands for the lack of a closing handshake.
      listener.ended(code === 1006 ? { reason: isOpen ? "lost" : "unreachable" } : { reason: "closed", code });
    };
  }

  /** @param {string} text */
  send(text) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  /** Closes it, without a further event. */
  leave() {
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = null;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
