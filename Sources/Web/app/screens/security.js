// Email address, password, PIN, and the devices that are logged in.

import { confirmed, setPin } from "../parts/confirm.js";
import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { confirmSheet, openSheet } from "../parts/sheet.js";
import { computed, each, h, when } from "../parts/signal.js";
import { field, form, inWords, row, section, skeleton } from "../parts/screen.js";
import { settingsScreen } from "../parts/settings.js";
import { say } from "../parts/snackbar.js";
import { ago, day } from "../parts/when.js";
import { words } from "../parts/words.js";
import { act } from "./inbox.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await words("me");

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const account = () => me.state.get()?.account ?? {};
  const devices = computed(() =>
    Object.entries(me.state.get()?.devices ?? {}).sort(([a, one], [b, other]) =>
      a === hearth.session ? -1 : b === hearth.session ? 1 : one.lastUsedAt < other.lastUsedAt ? 1 : -1
    )
  );
  const email = () => account().email ?? account().pending ?? "";
  const oldPassword = () =>
    field({
      label: t("security.oldPassword"),
      name: "password",
      type: "password",
      autocomplete: "current-password",
      required: true,
    });

  return settingsScreen(
    { title: t("security.title") },
    () => me.state.get() ? null : skeleton(),
    when(() => account().pending, verification),
    h(
      "ul",
      { class: "rows framed" },
      row({
        before: icon("mail"),
        title: t("security.email"),
        text: email,
        after: icon("next"),
        onclick: changeEmail,
      }),
      row({ before: icon("key"), title: t("security.changePassword"), after: icon("next"), onclick: changePassword }),
      row({
        before: icon("lock"),
        title: t("security.pin"),
        text: () => account().pin ? t("security.pinSet") : t("security.noPin"),
        after: icon("next"),
        onclick: () => account().pin ? changePin() : setPin(hearth),
      }),
    ),
    section(
      {
        title: t("security.devices"),
        actions: () =>
          devices.get().length > 1
            ? h("button", { type: "button", class: "plain", onclick: revokeOthers }, t("security.revokeOthers"))
            : null,
      },
      h(
        "ul",
        { class: "rows" },
        each(() => devices.get(), ([id]) => id, (item, id) =>
          row({
            before: h("span", { class: "sign" }, icon("phone")),
            title: () => item()[1].name || t("security.unnamed"),
            text: () =>
              id === hearth.session
                ? t("security.thisDevice")
                : t("security.lastUsed", { when: ago(item()[1].lastUsedAt) }),
            after: icon("next"),
            onclick: () => openDevice(id),
          })),
      ),
    ),
  );

  function verification() {
    const code = field({
      label: t("security.code"),
      name: "code",
      inputmode: "numeric",
      autocomplete: "one-time-code",
      required: true,
    });
    return section(
      { title: () => t("security.pending", { email: account().pending }), class: "card" },
      form(
        {
          fields: [code],
          action: t("security.confirmEmail"),
          submit: async () => {
            await hearth.ask("auth.verify", { code: code.value().replace(/[\s-]/g, "") });
            say(t("security.confirmed"));
          },
        },
        act(t("security.sendAgain"), "plain", async () => {
          await hearth.ask("auth.sendCode", {});
          say(t("security.sentAgain"));
        }),
      ),
    );
  }

  function changeEmail() {
    openSheet({ title: t("security.email") }, (close) => {
      const email = field({
        label: t("security.newEmail"),
        name: "email",
        type: "email",
        autocomplete: "email",
        required: true,
        autofocus: true,
      });
      const password = oldPassword();
      return form({
        fields: [email, password],
        action: t("save"),
        submit: async () => {
          await hearth.ask("auth.changeAddress", { email: email.value(), password: password.value() });
          await close();
          say(account().pending ? t("security.emailSent", { email: email.value() }) : t("security.emailSaved"));
        },
      });
    });
  }

  function changePassword() {
    openSheet({ title: t("security.changePassword") }, (close) => {
      const password = oldPassword();
      const next = field({
        label: t("security.newPassword"),
        name: "newPassword",
        type: "password",
        autocomplete: "new-password",
        hint: t("security.newPasswordHint"),
        required: true,
      });
      return form(
        {
          fields: [password, next],
          action: t("save"),
          submit: async () => {
            await hearth.ask("auth.changePassword", { password: password.value(), newPassword: next.value() });
            await close();
            say(t("security.passwordSaved"));
          },
        },
        // A password manager reads there whose new password it is.
        h(
          "span",
          { class: "unseen", "aria-hidden": "true" },
          h("input", { autocomplete: "username", value: email(), readOnly: true, tabindex: -1 }),
        ),
      );
    });
  }

  function changePin() {
    openSheet({ title: t("security.pin") }, (close) => {
      const now = field({
        label: t("security.pinNow"),
        name: "pin",
        type: "password",
        inputmode: "numeric",
        autocomplete: "off",
        required: true,
      });
      return [
        h("button", { type: "button", onclick: () => close().then(() => setPin(hearth)) }, t("security.changePin")),
        form({
          fields: [now],
          action: t("security.removePin"),
          submit: async () => {
            await hearth.ask("auth.removePin", { pin: now.value() });
            await close();
            say(t("security.pinRemoved"));
          },
        }),
      ];
    });
  }

  /** @param {string} id */
  function openDevice(id) {
    const device = () => me.state.get()?.devices?.[id];
    openSheet({ title: device()?.name || t("security.unnamed") }, (close) => {
      const name = field({
        label: t("security.rename"),
        name: "name",
        value: device()?.name ?? "",
        maxlength: 64,
        required: true,
      });
      return [
        h("p", { class: "hint" }, () => device() && t("security.since", { day: day(device()?.createdAt ?? 0) })),
        form({
          fields: [name],
          action: t("save"),
          submit: async () => {
            await hearth.ask("devices.rename", { id, name: name.value() });
            await close();
            say(t("security.renamed"));
          },
        }),
        id === hearth.session ? null : act(t("security.revoke"), "danger", async () => {
          await hearth.ask("devices.revoke", { id });
          await close();
          say(t("security.revoked"));
        }),
      ];
    });
  }

  async function revokeOthers() {
    const options = {
      title: t("security.revokeOthersTitle"),
      text: t("security.revokeOthersText"),
      action: t("security.revokeOthers"),
    };
    if (!await confirmSheet(options)) return;
    try {
      await confirmed(hearth, options.title, () => hearth.ask("devices.revoke", { others: true }));
      say(t("security.revoked"));
    } catch (error) {
      say(inWords(error));
    }
  }
}
