// What a person is to pay or to answer today, for Home.

import { daysBetween } from "./dates.js";
import { money } from "./money.js";
import { nameOf } from "./names.js";
import { dayToPay, recurringIn } from "./recurring.js";
import { isToAnswer, requestsIn } from "./requests.js";
import { needWords, words } from "./words.js";

/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */

await needWords("chore");
const t = await words("requests");

/**
 * The regular bills that a person has not paid on their day, and the requests that wait for their answer.
 * @param {HouseholdState | null} state @param {string} me @param {string} today
 */
export const dueMoney = (state, me, today) => [
  ...recurringIn(state).flatMap(({ id, bill: recurring }) => {
    const date = dayToPay(recurring, today) ?? "";
    const { bill = "", host, paidOn } = recurring.posted?.[date] ?? {};
    if (date > today || host !== me || paidOn) return [];
    // A regular bill that has changed since has another amount from the next time on.
    const { title, amount, currency } = state?.bills?.[bill] ?? recurring;
    const days = daysBetween(date, today);
    const due = days ? t("chore.late", { n: days }) : t("chore.today");
    return [{ id, title, text: `${money(amount, currency)} · ${due}`, href: "/money/recurring" }];
  }),
  ...requestsIn(state, me).filter(({ request }) => isToAnswer(request, me)).map(({ id, request }) => {
    const { title, author, parts, currency } = request;
    const by = t("requests.by", { name: nameOf(state, author) });
    return { id, title, text: `${by} · ${money(parts?.[me]?.amount ?? 0, currency)}`, href: "/money/requests" };
  }),
];
