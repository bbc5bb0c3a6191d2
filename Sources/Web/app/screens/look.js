// Look and language: colours and language of this device; the board's colour and being seen, for the person.

import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { areKeysOn, setKeys } from "../parts/keys.js";
import { chosenLanguage, scheme, setLanguage, setScheme } from "../parts/look.js";
import { NOTE_COLOURS } from "../parts/note_colours.js";
import { h, signal } from "../parts/signal.js";
import { field, section, segments, toggle } from "../parts/screen.js";
import { settingsScreen } from "../parts/settings.js";
import { LANGUAGES, needWords, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Params } from "../hearth/types/methods.d.ts" */

const t = await words("me");
await needWords("home");

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const settings = () => me.state.get()?.settings ?? {};
  const chosen = signal(scheme());
  /** @param {Params<"settings.edit">} params */
  const edit = (params) =>
    hearth.change("settings.edit", params, {
      room: "me",
      optimistic: () => ({ settings: params }),
      about: t("look.about"),
    });
  const tongue = field({
    label: t("look.language"),
    name: "language",
    value: chosenLanguage(),
    options: [["system", t("look.system")], ...Object.entries(LANGUAGES)],
  });
  tongue.input.addEventListener("change", () => void setLanguage(/** @type {any} */ (tongue.value())));

  return settingsScreen(
    { title: t("look.title") },
    section(
      { title: t("look.scheme") },
      segments({
        label: t("look.scheme"),
        choices: [["system", t("look.system")], ["light", t("look.light")], ["dark", t("look.dark")]],
        value: () => chosen.get(),
        change: (next) => {
          chosen.set(next);
          setScheme(next);
        },
      }),
    ),
    h("div", { class: "section" }, tongue.element),
    section(
      { title: t("look.board") },
      h(
        "fieldset",
        { class: "colours" },
        h("legend", { class: "unseen" }, t("look.board")),
        [null, ...NOTE_COLOURS].map((colour) =>
          h(
            "label",
            { class: `note ${colour ?? "none"}`, title: colour ? t(`note.colour.${colour}`) : t("look.plain") },
            h("input", {
              type: "radio",
              name: "board",
              "aria-label": colour ? t(`note.colour.${colour}`) : t("look.plain"),
              checked: () => (settings().boardColour ?? null) === colour,
              onchange: () => edit({ boardColour: colour }),
            }),
            icon("check"),
          )
        ),
      ),
      h("p", { class: "hint" }, t("look.boardText")),
    ),
    h(
      "div",
      { class: "rows framed" },
      toggle({
        label: t("look.presence"),
        text: t("look.presenceText"),
        isOn: () => settings().presence !== "hidden",
        change: (on) => edit({ presence: on ? "shown" : "hidden" }),
      }),
      toggle({ label: t("look.keys"), text: t("look.keysText"), isOn: areKeysOn, change: setKeys }),
    ),
  );
}
