// The sheet of a new chore, or of one to change: what, when, how often and whose turn; everything rarer below "More".

import { choreName } from "../parts/chores.js";
import { WEEKDAYS } from "../parts/dates.js";
import { wordsOf } from "../parts/family.js";
import { membersOf } from "../parts/names.js";
import { repeatField } from "../parts/repeat.js";
import { field, form, toggle } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, each, h, signal } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { dayOf, now, weekdayName } from "../parts/when.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { ChoreList, Item } from "../parts/chores.js" */
/** @import { Chore } from "../parts/records.d.ts" */
/** @typedef {Params<"chores.add">["chore"]} Form */

/** The built-in chores, the commonest first. */
const ESSENTIALS = /** @type {const} */ ([
  "dishes",
  "trash",
  "vacuum",
  "bathroom",
  "kitchen",
  "laundry",
  "dishwasher",
  "recycling",
  "mop",
  "dust",
  "toilet",
  "fridge",
  "cooking",
  "shopping",
  "ironing",
  "beds",
  "windows",
  "plants",
  "pets",
  "mail",
]);
/** As the server knows them: what people choose most comes first. */
const STRATEGIES = /** @type {const} */ ([
  "fixed",
  "roundRobin",
  "leastCompleted",
  "leastPoints",
  "random",
  "byWeekday",
  "open",
]);
const t = await wordsOf("chores");

/** @param {Hearth} hearth @param {ChoreList} list @param {Item} [item] to be changed */
export function choreForm(hearth, list, item) {
  openSheet({ title: t(item ? "edit" : "new"), class: "chore-sheet" }, (close) => {
    const before = item?.chore;
    const state = list.room.state.peek();
    const members = membersOf(state);
    const isOn = (/** @type {boolean | undefined} */ value) => signal(value === true);

    const name = field({
      label: t("what"),
      name: "name",
      value: before ? choreName(before) : "",
      required: true,
      maxlength: 100,
      autofocus: !before,
      enterkeyhint: "done",
    });
    const today = dayOf(now.peek(), state?.household?.timeZone);
    const day = item ? item.one.date ?? "" : today;
    const date = field({ label: t("date"), name: "date", type: "date", value: day, hint: t("dateHint") });
    const rule = before?.repeat;
    const repeat = repeatField({
      label: t("repeat"),
      rule,
      date,
      ...(before?.standing ? { value: "standing" } : {}),
      more: [["standing", t("standing")]],
    });
    const strategy = signal(before?.strategy ?? "fixed");
    const hasPoints = state?.household?.points === true;
    const turn = field({
      label: t("turn"),
      name: "strategy",
      value: strategy.peek(),
      options: STRATEGIES.filter((one) => one !== "leastPoints" || hasPoints || one === before?.strategy).map((
        one,
      ) => /** @type {[string, string]} */ ([one, t(`strategy.${one}`)])),
    });
    const people = signal(/** @type {readonly string[]} */ (before ? before.people ?? [] : [list.me]));
    let isChosen = Boolean(before);
    turn.input.addEventListener("change", () => {
      const kind = /** @type {Chore["strategy"]} */ (turn.value());
      strategy.set(kind);
      // Turns are for everybody, unless somebody has been chosen.
      if (!isChosen) people.set(kind === "fixed" ? [list.me] : []);
    });
    const weekdays = WEEKDAYS.map((one, at) =>
      field({
        label: weekdayName(at),
        name: one,
        value: before?.weekdays?.[one] ?? "",
        options: [
          ["", t("nobody")],
          ...members.map(([id, member]) => /** @type {[string, string]} */ ([id, member.name])),
        ],
      })
    );
    const [urgent, skips, checked, all] = [
      isOn(before?.urgent),
      isOn(before?.skipsItself),
      isOn(before?.needsApproval),
      isOn(before?.all),
    ];
    const fromNext = isOn(false);

    const time = field({ label: t("time"), name: "time", type: "time", value: before?.time ?? "" });
    const basis = field({
      label: t("basis"),
      name: "basis",
      value: rule ? rule.basis ?? "due" : "completion",
      options: [["completion", t("basis.completion")], ["due", t("basis.due")]],
    });
    const rotation = field({
      label: t("rotation"),
      name: "rotation",
      value: before?.rotation ?? "",
      options: [["", t("rotation.once")], ["weeks", t("rotation.weeks")], ["months", t("rotation.months")]],
    });
    const number = (/** @type {"graceHours" | "points"} */ key, /** @type {number} */ most) => {
      const made = field({ label: t(key), name: key, type: "number", value: String(before?.[key] ?? "") });
      Object.assign(made.input, { min: "0", max: String(most), inputMode: "numeric" });
      return made;
    };
    const [grace, points] = [number("graceHours", 168), number("points", 1000)];
    const note = field({ label: t("note"), name: "note", rows: 2, maxlength: 1000, value: before?.note ?? "" });

    /** All that the sheet says; null for what is not there. @returns {Record<string, unknown>} */
    function values() {
      const typed = name.value().trim().replace(/\s+/gu, " ");
      const essential = ESSENTIALS.find((one) => same(choreName({ name: "", essential: one }), typed)) ?? null;
      const again = repeat.value();
      const kind = strategy.peek();
      const days = WEEKDAYS.flatMap((one, at) => {
        const person = weekdays[at]?.value();
        return person ? [[one, person]] : [];
      });
      const amount = (/** @type {string} */ text) => text === "" ? null : Number(text);
      return {
        name: typed,
        essential,
        note: note.value().trim() || null,
        date: date.value() || null,
        time: date.value() && time.value() || null,
        repeat: again && { ...again, basis: basis.value() },
        standing: repeat.field.value() === "standing" || null,
        strategy: kind,
        people: kind === "open" || kind === "byWeekday" ? [] : people.peek(),
        weekdays: kind === "byWeekday" ? Object.fromEntries(days) : null,
        rotation: kind === "roundRobin" && rotation.value() || null,
        all: kind === "fixed" && people.peek().length > 1 && all.peek() || null,
        urgent: urgent.peek() || null,
        points: amount(points.value()),
        graceHours: amount(grace.value()),
        skipsItself: Boolean(date.value()) && skips.peek() || null,
        needsApproval: checked.peek() || null,
      };
    }

    const submit = async () => {
      const said = values();
      await close();
      if (!item || !before) return add(said);
      const was = /** @type {Record<string, unknown>} */ ({ ...before, date: day || null });
      const isEqual = (/** @type {unknown} */ a, /** @type {unknown} */ b) => JSON.stringify(a) === JSON.stringify(b);
      const changes = Object.entries(said).filter(([key, value]) =>
        key === "name" && before.essential && said["essential"] === before.essential
          ? false
          : !isEqual(sorted(value), sorted(was[key] ?? (key === "people" ? [] : null)))
      );
      if (changes.length) edit(item, Object.fromEntries(changes), fromNext.peek());
    };

    if (!before) name.element.append(suggestions());
    return form(
      {
        fields: [name, date, repeat.field, turn],
        action: t(item ? "save" : "add"),
        check: () => {
          const said = values();
          const needsDate = said["repeat"] || said["strategy"] === "byWeekday";
          date.problem.set(
            needsDate && !said["date"] ? t("needsDate") : said["standing"] && said["date"] ? t("needsNoDate") : "",
          );
          repeat.field.problem.set(repeat.problem());
          const hasNoDay = said["strategy"] === "byWeekday" && !Object.keys(said["weekdays"] ?? {}).length;
          turn.problem.set(hasNoDay ? t("needsWeekday") : "");
        },
        submit,
      },
      () => {
        const kind = strategy.get();
        if (kind === "open") return null;
        return kind === "byWeekday" ? weekdays.map((one) => one.element) : whom(kind);
      },
      toggle({ label: t("urgent"), text: t("urgentText"), isOn: () => urgent.get(), change: (on) => urgent.set(on) }),
      h(
        "details",
        null,
        h("summary", null, t("more")),
        h(
          "div",
          { class: "form" },
          time.element,
          basis.element,
          () => strategy.get() === "roundRobin" ? rotation.element : null,
          note.element,
          hasPoints ? points.element : null,
          grace.element,
          [
            /** @type {const} */ (["skipsItself", skips]),
            /** @type {const} */ (["needsApproval", checked]),
            ...(item ? [/** @type {const} */ (["fromNext", fromNext])] : []),
          ].map(([key, one]) =>
            toggle({ label: t(key), text: t(`${key}Text`), isOn: () => one.get(), change: (on) => one.set(on) })
          ),
          () =>
            strategy.get() === "fixed" && people.get().length > 1
              ? toggle({
                label: t("together"),
                text: t("togetherText"),
                isOn: () => all.get(),
                change: (on) => all.set(on),
              })
              : null,
        ),
      ),
    );

    /** The participants, in the order of their turns. @param {string} kind */
    function whom(kind) {
      // Where turns are taken, nobody chosen means all: a tap takes one of them out.
      const isAll = () => kind !== "fixed" && !people.get().length;
      return h(
        "fieldset",
        { class: "field" },
        h("legend", null, t("who")),
        h(
          "div",
          { class: "chips" },
          members.map(([id, member]) =>
            h(
              "button",
              {
                type: "button",
                class: "chip",
                "aria-pressed": () => String(isAll() || people.get().includes(id)),
                onclick: () => {
                  isChosen = true;
                  const chosen = isAll() ? members.map(([one]) => one) : people.peek();
                  people.set(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
                },
              },
              () => kind === "roundRobin" && people.get().includes(id) ? `${people.get().indexOf(id) + 1}. ` : null,
              h("span", { dir: "auto" }, id === list.me ? t("you") : member.name),
            )
          ),
        ),
        () => people.get().length ? null : h("p", { class: "hint" }, t(kind === "fixed" ? "whoAny" : "whoAll")),
      );
    }

    /** The household's earlier chores, and the built-in ones. */
    function suggestions() {
      const typed = signal("");
      name.input.addEventListener("input", () => typed.set(name.value()));
      const had = Object.values(state?.choreCatalogue ?? {}).sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
      const names = [...had, ...ESSENTIALS.map((essential) => ({ name: "", essential }))].map((one) => choreName(one));
      const found = computed(() => {
        const start = typed.get().trim().toLowerCase();
        const fits = (/** @type {string} */ one) => ` ${one.toLowerCase()}`.includes(` ${start}`) && !same(one, start);
        return [...new Set(names)].filter(fits).slice(0, 6);
      });
      return h(
        "ul",
        { class: "chips", "aria-label": t("suggestions") },
        each(() => found.get(), (one) => one, (one) =>
          h(
            "li",
            null,
            h("button", {
              type: "button",
              class: "chip",
              onclick: () => {
                name.input.value = one();
                name.problem.set("");
                typed.set(one());
              },
            }, h("span", { dir: "auto" }, one)),
          )),
      );
    }
  });

  /** @param {Record<string, unknown>} said */
  function add(said) {
    const chore = /** @type {Form} */ (Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null)));
    const [id, occurrence] = [hearth.newId(), hearth.newId()];
    // Whose turn it is by any other rule, only the server knows.
    const people = chore?.strategy === "fixed" ? chore.people ?? [] : [];
    const row = /** @type {Chore} */ ({ ...chore, author: list.me, at: list.at() });
    list.change("chores.add", { id, occurrence, chore }, row, () => ({
      chores: { [id]: row },
      occurrences: { [occurrence]: { chore: id, people, ...(chore?.date ? { date: chore.date } : {}) } },
    }));
    say(t("added", { name: choreName(row) }));
  }

  /** @param {Item} item @param {Record<string, unknown>} changes @param {boolean} isFromNext */
  function edit({ id, one, chore }, changes, isFromNext) {
    /** A rule replaces the old one, rather than being merged into it. @param {"repeat" | "weekdays"} key */
    const replaced = (key) => {
      const gone = Object.fromEntries(Object.keys(chore[key] ?? {}).map((name) => [name, null]));
      return changes[key] ? { [key]: { ...gone, .../** @type {object} */ (changes[key]) } } : {};
    };
    const params = { id: one.chore, chore: changes, ...(isFromNext ? { fromNext: true } : {}) };
    list.change("chores.edit", params, chore, () => ({
      chores: { [one.chore]: { ...changes, ...replaced("repeat"), ...replaced("weekdays") } },
      ...("date" in changes && !isFromNext
        ? { occurrences: { [id]: { date: /** @type {string | null} */ (changes["date"]), dueAt: null } } }
        : {}),
    }));
    say(t("saved"));
  }
}

/** @param {string} a @param {string} b */
const same = (a, b) => a.toLowerCase() === b.trim().toLowerCase();

/** With its members in one order, to be compared. @param {unknown} value */
function sorted(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
