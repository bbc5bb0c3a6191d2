// Older rows of a list, asked for page by page: the room itself holds the newest ones only.

import { inWords } from "./screen.js";
import { signal } from "./signal.js";
import { say } from "./snackbar.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */

/**
 * The pages behind a question such as `chat.list`.
 * @template {"chat.list" | "activity.list" | "chores.history" | "drinks.periods" | "bills.list" | "bills.versions" |
 *   "payments.list" | "requests.list" | "trips.history"} M
 * @param {Hearth} hearth @param {M} method @param {string} room its name
 * @param {() => () => void} [keepPlace] called before rows are added; returns what is to be done afterwards
 * @param {Params<M>} [filter] what to ask for; then nothing of it is in the room
 */
export function paging(hearth, method, room, keepPlace, filter) {
  const items = signal(/** @type {Methods[M]["result"]["items"][number][]} */ ([]));
  /** The next page's place: undefined before the first page, null behind the last one. */
  const next = signal(/** @type {string | null | undefined} */ (undefined));
  const isBusy = signal(false);
  const more = async () => {
    isBusy.set(true);
    try {
      const before = next.peek();
      const params = /** @type {Params<M>} */ ({ ...filter, ...(before && { before }) });
      const page = await hearth.ask(method, params, { room });
      const done = keepPlace?.();
      items.update((known) => [...known, ...page.items]);
      next.set(page.next ?? null);
      done?.();
      // The first page repeats the newest ones that are here already.
      if (!before && page.next && !filter) return more();
    } catch (error) {
      say(inWords(error));
    } finally {
      isBusy.set(false);
    }
  };
  return { items, isAll: () => next.get() === null, isBusy, more };
}
