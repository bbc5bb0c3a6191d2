// The calendar: the next event, then day by day all that is planned, and the searches for a time.

import { agenda, lastDayOf, timeWords } from "../parts/agenda.js";
import { calendarOf } from "../parts/calendar.js";
import { daysAfter } from "../parts/dates.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { nameOf, namesOf } from "../parts/names.js";
import { refusals } from "../parts/refusals.js";
import { address, go } from "../parts/router.js";
import { empty, list, row, screen, section, skeleton, waitingMark } from "../parts/screen.js";
import { computed, each, h, signal, untracked } from "../parts/signal.js";
import { dayOf, minuteOf, nearDay, now, weekdayOf } from "../parts/when.js";
import { words } from "../parts/words.js";
import { openEvent, openEventForm, openLink } from "./calendar_sheets.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Entry } from "../parts/agenda.js" */
/** @import { IconName } from "../parts/icons.js" */
/** @import { SpecialEvent } from "../parts/records.d.ts" */

const t = await words("calendar");
/** So many days are shown at first, and more of them when they are wanted. */
const SHOWN = 42;
/** @type {Record<Entry["kind"], IconName>} */
const SIGNS = { event: "calendar", birthday: "cake", away: "suitcase", chore: "chores" };

/** @param {Hearth} hearth */
export function render(hearth) {
  const calendar = calendarOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me } = calendar;
  const isHere = computed(() => Boolean(state()));
  const zone = () => state()?.household?.timeZone;
  const today = computed(() => dayOf(now.get(), zone()));
  const length = signal(SHOWN);
  const entries = computed(() => agenda(state(), today.get(), daysAfter(today.get(), length.get() - 1)));
  const days = computed(() => {
    /** @type {Map<string, Entry[]>} */ const found = new Map();
    for (const one of entries.get()) found.set(one.day, [...found.get(one.day) ?? [], one]);
    return [...found];
  });
  const special = computed(() =>
    Object.entries(state()?.specialEvents ?? {}).filter(([, one]) => one.title).sort(([, a], [, b]) =>
      a.window.to < b.window.to ? -1 : 1
    )
  );

  // A notification names an event. It opens once the screen itself is in the page.
  const named = address.peek().query.get("event");
  if (named) {
    queueMicrotask(() => {
      go("/calendar", { replace: true });
      const { key = "" } = untracked(() => entries.get()).find(({ id }) => id === named) ?? {};
      openEvent(calendar, named, key.slice(-10) || today.peek());
    });
  }

  return screen(
    { title: t("calendar.title"), back: "/", lead: h("span", { role: "status" }, next) },
    refusals(hearth, calendar.refused),
    () => isHere.get() ? null : skeleton(6),
    () => special.get().length ? looking() : null,
    each(() => days.get(), ([date]) => date, (item, date) =>
      h(
        "section",
        { class: "section" },
        h("h2", { class: "day-head" }, () => dayHead(date)),
        h("ul", { class: "rows" }, each(() => item()[1], ({ key }) => key, (entry) => entryRow(entry))),
      )),
    () =>
      isHere.get() && !entries.get().length && !special.get().length
        ? empty({ icon: "calendar", text: t("calendar.empty") })
        : null,
    () =>
      isHere.get() && [
        h(
          "button",
          { type: "button", class: "plain wide", onclick: () => length.update((n) => n + SHOWN) },
          icon("down"),
          () => t("calendar.later", { day: weekdayOf(daysAfter(today.get(), length.get())) }),
        ),
        list(row({ before: icon("link"), title: t("calendar.link"), onclick: () => openLink(calendar) })),
        h(
          "button",
          { type: "button", class: "primary fab", onclick: () => openEventForm(calendar) },
          icon("plus"),
          t("calendar.new"),
        ),
      ],
  );

  /** The next event or birthday, in words. */
  function next() {
    if (!isHere.get()) return "";
    const minute = minuteOf(now.get(), zone());
    const isAhead = (/** @type {Entry} */ { day, time = "24:00" }) =>
      day > today.get() || 60 * Number(time.slice(0, 2)) + Number(time.slice(3)) > minute;
    const one = entries.get().find((entry) => (entry.kind === "event" || entry.kind === "birthday") && isAhead(entry));
    if (!one) return entries.get().length ? "" : t("calendar.nothing");
    const when = [nearDay(one.day, today.get()), timeWords(one)].filter(Boolean).join(", ");
    return t("calendar.next", { title: one.title, when });
  }

  /** @param {string} date */
  function dayHead(date) {
    const isNear = date <= daysAfter(today.get(), 1);
    const year = date.slice(0, 4) === today.get().slice(0, 4) ? "" : ` ${date.slice(0, 4)}`;
    return [isNear ? nearDay(date, today.get()) : "", weekdayOf(date) + year].filter(Boolean).join(" · ");
  }

  /** @param {() => Entry} entry */
  function entryRow(entry) {
    const { kind, id } = entry();
    const text = () => {
      const last = lastDayOf(entry());
      const { who } = entry();
      return [
        timeWords(entry()),
        kind === "away" && t("calendar.away"),
        last && t("calendar.until", { day: last }),
        who.length ? namesOf(state(), who, me) : kind === "chore" && t("calendar.anybody"),
      ].filter(Boolean).join(" · ");
    };
    return row({
      before: h("span", { class: "sign" }, icon(SIGNS[kind])),
      title: h("bdi", null, () => kind === "away" ? nameOf(state(), id, me) : entry().title),
      text,
      after: [
        waitingMark(() => calendar.isWaiting(id)),
        kind === "birthday" ? null : icon("next"),
      ],
      ...(kind === "away" ? { href: "/household" } : {}),
      ...(kind === "chore" ? { href: `/chores/chore/${id}` } : {}),
      ...(kind === "event" ? { onclick: () => openEvent(calendar, id, entry().key.slice(-10)) } : {}),
    });
  }

  function looking() {
    return section(
      { title: t("calendar.looking") },
      h(
        "ul",
        { class: "rows framed" },
        each(() => special.get(), ([id]) => id, (item, id) =>
          row({
            before: h("span", { class: "sign" }, icon("search")),
            title: h("bdi", null, () => item()[1].title),
            text: () => answersWords(item()[1]),
            after: [waitingMark(() => calendar.isWaiting(id)), icon("next")],
            href: `/special/${id}`,
          })),
      ),
    );
  }

  /** @param {SpecialEvent} one */
  function answersWords({ minutes = {}, busy = {} }) {
    if (me in minutes && !(me in busy)) return t("calendar.sayWhen");
    return t("calendar.answers", { n: Object.keys(busy).length, of: Object.keys(minutes).length });
  }
}
