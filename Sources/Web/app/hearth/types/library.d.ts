// The shapes that the files of the library pass to each other, and to the screens.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** `loggedOut` with `me` still set: the token has expired, and everything is kept for the same person. */
export type Phase = "loggedOut" | "connecting" | "live" | "offline" | "outdated";
/** `gone`: left, removed, ended, or never there. */
export type RoomStatus = "loading" | "current" | "stale" | "gone" | "forbidden";

/** The reason why a call failed. `code` is the server's (protocol.md, Errors), or 0 if there was no answer. */
export type Refusal = {
  code: number;
  reason: string;
  message: string;
  fields: Record<string, string>;
  temporary: boolean;
  /** Milliseconds. */
  retryAfter?: number;
  data: JsonObject;
};

export type Waiting = { id: string; method: string; params: JsonObject; room: string; about: string; since: number };
export type Refused = Waiting & { error: Refusal };
