// Shared positions as screens need them: who is on the way, how old what we know is, and who comes for whom.

import { agoText, seconds } from "./ages.js";
import { bearing, compass, distance, distanceText, freshness, isPlace, milesText } from "./geo.js";
import { roomOf } from "./household.js";
import { computed, effect, observe } from "./signal.js";
import { duration, moment } from "./when.js";
import { language, locale } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Place } from "./geo.js" */
/** @import { MeState, ShareState } from "../hearth/types/documents.d.ts" */
/** @import { Patch, PatchOf } from "../hearth/types/library.d.ts" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */
/** @import { Listed, Ride, Share } from "./records.d.ts" */
/** @typedef {(key: string, values?: Record<string, string | number | undefined>) => string} Speak */

/**
 * My shares and the ones that I receive: first those who need somebody, then those that end first.
 * @param {MeState | null} me @returns {{ received: Listed[], own: Listed[] }}
 */
export function sharesIn(me) {
  const all = Object.entries(me?.shares ?? {}).map(([id, share]) => ({ id, ...share }));
  /** @param {Listed} share */
  const urgency = ({ pickup }) => pickup === "requested" ? 0 : pickup === "wanted" ? 1 : 2;
  all.sort((a, b) => urgency(a) - urgency(b) || (a.until < b.until ? -1 : 1));
  return {
    received: all.filter(({ role }) => role === "receiver"),
    own: all.filter(({ role }) => role === "sharer"),
  };
}

/**
 * One share, while the scope around lasts.
 * @param {Hearth} hearth @param {string} id
 * @param {{ get(): number, peek(): number }} [clockOf] of the server, by the second
 */
export function followShare(hearth, id, clockOf = seconds(hearth)) {
  const room = roomOf(hearth, `share/${id}`);
  const waiting = observe(hearth, ({ waiting }) => waiting);
  const position = computed(() => {
    const found = room.live.get()?.position;
    return isPlace(found) ? found : null;
  });
  /** Kept until the screen has gone, even if the share ends before. @type {Share | null} */
  let last = null;
  const age = computed(() => {
    const now = clockOf.get();
    const at = position.get()?.at;
    return at ? Math.max(0, now - Date.parse(at)) : null;
  });
  return {
    ...room,
    id,
    now: clockOf,
    /** Whether a change waits to be sent. @param {string} methods how their names begin */
    isUnsent: (methods) => waiting.get().some((one) => one.room === room.name && one.method.startsWith(methods)),
    share: computed(() => last = /** @type {Share | undefined} */ (room.state.get()?.share) ?? last),
    pickup: computed(() => {
      const ride = room.state.get()?.pickup ?? {};
      // A driver who does not come leaves `requested`, though the sharer may never have said that they are ready.
      const isWanted = ride.state === "requested" && !ride.requestedAt;
      return isWanted ? { ...ride, state: /** @type {const} */ ("wanted") } : ride;
    }),
    receivers: computed(() => room.state.get()?.receivers ?? {}),
    position,
    /** Milliseconds since the position was fixed. */
    age,
    /** A sharer who has arrived sends no further positions, so that the last one never counts as lost. */
    freshness: computed(() => room.state.get()?.share?.arrivedAt ? "fresh" : freshness(age.get() ?? Infinity)),
    trail: computed(() =>
      Object.values(room.live.get()?.trail ?? {}).filter(isPlace)
        .sort((a, b) => a.at < b.at ? -1 : 1)
    ),
  };
}

/** @typedef {ReturnType<typeof followShare>} Followed */

/**
 * Tells the sharer that the person has looked, while the scope around lasts.
 * @param {Hearth} hearth @param {Followed} followed @param {string} about
 */
export function tellSeen(hearth, followed, about) {
  const me = hearth.me ?? "";
  const { change } = changesOf(hearth, followed);
  effect(() => {
    if (followed.receivers.get()[me]?.state !== "invited") return;
    change("shares.see", {}, about, () => ({ receivers: { [me]: { state: "seen" } } }));
  });
}

/**
 * How a screen changes one share, and its changes that were refused.
 * @param {Hearth} hearth @param {Followed} followed
 */
export function changesOf(hearth, { name }) {
  const refused = observe(hearth, ({ refused }) => refused);
  return {
    ours: computed(() => refused.get().filter(({ room }) => room === name)),
    change: /** @type {Change} */ (/** @type {unknown} */ (
      /**
       * @template {keyof Methods} M
       * @param {M} method @param {Params<M>} params @param {string} about @param {() => null} [optimistic]
       */
      (method, params, about, optimistic = () => null) =>
        hearth.change(method, params, { room: name, about, optimistic })
    )),
  };
}

/**
 * @typedef {<M extends keyof Methods, P extends Patch<ShareState> | null = null>(method: M, params: Params<M>,
 *   about: string, optimistic?: (state: ShareState) => PatchOf<ShareState, P>) => unknown} Change
 */

/** "until 18:30", or "to home". @param {Speak} t @param {{ until: string, place?: string }} share */
export function endWords(t, { until, place }) {
  return place ? t("toPlace", { place }) : t("until", { time: moment(until) });
}

/** How old the position is, in words. @param {Speak} t @param {number | null} age @param {string | undefined} at */
export function ageWords(t, age, at) {
  if (age === null || at === undefined) return t("noFixYet");
  const state = freshness(age);
  if (state === "lost") return t("lost", { time: moment(at) });
  return t(state, { ago: agoText(age, t("now")) });
}

/** "1.2 km" and "0.7 mi", first in the measure that the person is used to. @param {Place} from @param {Place} to */
export function distances(from, to) {
  const metres = distance(from, to);
  const texts = [distanceText(metres, language.peek()), milesText(metres, language.peek())];
  return /-(US|LR|MM)\b/.test(locale()) ? texts.reverse() : texts;
}

/** "1.2 km (0.7 mi)". @param {Place} from @param {Place} to */
export function distanceWords(from, to) {
  const [usual, other] = distances(from, to);
  return `${usual} (${other})`;
}

/** "to the north-east", and nothing for who is beside me. @param {Speak} t @param {Place} from @param {Place} to */
export function directionWords(t, from, to) {
  return distance(from, to) < 20 ? "" : t("direction", { direction: t(compass(bearing(from, to))) });
}

/**
 * The driver, in words; empty if nobody needs a ride.
 * @param {Speak} t @param {Hearth} hearth
 * @param {Ride} ride @param {number} now @param {boolean} [isMine] I am the one who needs it
 */
export function rideWords(t, hearth, { state, by, byName = "", arriveBy, late, requestedAt }, now, isMine = false) {
  const isMe = by === hearth.me;
  if (state === "wanted") return t(isMine ? "youNeedRide" : "needsRide");
  if (state === "requested") return t(isMine ? "youReady" : requestedAt ? "isReady" : "readyNow");
  if (state === "collected") {
    // A driver who no longer watches has no name.
    const kind = byName ? "" : "Unnamed";
    return isMe ? t("inMyCar") : t(isMine ? `inCarDone${kind}` : `collected${kind}`, { name: byName });
  }
  if (state !== "accepted") return "";
  const remaining = arriveBy ? Date.parse(arriveBy) - now : null;
  if (late || (remaining !== null && remaining < 0)) return t(isMe ? "youDriveLate" : "driverLate", { name: byName });
  if (remaining === null) return t("driver", { name: byName });
  return t(isMe ? "youDrive" : "driverIn", { name: byName, span: duration(remaining) });
}

/** The ride of a share as `me` lists it. @param {Listed} listed */
export function rideOf({ pickup, driver, driverName, arriveBy }) {
  return {
    ...(pickup ? { state: pickup } : {}),
    ...(driver ? { by: driver } : {}),
    ...(driverName ? { byName: driverName } : {}),
    ...(arriveBy ? { arriveBy } : {}),
  };
}
