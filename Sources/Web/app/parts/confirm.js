// Asks for PIN or password where the server wants to be sure that it is the person.

import { mine } from "./household.js";
import { icon } from "./icons.js";
import { field, form } from "./screen.js";
import { openSheet } from "./sheet.js";
import { h } from "./signal.js";
import { say } from "./snackbar.js";
import { words } from "./words.js";

/** @import { Hearth, HearthError } from "../hearth/hearth.js" */

const t = await words("people");

/**
 * Does `work`; if the server asks who it is, asks the person and does it again. Answers false if they would not say.
 * @param {Hearth} hearth @param {string} what is done then, in one line @param {() => Promise<unknown>} work
 * @param {{ onlyPin?: boolean }} [options]
 * @returns {Promise<boolean>}
 */
export async function confirmed(hearth, what, work, options = {}) {
  try {
    await work();
    return true;
  } catch (error) {
    if (/** @type {Partial<HearthError> | null} */ (error)?.reason !== "confirm") throw error;
  }
  if (!await whoIsIt(hearth, what, options.onlyPin ?? false)) return false;
  await work();
  return true;
}

/** @param {Hearth} hearth @param {string} text @param {boolean} onlyPin @returns {Promise<boolean>} */
function whoIsIt(hearth, text, onlyPin) {
  const account = mine(hearth).state.peek()?.account ?? {};
  if (onlyPin && !account.pin) return setPin(hearth, t("confirm.chooseFirst"));
  const byPin = onlyPin || account.pin;
  return new Promise((resolve) => {
    let isSure = false;
    openSheet({ title: t("confirm.title"), text, onClose: () => resolve(isSure) }, (close) => {
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

/**
 * Lets the person choose a PIN, which also says for this session that it is they. Answers whether they have.
 * @param {Hearth} hearth @param {string} [why] @returns {Promise<boolean>}
 */
export function setPin(hearth, why = t("confirm.pinText")) {
  return new Promise((resolve) => {
    let isSet = false;
    openSheet({ title: t("confirm.setPin"), onClose: () => resolve(isSet) }, (close) => {
      const pin = field({
        label: t("confirm.newPin"),
        name: "pin",
        type: "password",
        inputmode: "numeric",
        autocomplete: "off",
        hint: t("confirm.pinHint"),
        required: true,
        autofocus: true,
      });
      const password = field({
        label: t("confirm.password"),
        name: "password",
        type: "password",
        autocomplete: "current-password",
        required: true,
      });
      return [
        h("p", null, why),
        form({
          fields: [pin, password],
          action: t("confirm.setPin"),
          check: () => {
            if (pin.value() && !/^[0-9]{4,8}$/.test(pin.value())) pin.problem.set(t("wrong.pin"));
          },
          submit: async () => {
            await hearth.ask("auth.setPin", { pin: pin.value(), password: password.value() });
            await hearth.ask("auth.confirm", { pin: pin.value() });
            isSet = true;
            await close();
            say(t("confirm.pinSaved"));
          },
        }),
      ];
    });
  });
}

/** Of actions that only the PIN confirms. */
export const PIN = { onlyPin: true };

/** Offers a PIN to a person who has none. @param {Hearth} hearth */
export const pinNotice = (hearth) => () =>
  mine(hearth).state.get()?.account?.pin ? null : h(
    "p",
    { class: "notice" },
    icon("key"),
    t("confirm.needsPin"),
    h("button", { type: "button", class: "plain", onclick: () => setPin(hearth) }, t("confirm.setPin")),
  );
