// An event whose time is looked for: when one cannot come, the times at which most can, and the choice of one.

import { avatar } from "../parts/avatar.js";
import { calendarOf } from "../parts/calendar.js";
import { daysAfter } from "../parts/dates.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { nameOf } from "../parts/names.js";
import { refusals } from "../parts/refusals.js";
import { back } from "../parts/router.js";
import { empty, screen, section, skeleton } from "../parts/screen.js";
import { confirmSheet } from "../parts/sheet.js";
import { computed, each, effect, h, signal, untracked } from "../parts/signal.js";
import { calendarDay, clock, dayOf, duration, instantAt, now, weekdayOf } from "../parts/when.js";
import { listed, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Span } from "../parts/calendar.js" */
/** @import { SpecialEvent } from "../parts/records.d.ts" */
/** @import { Methods } from "../hearth/types/methods.d.ts" */
/** @typedef {Methods["specialEvents.slots"]["result"]["items"][number]} Slot */

const t = await words("calendar");
/** The parts of a day, by the minutes at which they begin and end. */
const PARTS = /** @type {const} */ ([["morning", 0, 720], ["afternoon", 720, 1080], ["evening", 1080, 1440]]);
const CHOICES = 5;

/** @param {Hearth} hearth @param {Record<string, string>} params */
export function render(hearth, { id = "" }) {
  const calendar = calendarOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me, room } = calendar;
  const zone = () => state()?.household?.timeZone ?? "UTC";
  const one = computed(() => state()?.specialEvents?.[id]);
  const status = computed(() => !state() ? "loading" : one.get()?.title ? "here" : "gone");
  const people = () => Object.keys(one.get()?.minutes ?? {});
  const answered = () => Object.keys(one.get()?.busy ?? {});
  const isAsked = computed(() => people().includes(me));
  const mayDecide = computed(() => Boolean(one.get() && calendar.mayChange(/** @type {SpecialEvent} */ (one.get()))));
  /** Whether one's answer is being given: at first, and when it is to be changed. */
  const isChanging = computed(() => wish.get() ?? (isAsked.get() && !answered().includes(me)));
  const wish = signal(/** @type {boolean | null} */ (null));

  return screen(
    { title: h("bdi", null, () => one.get()?.title ?? t("calendar.special")), back: "/calendar", lead },
    refusals(hearth, calendar.refused),
    () => status.get() === "loading" ? skeleton(6) : null,
    () =>
      status.get() === "gone" ? empty({ icon: "calendar", text: t("calendar.decided"), action: calendarLink() }) : null,
    () => status.get() === "here" ? [facts(), () => isChanging.get() ? untracked(answer) : [best(), rest()]] : null,
  );

  function calendarLink() {
    return h("a", { class: "button", href: "/calendar" }, t("calendar.title"));
  }

  function lead() {
    if (status.get() !== "here") return null;
    if (isChanging.get()) return t("calendar.sayWhen");
    return t("calendar.answers", { n: answered().length, of: people().length });
  }

  function facts() {
    const minutes = () => Math.max(...Object.values(one.get()?.minutes ?? { none: 0 }));
    const days = () => {
      const { from, to } = /** @type {SpecialEvent} */ (one.get()).window;
      const day = (/** @type {number} */ time) => calendarDay(dayOf(time, zone()), false);
      return `${day(Date.parse(from))} – ${day(Date.parse(to) - 1)}`;
    };
    return [
      h(
        "ul",
        { class: "facts" },
        h("li", null, icon("calendar"), () => one.get() ? days() : ""),
        h("li", null, icon("clock"), () => t("calendar.takes", { time: duration(60_000 * minutes()) })),
        h("li", null, icon("person"), () => {
          const { author } = one.get() ?? {};
          return t(author === me ? "calendar.byYou" : "calendar.by", { name: nameOf(state(), author) });
        }),
      ),
      () => one.get()?.description ? h("p", { class: "note-words", dir: "auto" }, one.get()?.description) : null,
    ];
  }

  // MARK: the answer

  /** The parts of each day of the window, as far as the event may be there and they are not over. */
  function parts() {
    const special = one.peek();
    if (!special) return [];
    const [from, to] = [Date.parse(special.window.from), Date.parse(special.window.to)];
    const minute = (/** @type {string | undefined} */ time, /** @type {number} */ otherwise) =>
      time ? 60 * Number(time.slice(0, 2)) + Number(time.slice(3)) : otherwise;
    const [open, close] = [minute(special.hours?.from, 0), minute(special.hours?.to, 1440)];
    const days = [];
    for (
      let date = dayOf(Math.max(from, now.peek()), zone());
      instantAt(date, 0, zone()) < to;
      date = daysAfter(date, 1)
    ) {
      const spans = PARTS.flatMap(([name, begin, end]) => {
        const span = {
          name,
          from: Math.max(instantAt(date, Math.max(begin, open), zone()), from),
          to: Math.min(instantAt(date, Math.min(end, close), zone()), to),
        };
        return span.from < span.to && span.to > now.peek() ? [span] : [];
      });
      if (spans.length) days.push({ date, spans });
    }
    return days;
  }

  function answer() {
    const days = parts();
    const before = one.peek()?.busy?.[me] ?? [];
    const isBusy = (/** @type {{ from: number, to: number }} */ span) =>
      before.some((busy) => Date.parse(busy.from) < span.to && span.from < Date.parse(busy.to));
    const all = days.flatMap(({ spans }) => spans);
    const chosen = signal(/** @type {readonly typeof all[number][]} */ (all.filter(isBusy)));
    const save = () => {
      /** @type {Span[]} */ const spans = [];
      let end = 0;
      // Parts that follow each other are one time.
      for (const { from, to } of all.filter((span) => chosen.peek().includes(span))) {
        const last = spans.at(-1);
        if (last && end === from) last.to = new Date(to).toISOString();
        else spans.push({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
        end = to;
      }
      const special = one.peek();
      if (special) calendar.answer(id, special, spans);
      wish.set(false);
    };
    return [
      section(
        { title: t("calendar.whenNot") },
        h("p", { class: "hint" }, t("calendar.whenNotText")),
        h(
          "ul",
          { class: "rows busy-days" },
          days.map(({ date, spans }) =>
            h(
              "li",
              null,
              h("span", { class: "row-title", "aria-hidden": "true" }, weekdayOf(date)),
              h(
                "div",
                { class: "chips", role: "group", "aria-label": weekdayOf(date) },
                spans.map((span) =>
                  h(
                    "button",
                    {
                      type: "button",
                      class: "chip",
                      "aria-pressed": () => String(chosen.get().includes(span)),
                      onclick: () =>
                        chosen.update((now) => now.includes(span) ? now.filter((one) => one !== span) : [...now, span]),
                    },
                    () => chosen.get().includes(span) ? icon("close") : null,
                    t(`calendar.part.${span.name}`),
                  )
                ),
              ),
            )
          ),
        ),
      ),
      h(
        "button",
        { type: "button", class: "primary fab", onclick: save },
        icon("check"),
        () => t(chosen.get().length ? "calendar.notThen" : "calendar.anyTime"),
      ),
    ];
  }

  // MARK: the choice

  /** The server's best times, asked for anew when somebody has answered. */
  function best() {
    const slots = signal(/** @type {readonly Slot[] | null} */ (null));
    const isCut = signal(false);
    const isWaiting = computed(() => calendar.isWaiting(id));
    const asked = computed(() => JSON.stringify([one.get()?.busy, one.get()?.minutes]));
    effect(() => {
      asked.get();
      // The server knows nothing yet of a search or an answer that is on its way.
      if (isWaiting.get()) return isCut.set(hearth.phase !== "live");
      hearth.ask("specialEvents.slots", { id, limit: 20 }, { room: room.name }).then(
        ({ items }) => slots.set(apart(items)),
        () => isCut.set(slots.peek() === null),
      );
    });
    return section(
      { title: t("calendar.best") },
      () => {
        const found = slots.get();
        if (!found) return isCut.get() ? h("p", { class: "hint" }, t("calendar.onlyOnline")) : skeleton(3);
        if (!found.length) return h("p", null, t("calendar.noneFound"));
        return h("ul", { class: "rows framed" }, found.map(slotRow));
      },
    );
  }

  /** @param {Slot} slot @param {number} at */
  function slotRow(slot, at) {
    const missing = people().filter((person) => !slot.people.includes(person)).map((one) =>
      one === me ? t("calendar.youInside") : nameOf(room.state.peek(), one)
    );
    const when = `${weekdayOf(dayOf(slot.start, zone()))}, ${clock(slot.start, zone())}`;
    return h(
      "li",
      null,
      h(
        "div",
        { class: "row" },
        h(
          "span",
          { class: "row-words" },
          h("span", { class: "row-title" }, `${when}–${clock(slot.end, zone())}`),
          h(
            "span",
            { class: "row-text" },
            missing.length ? t("calendar.without", { names: listed(missing) }) : t("calendar.allCan"),
          ),
        ),
        () =>
          mayDecide.get()
            ? h("button", {
              type: "button",
              class: at ? "" : "primary",
              "aria-label": t("calendar.takeNamed", { when }),
              onclick: () => {
                const special = one.peek();
                if (!special) return;
                calendar.confirm(id, special, { from: slot.start, to: slot.end });
                back("/calendar");
              },
            }, t("calendar.take"))
            : null,
      ),
    );
  }

  function rest() {
    return [
      section(
        { title: t("calendar.answersHead") },
        h(
          "ul",
          { class: "rows" },
          each(people, (person) => person, (_, person) =>
            h(
              "li",
              null,
              h(
                "div",
                { class: "row" },
                avatar(person, () => nameOf(state(), person), { size: "small" }),
                h("span", { class: "row-words" }, h("span", { class: "row-title" }, () => nameOf(state(), person, me))),
                h("span", { class: "row-text" }, () => {
                  const busy = one.get()?.busy?.[person];
                  return t(!busy ? "calendar.noAnswer" : busy.length ? "calendar.notAlways" : "calendar.canAlways");
                }),
              ),
            )),
        ),
      ),
      () =>
        isAsked.get()
          ? h(
            "button",
            { type: "button", class: "plain wide", onclick: () => wish.set(true) },
            t("calendar.again"),
          )
          : null,
      () =>
        mayDecide.get()
          ? h("button", { type: "button", class: "plain wide danger", onclick: cancel }, t("calendar.cancel"))
          : null,
    ];
  }

  async function cancel() {
    const special = one.peek();
    if (!special) return;
    const [title, text] = [t("calendar.cancelTitle", { title: special.title }), t("calendar.cancelText")];
    if (!await confirmSheet({ title, text, action: t("calendar.cancel"), keep: t("calendar.keep") })) return;
    calendar.cancel(id, special);
    back("/calendar");
  }
}

/** The best times that do not overlap: the server tells each quarter of an hour. @param {readonly Slot[]} slots */
function apart(slots) {
  /** @type {Slot[]} */ const found = [];
  for (const one of slots) {
    if (found.length < CHOICES && !found.some(({ end }) => one.start < end)) found.push(one);
  }
  return found;
}
