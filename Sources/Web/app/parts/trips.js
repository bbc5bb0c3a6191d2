// The members who go shopping: each member has one trip at a time, which the others see.

import { isOnline } from "./connection.js";
import { household } from "./household.js";
import { nameOf } from "./names.js";
import { icon } from "./icons.js";
import { avatar } from "./avatar.js";
import { row, waitingMark } from "./screen.js";
import { computed, each, h, observe } from "./signal.js";
import { say } from "./snackbar.js";
import { ago } from "./when.js";
import { words } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Trip } from "./records.d.ts" */

const t = await words("trip");

/**
 * Somebody's own trip, the newest one if others are not settled yet.
 * @param {HouseholdState["trips"]} trips @param {string | null} person
 */
export function tripOf(trips, person) {
  const [id, trip] = Object.entries(trips ?? {}).filter(([, one]) => one.by === person)
    .sort(([, a], [, b]) => (a.at < b.at ? 1 : -1))[0] ?? [];
  return id && trip ? { id, ...trip } : null;
}

/**
 * Changes when somebody has bought something, or has changed a purchase: what was asked before is old then.
 * @param {() => HouseholdState | null} state
 */
export const purchaseNews = (state) =>
  computed(() =>
    Object.entries(state()?.activity ?? {})
      .filter(([, { kind }]) => kind === "shopped" || kind === "purchaseChanged").map(([id, { at }]) => id + at).sort()
      .join()
  );

/** @param {Hearth} hearth */
const room = (hearth) => /** @type {const} */ (`household/${household(hearth).peek() ?? ""}`);

/** Tells the others that I go shopping. @param {Hearth} hearth @param {string} [list] for this one only */
export function startTrip(hearth, list) {
  const id = hearth.newId();
  const at = new Date(hearth.now()).toISOString();
  const on = list ? { list } : {};
  hearth.change("trips.start", { id, ...on }, {
    room: room(hearth),
    about: t("trip.aboutStart"),
    optimistic: () => ({
      trips: { [id]: /** @type {Trip} */ ({ by: hearth.me ?? "", at, state: "open", ...on }) },
    }),
  });
  say(t(isOnline(hearth) ? "trip.started" : "trip.later"), { undo: () => discardTrip(hearth, id), isBrief: true });
}

/** Tells them that I do not. @param {Hearth} hearth @param {string} id */
export function discardTrip(hearth, id) {
  hearth.change("trips.discard", { id }, {
    room: room(hearth),
    about: t("trip.aboutDiscard"),
    optimistic: () => ({ trips: { [id]: null } }),
  });
}

/** Where my own trip goes on. @param {string} id @param {Trip} trip */
const mine = (id, { state }) => state === "open" ? "/shopping/shop" : `/shopping/checkout?trip=${id}`;

/**
 * A row for each trip, for as long as there is one. @param {Hearth} hearth
 * @param {() => HouseholdState | null} state @param {boolean} [isThere] on the screen that others' rows lead to
 */
export function tripRows(hearth, state, isThere = false) {
  const trips = computed(() => state()?.trips);
  // Six hours later nobody waits for the others' any more.
  const shown = computed(() =>
    Object.entries(trips.get() ?? {}).filter(([, { by, state }]) => by && (by === hearth.me || state === "open"))
  );
  const waiting = observe(hearth, ({ waiting }) => waiting);
  /** @param {Trip} trip */
  const about = ({ at, list, state: is }) =>
    [
      list && state()?.lists?.[list]?.name,
      is === "open" ? ago(at) : t("trip.unsettled", { when: ago(at) }),
    ].filter(Boolean).join(" · ");
  return () =>
    shown.get().length
      ? h(
        "ul",
        { class: "rows framed trips", "aria-label": t("trip.now") },
        each(() => shown.get(), ([id]) => id, (item, id) => {
          const trip = () => item()[1];
          const isMine = trip().by === hearth.me;
          const leads = isMine || !isThere;
          return row({
            before: avatar(trip().by, () => nameOf(state(), trip().by)),
            title: () => isMine ? t("trip.youShop") : t("trip.shops", { name: nameOf(state(), trip().by) }),
            text: () => about(trip()),
            after: [waitingMark(() => waiting.get().some(({ params }) => params?.id === id)), leads && icon("next")],
            href: !leads ? "" : isMine ? mine(id, trip()) : `/shopping${trip().list ? `?show=${trip().list}` : ""}`,
          });
        }),
      )
      : null;
}
