// Asks for PIN or password where the server wants to be sure that it is the person.

import { mine } from "./household.js";
import { icon } from "./icons.js";
import { field, form } from "./screen.js";
import { openSheet } from "./sheet.js";
import { h } from "./signal.js";
import { words } from "./words.js";

/** @import { Hearth, HearthError } from "../hearth/hearth.js" */

const t = await words("people");

/**
 * Does `work`; if the server asks who it is, asks the person and does it again. Answers false if they would not say.
 * @param {Hearth} hearth @param {() => Promise<unknown>} work @param {{ onlyPin?: boolean }} [options]
 * @returns {Promise<boolean>}
 */
export async function confirmed(hearth, work, options = {}) {
  try {
    await work();
    return true;
  } catch (error) {
    if (/** @type {Partial<HearthError> | null} */ (error)?.reason !== "confirm") throw error;
  }
  if (!await whoIsIt(hearth, options.onlyPin ?? false)) return false;
  await work();
  return true;
}

/** @param {Hearth} hearth @param {boolean} onlyPin @returns {Promise<boolean>} */
function whoIsIt(hearth, onlyPin) {
  const account = mine(hearth).state.peek()?.account ?? {};
  const byPin = onlyPin || account.pin;
  return new Promise((resolve) => {
    let isSure = false;
    openSheet({ title: t("confirm.title"), onClose: () => resolve(isSure) }, (close) => {
      const secret = field({
        label: t(byPin ? "confirm.pin" : "confirm.password"),
        name: byPin ? "pin" : "password",
        type: "password",
        ...(byPin && { inputmode: "numeric" }),
        autocomplete: byPin ? "off" : "current-password",
        required: true,
        autofocus: true,
      });
      return form({
        fields: [secret],
        action: t("confirm.action"),
        submit: async () => {
          await hearth.ask("auth.confirm", { [secret.name]: secret.value() });
          isSure = true;
          await close();
        },
      });
    });
  });
}

/** Of actions that only the PIN confirms. */
export const PIN = { onlyPin: true };

/** Says where to get a PIN to a person who has none. @param {Hearth} hearth */
export const pinNotice = (hearth) => () =>
  mine(hearth).state.get()?.account?.pin ? null : h(
    "p",
    { class: "notice" },
    icon("key"),
    t("confirm.needsPin"),
    h("a", { href: "/me/security" }, t("confirm.setPin")),
  );
