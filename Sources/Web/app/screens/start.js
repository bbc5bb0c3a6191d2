// No household yet, or one more: invitations, a code or link, a new household. Links `/join#CODE/NAME` open it, too.

import { avatar } from "../parts/avatar.js";
import { heading } from "../parts/focus.js";
import { choose, household, mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { likelyCurrency } from "../parts/likely_currency.js";
import { go, invitation } from "../parts/router.js";
import { confirmSheet } from "../parts/sheet.js";
import { computed, each, h, signal } from "../parts/signal.js";
import { field, form, screen, section } from "../parts/screen.js";
import { say } from "../parts/snackbar.js";
import { day } from "../parts/when.js";
import { locale, words } from "../parts/words.js";
import { act, inboxWords } from "./inbox.js";

/** @import { Hearth, HearthError } from "../hearth/hearth.js" */
/** @import { Currency, Notification } from "../parts/records.d.ts" */

const t = await words("people");

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const invitations = computed(
    () => Object.entries(me.state.get()?.invitations ?? {}),
  );
  const dismissed = computed(() => Object.entries(me.state.get()?.dismissed ?? {}).filter(([, one]) => one.restorable));
  /** Why the person is no longer where they were, until they have looked into their inbox. */
  const ended = computed(() => {
    const isEnd = (/** @type {Notification} */ { kind, ref }) =>
      kind === "dismissed" || kind === "stayOver" || (kind === "removed" && ref === hearth.me);
    const [newest] = Object.values(me.state.get()?.inbox ?? {})
      .filter((one) => !one.readAt && isEnd(one)).sort((a, b) => (a.at < b.at ? 1 : -1));
    return newest && `${inboxWords(newest, hearth.me)}.`;
  });
  const isMore = Boolean(household(hearth).peek());
  const { code, name } = invitation();
  const byLink = name ? t("start.byLinkTo", { name }) : t("start.byLink");

  /** @param {string} id */
  const enter = (id) => {
    choose(id);
    go("/", { replace: true });
  };
  // A person with a code has come to join.
  const isWhole = signal(!code);
  const join = joining();
  const whole = () => [
    () => dismissed.get().length ? section({ title: t("start.dismissed") }, restoring()) : null,
    () => invitations.get().length ? invited() : null,
    section({ title: t("start.join"), class: "card" }, join),
    creating(),
  ];
  const showAll = () => {
    isWhole.set(true);
    heading()?.focus();
  };
  const title = isMore ? t("start.another") : t("start.title");
  return screen(
    {
      title: () => isWhole.get() ? title : t("start.invitations"),
      lead: () => !isWhole.get() ? byLink : isMore ? null : ended.get() ?? t("start.lead"),
      ...(isMore ? { back: "/" } : {}),
    },
    () =>
      isWhole.get() ? whole() : [
        join,
        h("button", { type: "button", class: "plain wide", onclick: showAll }, t("start.instead")),
      ],
  );

  function invited() {
    return section(
      { title: t("start.invitations") },
      h(
        "ul",
        { class: "rows framed inbox" },
        each(() => invitations.get(), ([id]) => id, (item, id) =>
          h(
            "li",
            null,
            h(
              "div",
              { class: "row" },
              avatar(item()[1].by, () => item()[1].byName),
              h(
                "span",
                { class: "row-words" },
                h("span", { class: "row-title" }, () => item()[1].name),
                h("span", { class: "row-text" }, () =>
                  item()[1].guest
                    ? t("start.guest", { actor: item()[1].byName })
                    : t("start.by", { actor: item()[1].byName, day: day(item()[1].expiresAt) })),
              ),
            ),
            h(
              "div",
              { class: "row-buttons" },
              act(t("start.accept"), "primary", async () => {
                const answer = await hearth.ask("invitations.accept", { id }, { room: "me" });
                enter(answer.household);
              }),
              act(t("start.decline"), "", async () => {
                const action = t("start.decline");
                const text = t("start.declineText", { name: item()[1].byName });
                if (!await confirmSheet({ title: action, text, action })) {
                  return;
                }
                hearth.change("invitations.decline", { id }, {
                  room: "me",
                  optimistic: () => ({ invitations: { [id]: null } }),
                  about: t("start.decline"),
                });
                say(t("inbox.declinedSaid"));
              }),
            ),
          )),
      ),
    );
  }

  function joining() {
    const input = field({
      label: t("start.code"),
      name: "code",
      value: code,
      hint: t("start.codeHint"),
      autocomplete: "off",
      spellcheck: false,
      required: true,
    });
    return form({
      fields: [input],
      action: t("start.joinAction"),
      submit: async () => {
        // A whole link may be pasted, too.
        const [typed = ""] = input.value().trim().replace(/^.*#/, "").split("/");
        const before = me.state.peek()?.households ?? {};
        try {
          const answer = await hearth.ask("households.join", { code: typed }, { room: "me" });
          if (answer.household in before) say(t("start.already"));
          enter(answer.household);
        } catch (error) {
          if (["gone", "room", "notFound"].includes(/** @type {Partial<HearthError>} */ (error).reason ?? "")) {
            input.problem.set(t("wrong.code"));
          } else throw error;
        }
      },
    });
  }

  function creating() {
    const name = field({
      label: t("start.name"),
      name: "name",
      hint: t("start.nameHint"),
      required: true,
      maxlength: 64,
    });
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const zone = zoneField(here);
    const currency = currencyField(likelyCurrency(here, new Intl.Locale(navigator.language).maximize().region ?? ""));
    const chosen = signal({});
    for (const { input } of [zone, currency]) input.addEventListener("input", () => chosen.set({}));
    const more = () => {
      chosen.get();
      const place = zone.value().replace(/.*\//, "").replaceAll("_", " ");
      return t("start.more", { currency: currencyNames().of(currency.value()), place });
    };
    return section(
      { title: t("start.create"), class: "card" },
      form(
        {
          fields: [name],
          action: t("start.createAction"),
          submit: async () => {
            const answer = await hearth.ask("households.create", {
              id: hearth.newId(),
              name: name.value(),
              timeZone: zone.value(),
              currency: /** @type {Currency} */ (currency.value()),
            }, { room: "me" });
            enter(answer.household);
          },
        },
        h(
          "details",
          null,
          h("summary", null, more),
          h("div", { class: "form" }, zone.element, currency.element),
        ),
      ),
    );
  }

  function restoring() {
    return h(
      "ul",
      { class: "rows" },
      each(() => dismissed.get(), ([id]) => id, (item, id) =>
        h(
          "li",
          null,
          h(
            "div",
            { class: "row" },
            h("span", { class: "sign" }, icon("home")),
            h(
              "span",
              { class: "row-words" },
              h("span", { class: "row-title" }, () => item()[1].name),
              h("span", { class: "row-text" }, () => t("start.until", { day: day(item()[1].until) })),
            ),
            act(t("start.restore"), "", async () => {
              await hearth.ask("households.restore", { household: id }, { room: "me" });
              say(t("start.joined", { name: item()[1].name }));
              enter(id);
            }),
          ),
        )),
    );
  }
}

/** @param {string} value */
export function zoneField(value) {
  const zones = new Set([value, ...Intl.supportedValuesOf("timeZone")]);
  return field({
    label: t("settings.zone"),
    name: "timeZone",
    value,
    options: [...zones].map((zone) => [zone, zone.replaceAll("_", " ")]),
  });
}

/** Codes that browsers know, and that no country uses any longer, or that are metals and the like. */
const UNUSED = /^(?:ANG|BGN|CUC|HRK|SLL|ZWL|X(?!AF|CD|CG|OF|PF).*)$/;
const currencyNames = () => new Intl.DisplayNames(locale(), { type: "currency" });

/** @param {string} value */
export function currencyField(value, label = t("settings.currency")) {
  const names = currencyNames();
  const all = new Set([value, ...Intl.supportedValuesOf("currency").filter((code) => !UNUSED.test(code))]);
  return field({
    label,
    name: "currency",
    value,
    options: [...all].map((code) => /** @type {[string, string]} */ ([code, `${names.of(code) ?? code} (${code})`]))
      .sort(([, one], [, other]) => one.localeCompare(other, locale())),
  });
}
