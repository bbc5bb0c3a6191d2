// A room as screens see it.

/** @import { JsonObject, LiveOf, PresenceOf, RoomEvent } from "./types/library.d.ts" */
/** @import { RoomStatus, Shown, Snapshot, StateOf } from "./types/library.d.ts" */
import { isObject, nothing, reuse } from "./merge.js";
import { show } from "./rooms.js";

/**
 * Listeners that end by themselves being told so.
 * @template F
 * @param {Set<F>} listeners
 * @param {F} f
 * @returns {() => void}
 */
export function listen(listeners, f) {
  listeners.add(f);
  return () => void listeners.delete(f);
}

/** A room as it is shown. One object for all who ask for it. @template {string} [N=string] */
export class Room {
  /** The document with our own changes, frozen; null until known. @type {StateOf<N> | null} */ state = null;
  /** @type {LiveOf<N>} */ live = nothing;
  /** By person. @type {PresenceOf<N>} */ presence = nothing;
  version = 0;
  /** @type {RoomStatus} */ status = "loading";
  /** Why it is gone. @type {string | null} */ reason = null;
  /** @type {Set<() => void>} */ listeners = new Set();
  /** @type {Set<(by: string, patch: JsonObject) => void>} */ patchListeners = new Set();
  /** Of the driver. @type {Snapshot | null} */ snapshot = null;
  /** Patches that are not told yet. @type {[by: string, patch: JsonObject][]} */ news = [];
  isCurrent = false;
  /** @type {{ reason: string, code?: number } | null} */ closed = null;
  users = 0;

  /** @param {N} name @param {(room: Room) => void} left */
  constructor(name, left) {
    this.name = name;
    this.left = left;
  }

  /** @param {() => void} f called after anything has changed @returns {() => void} ends that */
  onChange(f) {
    return listen(this.listeners, f);
  }

  /**
   * @param {(by: string, patch: JsonObject) => void} f called with each patch that a person causes, once `state` has it
   * @returns {() => void} ends that
   */
  onPatch(f) {
    return listen(this.patchListeners, f);
  }

  /** Keeps a person's patch for `tellNews`. @param {RoomEvent} event that has changed the snapshot */
  note(event) {
    if (event.kind === "patch" && event.by && this.patchListeners.size) this.news.push([event.by, event.patch]);
  }

  /** Calls the listeners of patches, once the room shows them. */
  tellNews() {
    for (const [by, patch] of this.news.splice(0)) for (const f of [...this.patchListeners]) f(by, patch);
  }

  /** Closes one use of the room; the last one ends the subscription of a share. */
  close() {
    if (this.users > 0 && --this.users === 0) this.left(this);
  }

  /** Puts together what is shown. @param {Shown[]} shown @returns {boolean} whether anything has changed */
  refresh(shown) {
    const { snapshot, closed } = this;
    const before = [this.state, this.live, this.version, this.status];
    this.state = snapshot && reuse(this.state ?? undefined, show(snapshot.state, shown));
    this.live = snapshot?.live ?? nothing;
    this.presence = isObject(this.live.presence) ? this.live.presence : nothing;
    this.version = snapshot?.version ?? 0;
    this.reason = closed?.reason ?? null;
    if (closed) this.status = closed.code === 2 ? "forbidden" : "gone";
    else this.status = !snapshot ? "loading" : this.isCurrent ? "current" : "stale";
    return [this.state, this.live, this.version, this.status].some((value, index) => value !== before[index]);
  }
}
