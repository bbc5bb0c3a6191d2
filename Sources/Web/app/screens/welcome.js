// Before anybody is logged in: welcome, sign up, log in, a new password. Also what is shown for an address that leads
// nowhere, and in a page that is older than another tab.

import { icon } from "../parts/icons.js";
import { go, invitation } from "../parts/router.js";
import { confirmSheet } from "../parts/sheet.js";
import { begin } from "../parts/openid.js";
import { h, observe, signal } from "../parts/signal.js";
import { empty, field, form, screen } from "../parts/screen.js";
import { words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await words("welcome");

/** @param {Hearth} hearth @param {Record<string, string>} params */
export function render(hearth, params) {
  switch (params["show"]) {
    case "signUp":
      return signUp(hearth);
    case "logIn":
      return logIn(hearth, params["where"] ?? "");
    case "forgot":
      return forgot(hearth);
    case "lost":
      return screen(
        { title: t("lost.title"), class: "narrow" },
        empty({
          icon: "search",
          text: t("lost.text"),
          action: h("a", { class: "button primary", href: "/" }, t("lost.home")),
        }),
      );
    case "outdated":
      return screen(
        { title: t("outdated.title"), class: "narrow" },
        empty({
          icon: "again",
          text: t("outdated.text"),
          action: h("button", { type: "button", class: "primary", onclick: () => location.reload() }, t("reload")),
        }),
      );
    default:
      return welcome();
  }
}

/** Keeps the address that the person came to, for after the log-in. */
function keep() {
  if (/^\/(login|signup|forgot)$/.test(location.pathname)) return;
  sessionStorage.setItem("hearth.after", location.pathname + location.search + location.hash);
}

/** @param {string} path */
function to(path, replace = false) {
  keep();
  go(path, { replace });
}

/** The address that was typed last: the next of these screens need not ask for it again. */
let typed = "";

/** Goes where the person wanted to go. */
export function arrive() {
  keep();
  const after = sessionStorage.getItem("hearth.after") ?? "";
  sessionStorage.removeItem("hearth.after");
  typed = "";
  // An address that begins with two slashes leads to another site.
  go(/^\/(?!\/)/.test(after) ? after : "/", { replace: true });
}

function welcome() {
  const { code, name } = invitation();
  return h(
    "article",
    { class: "screen welcome" },
    h("div", { class: "hearth-sign", "aria-hidden": "true" }, icon("home")),
    h("h1", { tabindex: -1 }, t("welcome.title")),
    name && h("h2", null, name),
    h("p", { class: "lead" }, t(code ? "welcome.join" : "welcome.lead")),
    h(
      "div",
      { class: "stack" },
      h("button", { type: "button", class: "primary", onclick: () => to("/signup") }, t("welcome.signUp")),
      h("button", { type: "button", onclick: () => to("/login") }, t("welcome.logIn")),
    ),
  );
}

/** @param {Hearth} hearth */
function signUp(hearth) {
  const name = field({
    label: t("signUp.name"),
    name: "name",
    autocomplete: "name",
    hint: t("signUp.nameHint"),
    required: true,
    maxlength: 64,
    autofocus: true,
  });
  const email = emailField(t("signUp.email"));
  const password = field({
    label: t("signUp.password"),
    name: "password",
    type: "password",
    autocomplete: "new-password",
    hint: t("signUp.passwordHint"),
    required: true,
  });
  const birthday = field({
    label: t("signUp.birthday"),
    name: "birthday",
    type: "date",
    autocomplete: "bday",
    hint: t("signUp.birthdayHint"),
  });
  return screen(
    { title: t("signUp.title"), lead: t("signUp.lead"), back: "/", class: "narrow" },
    form({
      fields: [name, email, password, birthday],
      action: t("signUp.action"),
      check: () => {
        if (password.value() && [...password.value()].length < 8) password.problem.set(t("wrong.password"));
      },
      submit: async () => {
        await hearth.signUp({
          name: name.value(),
          email: email.value(),
          password: password.value(),
          ...(birthday.value() ? { birthday: birthday.value() } : {}),
        });
        arrive();
      },
    }),
    providers(hearth),
    h(
      "button",
      { type: "button", class: "plain wide", onclick: () => to("/login", true) },
      t("signUp.instead"),
    ),
  );
}

/** @param {string} label @param {boolean} [autofocus] */
function emailField(label, autofocus = false) {
  const made = field({
    label,
    name: "email",
    type: "email",
    autocomplete: "username",
    inputmode: "email",
    required: true,
    autofocus,
    value: typed,
  });
  made.input.addEventListener("input", () => typed = made.value());
  return made;
}

/** The way to the OpenID providers that the server trusts, if there are any. @param {Hearth} hearth */
function providers(hearth) {
  const names = observe(hearth, () => hearth.openid);
  hearth.greet().catch(console.warn);
  return () =>
    names.get().length
      ? h(
        "div",
        { class: "stack providers" },
        names.get().map((name) =>
          h("button", { type: "button", onclick: () => (keep(), begin(name)) }, t("logIn.with", { name }))
        ),
      )
      : null;
}

/** @param {Hearth} hearth @param {string} where `expired` or `ended` where a session has just stopped */
function logIn(hearth, where) {
  const isExpired = where === "expired";
  const email = emailField(t("logIn.email"), true);
  const password = field({
    label: t("logIn.password"),
    name: "password",
    type: "password",
    autocomplete: "current-password",
    required: true,
  });
  return screen(
    {
      title: t("logIn.title"),
      class: "narrow",
      ...(isExpired
        ? { lead: t("logIn.expired") }
        : where === "ended"
        ? { lead: t("refused.sessionEnded") }
        : { back: "/" }),
    },
    form({
      fields: [email, password],
      action: t("logIn.action"),
      submit: async () => {
        await hearth.logIn({ email: email.value(), password: password.value(), device: deviceName() });
        arrive();
      },
    }),
    providers(hearth),
    h(
      "div",
      { class: "stack" },
      h("button", { type: "button", class: "plain", onclick: () => to("/forgot") }, t("logIn.forgot")),
      isExpired
        ? h("button", {
          type: "button",
          class: "quiet",
          onclick: async () => {
            if (await confirmSheet({ title: t("logIn.leave"), text: t("logIn.leaveText"), action: t("logIn.leave") })) {
              await hearth.logOut();
              go("/", { replace: true });
            }
          },
        }, t("logIn.leave"))
        : h(
          "button",
          { type: "button", class: "plain", onclick: () => to("/signup", true) },
          t("logIn.instead"),
        ),
    ),
  );
}

/** The name of this device in lists: "Firefox on Android". */
export function deviceName() {
  const agent = navigator.userAgent;
  const browser = /Edg/.test(agent)
    ? "Edge"
    : /Firefox/.test(agent)
    ? "Firefox"
    : /Chrome/.test(agent)
    ? "Chrome"
    : "Safari";
  const system = /Android/.test(agent)
    ? "Android"
    : /iPhone|iPad/.test(agent)
    ? "iOS"
    : /Mac/.test(agent)
    ? "Mac"
    : /Windows/.test(agent)
    ? "Windows"
    : "Linux";
  return `${browser}, ${system}`;
}

/** @param {Hearth} hearth */
function forgot(hearth) {
  const step = signal(/** @type {"address" | "sent" | "write"} */ ("address"));
  const isFirst = () => step.get() === "address";
  const address = emailField(t("logIn.email"), true);
  const first = () => [
    form({
      fields: [address],
      action: t("forgot.action"),
      submit: async () => {
        await hearth.forgotPassword(address.value());
        step.set("sent");
      },
    }),
    h("button", {
      type: "button",
      class: "plain wide",
      onclick: () => address.value() ? step.set("write") : address.problem.set(t("missing")),
    }, t("forgot.haveCode")),
  ];
  const second = () => {
    // A password manager reads there whose new password it is.
    Object.assign(address.input, { readOnly: true, tabIndex: -1 });
    const code = field({
      label: t("forgot.code"),
      name: "code",
      autocomplete: "one-time-code",
      inputmode: "numeric",
      required: true,
    });
    const newPassword = field({
      label: t("forgot.newPassword"),
      name: "newPassword",
      type: "password",
      autocomplete: "new-password",
      hint: t("signUp.passwordHint"),
      required: true,
    });
    return [
      h("p", { class: "lead", role: "status" }, t(`forgot.${step.peek()}`)),
      form({
        fields: [code, newPassword],
        action: t("forgot.change"),
        submit: async () => {
          await hearth.resetPassword({ email: address.value(), code: code.value(), newPassword: newPassword.value() });
          arrive();
        },
      }, h("span", { class: "unseen", "aria-hidden": "true" }, address.input)),
    ];
  };
  return screen(
    { title: t("forgot.title"), lead: () => isFirst() ? t("forgot.lead") : null, back: "/login", class: "narrow" },
    () => isFirst() ? first() : second(),
  );
}
