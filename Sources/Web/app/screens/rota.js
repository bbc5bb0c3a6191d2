// The weekly rota: this week's tasks to tick, what is left from the last one, the weeks to come, and its setting up.

import { avatar } from "../parts/avatar.js";
import { daysAfter, mondayOf } from "../parts/dates.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { membersOf, nameOf } from "../parts/names.js";
import { cycleOf, newest, turns } from "../parts/rota.js";
import { rotaMarks } from "../parts/rota_marks.js";
import { computed, each, h, signal, when } from "../parts/signal.js";
import { empty, row, screen, section, skeleton, toggle, waitingMark } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { say } from "../parts/snackbar.js";
import { calendarDay, dayOf, now } from "../parts/when.js";
import { listed, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Turn } from "../parts/rota.js" */

const t = await words("rota");
/** So many weeks to come are shown, or a whole cycle if that is shorter. */
const WEEKS = 8;
const MOST_TASKS = 32;

/** The Monday of this week in the household. @param {HouseholdState | null} state */
const thisWeek = (state) => mondayOf(dayOf(now.get(), state?.household?.timeZone));

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const state = () => room.state.get();
  const me = hearth.me ?? "";
  const marks = rotaMarks(hearth, room);
  const isHere = computed(() => Boolean(state()));
  const week = computed(() => thisWeek(state()));
  const version = computed(() => newest(state())?.[1]);
  const hasTasks = computed(() => Boolean(version.get()?.tasks.length));
  const mayEdit = () => state()?.household?.host === me || state()?.household?.policies?.rota === "anyMember";
  const these = computed(() => turns(state(), week.get()));
  const left = computed(() =>
    turns(state(), daysAfter(week.get(), -7)).filter(({ doneBy, resident }) => resident && !doneBy)
  );
  const coming = computed(() =>
    Array.from({ length: Math.min(WEEKS, cycleOf(version.get())) }, (_, n) => daysAfter(week.get(), 7 * (n + 1)))
  );

  return screen(
    { title: t("rota.title"), back: "/chores", lead: () => isHere.get() && hasTasks.get() ? mineWords() : null },
    () => isHere.get() ? null : skeleton(6),
    () => isHere.get() && !hasTasks.get() ? empty({ icon: "again", text: t("rota.empty") }) : null,
    when(() => these.get().length, () => section({ title: t("rota.thisWeek") }, tasks(these, () => week.get()))),
    when(
      () => left.get().length,
      () => section({ title: t("rota.left") }, tasks(left, () => daysAfter(week.get(), -7))),
    ),
    () => hasTasks.get() ? section({ title: t("rota.coming") }, plan()) : null,
    when(() => isHere.get() && mayEdit(), () =>
      h(
        "button",
        { type: "button", class: "primary fab", onclick: openEdit },
        icon("edit"),
        () => t(hasTasks.get() ? "rota.edit" : "rota.begin"),
      )),
  );

  function mineWords() {
    const mine = these.get().filter(({ person }) => person === me);
    const open = mine.filter(({ doneBy }) => !doneBy);
    if (open.length) return t("rota.yours", { names: listed(open.map(({ name }) => name)) });
    return t(mine.length ? "rota.done" : "rota.free");
  }

  /** @param {{ get(): Turn[] }} some @param {() => string} monday */
  function tasks(some, monday) {
    const sorted = () => some.get().toSorted((a, b) => Number(b.person === me) - Number(a.person === me));
    return h(
      "ul",
      { class: "rows framed" },
      each(sorted, ({ task }) => task, (item) =>
        row({
          before: () => {
            const { person, resident } = item();
            const shown = person ?? resident;
            return shown ? avatar(shown, nameOf(state(), shown)) : h("span", { class: "sign" }, icon("minus"));
          },
          title: () => item().name,
          text: () => turnWords(item()),
          after: [waitingMark(() => marks.isWaiting(item(), monday())), action(item, monday)],
        })),
    );
  }

  /** @param {Turn} turn */
  function turnWords({ doneBy, person, resident, isOpen }) {
    if (doneBy) return doneBy === me ? t("rota.doneByYou") : t("rota.doneBy", { name: nameOf(state(), doneBy) });
    if (!resident) return t("rota.leftOut");
    if (isOpen) return t("rota.open", { name: nameOf(state(), resident) });
    const name = nameOf(state(), person, me);
    return person === resident ? name : t("rota.inPlace", { name, other: nameOf(state(), resident) });
  }

  /**
   * To take on what is open, or to tick it off. The button stays when the turn changes, and so does the focus.
   * @param {() => Turn} turn @param {() => string} monday
   */
  function action(turn, monday) {
    const isFree = computed(() => turn().isOpen && !turn().doneBy && monday() === week.get());
    const isDone = () => Boolean(turn().doneBy);
    return () =>
      isFree.get()
        ? h("button", { type: "button", onclick: () => marks.claim(turn(), monday()) }, t("rota.claim"))
        : h("button", {
          type: "button",
          class: "chip round",
          "aria-pressed": () => String(isDone()),
          "aria-label": () => t("rota.tick", { name: turn().name }),
          onclick: () => marks.toggle(turn(), monday()),
        }, icon("check"));
  }

  /** The weeks to come, each in one line a task. */
  function plan() {
    return h(
      "ul",
      { class: "rows framed" },
      each(() => coming.get(), (monday) => monday, (_, monday) =>
        row({
          title: t("rota.week", { day: calendarDay(monday, false) }),
          text: () =>
            turns(state(), monday).filter(({ resident }) => resident).flatMap(({ name, person, resident }, at) => [
              at ? h("br", null) : "",
              t("rota.turn", { name, person: nameOf(state(), person ?? resident, me) }),
            ]),
        })),
    );
  }

  // MARK: setting up

  function openEdit() {
    const now = version.peek();
    const known = (/** @type {string} */ id) => state()?.rotaTasks?.[id]?.name ?? "";
    /** @type {{ get(): { id: string, name: string }[], peek(): { id: string, name: string }[], set(v: any): void }} */
    const list = signal((now?.tasks ?? []).map((id) => ({ id, name: known(id) })));
    const residents = membersOf(state()).filter(([, one]) => one.role !== "guest").map(([person]) => person);
    const inside = signal(now ? now.residents.filter((one) => residents.includes(one)) : residents);
    const restarts = signal(now?.restart !== "never");
    const addTask = () => list.set([...list.peek(), { id: hearth.newId(), name: "" }]);
    if (!list.peek().length) addTask();
    openSheet({ title: t(now ? "rota.edit" : "rota.begin") }, (close) => [
      h("p", { class: "hint" }, t(now ? "rota.fromMonday" : "rota.fromNow")),
      h("h3", null, t("rota.tasks")),
      h(
        "ul",
        { class: "stack" },
        each(() => list.get(), ({ id }) => id, (item, id) => {
          const input = h("input", {
            "aria-label": t("rota.task"),
            placeholder: t("rota.taskHint"),
            value: item().name,
            maxlength: 64,
            dir: "auto",
            oninput: () => list.peek().forEach((one) => one.id === id && (one.name = input.value)),
          });
          return h(
            "li",
            { class: "with-remove" },
            input,
            h("button", {
              type: "button",
              class: "quiet round",
              "aria-label": () => t("rota.removeTask", { name: input.value }),
              onclick: () => list.set(list.peek().filter((one) => one.id !== id)),
            }, icon("bin")),
          );
        }),
      ),
      () =>
        list.get().length < MOST_TASKS
          ? h("button", { type: "button", class: "plain", onclick: addTask }, icon("plus"), t("rota.addTask"))
          : null,
      h("h3", null, t("rota.people")),
      h(
        "div",
        { class: "chips", role: "group", "aria-label": t("rota.people") },
        residents.map((person) =>
          h("button", {
            type: "button",
            class: "chip",
            "aria-pressed": () => String(inside.get().includes(person)),
            onclick: () => {
              const all = inside.peek();
              inside.set(all.includes(person) ? all.filter((one) => one !== person) : [...all, person]);
            },
          }, nameOf(state(), person, me))
        ),
      ),
      toggle({ label: t("rota.restart"), isOn: () => restarts.get(), change: (on) => restarts.set(on) }),
      h("button", {
        type: "button",
        class: "primary",
        onclick: async () => {
          const named = list.peek().map(({ id, name }) => ({ id, name: name.trim().replace(/\s+/gu, " ") }));
          await close();
          save(named.filter(({ name }) => name), inside.peek(), restarts.peek() ? "year" : "never");
        },
      }, t("rota.save")),
    ]);
  }

  /** @param {{ id: string, name: string }[]} tasks @param {string[]} residents @param {"year" | "never"} restart */
  function save(tasks, residents, restart) {
    const last = newest(state());
    const isPending = last && last[1].fromWeek > week.peek();
    const fromWeek = isPending ? last[1].fromWeek : last ? daysAfter(week.peek(), 7) : week.peek();
    // The server names a new version; until then it has a name of this page's.
    const id = isPending ? last[0] : hearth.newId();
    const at = new Date(hearth.now()).toISOString();
    hearth.change("rota.set", { tasks, residents, restart }, {
      room: room.name,
      about: t("rota.about"),
      optimistic: () => ({
        rotaTasks: Object.fromEntries(tasks.map((one) => [one.id, { name: one.name }])),
        rota: { [id]: { fromWeek, tasks: tasks.map((one) => one.id), residents, restart, by: me, at } },
      }),
    });
    say(t("rota.saved"));
  }
}
