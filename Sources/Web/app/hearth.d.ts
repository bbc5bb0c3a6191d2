// The types of /hearth.js.

import type {
  Json,
  JsonObject,
  LiveOf,
  Patch,
  PatchOf,
  Phase,
  PresenceOf,
  Refused,
  RoomStatus,
  StateOf,
  Waiting,
} from "/app/VERSION/hearth/types/library.d.ts";
import type { Methods, Params } from "/app/VERSION/hearth/types/methods.d.ts";
export type * from "/app/VERSION/hearth/types/documents.d.ts";
export type { Json, JsonObject, Methods, Params, Phase, Refused, RoomStatus, Waiting };

/** A room as it is shown. */
export declare class Room<N extends string = string> {
  readonly name: N;
  /** The document with our own changes; null until known. Never change it. */
  readonly state: StateOf<N> | null;
  readonly live: LiveOf<N>;
  /** By person. */
  readonly presence: PresenceOf<N>;
  readonly version: number;
  readonly status: RoomStatus;
  /** Why it is gone. */
  readonly reason: string | null;
  /** Calls back after anything has changed; the function that it returns ends that. */
  onChange(f: () => void): () => void;
  /** Calls back with each patch that a person has caused, once `state` has it. */
  onPatch(f: (by: string, patch: JsonObject) => void): () => void;
  /** Closes one use of the room. */
  close(): void;
}

/** A refused call. Code 0: `offline`, `lost`, `sessionEnded`, `tooMuch`, `storage`, `discarded`. */
export declare class HearthError extends Error {
  code: number;
  reason: string;
  /** The trouble with each parameter, by its path. */
  fields: Record<string, string>;
  temporary: boolean;
  /** Milliseconds. */
  retryAfter?: number;
  data: JsonObject;
}

type Account = { email: string; password: string; device?: string };

/** The client of one person. Open one in a page; several tabs share one connection. */
export declare class Hearth {
  /** Reads what is on disk; waits for no network. */
  static open(options?: { endpoint?: string; app?: string }): Promise<Hearth>;
  close(): Promise<void>;
  readonly phase: Phase;
  readonly me: string | null;
  readonly session: string | null;
  readonly limits: JsonObject;
  readonly openid: Json;
  /** Changes without their final answer. */
  readonly waiting: Waiting[];
  /** Changes that were refused for good, until `discard` or `retry`. */
  readonly refused: Refused[];
  /** Called with each change that this device could not keep: it is lost, and in no list. */
  onUnkept: ((error: HearthError) => void) | null;
  /** The server's clock, in ms since 1970. */
  now(): number;
  newId(): string;
  onChange(f: () => void): () => void;
  /** `me`, `household/ID`, `household/ID/mine` or `share/ID`, followed while somebody has it. */
  room<N extends string>(name: N): Room<N>;
  /** The document of a room as it is known here, without following it. */
  peek<N extends string>(name: N): StateOf<N> | null;
  signUp(account: Account & { name: string; birthday?: string }): Promise<unknown>;
  logIn(account: Account): Promise<unknown>;
  logInWith(account: { provider: string; idToken: string; name?: string; device?: string }): Promise<unknown>;
  resetPassword(account: { email: string; code: string; newPassword: string; device?: string }): Promise<unknown>;
  /** Ends the session, here and on the server; nothing of it stays on this device. */
  logOut(): Promise<unknown>;
  /** Keeps a change, shows it, and sends it once that is possible: it is carried out once, or refused. */
  change<
    M extends keyof Methods,
    N extends string = "me",
    P extends Patch<StateOf<N>> | null | undefined = null,
  >(
    method: M,
    params: Params<M>,
    options?: {
      room?: N | Room<N>;
      optimistic?: (state: StateOf<N>) => PatchOf<StateOf<N>, P>;
      about?: string;
    },
  ): { id: string; answer: Promise<Methods[M]["result"]> };
  /** Asks something, or calls what needs the network now. */
  ask<M extends keyof Methods>(
    method: M,
    params?: Params<M>,
    options?: { room?: string | Room },
  ): Promise<Methods[M]["result"]>;
  /** Asks the server at once, however far away the next attempt is; answers whether it has answered. */
  renew(): Promise<boolean>;
  /** Reports positions; they are kept until the server has them. */
  report(fixes: Json[]): Promise<Methods["positions.report"]["result"]>;
  /** Drops the positions that are not reported yet. */
  dropFixes(): void;
  retry(id: string): void;
  /** Takes a refused change off the list, or takes back a waiting one that `canDiscard`; answers whether it is gone. */
  discard(id: string): Promise<boolean>;
}
