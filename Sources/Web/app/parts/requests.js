// Requests for money: nothing is owed before the person who is asked agrees, with their PIN. All of it needs the
// server's word at once.

import { confirmed, PIN } from "./confirm.js";
import { money } from "./money.js";
import { act, ask } from "./payments.js";
import { go } from "./router.js";
import { field, form } from "./screen.js";
import { openSheet } from "./sheet.js";
import { h } from "./signal.js";
import { say } from "./snackbar.js";
import { words } from "./words.js";

/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Place } from "./payments.js" */
/** @import { MoneyRequest } from "./records.d.ts" */
/** @typedef {{ id: string, request: MoneyRequest }} Asked */

const t = await words("requests");

/**
 * The requests that concern a person and are not over, the newest first.
 * @param {HouseholdState | null} state @param {string} me @returns {Asked[]}
 */
export const requestsIn = (state, me) =>
  Object.entries(state?.requests ?? {})
    .filter(([, one]) => one?.title && (one.author === me || me in (one.parts ?? {})))
    .map(([id, request]) => ({ id, request })).sort((a, b) => (a.request.at < b.request.at ? 1 : -1));

/** Whether the person is to answer. @param {MoneyRequest | undefined} request @param {string} me */
export const isToAnswer = (request, me) => request?.parts?.[me]?.state === "pending";

/** @param {Place} list @param {string} id @param {MoneyRequest} request @param {string} name the author's */
export async function accept(list, id, request, name) {
  const part = request.parts?.[list.hearth.me ?? ""];
  const amount = money(part?.amount ?? 0, request.currency);
  const what = `${t("requests.accept")}: ${amount}, ${name}`;
  let isDone = false;
  await act(async () => isDone = await confirmed(list.hearth, what, () => ask(list)("requests.accept", { id }), PIN));
  if (!isDone) return;
  const pay = () => go(`/money/with/${request.author}`);
  say(t("requests.accepted", { name, amount }), { label: t("requests.pay"), act: pay });
}

/** @param {Place} list @param {string} id @param {string} name the author's */
export function openDecline(list, id, name) {
  openSheet({ title: t("requests.declineTitle") }, (close) => {
    const label = t("requests.reason");
    const reason = field({ label, name: "reason", maxlength: 500, autofocus: true, autocomplete: "off" });
    return [
      h("p", null, t("requests.declineText", { name })),
      form({
        fields: [reason],
        action: t("requests.declineAction"),
        submit: async () => {
          const why = reason.value().trim();
          await ask(list)("requests.decline", { id, ...(why ? { reason: why } : {}) });
          await close();
          say(t("requests.declined", { name }));
        },
      }),
    ];
  });
}

/** Takes one's own back, with a way back. @param {Place} list @param {string} id */
export async function withdraw(list, id) {
  const about = list.room.room.state?.requests?.[id]?.title ?? "";
  if (!await act(() => ask(list)("requests.cancel", { id }))) return false;
  const undo = () => act(() => ask(list)("requests.restore", { id, newId: list.hearth.newId() }));
  say(t("requests.withdrawn"), { undo, about });
}
