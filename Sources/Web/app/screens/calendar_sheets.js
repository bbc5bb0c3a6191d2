// The sheets of the calendar: an event, its form, the search for a time that suits everybody, and the secret link.

import { formOf } from "../parts/calendar.js";
import { daysAfter, daysBetween } from "../parts/dates.js";
import { icon } from "../parts/icons.js";
import { membersOf, nameOf, namesOf } from "../parts/names.js";
import { repeatField, repeatWords } from "../parts/repeat.js";
import { go } from "../parts/router.js";
import { field, form, inWords } from "../parts/screen.js";
import { confirmSheet, openSheet } from "../parts/sheet.js";
import { h, signal } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { ago, dayOf, duration, instantAt, now, timeOfDay, weekdayOf } from "../parts/when.js";
import { words } from "../parts/words.js";
import { act } from "./inbox.js";

/** @import { Calendar, EventForm } from "../parts/calendar.js" */
/** @import { CalendarEvent } from "../parts/records.d.ts" */
/** @import { Field } from "../parts/screen.js" */

const t = await words("calendar");
const MINUTE = 60_000;
/** The limits of an event and of a search, in days. */
const [LONGEST, FARTHEST, WINDOW] = [31, 3653, 28];
/** Minutes that can be chosen. */
const LENGTHS = [30, 60, 90, 120, 180, 240, 360, 480];

/** @param {string | undefined} time @param {string} date */
const dayAndTime = (time, date) => [weekdayOf(date), time && timeOfDay(time)].filter(Boolean).join(", ");

/** "Tuesday 1 Dec, 19:30 – 22:00" @param {CalendarEvent} event @param {string} begin a day on which it begins */
function whenWords({ start, end }, begin) {
  const [first = "", time] = start.split("T");
  const from = dayAndTime(time, begin);
  if (!end) return from;
  const [last = "", until = ""] = end.split("T");
  const length = daysBetween(first, last);
  return `${from} – ${length ? dayAndTime(until, daysAfter(begin, length)) : timeOfDay(until)}`;
}

/** @param {Calendar} calendar @param {string} id @param {string} begin the day on which it begins this time */
export function openEvent(calendar, id, begin) {
  const { state, me } = calendar;
  const one = () => state()?.events?.[id];
  openSheet({ title: one()?.title ?? t("calendar.event") }, (close) => () => {
    const event = one();
    if (!event) return h("p", { class: "empty" }, t("calendar.gone"));
    const who = Object.keys(event.who ?? {});
    return [
      h(
        "ul",
        { class: "facts" },
        h("li", null, icon("clock"), whenWords(event, event.repeats ? begin : event.start.slice(0, 10))),
        event.repeats && h("li", null, icon("again"), repeatWords(event.repeats)),
        h("li", null, icon("people"), who.length ? namesOf(state(), who, me) : t("calendar.everybody")),
        h(
          "li",
          null,
          icon("person"),
          t(event.author === me ? "calendar.byYou" : "calendar.by", { name: nameOf(state(), event.author) }),
        ),
      ),
      event.note && h("p", { class: "note-words", dir: "auto" }, event.note),
      calendar.mayChange(event) && h(
        "div",
        { class: "buttons" },
        h("button", {
          type: "button",
          onclick: async () => {
            await close();
            openEventForm(calendar, { id, event });
          },
        }, t("calendar.change")),
        h("button", {
          type: "button",
          class: "danger",
          onclick: async () => {
            await close();
            calendar.remove(id, event);
          },
        }, t("calendar.remove")),
      ),
    ];
  });
}

/** Two fields side by side, for a form that takes one after the other. @param {Field} one @param {Field} other */
const pair = (one, other) => [
  { ...one, element: h("div", { class: "pair" }, one.element, other.element) },
  { ...other, element: h("div", { hidden: true }) },
];

/** Some of the members. @param {Calendar} calendar @param {ReturnType<typeof signal<readonly string[]>>} chosen */
const whom = ({ state, me }, chosen) =>
  h(
    "fieldset",
    { class: "field" },
    h("legend", null, t("calendar.who")),
    h(
      "div",
      { class: "chips" },
      membersOf(state()).map(([person]) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "aria-pressed": () => String(chosen.get().includes(person)),
            onclick: () =>
              chosen.update((all) => all.includes(person) ? all.filter((one) => one !== person) : [...all, person]),
          },
          h("span", { dir: "auto" }, nameOf(state(), person, me)),
        )
      ),
    ),
    () => chosen.get().length ? null : h("p", { class: "hint" }, t("calendar.everybody")),
  );

/** @param {Calendar} calendar @param {{ id: string, event: CalendarEvent }} [old] to be changed */
export function openEventForm(calendar, old) {
  const before = old && formOf(old.event);
  const today = dayOf(now.peek(), calendar.state()?.household?.timeZone);
  const [first = today, time = ""] = before?.start.split("T") ?? [];
  const [last = "", endTime = ""] = before?.end?.split("T") ?? [];
  const title = field({
    label: t("calendar.what"),
    name: "title",
    value: before?.title ?? "",
    required: true,
    maxlength: 100,
    autofocus: !before,
    enterkeyhint: "done",
  });
  const date = field({ label: t("calendar.day"), name: "start", type: "date", value: first, required: true });
  const from = field({
    label: t("calendar.time"),
    name: "time",
    type: "time",
    value: time,
    hint: t("calendar.noTime"),
  });
  const end = field({ label: t("calendar.endDay"), name: "end", type: "date", value: last === first ? "" : last });
  const to = field({ label: t("calendar.endTime"), name: "endTime", type: "time", value: endTime });
  const repeat = repeatField({ label: t("calendar.repeat"), rule: before?.repeats ?? undefined, date });
  const note = field({ label: t("calendar.note"), name: "note", rows: 2, maxlength: 1000, value: before?.note ?? "" });
  const who = signal(/** @type {readonly string[]} */ (before?.who ?? []));

  /** @returns {EventForm} */
  function read() {
    const [begin, clock, until] = [date.value(), from.value(), to.value()];
    // An end that is earlier on the clock is after midnight.
    const lastDay = end.value() || (until < clock ? daysAfter(begin, 1) : begin);
    return {
      title: title.value().trim().replace(/\s+/gu, " "),
      start: clock ? `${begin}T${clock}` : begin,
      end: clock ? until ? `${lastDay}T${until}` : null : end.value() > begin ? end.value() : null,
      who: who.peek().length ? who.peek() : null,
      note: note.value().trim() || null,
      repeats: repeat.value(),
    };
  }

  function check() {
    repeat.field.problem.set(repeat.problem());
    if (!date.value()) return;
    const { start, end: until } = read();
    const length = daysBetween(date.value(), (until ?? start).slice(0, 10));
    if (to.value() && !from.value()) from.problem.set(t("calendar.needsTime"));
    if (from.value() && end.value() && !to.value()) to.problem.set(t("calendar.needsEnd"));
    if (end.value() && end.value() < date.value() || until && until < start) end.problem.set(t("calendar.order"));
    else if (length >= LONGEST) end.problem.set(t("calendar.tooLong"));
    if (daysBetween(today, date.value()) > FARTHEST) date.problem.set(t("calendar.tooFar"));
    // An old event may still get another note.
    const isOver = !repeat.value() && (until ?? start).slice(0, 10) < daysAfter(today, -7);
    if (isOver && start !== before?.start) date.problem.set(t("calendar.over"));
  }

  openSheet({ title: t(old ? "calendar.changeTitle" : "calendar.new") }, (close) => [
    form(
      {
        fields: [title, ...pair(date, from), ...pair(end, to), repeat.field],
        action: t(old ? "calendar.save" : "calendar.add"),
        check,
        submit: async () => {
          const said = read();
          await close();
          if (old && before) calendar.edit(old.id, before, said);
          else calendar.add(said);
        },
      },
      whom(calendar, who),
      note.element,
    ),
    old ? null : h(
      "button",
      {
        type: "button",
        class: "plain wide",
        onclick: async () => {
          const typed = title.value();
          await close();
          openSearchForm(calendar, typed);
        },
      },
      icon("search"),
      t("calendar.search"),
    ),
  ]);
}

/** Asks everybody when they cannot come. @param {Calendar} calendar @param {string} typed */
function openSearchForm(calendar, typed) {
  const { state, me } = calendar;
  const zone = state()?.household?.timeZone ?? "UTC";
  const today = dayOf(now.peek(), zone);
  const title = field({
    label: t("calendar.what"),
    name: "title",
    value: typed,
    required: true,
    maxlength: 100,
    autofocus: !typed,
  });
  const note = field({ label: t("calendar.note"), name: "description", rows: 2, maxlength: 1000 });
  const first = field({
    label: t("calendar.between"),
    name: "window",
    type: "date",
    value: daysAfter(today, 1),
    required: true,
  });
  const last = field({
    label: t("calendar.and"),
    name: "to",
    type: "date",
    value: daysAfter(today, 7),
    required: true,
  });
  const from = field({ label: t("calendar.earliest"), name: "hours", type: "time", value: "10:00", required: true });
  const to = field({ label: t("calendar.latest"), name: "latest", type: "time", value: "20:00", required: true });
  const lengths = LENGTHS.map((one) => /** @type {[string, string]} */ ([String(one), duration(one * MINUTE)]));
  const length = field({ label: t("calendar.length"), name: "minutes", value: "120", options: lengths });
  const who = signal(/** @type {readonly string[]} */ ([]));
  // By person: some may be needed for a part only.
  const shorter = membersOf(state()).map(([person]) => ({
    person,
    field: field({
      label: nameOf(state(), person, me),
      name: person,
      options: [["", t("calendar.allTime")], ...lengths],
    }),
  }));
  const minuteOf = (/** @type {string} */ time) => 60 * Number(time.slice(0, 2)) + Number(time.slice(3));

  function read() {
    const chosen = shorter.filter(({ person }) => !who.peek().length || who.peek().includes(person));
    const minutes = Object.fromEntries(
      chosen.map(({ person, field }) => [person, Math.min(Number(field.value()) || 1e4, Number(length.value()))]),
    );
    const instant = (/** @type {string} */ date) => new Date(instantAt(date, 0, zone)).toISOString();
    return {
      title: title.value().trim().replace(/\s+/gu, " "),
      ...(note.value().trim() ? { description: note.value().trim() } : {}),
      minutes,
      window: { from: instant(first.value()), to: instant(daysAfter(last.value(), 1)) },
      hours: { from: from.value(), to: to.value() },
    };
  }

  function check() {
    if (!first.value() || !last.value() || !from.value() || !to.value()) return;
    const [begin, days] = [first.value(), daysBetween(first.value(), last.value())];
    if (begin < today || daysBetween(today, last.value()) > 2 * WINDOW) first.problem.set(t("calendar.windowFar"));
    else if (days < 0) last.problem.set(t("calendar.order"));
    else if (days >= WINDOW) last.problem.set(t("calendar.windowLong"));
    const hours = minuteOf(to.value()) - minuteOf(from.value());
    if (hours < Number(length.value())) to.problem.set(t("calendar.hoursShort"));
  }

  openSheet({ title: t("calendar.searchTitle") }, (close) => [
    h("p", { class: "hint" }, t("calendar.searchText")),
    form(
      {
        fields: [title, ...pair(first, last), ...pair(from, to), length],
        action: t("calendar.askAll"),
        check,
        submit: async () => {
          const id = calendar.ask(read());
          await close();
          go(`/special/${id}`);
        },
      },
      whom(calendar, who),
      h(
        "details",
        null,
        h("summary", null, t("calendar.shorter")),
        h(
          "div",
          { class: "form" },
          shorter.map(({ person, field }) => {
            const isIn = () => !who.get().length || who.get().includes(person);
            return h("div", { hidden: () => !isIn() }, field.element);
          }),
        ),
      ),
      note.element,
    ),
  ]);
}

/** The secret link to one's own calendar. @param {Calendar} calendar */
export function openLink({ hearth, room }) {
  const since = signal(/** @type {string | undefined} */ (undefined));
  const problem = signal("");
  const link = signal("");
  const options = { room: room.name };
  hearth.ask("calendar.show", {}, options).then(
    ({ linkedAt }) => since.set(linkedAt),
    (error) => problem.set(inWords(error)),
  );
  openSheet({ title: t("calendar.link") }, (close) => [
    h("p", null, t("calendar.linkText")),
    h("p", { class: "hint" }, t("calendar.linkSecret")),
    () => problem.get() ? h("p", { class: "problem" }, icon("alert"), problem.get()) : null,
    () =>
      link.get()
        ? [
          h("p", { class: "secret", dir: "ltr" }, link.get()),
          act(t("calendar.copy"), "primary", () =>
            navigator.clipboard?.writeText(link.peek()).then(() => say(t("copied")), () => {})),
          h("p", { class: "hint" }, t("calendar.linkOnce")),
        ]
        : [
          since.get() ? h("p", null, t("calendar.linkSince", { when: ago(since.get() ?? "") })) : null,
          act(t(since.get() ? "calendar.linkAgain" : "calendar.linkMake"), since.get() ? "" : "primary", async () => {
            const { path } = await hearth.ask("calendar.link", {}, options);
            link.set(location.origin + path);
            since.set(new Date(hearth.now()).toISOString());
          }),
        ],
    () =>
      since.get()
        ? h("button", {
          type: "button",
          class: "danger",
          onclick: async () => {
            await close();
            const [title, text] = [t("calendar.linkEndTitle"), t("calendar.linkEndText")];
            if (!await confirmSheet({ title, text, action: t("calendar.linkEnd") })) return;
            await hearth.ask("calendar.unlink", {}, options).then(
              () => say(t("calendar.linkEnded")),
              (error) => say(inWords(error)),
            );
          },
        }, t("calendar.linkEnd"))
        : null,
  ]);
}
