// People outside one's households with whom one shares the way; and those who are blocked.

import { avatar } from "../parts/avatar.js";
import { styleOf } from "../parts/family.js";
import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { emailWords, mateNames } from "../parts/names.js";
import { confirmSheet, openSheet } from "../parts/sheet.js";
import { computed, each, h } from "../parts/signal.js";
import { empty, field, form, inWords, row, screen, section, skeleton } from "../parts/screen.js";
import { say } from "../parts/snackbar.js";
import { day } from "../parts/when.js";
import { words } from "../parts/words.js";
import { act } from "./inbox.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { MeState } from "../hearth/types/documents.d.ts" */

const [t] = await Promise.all([words("people"), styleOf("people")]);

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  /**
   * @template {"contacts" | "contactInvitations" | "sentContactInvitations" | "blocked"} K
   * @param {K} table @returns {{ get(): [string, NonNullable<MeState[K]>[string]][] }}
   */
  const rows = (table) => computed(() => Object.entries(me.state.get()?.[table] ?? {}));
  const [contacts, received, sent, blocked] = [
    rows("contacts"),
    rows("contactInvitations"),
    rows("sentContactInvitations"),
    rows("blocked"),
  ];
  // Others are asked by their address.
  const mate = mateNames(hearth);
  const byName = () => [...contacts.get()].sort(([, a], [, b]) => a.name.localeCompare(b.name));
  const isEmpty = () => !contacts.get().length && !received.get().length && !sent.get().length;

  return screen(
    { title: t("contacts.title"), back: "/me", lead: () => isEmpty() ? null : t("contacts.lead") },
    () => me.state.get() ? null : skeleton(),
    () => me.state.get() && isEmpty() ? empty({ icon: "people", text: t("contacts.empty") }) : null,
    () =>
      received.get().length
        ? section(
          { title: t("contacts.received") },
          h(
            "ul",
            { class: "rows framed inbox" },
            each(() => received.get(), ([id]) => id, (item, id) =>
              h(
                "li",
                null,
                h(
                  "div",
                  { class: "row" },
                  avatar(item()[1].from, () => item()[1].name),
                  h(
                    "span",
                    { class: "row-words" },
                    h("span", { class: "row-title" }, () => item()[1].name),
                    h("span", { class: "row-text" }, t("contacts.wants")),
                  ),
                ),
                h(
                  "div",
                  { class: "row-buttons" },
                  act(t("start.accept"), "primary", () => hearth.ask("contacts.accept", { id }, { room: "me" })),
                  act(t("start.decline"), "", () => hearth.ask("contacts.decline", { id }, { room: "me" })),
                ),
              )),
          ),
        )
        : null,
    h(
      "ul",
      { class: "rows" },
      each(byName, ([id]) => id, (item, id) =>
        row({
          before: avatar(id, () => item()[1].name),
          title: () => item()[1].name,
          text: () => t("contacts.since", { day: day(item()[1].since) }),
          after: icon("next"),
          onclick: () => openContact(id, item()[1].name),
        })),
    ),
    () =>
      sent.get().length
        ? section(
          { title: t("contacts.waiting") },
          h(
            "ul",
            { class: "rows" },
            each(() => sent.get(), ([id]) => id, (item, id) =>
              row({
                before: h("span", { class: "sign" }, icon("mail")),
                class: "roomy",
                title: () => emailWords(item()[1].email ?? mate(item()[1].person)),
                text: () => t("house.openText", { day: day(item()[1].expiresAt) }),
                after: act(t("house.takeBack"), "plain", () => hearth.ask("contacts.revoke", { id }, { room: "me" })),
              })),
          ),
        )
        : null,
    () =>
      blocked.get().length
        ? section(
          { title: t("contacts.blocked") },
          h(
            "ul",
            { class: "rows" },
            each(() => blocked.get(), ([id]) => id, (item, id) =>
              row({
                before: avatar(id, () => item()[1].name ?? "?"),
                title: () => item()[1].name ?? t("somebody"),
                after: act(
                  t("contacts.unblock"),
                  "plain",
                  () => hearth.ask("contacts.unblock", { person: id }, { room: "me" }),
                ),
              })),
          ),
        )
        : null,
    h("button", { type: "button", class: "primary fab", onclick: add }, icon("addPerson"), t("contacts.add")),
  );

  function add() {
    openSheet({ title: t("contacts.add") }, (close) => {
      const email = field({
        label: t("contacts.email"),
        name: "email",
        type: "email",
        inputmode: "email",
        autocomplete: "off",
        required: true,
        autofocus: true,
      });
      return form({
        fields: [email],
        action: t("contacts.ask"),
        submit: async () => {
          await hearth.ask("contacts.invite", { id: hearth.newId(), email: email.value() }, { room: "me" });
          await close();
          say(t("contacts.asked"));
        },
      });
    });
  }

  /** @param {string} person @param {string} name */
  function openContact(person, name) {
    const work = (/** @type {"remove" | "block"} */ what) => async () => {
      await sheet.close();
      const question = {
        title: t(`contacts.${what}Title`, { name }),
        text: t(`contacts.${what}Text`),
        action: t(`contacts.${what}`),
      };
      if (!await confirmSheet(question)) return;
      try {
        await hearth.ask(what === "remove" ? "contacts.remove" : "contacts.block", { person }, { room: "me" });
      } catch (error) {
        say(inWords(error));
      }
    };
    const sheet = openSheet({ title: name }, () => [
      h("div", { class: "person-head" }, avatar(person, name, { size: "large" })),
      h(
        "div",
        { class: "buttons" },
        h("a", { class: "button primary", href: `/out/new?to=${person}` }, icon("walk"), t("contacts.share")),
        h("button", { type: "button", onclick: work("remove") }, t("contacts.remove")),
        h("button", { type: "button", class: "danger", onclick: work("block") }, icon("block"), t("contacts.block")),
      ),
    ]);
  }
}
