// The person's name, birthday, and how they are paid.

import { confirmed, PIN } from "../parts/confirm.js";
import { follow } from "../parts/follow.js";
import { mine } from "../parts/household.js";
import { go } from "../parts/router.js";
import { h, when } from "../parts/signal.js";
import { field, form, section, skeleton, toggle } from "../parts/screen.js";
import { settingsScreen } from "../parts/settings.js";
import { say } from "../parts/snackbar.js";
import { words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { Profile } from "../parts/records.d.ts" */

const t = await words("me");
const KINDS = /** @type {const} */ (["paypal", "venmo", "applePay", "other"]);

/** A telephone number as the server wants it, however it is written. @param {string} kind @param {string} value */
const handle = (kind, value) =>
  kind === "applePay" ? value.replace(/[\s()./-]/g, "").replace(/^00/, "+") : value.trim();

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  if (!me.state.peek()?.profile) return settingsScreen({ title: t("profile.title") }, skeleton());
  const now = () => /** @type {Partial<Profile>} */ (me.state.get()?.profile ?? {});
  const name = follow(
    field({
      label: t("profile.name"),
      name: "name",
      autocomplete: "name",
      required: true,
      maxlength: 64,
    }),
    () => now().name,
  );
  const birthday = follow(
    field({
      label: t("profile.birthday"),
      name: "birthday",
      type: "date",
      autocomplete: "bday",
      hint: t("profile.birthdayHint"),
    }),
    () => now().birthday,
  );

  return settingsScreen(
    { title: t("profile.title") },
    form({
      fields: [name, birthday],
      action: t("save"),
      submit: () => {
        /** @type {Params<"profile.update">} */ const params = {};
        if (name.isChanged()) params["name"] = name.value().trim();
        if (birthday.isChanged()) params["birthday"] = birthday.value() || null;
        if (!Object.keys(params).length) return say(t("profile.saved"));
        hearth.change("profile.update", params, {
          room: "me",
          optimistic: () => ({ profile: params }),
          about: t("profile.about"),
        });
        say(t("profile.saved"));
      },
    }),
    payment(),
  );

  function payment() {
    const hasPin = () => me.state.get()?.account?.pin;
    const fields = KINDS.map((kind) =>
      follow(
        field({
          label: t(`profile.${kind}`),
          name: `handles.${kind}`,
          autocomplete: "off",
          spellcheck: false,
          ...(kind === "applePay" ? { type: "tel", hint: t("profile.phoneHint") } : {}),
        }),
        () => now().handles?.[kind],
      )
    );
    const preferred = follow(
      field({
        label: t("profile.preferred"),
        name: "preferred",
        options: [
          ["", t("profile.none")],
          ...KINDS.map((kind) => /** @type {[string, string]} */ ([kind, t(`profile.${kind}`)])),
        ],
      }),
      () => now().preferred,
    );
    return section(
      { title: t("profile.paid") },
      h("p", { class: "hint" }, t("profile.paidText")),
      h(
        "div",
        { class: "rows framed spaced" },
        toggle({
          label: t("profile.shares"),
          isOn: () => me.state.get()?.profile?.sharesHandles === true,
          change: (on) => {
            hearth.change("profile.update", { sharesHandles: on }, {
              room: "me",
              optimistic: () => ({ profile: { sharesHandles: on || null } }),
              about: t("profile.about"),
            });
          },
        }),
      ),
      when(hasPin, () =>
        form({
          fields: [...fields, preferred],
          action: t("profile.paidAction"),
          submit: async () => {
            /** @type {Record<string, string | null>} */ const changed = {};
            KINDS.forEach((kind, at) => {
              if (fields[at]?.isChanged()) changed[kind] = handle(kind, fields[at].value()) || null;
            });
            /** @type {Params<"profile.update">} */ const params = {};
            if (Object.keys(changed).length) params["handles"] = changed;
            if (preferred.isChanged()) {
              params["preferred"] = /** @type {typeof KINDS[number]} */ (preferred.value()) || null;
            }
            if (!Object.keys(params).length) return say(t("profile.saved"));
            const save = () => hearth.ask("profile.update", params, { room: "me" });
            const isDone = await confirmed(hearth, t("profile.paidAction"), save, PIN);
            if (isDone) say(t("profile.saved"));
          },
        })),
      when(
        () => !hasPin(),
        () => h("button", { type: "button", onclick: () => go("/me/security") }, t("profile.needsPin")),
      ),
    );
  }
}
