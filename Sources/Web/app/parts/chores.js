// A household's chores as several screens need them: what is to be done, how that is said, and what one tap does.
//
// Whose turn is next is the server's word: a change shows only what is sure, such as that a chore is off the list.

import { avatar } from "./avatar.js";
import { daysAfter, daysBetween } from "./dates.js";
import { icon } from "./icons.js";
import { membersOf, nameOf } from "./names.js";
import { waitingMark } from "./screen.js";
import { computed, effect, h, observe, untracked } from "./signal.js";
import { say } from "./snackbar.js";
import { swipe } from "./swipe.js";
import { ago, calendarDay, clock, dayOf, now } from "./when.js";
import { hasWords, words } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Patch } from "../hearth/types/library.d.ts" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */
/** @import { Home } from "./household.js" */
/** @import { Chore, Occurrence } from "./records.d.ts" */
/** @typedef {{ id: string, one: Occurrence, chore: Chore }} Item an open occurrence and its chore */

const t = await words("chore");
const UNITS = { days: 1, weeks: 7, months: 30, years: 365 };

/** Days before a birthday from which on it stands among the chores. */
const BIRTHDAY_NOTICE = 7;

/**
 * The name in the reader's language, if it is a built-in chore or a birthday, which has none.
 * @param {{ name?: string, essential?: string, birthdayOf?: string }} chore
 * @param {HouseholdState | null} [state] where the members are, for a birthday
 */
export function choreName({ name = "", essential, birthdayOf }, state = null) {
  const key = `chore.essential.${essential}`;
  if (!name && birthdayOf) return t("chore.birthday", { name: nameOf(state, birthdayOf) });
  return essential && hasWords(key) ? t(key) : name;
}

/**
 * Whether a chore that was done is to be done again, as its doer or the host has said.
 * @param {HouseholdState | null} state @param {string} occurrence
 */
export const isTakenBack = (state, occurrence) =>
  Object.values(state?.occurrences ?? {}).some(({ was }) => was === occurrence);

/**
 * When it is due, in words, and how much of its time is over: 0 to 1, or null if it has no day.
 * @param {Item} item @param {string | undefined} zone
 */
export function dueness({ one, chore }, zone) {
  if (!one.date) return { days: null, isLate: false, share: null, text: t("chore.anyTime") };
  const days = daysBetween(dayOf(now.get(), zone), one.date);
  const isLate = days < 0 || Boolean(one.dueAt && Date.parse(one.dueAt) <= now.get());
  const { every = 1, unit = "weeks" } = chore.repeat ?? {};
  const share = isLate ? 1 : Math.min(1, Math.max(0.05, 1 - days / (every * UNITS[unit])));
  return { days, isLate, share, text: dayText() };

  function dayText() {
    const time = chore.time && (one.dueAt ? clock(one.dueAt, zone) : chore.time);
    if (days < 0) return t("chore.late", { n: -days });
    if (days === 0) return !time ? t("chore.today") : t(isLate ? "chore.lateSince" : "chore.todayAt", { time });
    if (days === 1) return t("chore.tomorrow");
    return days < 14 ? t("chore.in", { n: days }) : calendarDay(one.date ?? "", false);
  }
}

/** When it is due, and whether that is urgent. @param {Item} item @param {string | undefined} zone */
export const dueWords = (item, zone) =>
  [dueness(item, zone).text, item.chore.urgent && t("chore.urgent")].filter(Boolean).join(" · ");

/** The order of chores: by day and time, then urgent ones. @param {Item} item */
const order = ({ id, one, chore }) =>
  `${one.date ?? "9999"} ${chore.time ?? "24"} ${chore.urgent ? 0 : 1} ${chore.name} ${id}`;

/**
 * The open chores, and birthdays when they are near. @param {HouseholdState["occurrences"]} open
 * @param {HouseholdState["chores"]} chores @param {string} today @param {(chore: Chore) => string} birthday its name
 * @returns {Item[]}
 */
const itemsOf = (open = {}, chores = {}, today, birthday) =>
  Object.entries(open).flatMap(([id, one]) => {
    const chore = chores[one.chore];
    // One that this page has brought back is there twice, until the answer comes.
    if (id === one.chore && Object.values(open).some((other) => other !== one && other.chore === id)) return [];
    if (chore?.birthdayOf) {
      return one.date && one.date <= daysAfter(today, BIRTHDAY_NOTICE)
        ? [{ id, one, chore: { ...chore, name: birthday(chore) } }]
        : [];
    }
    // Half a row may come from a change of one that is gone: it is none.
    return chore?.name ? [{ id, one, chore }] : [];
  }).sort((a, b) => order(a) < order(b) ? -1 : 1);

/** @typedef {ReturnType<typeof choreList>} ChoreList */

/**
 * Inside the scope of a screen: it ends with it.
 * @param {Hearth} hearth @param {Home} room
 */
export function choreList(hearth, room) {
  const me = hearth.me ?? "";
  const state = () => room.state.get();
  const zone = () => state()?.household?.timeZone;
  // Not by the document: a note on the board would otherwise be news for every row.
  const open = computed(() => state()?.occurrences);
  const chores = computed(() => state()?.chores);
  const members = computed(() => state()?.members);
  const today = computed(() => dayOf(now.get(), zone()));
  const items = computed(() =>
    itemsOf(open.get(), chores.get(), today.get(), (one) => choreName(one, { members: members.get() ?? {} }))
  );
  const waiting = observe(
    hearth,
    () => new Set(hearth.waiting.flatMap(({ params }) => [params["id"], params["newId"], params["occurrence"]])),
  );
  const refused = observe(hearth, () => hearth.refused.filter((one) => one.room === room.name));
  const at = () => new Date(hearth.now()).toISOString();
  const isMine = (/** @type {Item} */ { one }) => one.people.includes(me) && !one.doneBy?.[me] && !one.completion;

  // Somebody who comes second has nothing to try again: the chore is done. They are told who was first.
  /** @type {Set<string>} */ const told = new Set();
  effect(() => {
    for (const { id, about, error } of refused.get()) {
      if (error.reason !== "alreadyDone" || told.has(id)) continue;
      told.add(id);
      const { by, at: when } = /** @type {{ by?: string, at?: string }} */ (error.data);
      untracked(() => {
        const values = { chore: about, when: when ? ago(when, zone()) : "", name: nameOf(room.state.peek(), by) };
        say(t(by === me ? "chore.alreadyDoneYou" : "chore.alreadyDone", values));
        hearth.discard(id);
      });
    }
  });

  /**
   * @template {keyof Methods} M
   * @param {M} method @param {Params<M>} params @param {{ name: string, essential?: string }} chore
   * @param {(state: HouseholdState) => Patch<HouseholdState> | null} optimistic
   */
  const change = (method, params, chore, optimistic) =>
    hearth.change(method, params, { room: room.name, about: choreName(chore), optimistic });

  /** The patch that shows the end of an occurrence. @param {Item} item @returns {Patch<HouseholdState>} */
  const ended = ({ id, one, chore }) => ({
    occurrences: { [id]: null },
    ...(chore.repeat || chore.standing ? {} : { chores: { [one.chore]: null } }),
  });

  /** Takes the end of an occurrence back; it has a new id. @param {Item} item */
  function undo({ id, one, chore }) {
    const newId = hearth.newId();
    change("chores.undo", { id, newId }, chore, ({ occurrences = {}, chores = {} }) => {
      const next = Object.keys(occurrences).filter((key) => occurrences[key]?.chore === one.chore);
      const isGone = !chores[one.chore];
      return {
        occurrences: { ...Object.fromEntries(next.map((key) => [key, null])), [newId]: { ...one, was: id } },
        ...(isGone ? { chores: { [one.chore]: chore } } : {}),
      };
    });
    say(t("chore.undone", { name: choreName(chore) }));
  }

  /** @param {Item} item @param {Omit<Params<"chores.complete">, "id">} [more] */
  function complete(item, more = {}) {
    const { id, one, chore } = item;
    const done = more.doneAt ?? at();
    const others = one.people.filter((person) => person !== me && !one.doneBy?.[person]);
    const isPart = chore.all === true && one.people.includes(me) && others.length > 0;
    const isChecked = chore.needsApproval === true && membersOf(room.state.peek()).length > 1;
    // A completion without a network counts for its own day, not for that on which it is sent.
    const when = hearth.phase === "live" ? {} : { doneAt: done };
    change(
      "chores.complete",
      { id, ...when, ...more },
      chore,
      () =>
        isChecked
          ? { occurrences: { [id]: { completion: { by: me, at: done }, rejection: null } } }
          : isPart
          ? { occurrences: { [id]: { doneBy: { [me]: done } } } }
          : ended(item),
    );
    const key = isChecked ? "chore.doneWaiting" : isPart ? "chore.donePart" : "chore.done";
    say(t(key, { name: choreName(chore) }), isChecked || isPart ? {} : { undo: () => undo(item) });
  }

  return {
    hearth,
    me,
    room,
    state,
    zone,
    items,
    isMine,
    refused: computed(() =>
      refused.get().filter((one) => one.method.startsWith("chores.") && one.error.reason !== "alreadyDone")
    ),
    change,
    at,
    complete,
    undo,
    /** My chores that are due today or late; a birthday is no work. */
    today: computed(() =>
      items.get().filter((item) => isMine(item) && !item.chore.birthdayOf && (dueness(item, zone()).days ?? 1) <= 0)
    ),
    /** @param {Item} item */
    isWaiting: ({ id, one }) => waiting.get().has(id) || waiting.get().has(one.chore),
    /** @param {Item} item @param {string} [note] */
    skip(item, note) {
      change("chores.skip", { id: item.id, ...(note ? { note } : {}) }, item.chore, () => ended(item));
      say(t("chore.skipped", { name: choreName(item.chore) }), { undo: () => undo(item) });
    },
    /** Takes one that is free, or another's. @param {Item} item @param {string} [from] */
    claim({ id, one, chore }, from) {
      const people = [...one.people.filter((person) => person !== from), me];
      const claim = { id, ...(from ? { from } : {}) };
      change("chores.claim", claim, chore, () => ({ occurrences: { [id]: { people } } }));
      say(t("chore.taken", { name: choreName(chore) }));
    },
    /** @param {Item} item */
    release({ id, one, chore }) {
      const people = one.people.filter((person) => person !== me);
      change("chores.release", { id }, chore, () => ({ occurrences: { [id]: { people } } }));
      say(t("chore.released", { name: choreName(chore) }));
    },
    /** @param {Item} item @param {string} date */
    move(item, date) {
      const { id, one, chore } = item;
      const to = (/** @type {string} */ day) =>
        change("chores.move", { id, date: day }, chore, () => ({
          occurrences: { [id]: { date: day, dueAt: null, overdue: null } },
        }));
      to(date);
      const before = one.date;
      // Nothing can be moved back to a day that is over.
      const mayUndo = before && before >= dayOf(hearth.now(), zone());
      say(
        t("chore.moved", { name: choreName(chore), day: calendarDay(date, false) }),
        mayUndo ? { undo: () => to(before), isBrief: true } : {},
      );
    },
  };
}

/**
 * One chore in a list: a tap on the ring completes it, one on the words opens it.
 * @param {ChoreList} list @param {() => Item} item
 * @param {{ later?: (item: Item) => void }} [options] what a swipe to the start does
 */
export function choreRow(list, item, { later } = {}) {
  const name = () => choreName(item().chore);
  const due = computed(() => dueness(item(), list.zone()));
  const said = () => item().one.completion;
  // Only these make parts of the row anew: whatever has the focus keeps it.
  const isSaid = computed(() => Boolean(said()));
  const isFree = computed(() => !item().one.people.length && !isSaid.get());
  const people = computed(() => item().one.people.join());
  const words = () => {
    const by = said()?.by;
    return by === list.me
      ? t("chore.waitsForApproval")
      : by
      ? t("chore.saysDone", { name: nameOf(list.state(), by) })
      : dueWords(item(), list.zone());
  };
  const link = h(
    "a",
    { class: "row", href: () => `/chores/chore/${item().one.chore}` },
    h(
      "span",
      { class: "row-words" },
      h("span", { class: "row-title" }, name),
      h("span", { class: () => `row-text ${due.get().isLate && !isSaid.get() ? "late" : ""}` }, words),
      () =>
        due.get().share === null || isSaid.get() ? null : h("span", {
          class: "dueness",
          "aria-hidden": "true",
          style: { "--due": due.get().share },
        }),
    ),
    waitingMark(() => list.isWaiting(item())),
    () =>
      people.get().split(",").filter(Boolean).slice(0, 3).map((person) =>
        avatar(person, nameOf(list.state(), person), {
          size: "small",
          label: nameOf(list.state(), person, list.me),
        })
      ),
    () => isSaid.get() ? icon("next") : null,
  );
  const cover = h(
    "div",
    { class: "chore-cover" },
    () =>
      isSaid.get() ? h("span", { class: "tick-off" }, icon("eye")) : h("button", {
        type: "button",
        class: "quiet round tick-off",
        "aria-label": () => t("chore.complete", { name: name() }),
        onclick: () => list.complete(item()),
      }, icon("ring")),
    link,
    () =>
      isFree.get()
        ? h("button", {
          type: "button",
          class: "chip",
          "aria-label": () => t("chore.takeNamed", { name: name() }),
          onclick: () => list.claim(item()),
        }, t("chore.take"))
        : null,
  );
  const element = h("li", { class: "chore" }, cover);
  swipe(element, cover, {
    end: () => said() || list.complete(item()),
    ...(later ? { start: () => later(item()) } : {}),
  });
  return element;
}
