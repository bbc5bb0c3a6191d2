// The shapes that the files of the library pass to each other, and to the screens. All times are in milliseconds.

import type {
  HouseholdLive,
  HouseholdState,
  MeLive,
  MeState,
  MineLive,
  MineState,
  ShareLive,
  ShareState,
} from "./documents.d.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** `loggedOut` with `me` still set: the token has expired, and everything is kept for the same person. */
export type Phase = "loggedOut" | "connecting" | "live" | "offline" | "outdated";
/** `gone`: left, removed, ended, or never there. */
export type RoomStatus = "loading" | "current" | "stale" | "gone" | "forbidden";

/** The documents of a room, by its name. A name that is only known when the program runs says nothing. */
export type DocumentOf<N extends string> = N extends "me" ? { state: MeState; live: MeLive }
  : N extends `household/${string}/mine` ? { state: MineState; live: MineLive }
  : N extends `household/${string}` ? { state: HouseholdState; live: HouseholdLive }
  : N extends `share/${string}` ? { state: ShareState; live: ShareLive }
  // deno-lint-ignore no-explicit-any
  : { state: any; live: any };
export type StateOf<N extends string> = DocumentOf<N>["state"];
export type LiveOf<N extends string> = DocumentOf<N>["live"];
/** By person. */
export type PresenceOf<N extends string> = NonNullable<LiveOf<N>["presence"]>;

/** A merge patch of a document: any part of it, and null for what goes. */
export type Patch<T> = T extends object ? { [K in keyof T]?: Patch<T[K]> | null | undefined } : T;
/**
 * The patch `P`, if all its members are ones of the document: what a function answers may else have others, too. Where
 * `P` is no patch at all, the compiler puts the widest one in its place.
 */
export type PatchOf<T, P> = [Patch<T>] extends [P] ? Patch<T> | null : P & Only<P, T>;
type Only<P, T> = P extends object
  ? { [K in keyof P]: K extends keyof T ? Only<P[K], NonNullable<T[K]>> : string extends K ? P[K] : never }
  : P;

/** The reason why a call failed. `code` is the server's (protocol.md, Errors), or 0 if none has answered. */
export type Refusal = {
  code: number;
  /** A stable word. */
  reason: string;
  /** A sentence for people. */
  message: string;
  /** The trouble with each parameter, by its path. */
  fields: Record<string, string>;
  temporary: boolean;
  retryAfter?: number;
  data: JsonObject;
};

/** A change that somebody wants, as it is on disk. */
export type Intent = {
  id: string;
  /** 0 until it is on disk. */
  number: number;
  /** `me` for methods of `me`. */
  room: string;
  method: string;
  params: JsonObject;
  patch: JsonObject | null;
  /** Paths of the rows that the patch changes and that existed: without one of them, its part is not shown. */
  needs: string[][];
  about: string;
  /** When it was made, by the device's clock. */
  at: number;
  /** Present once it is refused for good. */
  error?: Refusal;
};

export type EntryState = "storing" | "ready" | "sent" | "delayed" | "answered" | "leaving" | "done";

/** An intent and what is known of its way. */
export type Entry = {
  intent: Intent;
  state: EntryState;
  /** Whether it, or its new number, has been given out to be written. */
  isTaken: boolean;
  /** The call that awaits its answer. */
  call: number;
  /** The end of a delay. */
  until: number;
  delays: number;
  /** How often it was or may have been sent under its number. */
  sends: number;
  isShown: boolean;
  /** The version of the room's document that has its effect, while that is still to come. */
  settlesAt: number | null;
  bytes: number;
};

/** A shown change, as other tabs need it. */
export type Shown = { id: string; room: string; patch: JsonObject; needs: string[][] };

/** A room as it is on disk. */
export type Kept = { room: string; epoch: string; version: number; state: JsonObject };
export type Snapshot = { epoch: string; version: number; state: JsonObject; live: JsonObject };

export type RoomEvent =
  | { kind: "state"; epoch: string; version: number; state: JsonObject; live: JsonObject }
  /** `by`: the person whose change it is, if it is one person's. */
  | { kind: "patch"; from: number; version: number; patch: JsonObject; by?: string }
  /** `whole`: the patch is the live document itself. */
  | { kind: "live"; patch: JsonObject; whole?: boolean }
  /** Whether the document follows the server's at the moment. */
  | { kind: "current"; isCurrent: boolean }
  | { kind: "closed"; reason: string; code?: number };

/** How a connection ended. */
export type End = {
  reason: "lost" | "silent" | "unreachable" | "closed" | "malformed" | "leaving" | "sessionEnded" | "refused";
  /** The close code. */
  code?: number;
  /** Of `session.ended`. */
  why?: string;
  /** Of `server.leaving`. */
  delay?: number;
  /** Of the answer to `hello`. */
  error?: Refusal;
};

/** The things that are written together: an intent leaves the disk with the document that has its effect. */
export type Commit = { rooms: Kept[]; done: number[]; refused: Intent[]; floor: number };

// The result is what the server says; the types of methods.d.ts are put on it at the end.
// deno-lint-ignore no-explicit-any
export type Answer = { result: any } | { error: Refusal };

export type Output =
  | { kind: "connect" }
  | { kind: "disconnect" }
  /** `stamp`: set `params.sentAt` to the time of sending. */
  | { kind: "send"; message: { id: number; method: string; params: JsonObject }; stamp?: boolean }
  /** Write these, under new numbers not below `floor`, in one transaction; then call `stored` or `notStored`. */
  | { kind: "store"; intents: Intent[]; floor: number }
  /** Take the commit and write it; then call `saved` or `notSaved`. */
  | { kind: "save" }
  | { kind: "fixes" }
  | { kind: "forget"; room: string }
  | { kind: "keepOnly"; rooms: string[] }
  /** Erase everything. With `next`, go on as this person: write these facts. */
  | { kind: "wipe"; next?: { client: string; token: string; me: string } }
  | { kind: "room"; room: string; event: RoomEvent }
  // deno-lint-ignore no-explicit-any
  | { kind: "greeted"; greeting: any }
  | { kind: "phase" }
  | { kind: "clock"; at: string }
  | { kind: "queue" }
  | { kind: "accepted"; id: string }
  | { kind: "settled"; id: string; answer: Answer }
  | { kind: "solve"; id: string; puzzle: JsonObject }
  | { kind: "called"; call: number; answer: Answer }
  | { kind: "reported"; answer: Answer };

/** A change without its final answer. */
export type Waiting = {
  id: string;
  method: string;
  params: JsonObject;
  room: string;
  about: string;
  since: number;
  /** Whether `discard` can take it back: it was not sent since this page runs, and no later change builds on it. */
  canDiscard?: boolean | undefined;
};
export type Refused = Waiting & { error: Refusal };
