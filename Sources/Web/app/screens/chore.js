// One chore: whose turn it is and what one may do about it, and how often it was done.

import { avatar } from "../parts/avatar.js";
import { choreList, choreName, dueness, dueWords } from "../parts/chores.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { membersOf, nameOf, namesOf } from "../parts/names.js";
import { refusals } from "../parts/refusals.js";
import { repeatWords } from "../parts/repeat.js";
import { back } from "../parts/router.js";
import { empty, field, form, inWords, row, screen, section, skeleton, toggle } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, h, signal, untracked, when } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { ago, dayOf } from "../parts/when.js";
import { listed } from "../parts/words.js";
import { choreForm } from "./chore_form.js";
import { choreHistory } from "./chore_history.js";
import { laterSheet } from "./chore_later.js";

/** @import { Child } from "../parts/signal.js" */
/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { ChoreList, Item } from "../parts/chores.js" */
/** @import { Chore } from "../parts/records.d.ts" */

const t = await wordsOf("chores");

/** @param {Hearth} hearth @param {Record<string, string>} params `id` is that of a chore, or of one time of it */
export function render(hearth, { id = "" }) {
  const list = choreList(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const state = () => list.state();
  const item = computed(() =>
    list.items.get().find((one) => one.id === id || one.one.chore === id || one.one.was === id) ?? null
  );
  // The next time has another id: from then on, the chore's own one finds it.
  let choreId = id;
  const chore = computed(() => {
    choreId = item.get()?.one.chore ?? choreId;
    return state()?.chores?.[choreId] ?? null;
  });
  const isThere = computed(() => chore.get() !== null);
  const hasItem = computed(() => item.get() !== null);
  const frame = { back: "/chores", class: "chore-screen" };

  const isHere = computed(() => Boolean(state()));
  return h("div", null, () => {
    if (!isHere.get()) return screen({ ...frame, title: t("title") }, skeleton());
    if (!isThere.get()) return screen({ ...frame, title: t("title") }, empty({ icon: "done", text: t("gone") }));
    return untracked(one);
  });

  function one() {
    // A birthday follows the profile of its member.
    const mayEdit = () =>
      !chore.get()?.birthdayOf && (chore.get()?.author === list.me || state()?.household?.host === list.me);
    const task = computed(() => chore.get()?.task ?? "");
    const time = computed(() => item.get()?.id);
    return screen(
      {
        ...frame,
        title: h("bdi", null, () => chore.get() && choreName(/** @type {Chore} */ (chore.get()), state())),
        lead: [() => lead(), () => bar()],
        actions: when(mayEdit, () =>
          h(
            "button",
            {
              type: "button",
              class: "quiet round",
              "aria-label": t("edit"),
              onclick: () => item.peek() && choreForm(hearth, list, /** @type {Item} */ (item.peek())),
            },
            icon("edit"),
          )),
      },
      refusals(hearth, list.refused),
      when(() => hasItem.get(), () => open(list, () => item.get(), mayEdit)),
      when(() => !hasItem.get(), () => h("p", { class: "hint" }, t("comesAgain"))),
      chore.peek()?.birthdayOf ? null : section(
        { title: t("history") },
        () => {
          time.get();
          return task.get() ? choreHistory(list, { task: task.get() }) : h("p", { class: "hint" }, t("historyEmpty"));
        },
      ),
      when(mayEdit, () =>
        h(
          "button",
          { type: "button", class: "plain wide danger", onclick: () => deleteSheet() },
          icon("bin"),
          t("delete"),
        )),
    );
  }

  function lead() {
    const now = item.get();
    const rule = chore.get()?.repeat;
    return [
      now ? dueWords(now, list.zone()) : "",
      rule ? repeatWords(rule) : chore.get()?.standing ? t("standing") : "",
    ].filter(Boolean).join(" · ");
  }

  function bar() {
    const now = item.get();
    const share = now && dueness(now, list.zone()).share;
    return share === null ? null : h("span", { class: "dueness", "aria-hidden": "true", style: { "--due": share } });
  }

  function deleteSheet() {
    const gone = /** @type {Chore} */ (chore.peek());
    const now = item.peek();
    const name = choreName(gone);
    openSheet({ title: t("deleteTitle", { name }), class: "question" }, (close) => {
      /** @param {boolean} isOnce */
      const remove = async (isOnce) => {
        await close();
        if (isOnce && now) {
          const params = { id: choreId, occurrence: now.id };
          list.change("chores.remove", params, gone, () => ({ occurrences: { [now.id]: null } }));
        } else {
          list.change("chores.remove", { id: choreId }, gone, () => ({
            chores: { [choreId]: null },
            ...(now ? { occurrences: { [now.id]: null } } : {}),
          }));
        }
        back("/chores");
        say(t("deleted", { name }), { undo: () => isOnce && now ? list.undo(now) : restore() });
      };
      const restore = () => {
        const newId = hearth.newId();
        list.change("chores.restore", { id: choreId, newId }, gone, () => ({
          chores: { [newId]: { ...gone, was: choreId } },
          // The server chooses the id of its occurrence. Until then it has that of the chore.
          ...(now ? { occurrences: { [newId]: { ...now.one, chore: newId } } } : {}),
        }));
      };
      return [
        h("p", null, t("deleteText")),
        h(
          "div",
          { class: "buttons" },
          gone.repeat && now ? h("button", { type: "button", onclick: () => remove(true) }, t("deleteOnce")) : null,
          h("button", { type: "button", class: "danger", onclick: () => remove(false) }, t("deleteAll")),
        ),
      ];
    });
  }
}

/**
 * The open occurrence of a chore, and its actions.
 * @param {ChoreList} list @param {() => Item | null} item @param {() => boolean} mayEdit
 */
function open(list, item, mayEdit) {
  // Rows stay while the item is there; what they show follows it.
  let last = /** @type {Item} */ (item());
  const now = () => last = item() ?? last;
  const name = (/** @type {string | undefined} */ person) => nameOf(list.state(), person, list.me);
  const inside = (/** @type {string} */ person) => person === list.me ? t("youInside") : name(person);
  const people = computed(() => now().one.people.join());
  const isMine = () => now().one.people.includes(list.me);
  const isFree = () => !now().one.people.length;
  const mayPutOff = () => isFree() || isMine() || mayEdit();
  const others = () => now().one.people.filter((person) => person !== list.me && !now().one.doneBy?.[person]);
  const hasOthers = () => others().length > 0;
  const said = computed(() => now().one.completion);
  // How often somebody may be reminded is the server's word.
  const remind = () =>
    list.hearth.ask("chores.remind", { id: now().id }, { room: list.room.name }).then(
      () => say(t("reminded", { names: listed(others().map(name)) })),
      (error) => say(inWords(error)),
    );
  const owner = () => now().one.people[0];
  const button = (/** @type {Child} */ text, /** @type {() => unknown} */ onclick, kind = "") =>
    h("button", { type: "button", class: kind, onclick }, text);

  return [
    () => said.get() ? approval(list, now) : rejection(),
    h(
      "ul",
      { class: "rows framed" },
      () => {
        const ids = people.get().split(",").filter(Boolean);
        return row({
          before: ids[0] ? avatar(ids[0], nameOf(list.state(), ids[0])) : icon("people"),
          title: () => ids.length ? namesOf(list.state(), ids, list.me) : t("whoAny"),
          text: () => {
            const done = Object.keys(now().one.doneBy ?? {});
            return done.length ? t("doneParts", { names: listed(done.map(inside)) }) : t("turnNow");
          },
        });
      },
      now().chore.birthdayOf ? null : row({
        before: icon("again"),
        title: t("turn"),
        text: () => {
          const next = nextTurn(list, now());
          const rule = t(`strategy.${now().chore.strategy}`);
          return next ? t("thenNext", { rule, name: name(next) }) : rule;
        },
      }),
      () => {
        const { note, points, missed } = now().chore;
        const facts = [
          list.state()?.household?.points && points ? t("pointsWorth", { n: points }) : "",
          missed ? t("missed", { n: missed }) : "",
        ].filter(Boolean).join(" · ");
        return note || facts
          ? row({ before: icon("info"), title: h("span", { dir: "auto" }, note ?? facts), text: note ? facts : "" })
          : null;
      },
    ),
    when(() => !said.get() && !now().chore.birthdayOf, () =>
      h(
        "div",
        { class: "buttons spaced" },
        when(isFree, () => button(t("claim"), () => list.claim(now()))),
        when(isMine, () => button(t("release"), () => list.release(now()))),
        when(() => !isFree() && !isMine(), () =>
          button(() => t("takeOver", { name: name(owner()) }), () => list.claim(now(), owner()))),
        when(hasOthers, () =>
          button(t("remind"), remind)),
        when(() => mayPutOff() && !now().chore.standing, () => button(t("later"), () => laterSheet(list, now()))),
        when(mayPutOff, () =>
          button(t("skip"), () => {
            list.skip(now());
            back("/chores");
          })),
        button(t("doneHow"), () => doneSheet(list, now())),
      )),
    () =>
      said.get() ? null : h(
        "button",
        {
          type: "button",
          class: "primary fab",
          onclick: () => {
            list.complete(now());
            back("/chores");
          },
        },
        icon("check"),
        t("done"),
      ),
  ];

  function rejection() {
    const note = now().one.rejection;
    return note === undefined ? null : h("p", { class: "card" }, t("rejectedWhy", { note }));
  }
}

/**
 * The member whose turn comes after this one, where the order alone says so.
 * @param {ChoreList} list @param {Item} item
 */
function nextTurn(list, { chore }) {
  if (chore.strategy !== "roundRobin" || chore.rotation || !(chore.repeat || chore.standing)) return null;
  const all = membersOf(list.state()).filter(([, member]) => member.role !== "guest").map(([person]) => person);
  const order = chore.people.length ? chore.people : all;
  const next = order[(order.indexOf(chore.turn ?? "") + 1) % order.length];
  return next ? chore.swaps?.[next] ?? next : null;
}

/** Somebody says that it is done: another member agrees, or not. @param {ChoreList} list @param {() => Item} now */
function approval(list, now) {
  const { id, one, chore } = now();
  const said = one.completion;
  if (!said) return null;
  if (said.by === list.me) return h("p", { class: "card" }, t("approveWait"));
  /** @param {boolean} approved @param {string} [note] */
  const answer = (approved, note) =>
    list.change("chores.approve", { id, approved, ...(note ? { note } : {}) }, chore, () =>
      approved
        ? {
          occurrences: { [id]: null },
          ...(chore.repeat || chore.standing ? {} : { chores: { [one.chore]: null } }),
        }
        : { occurrences: { [id]: { completion: null, rejection: note ?? null } } });
  const reject = () =>
    openSheet({ title: t("rejectTitle") }, (close) => {
      const note = field({ label: t("note"), name: "note", rows: 2, maxlength: 1000, autofocus: true });
      return form({
        fields: [note],
        action: t("rejectSend"),
        submit: async () => {
          await close();
          answer(false, note.value().trim());
        },
      });
    });
  return h(
    "div",
    { class: "card stack" },
    h("p", null, () => t("claimed", { who: nameOf(list.state(), said.by), when: ago(said.at, list.zone()) })),
    said.note && h("p", { dir: "auto" }, t("quoted", { note: said.note })),
    h(
      "div",
      { class: "buttons" },
      h("button", { type: "button", onclick: reject }, t("reject")),
      h("button", {
        type: "button",
        class: "primary",
        onclick: () => {
          answer(true);
          back("/chores");
        },
      }, t("approve")),
    ),
  );
}

/** The completion in words: when, and in whose place. @param {ChoreList} list @param {Item} item */
function doneSheet(list, item) {
  openSheet({ title: t("doneHow") }, (close) => {
    const { one, chore } = item;
    const today = dayOf(list.at(), list.zone());
    const when = field({ label: t("doneWhen"), name: "doneAt", type: "date", value: today, required: true });
    Object.assign(when.input, { max: today });
    const minutes = field({ label: t("minutes"), name: "minutes", type: "number" });
    Object.assign(minutes.input, { min: "1", max: "1440", inputMode: "numeric" });
    const note = field({ label: t("note"), name: "note", rows: 2, maxlength: 1000 });
    const isSwapped = signal(false);
    const owner = one.people[0];
    const maySwap = chore.strategy === "roundRobin" && owner && owner !== list.me;
    return form(
      {
        fields: [when, minutes, note],
        action: t("done"),
        submit: async () => {
          const day = when.value();
          await close();
          list.complete(item, {
            // A day that is over, at noon there; the server knows only moments.
            ...(day < today ? { doneAt: new Date(`${day}T12:00`).toISOString() } : {}),
            ...(minutes.value() ? { minutes: Number(minutes.value()) } : {}),
            ...(note.value().trim() ? { note: note.value().trim() } : {}),
            ...(isSwapped.peek() ? { swap: true } : {}),
          });
          back("/chores");
        },
      },
      maySwap
        ? toggle({
          label: t("swap"),
          text: t("swapText", { name: nameOf(list.state(), owner) }),
          isOn: () => isSwapped.get(),
          change: (on) => isSwapped.set(on),
        })
        : null,
    );
  });
}
