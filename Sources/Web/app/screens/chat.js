// The chat of the household: one list, the newest below. A typed text stays while the person looks elsewhere.

import { avatar } from "../parts/avatar.js";
import { styleOf } from "../parts/family.js";
import { household, mine, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { nameOf } from "../parts/names.js";
import { olderButton, paging } from "../parts/paging.js";
import { confirmSheet, openSheet } from "../parts/sheet.js";
import { computed, each, effect, h, observe, onEnd, signal, untracked } from "../parts/signal.js";
import { empty, screen, skeleton, waitingMark } from "../parts/screen.js";
import { announce, say } from "../parts/snackbar.js";
import { clock, day, dayOf } from "../parts/when.js";
import { words } from "../parts/words.js";
import { reactions } from "./note.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Message } from "../parts/records.d.ts" */

const [t] = await Promise.all([words("home"), styleOf("messages")]);
/** Typed texts by person and household: another person may log in on the same device. @type {Map<string, string>} */
const drafts = new Map();
/** @param {string} text */
const short = (text) => text.length > 30 ? `${text.slice(0, 29).trimEnd()}…` : text;
/** Messages of one person within this time stand together. */
const TOGETHER = 5 * 60_000;

/** @param {Hearth} hearth */
export function render(hearth) {
  const id = household(hearth).peek() ?? "";
  const draft = `${hearth.me} ${id}`;
  const room = roomOf(hearth, `household/${id}`);
  const me = mine(hearth);
  const state = () => room.state.get();
  const zone = () => state()?.household?.timeZone;
  const waiting = observe(hearth, () => new Set(hearth.waiting.map(({ params }) => String(params["id"] ?? ""))));
  const keepPlace = () => {
    const height = document.documentElement.scrollHeight;
    return () => requestAnimationFrame(() => scrollBy(0, document.documentElement.scrollHeight - height));
  };
  const older = paging(hearth, "chat.list", room.name, { keepPlace });

  /** All that is known, in its order; what is not sent yet has no number and comes last. */
  const messages = computed(() => {
    /** @type {Map<string, Message>} */ const found = new Map(
      older.items.get().map(({ id: key, message }) => /** @type {const} */ ([key, message])),
    );
    for (const [key, message] of Object.entries(state()?.chat ?? {})) found.set(key, message);
    const sorted = [...found].sort(([, a], [, b]) => (a.n ?? Infinity) - (b.n ?? Infinity) || (a.at < b.at ? -1 : 1));
    return sorted.map(([key, message], at) => {
      const before = sorted[at - 1]?.[1];
      const isNewDay = !before || dayOf(before.at, zone()) !== dayOf(message.at, zone());
      const goesOn = !isNewDay && before.author === message.author &&
        Date.parse(message.at) - Date.parse(before.at) < TOGETHER;
      return { key, message, isNewDay, goesOn };
    });
  });

  // Shown messages have been read; only the newest number counts, and only while the page is in sight.
  const readNow = () => {
    const chat = me.state.peek()?.chats?.[id];
    if (!chat || chat.n <= chat.read || document.visibilityState !== "visible") return;
    hearth.change("chat.read", { household: id, n: chat.n }, {
      room: "me",
      optimistic: () => ({ chats: { [id]: { read: chat.n } } }),
      about: t("chat.title"),
    });
  };
  effect(() => {
    me.state.get()?.chats?.[id];
    untracked(readNow);
  });
  document.addEventListener("visibilitychange", readNow);
  onEnd(() => document.removeEventListener("visibilitychange", readNow));

  // The newest message stays in sight for those who are at the end already.
  const isAtEnd = () => scrollY + innerHeight > document.documentElement.scrollHeight - 120;
  const toEnd = () => scrollTo(0, document.documentElement.scrollHeight);
  // Once a keyboard has come or the phone is turned, the window has changed: it is too late to ask.
  let wasAtEnd = true;
  const listeners = new AbortController();
  onEnd(() => listeners.abort());
  const { signal: isOver } = listeners;
  addEventListener("scroll", () => void (wasAtEnd = isAtEnd()), { passive: true, signal: isOver });
  addEventListener("resize", () => wasAtEnd && toEnd(), { signal: isOver });
  let isFirst = true;
  let heard = 0;
  effect(() => {
    messages.get();
    if (!state()) return;
    const last = messages.get().at(-1)?.message;
    if (!isFirst && last?.n && last.n > heard && last.author !== hearth.me) {
      announce(`${nameOf(untracked(state), last.author)}: ${last.text}`);
    }
    heard = last?.n ?? heard;
    if (isFirst || isAtEnd()) requestAnimationFrame(toEnd);
    isFirst = false;
  });

  return screen(
    { title: t("chat.title"), back: "/", class: "chat" },
    () => state() ? null : skeleton(8),
    () => messages.get().length < 50 || older.isAll() ? null : olderButton(older, t("chat.older"), "up"),
    () => state() && !messages.get().length ? empty({ icon: "chat", text: t("chat.empty") }) : null,
    h("ol", { class: "messages" }, each(() => messages.get(), (one) => one.key, (item, key) => bubble(item, key))),
    writing(),
  );

  /** @param {() => { message: Message, isNewDay: boolean, goesOn: boolean }} item @param {string} key */
  function bubble(item, key) {
    const message = () => item().message;
    const isMine = () => message().author === hearth.me;
    const found = () => Object.entries(message().reactions ?? {}).filter(([, by]) => Object.keys(by).length);
    return h(
      "li",
      { class: () => `message ${isMine() ? "own" : ""} ${item().goesOn ? "goes-on" : ""}` },
      () => item().isNewDay && h("p", { class: "day-mark" }, day(message().at, zone())),
      () => isMine() || item().goesOn ? null : h("p", { class: "message-head" }, nameOf(state(), message().author)),
      h(
        "div",
        { class: "message-line" },
        () => isMine() ? null : avatar(message().author, nameOf(state(), message().author), { size: "small" }),
        h(
          "button",
          { type: "button", class: "bubble", "aria-haspopup": "dialog", onclick: () => actions(message, key) },
          h("span", { class: "unseen" }, () => isMine() ? t("you") : nameOf(state(), message().author)),
          h("span", { class: "bubble-text", dir: "auto" }, () => message().text),
          h(
            "time",
            { datetime: message().at },
            () => clock(message().at, zone()),
            waitingMark(() => waiting.get().has(key)),
          ),
        ),
      ),
      () =>
        found().length
          ? h(
            "p",
            { class: "note-reactions" },
            found().map(([emoji, by]) => h("span", null, `${emoji} ${Object.keys(by).length}`)),
          )
          : null,
    );
  }

  /** @param {() => Message} message @param {string} key */
  function actions(message, key) {
    const shown = message();
    openSheet({ title: t("chat.message") }, (close) => [
      h("p", { class: "quoted", dir: "auto" }, shown.text),
      reactions(
        hearth,
        room.name,
        "chat",
        key,
        () => state()?.chat?.[key]?.reactions,
        state,
        t("chat.reaction"),
        () => void close(),
      ),
      h(
        "div",
        { class: "buttons" },
        h(
          "button",
          {
            type: "button",
            onclick: async () => {
              await navigator.clipboard?.writeText(shown.text).catch(() => {});
              await close();
              say(t("copied"));
            },
          },
          icon("copy"),
          t("chat.copy"),
        ),
        (shown.author === hearth.me || state()?.household?.host === hearth.me) && h(
          "button",
          {
            type: "button",
            class: "danger",
            onclick: async () => {
              await close();
              // Nothing brings it back to its place.
              const action = t("chat.remove");
              if (!await confirmSheet({ title: t("chat.removeTitle"), text: short(shown.text), action })) return;
              hearth.change("chat.remove", { id: key }, {
                room: room.name,
                optimistic: () => ({ chat: { [key]: null } }),
                about: t("chat.aboutRemoval", { text: short(shown.text) }),
              });
            },
          },
          icon("bin"),
          t("chat.remove"),
        ),
      ),
    ]);
  }

  function writing() {
    document.body.classList.add("writes");
    onEnd(() => document.body.classList.remove("writes"));
    const text = h("textarea", {
      name: "message",
      rows: 1,
      dir: "auto",
      maxlength: 2000,
      enterkeyhint: "send",
      "aria-label": t("chat.write"),
      placeholder: t("chat.write"),
      "data-key": "/",
      oninput: () => {
        drafts.set(draft, text.value);
        hasText.set(Boolean(text.value.trim()));
      },
      // Enter sends where there is a keyboard; on a phone it is a new line, and the button sends.
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing || !matchMedia("(pointer: fine)").matches) {
          return;
        }
        event.preventDefault();
        text.form?.requestSubmit();
      },
    });
    text.value = drafts.get(draft) ?? "";
    const hasText = signal(Boolean(text.value.trim()));
    const send = (/** @type {Event} */ event) => {
      event.preventDefault();
      const typed = text.value.trim();
      if (!typed) return;
      const key = hearth.newId();
      hearth.change("chat.send", { id: key, text: typed }, {
        room: room.name,
        optimistic: () => ({
          chat: { [key]: { text: typed, author: hearth.me, at: new Date(hearth.now()).toISOString() } },
        }),
        about: t("chat.about", { text: short(typed) }),
      });
      text.value = "";
      drafts.delete(draft);
      hasText.set(false);
      text.focus();
      requestAnimationFrame(toEnd);
    };
    return h(
      "form",
      { class: "writing", onsubmit: send },
      text,
      h("button", {
        type: "submit",
        class: "primary round",
        "aria-label": t("chat.send"),
        disabled: () => !hasText.get(),
      }, icon("send")),
    );
  }
}
