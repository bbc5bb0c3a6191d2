// Home: what a person wants to know when they come through the door. The first lines answer it; the board follows.

import { activitySign, activityWords, whereTo } from "../parts/activity.js";
import { agenda, timeWords } from "../parts/agenda.js";
import { avatar } from "../parts/avatar.js";
import { choreList, choreRow } from "../parts/chores.js";
import { isDenied } from "../parts/hidden.js";
import { daysAfter, isAway, mondayOf } from "../parts/dates.js";
import { answering, choices, eveningWords, isNight, tonight, unsentAnswers } from "../parts/dinner.js";
import { household, mine, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { tilt } from "../parts/note_colours.js";
import { membersOf, nameOf } from "../parts/names.js";
import { turns } from "../parts/rota.js";
import { rotaMarks } from "../parts/rota_marks.js";
import { computed, each, effect, h, observe, signal } from "../parts/signal.js";
import { afterPaint, empty, list, row, screen, section, skeleton, waitingMark } from "../parts/screen.js";
import { ago, calendarDay, dayOf, moment, nearDay, now, weekdayOf } from "../parts/when.js";
import { listed, words } from "../parts/words.js";
import { hangs, newNote, openNote } from "./note.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Lines } from "../parts/groceries.js" */
/** @import { Member } from "../parts/records.d.ts" */

const t = await words("home");
/** So many days ahead events are shown. */
const SOON = 14;
const MOST_EVENTS = 2;
/** @param {string} a @param {string} b */
const newest = (a, b) => (a < b ? 1 : a > b ? -1 : 0);

/** @param {Hearth} hearth */
export function render(hearth) {
  const id = household(hearth).peek() ?? "";
  const me = mine(hearth);
  const room = roomOf(hearth, `household/${id}`);
  const state = () => room.state.get();
  // Not by the document itself, or each change would make all parts again, and take the focus away.
  const isHere = computed(() => Boolean(state()));
  const zone = () => state()?.household?.timeZone;
  const waiting = observe(hearth, () => new Set(hearth.waiting.map(({ params }) => String(params["id"] ?? ""))));
  const shares = computed(() =>
    Object.entries(me.state.get()?.shares ?? {}).sort(([, a], [, b]) => newest(b.until, a.until))
  );
  const notes = computed(() =>
    Object.entries(state()?.notes ?? {}).filter(([, one]) => hangs(hearth, one)).sort(
      ([, a], [, b]) => newest(a.at, b.at),
    )
  );
  const unread = computed(() => {
    const mark = me.state.get()?.chats?.[id];
    if (!mark) return 0;
    // A message that was removed is not in the list, which has the newest 50.
    const left = Object.values(state()?.chat ?? {}).filter(({ n }) => n > mark.read).length;
    return left < 50 ? left : mark.n - mark.read;
  });
  const chores = choreList(hearth, room);
  const week = computed(() => mondayOf(dayOf(now.get(), zone())));
  const tasks = computed(() =>
    turns(state(), week.get()).filter(({ person, doneBy }) => person === hearth.me && !doneBy)
  );
  /** Loaded after the first paint, once there is such a thing. */
  const dueMoney = signal(/** @type {typeof import("../parts/due_money.js").dueMoney | null} */ (null));
  /** Loaded once there is more to say of a share than its end. */
  const wayWords = signal(/** @type {typeof import("../parts/way.js") | null} */ (null));
  const hasMoney = computed(() => Boolean(state()?.recurringBills || state()?.requests));
  const due = computed(() => dueMoney.get()?.(state(), chores.me, dayOf(now.get(), zone())) ?? []);
  const hasChores = computed(() => chores.today.get().length + tasks.get().length > 0);
  const hasTasks = computed(() => hasChores.get() || due.get().length > 0);
  /** Loaded once somebody goes shopping. */
  const trips = signal(/** @type {typeof import("../parts/trips.js").tripRows | null} */ (null));
  const hasTrips = computed(() => Boolean(state()?.trips));
  effect(() => {
    if (hasTrips.get()) import("../parts/trips.js").then(({ tripRows }) => trips.set(tripRows), console.warn);
  });
  const own = roomOf(hearth, `household/${id}/mine`);
  /** The number that Shopping shows: hidden things count, and a thing of two people once, by the server's sums. */
  const toGet = computed(() => {
    const sums = new Map(
      Object.entries(state()?.aggregate ?? {}).flatMap(([sum, { lines }]) =>
        Object.keys(lines ?? {}).map((id) => [id, sum])
      ),
    );
    /** @param {unknown} lines */
    const wanted = (lines) =>
      Object.entries(/** @type {Lines | undefined} */ (lines) ?? {}).filter(([, one]) => one.name && !one.checkedAt);
    return new Set(wanted(state()?.groceries).map(([id]) => sums.get(id) ?? id)).size +
      wanted(own.state.get()?.groceries).length;
  });
  const lastMessage = computed(() => Object.values(state()?.chat ?? {}).sort((a, b) => b.n - a.n)[0]);

  const greeting = () => {
    const hour = new Date(now.get()).getHours();
    const name = me.state.get()?.profile?.name ?? "";
    return t(hour >= 5 && hour < 11 ? "home.morning" : hour >= 18 || hour < 5 ? "home.evening" : "home.day", { name });
  };

  return screen(
    { title: greeting, lead: summary, class: "home" },
    () => isHere.get() ? null : skeleton(6),
    () =>
      isHere.get() &&
      [way(), () => trips.get()?.(hearth, state), today(), dinner(), board(), planned(), afterPaint(below)],
    () =>
      isHere.get() && h(
        "button",
        { type: "button", class: "primary fab", onclick: () => newNote(hearth, id) },
        icon("plus"),
        t("note.new"),
      ),
  );

  /** The day in one or two short sentences. */
  function summary() {
    if (!state()) return null;
    const said = [];
    const today = dayOf(now.get(), zone()).slice(5);
    const tomorrow = dayOf(now.get() + 86_400_000, zone()).slice(5);
    const born = (/** @type {string} */ date) =>
      membersOf(state()).filter(([person, one]) => person !== hearth.me && one.birthday === date).map(([, one]) =>
        one.name
      );
    if (born(today).length) said.push(t("home.birthdayToday", { names: listed(born(today)) }));
    if (born(tomorrow).length) said.push(t("home.birthdayTomorrow", { names: listed(born(tomorrow)) }));
    const others = shares.get().filter(([, one]) => one.role === "receiver" && one.state === "active");
    if (others.length === 1) said.push(t("home.oneWay", { name: others[0]?.[1].name ?? "" }));
    else if (others.length) said.push(t("home.ways", { n: others.length }));
    const n = unread.get();
    const isAlone = membersOf(state()).length === 1;
    const words = said.length ? said.join(" ") : toGet.get() || n > 0 || hasTasks.get() ? "" : t("home.calm");
    return [
      words && h("span", null, words),
      isAlone ? h("a", { class: "pill", href: "/household?invite" }, icon("people"), t("home.inviteOthers")) : null,
      toGet.get()
        ? h("a", { class: "pill", href: "/shopping" }, icon("basket"), t("home.toGet", { n: toGet.get() }))
        : null,
      n > 0 ? h("a", { class: "pill", href: "/chat" }, icon("chat"), t("home.unread", { n })) : null,
    ];
  }

  /** People who walk home at the moment, and people who ask where the person is. */
  function way() {
    const asks = computed(() => Object.entries(me.state.get()?.asks ?? {}));
    effect(() => {
      const isAsked = Object.values(me.state.get()?.inbox ?? {}).some(({ kind }) => kind === "stopAsked");
      const isMore = shares.get().some(([, one]) => one.pickup || one.state === "arrived" || isAsked);
      if (isMore || isDenied.get()) import("../parts/way.js").then((part) => wayWords.set(part), console.warn);
    });
    return () => {
      if (!shares.get().length && !asks.get().length) return null;
      return section(
        { title: t("home.way"), class: "way" },
        h(
          "ul",
          { class: "rows framed" },
          each(() => asks.get(), ([person]) => person, (ask, person) =>
            row({
              before: avatar(person, () => ask()[1].name),
              title: () => t("home.asks", { name: ask()[1].name }),
              text: () => ago(ask()[1].at),
              after: icon("next"),
              href: "/out",
            })),
          each(() => shares.get(), ([share]) => share, (share, key) => {
            const one = () => ({ id: key, ...share()[1] });
            const isHidden = () => one().role === "sharer" && isDenied.get();
            return row({
              before: avatar(one().sharer, () => one().name),
              title: () =>
                isHidden() && wayWords.get()
                  ? wayWords.get()?.hidden()
                  : one().role === "sharer"
                  ? t("home.you")
                  : one().name,
              text: () => {
                const [way, at] = [wayWords.get(), now.get() && hearth.now()];
                const { place, until } = one();
                return way
                  ? [
                    way.stopWords(hearth, me.state.get(), one(), at),
                    way.goalWords(one()),
                    way.pickupWords(hearth, one(), at),
                  ]
                    .filter(Boolean).join(" · ")
                  : place
                  ? t("home.toPlace", { place })
                  : t("home.untilTime", { time: moment(until) });
              },
              after: icon("next"),
              href: `/out/share/${key}`,
            });
          }),
        ),
      );
    };
  }

  /** One's own chores that are due, tasks of the rota, and what waits for one's money. Nothing while there is none. */
  function today() {
    const marks = rotaMarks(hearth, room);
    return () =>
      hasTasks.get()
        ? section(
          {
            title: () => {
              const n = chores.today.get().length;
              return n ? t("chore.mineToday", { n }) : t(hasChores.get() ? "home.yourWeek" : "home.yourMoney");
            },
            actions: h(
              "a",
              { href: () => hasChores.get() ? "/chores" : "/money" },
              () => t(hasChores.get() ? "chore.all" : "tab.money"),
            ),
          },
          h(
            "ul",
            { class: "rows framed" },
            each(() => chores.today.get(), ({ id }) => id, (item) => choreRow(chores, item)),
            each(() => tasks.get(), ({ task }) => task, (turn) =>
              h(
                "li",
                { class: "chore" },
                h(
                  "div",
                  { class: "chore-cover" },
                  h("button", {
                    type: "button",
                    class: "quiet round tick-off",
                    "aria-label": () => t("chore.complete", { name: turn().name }),
                    onclick: () => marks.toggle(turn(), week.get()),
                  }, icon("ring")),
                  h(
                    "a",
                    { class: "row", href: "/rota" },
                    h(
                      "span",
                      { class: "row-words" },
                      h("span", { class: "row-title", dir: "auto" }, () => turn().name),
                      h("span", { class: "row-text" }, t("home.rotaWeek")),
                    ),
                    icon("rota"),
                  ),
                ),
              )),
            each(() => due.get(), ({ id }) => id, (item) =>
              row({
                before: icon("money"),
                title: h("bdi", null, () => item().title),
                text: () => item().text,
                after: icon("next"),
                href: item().href,
              })),
          ),
        )
        : null;
  }

  /** Tonight's dinner, and one's own answer in one tap. */
  function dinner() {
    const date = computed(() => tonight(state()));
    const said = computed(() => eveningWords(state(), date.get(), hearth.me));
    const unsent = unsentAnswers(hearth);
    return section(
      {
        title: () => isNight(state()) ? t("home.dinnerOf", { day: weekdayOf(date.get()) }) : t("home.dinner"),
        class: "tonight",
        actions: h("a", { href: "/drinks" }, t("dinner.drinks")),
      },
      h(
        "ul",
        { class: "rows framed" },
        row({
          title: () => said.get().title,
          text: () => [said.get().open, said.get().late].filter(Boolean).join(" · "),
          after: [waitingMark(() => unsent.get().has(`${date.get()} ${hearth.me}`)), icon("next")],
          href: "/dinner",
        }),
        h("li", null, choices(room, hearth.me ?? "", () => date.get(), answering(hearth, room))),
      ),
    );
  }

  /** The next events, and those of which one has not said yet when one cannot come. */
  function planned() {
    const date = computed(() => dayOf(now.get(), zone()));
    const soon = computed(() => {
      let events = 0;
      return agenda(state(), date.get(), daysAfter(date.get(), SOON)).filter(({ kind }) =>
        kind === "away" || kind === "birthday" || kind === "event" && ++events <= MOST_EVENTS
      );
    });
    const asked = computed(() =>
      Object.entries(state()?.specialEvents ?? {}).filter(([, { minutes = {}, busy = {} }]) => {
        const me = hearth.me ?? "";
        return me in minutes && !(me in busy);
      })
    );
    return section(
      { title: t("home.planned"), actions: h("a", { href: "/calendar" }, t("home.calendar")) },
      () => soon.get().length || asked.get().length ? null : h("p", { class: "hint" }, t("home.nothingPlanned")),
      h(
        "ul",
        { class: "rows framed" },
        each(() => asked.get(), ([id]) => id, (item, id) =>
          row({
            title: h("bdi", null, () => item()[1].title),
            text: t("home.whenNot"),
            after: icon("next"),
            href: `/special/${id}`,
          })),
        each(() => soon.get(), ({ key }) => key, (item) => {
          const { kind, id } = item();
          const near = (/** @type {string} */ day) => nearDay(day, date.get());
          return kind === "away"
            ? row({
              before: avatar(id, () => nameOf(state(), id)),
              title: h("bdi", null, () => nameOf(state(), id, hearth.me)),
              text: () => {
                const { from = "", to = "" } = state()?.members?.[id]?.away ?? {};
                return from <= date.get()
                  ? t("home.awayUntil", { day: near(to) })
                  : t("home.awayFrom", { from: near(from), to: near(to) });
              },
              after: icon("next"),
              href: id === hearth.me ? "/household/away" : "/household",
            })
            : row({
              title: h("bdi", null, () => item().title),
              text: () => [near(item().day), timeWords(item())].filter(Boolean).join(", "),
              after: icon("next"),
              href: "/calendar",
            });
        }),
      ),
    );
  }

  function board() {
    const colour = () => me.state.get()?.settings?.boardColour ?? "";
    return section(
      { title: t("home.board"), class: "board-part" },
      () => notes.get().length ? null : empty({ icon: "note", text: t("home.boardEmpty") }),
      h(
        "ul",
        { class: () => `board ${colour()} ${notes.get().length ? "" : "bare"}` },
        each(() => notes.get(), ([note]) => note, (item, note) => {
          const one = () => item()[1];
          const reactions = () => Object.entries(one().reactions ?? {}).filter(([, by]) => Object.keys(by).length);
          return h(
            "li",
            { class: () => `note ${one().colour ?? "yellow"}`, style: { "--tilt": tilt(one().was ?? note) } },
            h(
              "button",
              { type: "button", onclick: () => openNote(hearth, id, note) },
              h("span", { class: "note-text", dir: "auto" }, () => one().text),
              h(
                "span",
                { class: "note-foot" },
                avatar(one().author, () => nameOf(state(), one().author), { size: "small" }),
                h(
                  "span",
                  { class: "note-by" },
                  h("bdi", null, () => nameOf(state(), one().author, hearth.me)),
                  () => ` · ${ago(one().at, zone())}`,
                ),
                waitingMark(() => waiting.get().has(note)),
              ),
              () =>
                reactions().length
                  ? h(
                    "span",
                    { class: "note-reactions" },
                    reactions().map(([emoji, by]) => h("span", null, `${emoji} ${Object.keys(by).length}`)),
                  )
                  : null,
            ),
          );
        }),
      ),
    );
  }

  function below() {
    effect(() => {
      if (hasMoney.get()) import("../parts/due_money.js").then((part) => dueMoney.set(part.dueMoney), console.warn);
    });
    return h("div", { class: "home-below beside" }, talk(), people(), lately());
  }

  function talk() {
    return section(
      { title: t("home.chat") },
      list(
        row({
          href: "/chat",
          before: () => {
            const last = lastMessage.get();
            return last ? avatar(last.author, nameOf(state(), last.author)) : icon("chat");
          },
          title: () => {
            const last = lastMessage.get();
            return last ? nameOf(state(), last.author, hearth.me) : t("home.chatEmpty");
          },
          text: () => lastMessage.get() && h("span", { class: "one-line", dir: "auto" }, lastMessage.get()?.text),
          after: () => {
            const n = unread.get();
            return n > 0
              ? h(
                "span",
                { class: "badge" },
                h("span", { class: "unseen" }, t("home.unread", { n })),
                h("span", { "aria-hidden": "true" }, n),
              )
              : icon("next");
          },
        }),
      ),
    );
  }

  function people() {
    const presence = () => room.presence.get() ?? {};
    const isGone = (/** @type {Member} */ member) => isAway(member, dayOf(now.get(), zone()));
    return section(
      { title: t("home.people"), actions: h("a", { href: "/household" }, t("home.household")) },
      h(
        "ul",
        { class: "faces" },
        each(() => membersOf(state()), ([person]) => person, (member, person) =>
          h(
            "li",
            { class: () => isGone(member()[1]) ? "away" : "" },
            h(
              "a",
              { href: `/household?member=${person}` },
              avatar(person, () => member()[1].name, {
                online: () => person === hearth.me || presence()[person]?.online === true,
              }),
              h("span", { class: "one-line", dir: "auto" }, () => member()[1].name),
            ),
            () =>
              isGone(member()[1])
                ? h("span", { class: "hint" }, t("home.away", { day: calendarDay(member()[1].away?.to ?? "", false) }))
                : presence()[person]?.online || person === hearth.me
                ? h("span", { class: "unseen" }, t("home.here"))
                : null,
          )),
      ),
    );
  }

  function lately() {
    const events = computed(() =>
      Object.entries(state()?.activity ?? {}).sort(([, a], [, b]) => b.n - a.n).slice(
        0,
        4,
      )
    );
    return section(
      { title: t("home.activity"), actions: h("a", { href: "/activity" }, t("home.earlier")) },
      h(
        "ul",
        { class: "rows" },
        each(() => events.get(), ([event]) => event, (event) =>
          row({
            before: activitySign(state, event()[1], "small"),
            title: () => activityWords(state(), event()[1], hearth.me),
            href: whereTo(event()[1]),
            text: () => ago(event()[1].at, zone()),
            class: "quieter",
          })),
      ),
    );
  }
}
