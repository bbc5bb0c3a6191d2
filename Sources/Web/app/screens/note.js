// The sheets of a note: a new one, one that hangs, and changing it. A typed text stays if the sheet is closed.

import { avatar } from "../parts/avatar.js";
import { icon } from "../parts/icons.js";
import { NOTE_COLOURS } from "../parts/note_colours.js";
import { nameOf, namesOf } from "../parts/names.js";
import { roomOf } from "../parts/household.js";
import { openSheet } from "../parts/sheet.js";
import { each, h, signal, when } from "../parts/signal.js";
import { field, focusFirst } from "../parts/screen.js";
import { announce, say } from "../parts/snackbar.js";
import { ago, clock, day, dayOf, duration, instantAt, minuteOf, now } from "../parts/when.js";
import { t as word, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { Note } from "../parts/records.d.ts" */
/** @import { Patch } from "../hearth/types/library.d.ts" */

const t = await words("home");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** @type {Record<string, number>} */
const LIFETIMES = { hour: HOUR, twoHours: 2 * HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY };
/** The server takes times that are so far from now. */
const [SOONEST, LATEST] = [60_000, 365 * DAY];
const QUICK = ["👍", "❤️", "😂", "👀", "🎉", "🙏"];
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

/**
 * The choice how long a note stays: before one is made, `usual` milliseconds, until `until`, or for good.
 * @param {Hearth} hearth @param {string} zone @param {{ usual?: number, until?: string }} before
 */
function lifetime(hearth, zone, { usual, until }) {
  const known = Object.keys(LIFETIMES).find((key) => LIFETIMES[key] === usual);
  const isOdd = usual && !known;
  const first = usual ? known ?? "usual" : until ? "until" : "always";
  const isTimed = signal(first === "until");
  const keep = field({
    label: t("note.keep"),
    name: "keep",
    value: first,
    options: [
      ...(isOdd ? [/** @type {[string, string]} */ (["usual", t("note.usual", { span: duration(usual) })])] : []),
      ...Object.keys(LIFETIMES).map((key) => /** @type {[string, string]} */ ([key, t(`note.${key}`)])),
      ["until", t("note.until")],
      ["always", t("note.always")],
    ],
  });
  keep.input.addEventListener("input", () => isTimed.set(keep.value() === "until"));
  // The next evening, or the time as it is there.
  const proposed = until
    ? new Date(Date.parse(dayOf(until, zone)) + minuteOf(until, zone) * 60_000).toISOString().slice(0, 16)
    : `${dayOf(hearth.now() + 5 * HOUR, zone)}T20:00`;
  const time = field({ label: t("note.untilWhen"), name: "until", type: "datetime-local", value: proposed });
  return {
    element: [keep.element, () => isTimed.get() && time.element],
    /** The choice, as `notes.add` takes it; null if there is no such time, which the field then says. */
    read() {
      const span = LIFETIMES[keep.value()];
      if (span) return { lifetime: span };
      if (keep.value() === "always") return { keep: true };
      if (keep.value() === "usual" || until && time.value() === proposed) return {};
      const at = instantAt(`${time.value()}Z`, 0, zone);
      const away = at - hearth.now();
      time.problem.set(
        !time.value() ? word("missing") : away < SOONEST ? t("note.past") : away > LATEST ? t("note.tooFar") : "",
      );
      return focusFirst([time]) ? null : { expiresAt: new Date(at).toISOString() };
    },
  };
}

/** @param {Hearth} hearth @param {string} household */
export function newNote(hearth, household) {
  openSheet({ title: t("note.new"), class: "note-sheet" }, (close) => {
    const room = roomOf(hearth, `household/${household}`);
    const house = room.state.peek()?.household;
    const kept = localStorage.getItem("hearth.noteColour");
    const colour = signal(NOTE_COLOURS.find((one) => one === kept) ?? "yellow");
    const draft = `${hearth.me} ${household}`;
    const text = noteText(drafts.get(draft) ?? "", (typed) => drafts.set(draft, typed));
    const keep = lifetime(hearth, house?.timeZone ?? "UTC", { usual: house?.noteLifetime ?? 7 * DAY });
    const pin = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const typed = text.value.trim();
      if (!typed) return lacksText(text);
      const stay = keep.read();
      if (!stay) return;
      const id = hearth.newId();
      hearth.change("notes.add", { id, text: typed, colour: colour.peek(), ...stay }, {
        room: room.name,
        optimistic: () => ({
          notes: {
            [id]: {
              text: typed,
              colour: colour.peek(),
              author: hearth.me,
              at: new Date(hearth.now()).toISOString(),
              ...("expiresAt" in stay && stay),
            },
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
      { class: () => `form paper note ${colour.get()}`, novalidate: true, onsubmit: pin },
      text,
      colours(() => colour.get(), (next) => {
        colour.set(next);
        localStorage.setItem("hearth.noteColour", next);
      }),
      ...keep.element,
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
      when(
        () => !mayChange(),
        () => h("p", { class: "hint" }, () => t("note.notYours", { name: nameOf(state(), note()?.author) })),
      ),
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
      const keep = lifetime(hearth, zone() ?? "UTC", before.expiresAt ? { until: before.expiresAt } : {});
      return h(
        "form",
        {
          class: "form",
          novalidate: true,
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const typed = text.value.trim();
            if (!typed) return lacksText(text);
            const stay = keep.read();
            if (!stay) return;
            /** @type {Omit<Params<"notes.edit">, "id">} */ const params = {};
            if (typed !== before.text) params["text"] = typed;
            if (colour.peek() !== (before.colour ?? "yellow")) params["colour"] = colour.peek();
            if (stay.lifetime) params["expiresAt"] = new Date(hearth.now() + stay.lifetime).toISOString();
            else if (stay.expiresAt) params["expiresAt"] = stay.expiresAt;
            else if (stay.keep && before.expiresAt) params["expiresAt"] = null;
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
        ...keep.element,
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
