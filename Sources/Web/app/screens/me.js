// One's own account: the way to everything about the person and this device.

import { avatar } from "../parts/avatar.js";
import { household, mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { go } from "../parts/router.js";
import { confirmSheet } from "../parts/sheet.js";
import { h, observe } from "../parts/signal.js";
import { inWords, row, screen } from "../parts/screen.js";
import { settingsRows } from "../parts/settings.js";
import { say } from "../parts/snackbar.js";
import { words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await words("me");

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const householdId = household(hearth);
  const name = () => me.state.get()?.profile?.name ?? "";
  const account = () => me.state.get()?.account ?? {};
  const unfinished = observe(hearth, () => hearth.waiting.length + hearth.refused.length);

  const logOut = async () => {
    const n = hearth.waiting.length;
    const isSharing = Object.values(me.state.peek()?.shares ?? {}).some(({ role }) => role === "sharer");
    const text = [
      isSharing && t("me.logOutSharing"),
      n ? t("me.logOutWaiting", { n }) : !isSharing && t("me.logOutText"),
    ].filter(Boolean).join(" ");
    if (!await confirmSheet({ title: t("me.logOutTitle"), text, action: t("me.logOut") })) return;
    try {
      await hearth.logOut();
      go("/", { replace: true });
    } catch (error) {
      say(inWords(error));
    }
  };

  return screen(
    { title: t("me"), back: "/" },
    h(
      "div",
      { class: "person-head" },
      avatar(hearth.me ?? "", name, { size: "large" }),
      h("p", { class: "person-name", dir: "auto" }, name),
      h("p", { class: "hint" }, () => account().email ?? account().pending ?? ""),
    ),
    () =>
      account().pending
        ? h(
          "ul",
          { class: "rows framed warm" },
          row({
            before: icon("mail"),
            title: t("me.verify"),
            text: t("me.verifyText", { email: account().pending }),
            after: icon("next"),
            href: "/me/security",
          }),
        )
        : null,
    h(
      "ul",
      { class: "rows framed" },
      settingsRows({
        security: t("me.securityText"),
        changes: () => unfinished.get() ? t("me.changesCount", { n: unfinished.get() }) : t("me.allSent"),
      }),
    ),
    h(
      "ul",
      { class: "rows framed" },
      () =>
        householdId.get()
          ? row({ before: icon("suitcase"), title: t("me.away"), after: icon("next"), href: "/household/away" })
          : null,
      row({ before: icon("leave"), title: t("me.logOut"), onclick: logOut }),
      row({ before: icon("bin"), title: t("me.delete"), href: "/me/delete", class: "dangerous" }),
    ),
  );
}
