// The sheets of a note: a new one, one that hangs, and changing it. A typed text stays if the sheet is closed.

import { avatar } from "../parts/avatar.js";
import { icon } from "../parts/icons.js";
import { NOTE_COLOURS } from "../parts/note_colours.js";
import { nameOf, namesOf } from "../parts/names.js";
import { roomOf } from "../parts/household.js";
import { openSheet } from "../parts/sheet.js";
import { each, h, signal, when } from "../parts/signal.js";
import { field } from "../parts/screen.js";
import { announce, say } from "../parts/snackbar.js";
import { ago, clock, day, duration, now } from "../parts/when.js";
import { t as word, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { Note } from "../parts/records.d.ts" */
/** @import { Patch } from "../hearth/types/library.d.ts" */

const t = await words("home");
const HOUR = 3_600_000;
const LIFETIMES = /** @type {const} */ ({ hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR });
export const QUICK = ["👍", "❤️", "😂", "👀", "🎉", "🙏"];
/** So many who react are named, and more are counted. */
const FEW = 3;

/** The text typed for a new note, by person and household; lost only with the page. @type {Map<string, string>} */
const drafts = new Map();

/**
 * Whether a note still hangs. A phone without a connection is not told that its time is over.
 * @param {Hearth} hearth @param {Note | undefined} note
 */
export const hangs = (hearth, note) =>
  now.get() > 0 && Boolean(note) && !(note?.expiresAt && Date.parse(note.expiresAt) <= hearth.now());

/** The first words of a text, for a list. @param {string} text */
const short = (text) => text.length > 30 ? `${text.slice(0, 29).trimEnd()}…` : text;

/** @typedef {typeof NOTE_COLOURS[number]} Colour */
/** @param {() => string} value @param {(colour: Colour) => void} change */
function colours(value, change) {
  return h(
    "fieldset",
    { class: "colours" },
    h("legend", { class: "unseen" }, t("note.colour")),
    NOTE_COLOURS.map((colour) =>
      h(
        "label",
        { class: `note ${colour}`, title: t(`note.colour.${colour}`) },
        h("input", {
          type: "radio",
          name: "colour",
          value: colour,
          "aria-label": t(`note.colour.${colour}`),
          checked: () => value() === colour,
          onchange: () => change(colour),
        }),
        icon("check"),
      )
    ),
  );
}

/** @param {Hearth} hearth @param {string} household */
export function newNote(hearth, household) {
  openSheet({ title: t("note.new"), class: "note-sheet" }, (close) => {
    const room = roomOf(hearth, `household/${household}`);
    const usual = Number(room.state.peek()?.household?.noteLifetime ?? 7 * 24 * HOUR);
    const kept = localStorage.getItem("hearth.noteColour");
    const colour = signal(NOTE_COLOURS.find((one) => one === kept) ?? "yellow");
    const draft = `${hearth.me} ${household}`;
    const text = noteText(drafts.get(draft) ?? "", (typed) => drafts.set(draft, typed));
    const keep = field({
      label: t("note.keep"),
      name: "keep",
      options: [
        ["usual", t("note.usual", { span: duration(usual) })],
        ["hour", t("note.hour")],
        ["day", t("note.day")],
        ["week", t("note.week")],
        ["month", t("note.month")],
        ["always", t("note.always")],
      ],
    });
    const pin = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const typed = text.value.trim();
      if (!typed) return lacksText(text);
      const id = hearth.newId();
      const span = /** @type {Record<string, number>} */ (LIFETIMES)[keep.value()];
      hearth.change("notes.add", {
        id,
        text: typed,
        colour: colour.peek(),
        ...(span ? { lifetime: span } : keep.value() === "always" ? { keep: true } : {}),
      }, {
        room: room.name,
        optimistic: () => ({
          notes: {
            [id]: { text: typed, colour: colour.peek(), author: hearth.me, at: new Date(hearth.now()).toISOString() },
          },
        }),
        about: t("note.about", { text: short(typed) }),
      });
      drafts.delete(draft);
      await close();
      announce(t("note.pinned"));
    };
    return h(
      "form",
      { class: () => `form paper note ${colour.get()}`, onsubmit: pin },
      text,
      colours(() => colour.get(), (next) => {
        colour.set(next);
        localStorage.setItem("hearth.noteColour", next);
      }),
      keep.element,
      h("button", { type: "submit", class: "primary" }, t("note.pin")),
    );
  });
}

/** @param {HTMLTextAreaElement} text */
function lacksText(text) {
  text.setAttribute("aria-invalid", "true");
  say(word("missing"));
  text.focus();
}

/** @param {string} value @param {(typed: string) => void} [changed] */
function noteText(value, changed) {
  const text = h("textarea", {
    class: "note-field",
    name: "text",
    rows: 4,
    dir: "auto",
    maxlength: 2000,
    autofocus: true,
    "aria-label": t("note.text"),
    placeholder: t("note.hint"),
    oninput: () => {
      text.removeAttribute("aria-invalid");
      changed?.(text.value);
    },
    // Command or Control with Enter sends; Enter alone is a new line of the note.
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) text.form?.requestSubmit();
    },
  });
  text.value = value;
  return text;
}

/**
 * A note that hangs: by whom, until when, reactions, and what one may do with it.
 * @param {Hearth} hearth @param {string} household @param {string} id
 */
export function openNote(hearth, household, id) {
  openSheet({ title: t("note.title"), class: "note-sheet" }, (close) => {
    const room = roomOf(hearth, `household/${household}`);
    const state = () => room.state.get();
    const note = () => hangs(hearth, state()?.notes?.[id]) ? state()?.notes?.[id] : null;
    const zone = () => state()?.household?.timeZone;
    const mayChange = () =>
      note()?.author === hearth.me || state()?.household?.host === hearth.me ||
      state()?.household?.policies?.notes === "any";
    const isEditing = signal(false);

    const takeDown = async () => {
      const gone = /** @type {Note} */ (note());
      await close();
      hearth.change("notes.remove", { id }, {
        room: room.name,
        optimistic: () => ({ notes: { [id]: null } }),
        about: t("note.aboutDown", { text: short(gone.text) }),
      });
      say(t("note.taken"), {
        about: short(gone.text),
        undo: () => {
          const newId = hearth.newId();
          hearth.change("notes.restore", { id, newId }, {
            room: room.name,
            optimistic: () => ({ notes: { [newId]: { ...gone, was: id } } }),
            about: t("note.about", { text: short(gone.text) }),
          });
        },
      });
    };

    const shown = () => [
      h("p", { class: "note-whole", dir: "auto" }, () => note()?.text),
      h(
        "div",
        { class: "note-foot" },
        avatar(/** @type {Note} */ (note()).author, () => nameOf(state(), note()?.author), { size: "small" }),
        h(
          "span",
          null,
          () =>
            t("note.by", {
              name: nameOf(state(), note()?.author, hearth.me),
              when: ago(/** @type {string} */ (note()?.at), zone()),
            }),
        ),
      ),
      () =>
        note()?.editedBy &&
        h(
          "p",
          { class: "hint" },
          t(note()?.editedBy === hearth.me ? "note.editedYou" : "note.edited", {
            name: nameOf(state(), note()?.editedBy),
            when: ago(/** @type {string} */ (note()?.editedAt), zone()),
          }),
        ),
      () =>
        note()?.expiresAt &&
        h(
          "p",
          { class: "hint" },
          t("note.goes", {
            day: day(/** @type {string} */ (note()?.expiresAt), zone()),
            time: clock(/** @type {string} */ (note()?.expiresAt), zone()),
          }),
        ),
      reactions(hearth, room.name, "notes", id, () => note()?.reactions, () => state(), t("note.aboutReaction")),
      when(mayChange, () =>
        h(
          "div",
          { class: "buttons" },
          h("button", { type: "button", onclick: () => isEditing.set(true) }, icon("edit"), t("note.edit")),
          h("button", { type: "button", onclick: takeDown }, icon("bin"), t("note.takeDown")),
        )),
    ];

    const edited = () => {
      const before = /** @type {Note} */ (note());
      const colour = signal(before.colour ?? "yellow");
      const text = noteText(before.text);
      // The text gets the focus, as in a new note.
      requestAnimationFrame(() => text.focus({ preventScroll: true }));
      const keep = field({
        label: t("note.keep"),
        name: "keep",
        options: [
          ["unchanged", t("note.unchanged")],
          ["hour", t("note.hour")],
          ["day", t("note.day")],
          ["week", t("note.week")],
          ["month", t("note.month")],
          ["always", t("note.always")],
        ],
      });
      return h(
        "form",
        {
          class: "form",
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const typed = text.value.trim();
            if (!typed) return lacksText(text);
            const span = /** @type {Record<string, number>} */ (LIFETIMES)[keep.value()];
            /** @type {Omit<Params<"notes.edit">, "id">} */ const params = {};
            if (typed !== before.text) params["text"] = typed;
            if (colour.peek() !== (before.colour ?? "yellow")) params["colour"] = colour.peek();
            if (span) params["expiresAt"] = new Date(hearth.now() + span).toISOString();
            else if (keep.value() === "always" && before.expiresAt) params["expiresAt"] = null;
            if (Object.keys(params).length) {
              hearth.change("notes.edit", { id, ...params }, {
                room: room.name,
                optimistic: () => ({ notes: { [id]: params } }),
                about: t("note.about", { text: short(typed) }),
              });
            }
            isEditing.set(false);
          },
        },
        text,
        colours(() => colour.get(), (next) => colour.set(next)),
        keep.element,
        h(
          "div",
          { class: "buttons" },
          h("button", { type: "button", onclick: () => isEditing.set(false) }, t("cancel")),
          h("button", { type: "submit", class: "primary" }, t("save")),
        ),
      );
    };
    return h(
      "div",
      { class: () => `paper note ${note()?.colour ?? "yellow"}` },
      when(() => note() && !isEditing.get(), shown),
      when(() => note() && isEditing.get(), edited),
      when(() => !note(), () => h("p", { role: "status" }, t("note.gone"))),
    );
  });
}

/**
 * Emoji under a note or a message: those that are there, with their number, and six to choose from.
 * @param {Hearth} hearth @param {`household/${string}`} room @param {"notes" | "chat"} kind @param {string} id
 * @param {() => Note["reactions"]} there @param {() => HouseholdState | null} state @param {string} about
 * @param {() => void} [done]
 */
export function reactions(hearth, room, kind, id, there, state, about, done) {
  const me = hearth.me ?? "";
  const all = () => {
    const found = Object.entries(there() ?? {}).filter(([, by]) => Object.keys(by).length);
    return [...found.map(([emoji]) => emoji), ...QUICK.filter((emoji) => !found.some(([known]) => known === emoji))];
  };
  const by = (/** @type {string} */ emoji) => there()?.[emoji] ?? {};
  return h(
    "div",
    { class: "reactions" },
    each(all, (emoji) => emoji, (_, emoji) =>
      h(
        "button",
        {
          type: "button",
          class: "reaction",
          "aria-pressed": () => String(me in by(emoji)),
          "aria-label": () => {
            const people = Object.keys(by(emoji));
            return people.length
              ? t("note.reactions", { emoji, names: namesOf(state(), people, me) })
              : t("note.react", { emoji });
          },
          onclick: () => {
            const on = !(me in by(emoji));
            hearth.change(kind === "notes" ? "notes.react" : "chat.react", { id, emoji, on }, {
              room,
              optimistic: () => ({
                [kind]: {
                  [id]: /** @satisfies {Patch<Note>} */ ({ reactions: { [emoji]: { [me]: on ? true : null } } }),
                },
              }),
              about,
            });
            done?.();
          },
        },
        h("span", { "aria-hidden": "true" }, emoji),
        () => {
          const people = Object.keys(by(emoji));
          const words = people.length > FEW ? people.length : namesOf(state(), people, me);
          return people.length ? h("span", { "aria-hidden": "true" }, words) : null;
        },
      )),
  );
}
