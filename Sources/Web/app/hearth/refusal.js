// Why a call was refused: by the server, or on this side before it got there.

/** @import { Refusal } from "./types/library.d.ts" */
import { isObject } from "./merge.js";

/**
 * An error of this side, in the form of those of the server.
 * @param {string} reason
 * @param {string} message
 * @returns {Refusal}
 */
export function refusal(reason, message) {
  return { code: 0, reason, message, fields: {}, temporary: false, data: {} };
}

/**
 * Reads the error of an answer.
 * @param {any} error
 * @returns {Refusal}
 */
export function readRefusal(error) {
  const data = isObject(error?.data) ? error.data : {};
  return {
    code: Number(error?.code ?? 0),
    reason: String(data.reason ?? ""),
    message: String(error?.message ?? ""),
    fields: /** @type {Record<string, string>} */ (isObject(data.fields) ? data.fields : {}),
    temporary: data.temporary === true,
    ...(typeof data.retryAfter === "number" && { retryAfter: data.retryAfter }),
    data,
  };
}

/**
 * A refused call. `code` and `reason` are the server's; code 0 means that none has answered: `offline`, `lost`,
 * `sessionEnded`, `tooMuch`, `storage`, `discarded`.
 */
export class HearthError extends Error {
  /** @param {Refusal} refusal */
  constructor({ code, reason, message, fields, temporary, retryAfter, data }) {
    super(message);
    this.name = "HearthError";
    this.code = code;
    this.reason = reason;
    /** The trouble with each parameter, by its path. */
    this.fields = fields;
    this.temporary = temporary;
    /** Milliseconds. */
    this.retryAfter = retryAfter;
    this.data = data;
  }
}

export const OFFLINE = refusal("offline", "There is no connection at the moment.");
export const LOST = refusal("lost", "The connection was lost.");
export const LOGGED_OUT = refusal("sessionEnded", "You are logged out.");
export const NO_SPACE = refusal("storage", "This device's storage is full or broken.");
