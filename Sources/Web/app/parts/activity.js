// The events of a household, in words and with the face of who is meant.

import { avatar } from "./avatar.js";
import { isTakenBack } from "./chores.js";
import { icon } from "./icons.js";
import { nameOf } from "./names.js";
import { h } from "./signal.js";
import { hasWords, words } from "./words.js";

/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Activity } from "./records.d.ts" */

const t = await words("home");

/**
 * One event in words. @param {HouseholdState | null} state @param {Activity} event
 * @param {string | null} me
 */
export function activityWords(state, event, me) {
  const { ref = "" } = event;
  const actor = doer(event);
  // A task of the rota is done as a chore is; an old event does not name it.
  const task = event.kind === "rotaDone" && (event.name ?? state?.rotaTasks?.[ref]?.name);
  const [kind, thing] = task ? ["choreDone", task] : [event.kind, event.name];
  const key = `activity.${kind}`;
  if (!hasWords(key)) return t("activity.other");
  const isUndone = kind === "choreDone" && isTakenBack(state, ref);
  const other = `${thing ?? nameOf(state, ref)}${isUndone ? ` (${t("activity.undone")})` : ""}`;
  if (!actor && hasWords(`activity.itself.${kind}`)) return t(`activity.itself.${kind}`, { other });
  if (actor === me && hasWords(`activity.you.${kind}`)) return t(`activity.you.${kind}`, { other });
  return t(key, { name: nameOf(state, actor), other });
}

/** The member whom an event is about: of one who made somebody host, the new host. @param {Activity} event */
const doer = ({ kind, actor, ref }) => kind === "hostChanged" ? ref : actor;

/**
 * Shows the member whom an event is about; a regular bill has none.
 * @param {() => HouseholdState | null} state @param {Activity} event @param {"small"} [size]
 */
export function activitySign(state, event, size) {
  const actor = doer(event);
  if (!actor) return h("span", { class: `sign ${size ?? ""}`, "aria-hidden": "true" }, icon("again"));
  return avatar(actor, () => nameOf(state(), actor), size && { size });
}

/** How kinds of events begin, and the screen of each; `:id` is that of the thing itself. */
const WHERE = [
  ["note", "/"],
  ["chore", "/chores"],
  ["reward", "/chores"],
  ["rota", "/rota"],
  ["shopped", "/shopping/purchase/:id"],
  ["purchase", "/shopping/purchase/:id"],
  ["event", "/calendar"],
  ["special", "/special/:id"],
  ["bill", "/money/bill/:id"],
  ["paid", "/money"],
];

/** The screen to which an event leads. @param {Activity} event */
export function whereTo({ kind, ref = "" }) {
  const [, path = "/household"] = WHERE.find(([start = ""]) => kind.startsWith(start)) ?? [];
  return path.replace(":id", ref);
}
