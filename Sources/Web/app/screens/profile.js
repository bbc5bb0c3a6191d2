// The person's name, birthday, and how they are paid.

import { confirmed } from "../parts/confirm.js";
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

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const profile = me.state.peek()?.profile;
  if (!profile) return settingsScreen({ title: t("profile.title") }, skeleton());
  const name = field({
    label: t("profile.name"),
    name: "name",
    value: profile.name,
    autocomplete: "name",
    required: true,
    maxlength: 64,
  });
  const birthday = field({
    label: t("profile.birthday"),
    name: "birthday",
    type: "date",
    value: profile.birthday ?? "",
    autocomplete: "bday",
    hint: t("profile.birthdayHint"),
  });

  return settingsScreen(
    { title: t("profile.title") },
    form({
      fields: [name, birthday],
      action: t("save"),
      submit: () => {
        const now = /** @type {Partial<Profile>} */ (me.state.peek()?.profile ?? {});
        /** @type {Params<"profile.update">} */ const params = {};
        if (name.value().trim() !== now.name) params["name"] = name.value().trim();
        if (birthday.value() !== (now.birthday ?? "")) params["birthday"] = birthday.value() || null;
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
    const handles = profile?.handles ?? {};
    const hasPin = () => me.state.get()?.account?.pin;
    const fields = KINDS.map((kind) =>
      field({
        label: t(`profile.${kind}`),
        name: `handles.${kind}`,
        value: handles[kind] ?? "",
        autocomplete: "off",
        spellcheck: false,
        ...(kind === "applePay" ? { type: "tel", hint: t("profile.phoneHint") } : {}),
      })
    );
    const preferred = field({
      label: t("profile.preferred"),
      name: "preferred",
      value: profile?.preferred ?? "",
      options: [
        ["", t("profile.none")],
        ...KINDS.map((kind) => /** @type {[string, string]} */ ([kind, t(`profile.${kind}`)])),
      ],
    });
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
            const before = /** @type {Partial<Profile>} */ (me.state.peek()?.profile ?? {});
            /** @type {Record<string, string | null>} */ const changed = {};
            KINDS.forEach((kind, at) => {
              const value = fields[at]?.value().trim() || null;
              if (value !== (before.handles?.[kind] ?? null)) changed[kind] = value;
            });
            /** @type {Params<"profile.update">} */ const params = {};
            if (Object.keys(changed).length) params["handles"] = changed;
            if ((preferred.value() || null) !== (before.preferred ?? null)) {
              params["preferred"] = /** @type {typeof KINDS[number]} */ (preferred.value()) || null;
            }
            if (!Object.keys(params).length) return say(t("profile.saved"));
            const isDone = await confirmed(hearth, () => hearth.ask("profile.update", params, { room: "me" }), {
              onlyPin: true,
            });
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
