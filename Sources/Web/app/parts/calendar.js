// The changes of a household's calendar. Each is shown at once, and one tap takes it back.

import { dayOf, minuteOf } from "./when.js";
import { say } from "./snackbar.js";
import { computed, observe } from "./signal.js";
import { words } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Patch } from "../hearth/types/library.d.ts" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */
/** @import { Home } from "./household.js" */
/** @import { CalendarEvent, Repeat, SpecialEvent } from "./records.d.ts" */
/**
 * The content of an event's form; null for what is not there.
 * @typedef {{ title: string, start: string, end: string | null, who: readonly string[] | null, note: string | null,
 *   repeats: Repeat | null }} EventForm
 */
/** @typedef {{ from: string, to: string }} Span */

const t = await words("calendar");

/** @param {CalendarEvent} event @returns {EventForm} */
export const formOf = ({ title, start, end, who, note, repeats }) => ({
  title,
  start,
  end: end ?? null,
  who: who && Object.keys(who).length ? Object.keys(who) : null,
  note: note ?? null,
  repeats: repeats ?? null,
});

/** For a comparison: with members and people in one order. @param {unknown} value @returns {unknown} */
function sorted(value) {
  if (Array.isArray(value)) return [...value].sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]);
}

/**
 * A table as a patch that replaces the one before. @template {object} T
 * @param {object | undefined} before @param {T | null} after
 */
const replaced = (before, after) =>
  after && { ...Object.fromEntries(Object.keys(before ?? {}).map((key) => [key, null])), ...after };

/** @typedef {ReturnType<typeof calendarOf>} Calendar */

/** @param {Hearth} hearth @param {Home} room */
export function calendarOf(hearth, room) {
  const me = hearth.me ?? "";
  const state = () => room.state.get();
  const waiting = observe(
    hearth,
    () => new Set(hearth.waiting.flatMap(({ params }) => [params["id"], params["newId"], params["event"]])),
  );
  const refused = observe(hearth, () => hearth.refused);

  /**
   * @template {keyof Methods} M
   * @param {M} method @param {Params<M>} params @param {string} about
   * @param {(state: HouseholdState) => Patch<HouseholdState>} optimistic
   */
  const change = (method, params, about, optimistic) =>
    hearth.change(method, params, { room: room.name, about, optimistic });

  const at = () => new Date(hearth.now()).toISOString();
  /** @param {readonly string[] | null} who */
  const table = (who) => Object.fromEntries((who ?? []).map((one) => [one, /** @type {const} */ (true)]));

  /** @param {string} id @param {string} title */
  const drop = (id, title) =>
    change("events.remove", { id }, t("calendar.aboutRemove", { title }), () => ({ events: { [id]: null } }));

  /** @param {string} id @param {EventForm} before @param {EventForm} after */
  function put(id, before, after) {
    const keys = /** @type {(keyof EventForm)[]} */ (Object.keys(after)).filter((key) =>
      JSON.stringify(sorted(before[key])) !== JSON.stringify(sorted(after[key]))
    );
    const changes = Object.fromEntries(keys.map((key) => [key, after[key]]));
    if (!keys.length) return false;
    change("events.edit", { id, ...changes }, t("calendar.aboutEdit", { title: after.title }), ({ events }) => ({
      events: {
        [id]: {
          ...changes,
          who: replaced(events?.[id]?.who, table(after.who)),
          repeats: replaced(events?.[id]?.repeats, after.repeats),
          lastDay: null,
        },
      },
    }));
    return true;
  }

  /** @param {string} id @param {SpecialEvent} one @param {Span[] | null} spans */
  const answer = (id, one, spans) =>
    change(
      "specialEvents.busy",
      { id, intervals: spans ?? [] },
      t("calendar.aboutBusy", { title: one.title }),
      () => ({ specialEvents: { [id]: { busy: { [me]: spans } } } }),
    );

  return {
    hearth,
    me,
    room,
    state,
    refused: computed(() =>
      refused.get().filter((one) => one.room === room.name && /^(events|specialEvents)\./.test(one.method))
    ),
    /** @param {string} id */
    isWaiting: (id) => waiting.get().has(id),
    /** Its author and the host may change a thing. @param {{ author: string }} one */
    mayChange: ({ author }) => author === me || state()?.household?.host === me,

    /** @param {EventForm} form */
    add(form) {
      const id = hearth.newId();
      const { title, start, ...rest } = form;
      const params = /** @type {Params<"events.add">} */ (Object.fromEntries(
        Object.entries({ id, ...form }).filter(([, value]) => value !== null),
      ));
      const more = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
      const row = /** @type {CalendarEvent} */ ({ title, start, ...more, who: table(form.who), author: me, at: at() });
      change("events.add", params, t("calendar.aboutAdd", { title }), () => ({ events: { [id]: row } }));
      say(t("calendar.added", { title }), { undo: () => drop(id, title) });
    },
    /** @param {string} id @param {EventForm} before @param {EventForm} after */
    edit(id, before, after) {
      if (put(id, before, after)) say(t("calendar.saved"), { undo: () => put(id, after, before), isBrief: true });
    },
    /** @param {string} id @param {CalendarEvent} event */
    remove(id, event) {
      drop(id, event.title);
      const undo = () => {
        const newId = hearth.newId();
        change("events.restore", { id, newId }, t("calendar.aboutAdd", { title: event.title }), () => ({
          events: { [newId]: { ...event, was: id } },
        }));
      };
      say(t("calendar.removed", { title: event.title }), { undo });
    },

    /** @param {Omit<Params<"specialEvents.create">, "id">} form */
    ask(form) {
      const id = hearth.newId();
      const row = /** @type {SpecialEvent} */ ({ ...form, author: me, at: at() });
      change("specialEvents.create", { id, ...form }, t("calendar.aboutAsk", { title: form.title }), () => ({
        specialEvents: { [id]: row },
      }));
      return id;
    },
    /** @param {string} id @param {SpecialEvent} one @param {Span[]} spans */
    answer(id, one, spans) {
      const before = one.busy?.[me];
      answer(id, one, spans);
      // An answer can be changed, but not taken back: the first one has no undo.
      say(t("calendar.answered"), before ? { undo: () => answer(id, one, [...before]), isBrief: true } : {});
    },
    /** @param {string} id @param {SpecialEvent} one @param {Span} slot */
    confirm(id, one, slot) {
      const event = hearth.newId();
      const zone = state()?.household?.timeZone;
      const local = (/** @type {string} */ time) => {
        const minute = minuteOf(time, zone);
        const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
        return `${dayOf(time, zone)}T${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
      };
      const row = /** @type {CalendarEvent} */ ({
        title: one.title,
        start: local(slot.from),
        end: local(slot.to),
        who: table(Object.keys(one.minutes ?? {})),
        ...(one.description ? { note: one.description } : {}),
        author: me,
        at: at(),
      });
      change(
        "specialEvents.confirm",
        { id, start: slot.from, event },
        t("calendar.aboutConfirm", { title: one.title }),
        () => ({ specialEvents: { [id]: null }, events: { [event]: row } }),
      );
      say(t("calendar.confirmed", { title: one.title }));
    },
    /** @param {string} id @param {SpecialEvent} one */
    cancel(id, one) {
      change("specialEvents.cancel", { id }, t("calendar.aboutCancel", { title: one.title }), () => ({
        specialEvents: { [id]: null },
      }));
      say(t("calendar.cancelled", { title: one.title }));
    },
  };
}
