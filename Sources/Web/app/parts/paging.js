// Older rows of a list, asked for page by page: the room itself holds the newest ones only.

import { icon } from "./icons.js";
import { pagesOf } from "./pages.js";
import { inWords } from "./screen.js";
import { h } from "./signal.js";
import { say } from "./snackbar.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */
/** @import { IconName } from "./icons.js" */

/**
 * The pages behind a question such as `chat.list`.
 * @template {"chat.list" | "activity.list" | "chores.history" | "drinks.periods" | "bills.list" | "bills.versions" |
 *   "payments.list" | "requests.list" | "trips.history"} M
 * @param {Hearth} hearth @param {M} method @param {string} room its name
 * @param {{ filter?: Params<M>, keepPlace?: () => () => void }} [options] `filter`: what to ask for; without it the
 *   room has the first page
 */
export function paging(hearth, method, room, { filter, keepPlace } = {}) {
  const ask = (/** @type {string | undefined} */ before) => {
    const params = /** @type {Params<M>} */ ({ ...filter, ...(before && { before }) });
    return /** @type {Promise<{ items: Methods[M]["result"]["items"][number][], next?: string }>} */ (
      hearth.ask(method, params, { room })
    );
  };
  const failed = (/** @type {unknown} */ error) => say(inWords(error));
  return pagesOf(ask, { failed, repeats: !filter, ...(keepPlace && { keepPlace }) });
}

/**
 * The button for the next page.
 * @param {{ isBusy: { get(): boolean }, more: () => unknown }} pages @param {string} text @param {IconName} [sign]
 */
export function olderButton({ isBusy, more }, text, sign = "down") {
  const props = { type: "button", class: "plain wide", "aria-busy": () => String(isBusy.get()), onclick: more };
  return h("button", props, icon(sign), text);
}
