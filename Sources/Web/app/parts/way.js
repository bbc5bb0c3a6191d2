// The words of a share in its row, on Home and on Out.

import { wordsOf } from "./family.js";
import { endWords, rideOf, rideWords } from "./shares.js";
import { moment } from "./when.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { MeState } from "../hearth/types/documents.d.ts" */
/** @import { Listed } from "./records.d.ts" */

const t = await wordsOf("out");

/**
 * The wish of a sharer to stop, as long as I have not answered it.
 * @param {Hearth} hearth @param {MeState | null} me @param {Listed} share @param {number} now
 */
export function stopWords(hearth, me, { id, name }, now) {
  if (hearth.peek(`share/${id}`)?.receivers?.[hearth.me ?? ""]?.deniedAt) return "";
  const isAsked = Object.values(me?.inbox ?? {}).some(({ kind, ref, until = "" }) =>
    kind === "stopAsked" && ref === id && Date.parse(until) > now
  );
  return isAsked ? t("stopAsked", { name }) : "";
}

/** Where to, and how it ends. @param {Listed} share */
export const goalWords = (share) =>
  share.state !== "arrived"
    ? endWords(t, share)
    : share.role === "sharer"
    ? t("mineArrived", { time: moment(share.until) })
    : t("arrived");

/** The driver, and the state of the ride. @param {Hearth} hearth @param {Listed} share @param {number} now */
export const pickupWords = (hearth, share, now) => rideWords(t, hearth, rideOf(share), now, share.role === "sharer");

export const hidden = () => t("notStarted");
