// The parts of every screen: its frame, rows and fields, and the states that all screens share.

import { icon } from "./icons.js";
import { lastMove, savedScroll } from "./router.js";
import { h, onEnd, signal, untracked } from "./signal.js";
import { announce } from "./snackbar.js";
import { calendarDay, timeOfDay, weekdayOf } from "./when.js";
import { hasWords, t } from "./words.js";

/** @import { Child } from "./signal.js" */
/** @import { IconName } from "./icons.js" */
/** @import { HearthError } from "../hearth/hearth.js" */

let count = 0;
/** An id for a label or a description in this page. @param {string} name */
const newId = (name) => `${name}-${++count}`;

/**
 * A screen. `back` is where its arrow leads when the person came here directly; tabs have none.
 * @param {{ title: Child, lead?: Child, back?: string, actions?: Child, class?: string }} options
 * @param {...Child} children
 */
export function screen(options, ...children) {
  return h(
    "article",
    { class: `screen ${options.class ?? ""}` },
    h(
      "header",
      { class: "screen-head" },
      options.back && h(
        "button",
        { type: "button", class: "quiet round back", "aria-label": t("back"), "data-back": options.back },
        icon("back"),
      ),
      h("h1", { tabindex: -1 }, options.title),
      options.actions && h("div", { class: "actions" }, options.actions),
    ),
    options.lead && h("p", { class: "lead" }, options.lead),
    ...children,
  );
}

/**
 * A part of a screen that is made after the first paint, since on a phone it stands below the fold. A screen that comes
 * back to where it was scrolled to is made whole at once.
 * @param {() => Child} make
 */
export function afterPaint(make) {
  const isDue = signal(lastMove() === "back" && savedScroll() > 0);
  const frame = requestAnimationFrame(() => setTimeout(() => isDue.set(true)));
  onEnd(() => cancelAnimationFrame(frame));
  return () => isDue.get() ? untracked(make) : null;
}

/**
 * A part of a screen under its own heading.
 * @param {{ title: Child, actions?: Child, class?: string }} options @param {...Child} children
 */
export function section(options, ...children) {
  const id = newId("section");
  return h(
    "section",
    { class: `section ${options.class ?? ""}`, "aria-labelledby": id },
    h("div", { class: "section-head" }, h("h2", { id }, options.title), options.actions),
    ...children,
  );
}

/**
 * An empty screen: one sentence about its later content, and the first step.
 * @param {{ icon: IconName, text: Child, action?: Child }} options
 */
export const empty = (options) =>
  h("div", { class: "empty" }, icon(options.icon), h("p", null, options.text), options.action);

/** Grey lines in place of what has never been loaded. @param {number} [lines] */
export const skeleton = (lines = 4) =>
  h(
    "div",
    { class: "skeleton", role: "status", "aria-label": t("loading") },
    Array.from({ length: lines }, () => h("span", null)),
  );

/**
 * A row of a list: something before, words, something after. With `href` or `onclick` all of it can be tapped.
 * @param {{ before?: Child, title: Child, text?: Child, after?: Child, href?: string, onclick?: () => void,
 *   class?: any, label?: string }} options
 */
export function row(options) {
  const inside = [
    options.before,
    h(
      "span",
      { class: "row-words" },
      h("span", { class: "row-title" }, options.title),
      options.text && h("span", { class: "row-text" }, options.text),
    ),
    options.after,
  ];
  const props = { class: "row", ...(options.label ? { "aria-label": options.label } : {}) };
  const content = options.href
    ? h("a", { ...props, href: options.href }, inside)
    : options.onclick
    ? h("button", { ...props, type: "button", onclick: options.onclick }, inside)
    : h("div", props, inside);
  return h("li", { class: options.class ?? "" }, content);
}

/** @param {...Child} rows */
export const list = (...rows) => h("ul", { class: "rows" }, ...rows);

/** The quiet mark of a change that has not reached the server yet. @param {() => boolean} isWaiting */
export const waitingMark = (isWaiting) => () =>
  isWaiting()
    ? h("span", { class: "waiting-mark" }, icon("waiting"), h("span", { class: "unseen" }, t("waiting")))
    : null;

/**
 * A labelled field with its hint and what is wrong with it.
 * @param {{ label: string, name: string, type?: string, value?: string, hint?: Child, autocomplete?: string,
 *   inputmode?: string, required?: boolean, rows?: number, maxlength?: number, enterkeyhint?: string,
 *   placeholder?: string, options?: [string, string][], autofocus?: boolean, spellcheck?: boolean }} options
 */
export function field(options) {
  const { label, hint, rows, options: choices, type = "text", ...rest } = options;
  const [id, hintId, errorId] = [newId("field"), newId("hint"), newId("error")];
  const problem = signal("");
  const chosen = signal(options.value ?? "");
  const props = {
    id,
    dir: type === "email" || type === "password" ? "ltr" : "auto",
    ...rest,
    "aria-describedby": () => [hint && hintId, problem.get() && errorId].filter(Boolean).join(" ") || null,
    "aria-invalid": () => problem.get() ? "true" : null,
    oninput: () => {
      problem.set("");
      chosen.set(input.value);
    },
  };
  const input = choices
    ? h("select", props, choices.map(([value, text]) => h("option", { value }, text)))
    : rows
    ? h("textarea", { ...props, rows })
    : h("input", { ...props, type });
  /** @type {Child} */ let control = input;
  if (type === "password" && input instanceof HTMLInputElement) {
    const isShown = signal(false);
    control = h(
      "span",
      { class: "with-button" },
      input,
      h("button", {
        type: "button",
        class: "quiet round",
        "aria-label": () => t(`${isShown.get() ? "hide" : "show"}${rest.name === "pin" ? "Pin" : "Password"}`),
        onclick: () => {
          isShown.update((shown) => !shown);
          input.type = isShown.peek() ? "text" : "password";
        },
      }, () => icon(isShown.get() ? "hidden" : "eye")),
    );
  }
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    control,
    // A browser writes dates as its own language does: below it stands the day in the words of the page.
    type.startsWith("date") && (() => {
      const [date = "", time] = chosen.get().split("T");
      return date && h("p", { class: "hint" }, time ? `${weekdayOf(date)}, ${timeOfDay(time)}` : calendarDay(date));
    }),
    hint && h("p", { class: "hint", id: hintId }, hint),
    () => problem.get() && h("p", { class: "problem", id: errorId }, icon("alert"), problem.get()),
  );
  return { element, input, name: options.name, problem, value: () => input.value };
}

/** @typedef {ReturnType<typeof field>} Field */

/**
 * A form that tells all its problems at once. `submit` may throw what the server refused; the button shows that
 * something is under way.
 * @param {{ fields: Field[], action: string, submit: () => unknown, quiet?: boolean, check?: () => void,
 *   disabled?: () => boolean }} options
 * @param {...Child} more below the fields
 */
export function form(options, ...more) {
  const problem = signal("");
  const isBusy = signal(false);
  return h(
    "form",
    {
      novalidate: true,
      class: "form",
      oninput: () => problem.set(""),
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        if (isBusy.peek()) return;
        problem.set("");
        for (const one of options.fields) {
          const { input } = one;
          one.problem.set(input.required && !input.value.trim() ? t("missing") : wrongly(input));
        }
        options.check?.();
        if (focusFirst(options.fields)) return;
        isBusy.set(true);
        try {
          await options.submit();
        } catch (error) {
          const { fields = {}, reason } = /** @type {Partial<HearthError> | null} */ (error) ?? {};
          for (const one of options.fields) {
            const wrong = fields[one.name];
            if (wrong) one.problem.set(fieldProblem(one, wrong));
            else if (reason === one.name) one.problem.set(inWords(error));
          }
          if (!focusFirst(options.fields)) problem.set(inWords(error));
        } finally {
          isBusy.set(false);
        }
      },
    },
    options.fields.map((one) => one.element),
    ...more,
    h("p", { class: "problem", role: "alert" }, () => problem.get() && [icon("alert"), problem.get()]),
    h("button", {
      type: "submit",
      class: "primary",
      "aria-busy": () => String(isBusy.get()),
      disabled: options.disabled ?? false,
    }, options.action),
  );
}

/** @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input */
const wrongly = (input) => input.type === "email" && input.validity.typeMismatch ? t("wrongAddress") : "";

/** Whether a field has a problem; the first one gets the focus. @param {Field[]} fields */
export function focusFirst(fields) {
  const first = fields.find((one) => one.problem.peek());
  // With the focus its reason is read; where it is already, nothing would be.
  if (first && first.input === document.activeElement) announce(first.problem.peek());
  first?.input.focus();
  return Boolean(first);
}

/** @param {Field} field @param {string} said by the server */
function fieldProblem({ name, value }, said) {
  // A password that is long enough is refused because it is a common one.
  const key = !/password$/i.test(name) ? name : [...value()].length < 8 ? "password" : "commonPassword";
  return hasWords(`wrong.${key}`) ? t(`wrong.${key}`) : said;
}

/** A refusal of the server, as a person would say it, with the next step. @param {unknown} error */
export function inWords(error) {
  const { reason = "", message = "", retryAfter } = /** @type {Partial<HearthError> | null} */ (error) ?? {};
  if (retryAfter && hasWords(`refusedUntil.${reason}`)) {
    return t(`refusedUntil.${reason}`, { n: Math.max(1, Math.ceil(retryAfter / 60_000)) });
  }
  if (hasWords(`refused.${reason}`)) return t(`refused.${reason}`);
  if (!reason) reportError(error); // Not an answer of the server: a mistake of ours.
  return document.documentElement.lang === "en" && reason && message ? message : t("refused.other");
}

/**
 * A switch with its words. @param {{ label: Child, text?: Child, isOn: () => boolean, change: (on: boolean) => void,
 *   disabled?: () => boolean }} options
 */
export function toggle(options) {
  return h(
    "label",
    { class: "row toggle" },
    h(
      "span",
      { class: "row-words" },
      h("span", { class: "row-title" }, options.label),
      options.text && h("span", { class: "row-text" }, options.text),
    ),
    h("input", {
      type: "checkbox",
      role: "switch",
      checked: options.isOn,
      disabled: options.disabled ?? false,
      onclick: (/** @type {Event} */ event) => afterState(event, () => options.change(!options.isOn())),
    }),
  );
}

/** A box to check, with its words. @param {() => boolean} isOn @param {() => void} change @param {Child} words */
export const check = (isOn, change, words) =>
  h(
    "label",
    { class: "check" },
    h("input", { type: "checkbox", checked: isOn, onchange: change }),
    h("span", { dir: "auto" }, words),
  );

/**
 * Lets a box show what is true rather than what was tapped: a change is on the disk before it is seen.
 * @param {Event} event @param {() => void} change
 */
function afterState(event, change) {
  event.preventDefault();
  // Only after the event the browser takes the tap back.
  setTimeout(change);
}

/**
 * One of a few, side by side. @template {string} V
 * @param {{ label: string, choices: [V, Child][], value: () => V, change: (value: V) => void }} options
 */
export function segments(options) {
  const name = newId("segments");
  return h(
    "fieldset",
    { class: "segments" },
    h("legend", { class: "unseen" }, options.label),
    options.choices.map(([value, text]) =>
      h(
        "label",
        null,
        h("input", {
          type: "radio",
          name,
          value,
          checked: () => options.value() === value,
          onchange: () => options.change(value),
        }),
        h("span", null, text),
      )
    ),
  );
}
