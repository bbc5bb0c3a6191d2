// Bills that come again: when, and what each one owes of the next one. The server posts them by itself; to change them
// needs its word at once, and the PIN.

import { derivedId } from "./ids.js";
import { act, ask } from "./payments.js";
import { effect, signal } from "./signal.js";
import { say } from "./snackbar.js";
import { ofBill } from "./split.js";
import { words } from "./words.js";

/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { BillList } from "./bills.js" */
/** @import { RecurringBill } from "./records.d.ts" */
/** @import { Parts, Split } from "./split.js" */
/** @typedef {{ id: string, bill: RecurringBill }} Recurring */

const t = await words("recurring");

/**
 * The recurring bills of a household, the next one first.
 * @param {HouseholdState | null} state @returns {Recurring[]}
 */
export const recurringIn = (state) =>
  Object.entries(state?.recurringBills ?? {}).filter(([, bill]) => bill?.title)
    .map(([id, bill]) => ({ id, bill }))
    .sort((a, b) => (a.bill.next ?? "9") < (b.bill.next ?? "9") ? -1 : 1);

/**
 * Each one's share of the next ones; inside the scope of a screen.
 * @param {{ get(): Recurring[] }} items
 */
export function sharesOf(items) {
  /** By recurring bill and day, the id of the bill that will be posted: it decides who pays the odd unit. */
  const ids = signal(/** @type {Record<string, string>} */ ({}));
  const key = (/** @type {Recurring} */ { id, bill }) => `${id} ${bill.next}`;
  effect(() => {
    for (const one of items.get()) {
      if (one.bill.next && !(key(one) in ids.peek())) {
        derivedId("recurringBill", one.id, one.bill.next).then((made) =>
          ids.update((all) => ({ ...all, [key(one)]: made }))
        );
      }
    }
  });
  return (/** @type {Recurring} */ one) => {
    const id = ids.get()[key(one)];
    const found = id ? ofBill(/** @type {Split} */ (one.bill.split), one.bill.amount, id) : {};
    return /** @type {Parts} */ ("shares" in found ? found.shares : {});
  };
}

/**
 * The posted day of which "paid" is meant: the last one that is due; once that is paid, the one after it.
 * @param {RecurringBill} bill @param {string} today
 */
export function dayToPay({ posted = {} }, today) {
  const days = Object.keys(posted).sort();
  const at = days.findLastIndex((day) => day <= today);
  return at >= 0 && posted[days[at] ?? ""]?.paidOn ? days[at + 1] ?? days[at] : days[at] ?? days[0];
}

/**
 * Says that the landlord has the money.
 * @param {Pick<BillList, "hearth" | "room">} list @param {string} id @param {string} date
 */
export async function notePaid(list, id, date) {
  if (await act(() => ask(list)("recurringBills.paid", { id, date }))) say(t("recurring.saidPaid"));
}

/** Ends it, with a way back. @param {BillList} list @param {Recurring} item */
export async function end(list, { id, bill }) {
  if (!await act(() => ask(list)("recurringBills.cancel", { id }))) return false;
  const undo = () => act(() => ask(list)("recurringBills.restore", { id, newId: list.hearth.newId() }));
  say(t("recurring.ended", { title: bill.title }), { undo });
}
