// Deleting the account: what it means first, then the question, then who it is.

import { confirmed } from "../parts/confirm.js";
import { back, go } from "../parts/router.js";
import { confirmSheet } from "../parts/sheet.js";
import { h } from "../parts/signal.js";
import { settingsScreen } from "../parts/settings.js";
import { say } from "../parts/snackbar.js";
import { words } from "../parts/words.js";
import { act } from "./inbox.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await words("me");

/** @param {Hearth} hearth */
export function render(hearth) {
  return settingsScreen(
    { title: t("delete.title"), lead: t("delete.lead") },
    h(
      "ul",
      { class: "points" },
      ["leave", "alone", "shares", "notes"].map((key) => h("li", null, t(`delete.${key}`))),
    ),
    h(
      "div",
      { class: "stack" },
      h("button", { type: "button", class: "primary", onclick: () => back("/me") }, t("delete.keep")),
      act(t("delete.action"), "danger", async () => {
        if (
          !await confirmSheet({
            title: t("delete.confirm"),
            text: t("delete.confirmText"),
            action: t("delete.action"),
            keep: t("delete.keep"),
          })
        ) return;
        if (await confirmed(hearth, t("delete.action"), () => hearth.ask("auth.deleteAccount", {}, { room: "me" }))) {
          say(t("delete.done"));
          go("/", { replace: true });
        }
      }),
    ),
  );
}
