// Changes that wait, and refused ones with their reasons; and the storage and the version of the page on this device.

import { bin } from "../parts/bin.js";
import { household } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { askButton } from "../parts/pull.js";
import { computed, each, h, observe, signal } from "../parts/signal.js";
import { empty, inWords, list, row, section } from "../parts/screen.js";
import { settingsScreen } from "../parts/settings.js";
import { say } from "../parts/snackbar.js";
import { LOADED } from "../parts/update.js";
import { ago } from "../parts/when.js";
import { locale, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Waiting } from "../hearth/types/library.d.ts" */

const t = await words("me");
/** @param {string} text */
const upper = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);
/** @param {Waiting} change */
const title = ({ about }) => upper(about || t("changes.something"));

/** @param {Hearth} hearth */
export function render(hearth) {
  const waiting = observe(hearth, () => hearth.waiting);
  const refused = observe(hearth, () => hearth.refused);
  const home = household(hearth);
  const hasBin = computed(() => bin.get().length > 0 && home.get());
  const space = signal(/** @type {{ used: string, isKept: boolean } | null} */ (null));
  measure().then((found) => space.set(found));

  /** @param {Waiting} change */
  async function discard(change) {
    if (await hearth.discard(change.id)) say(t("changes.discarded", { what: title(change) }));
  }
  const isAllDone = computed(() => !waiting.get().length && !refused.get().length);
  const ask = () => askButton(hearth, t("changes.ask"));
  return settingsScreen(
    { title: t("changes.title") },
    () => isAllDone.get() ? empty({ icon: "done", text: t("changes.allDone"), action: ask() }) : null,
    () =>
      refused.get().length
        ? section(
          { title: t("changes.refused") },
          h(
            "ul",
            { class: "rows inbox" },
            each(() => refused.get(), (one) => one.id, (item, id) =>
              h(
                "li",
                null,
                h(
                  "div",
                  { class: "row" },
                  h("span", { class: "sign bad" }, icon("alert")),
                  h(
                    "span",
                    { class: "row-words" },
                    h("span", { class: "row-title" }, () => title(item())),
                    h("span", { class: "row-text" }, () => inWords(item().error)),
                  ),
                ),
                h(
                  "div",
                  { class: "row-buttons" },
                  h("button", { type: "button", onclick: () => hearth.retry(id) }, t("changes.retry")),
                  h("button", {
                    type: "button",
                    class: "quiet",
                    onclick: () => hearth.discard(id),
                  }, t("discard")),
                ),
              )),
          ),
        )
        : null,
    () =>
      waiting.get().length
        ? section(
          { title: t("changes.waiting") },
          h("p", { class: "hint" }, t("changes.waitingText", { n: waiting.get().length })),
          h(
            "ul",
            { class: "rows" },
            each(() => waiting.get(), (one) => one.id, (item) =>
              h(
                "li",
                null,
                h(
                  "div",
                  { class: "row" },
                  h("span", { class: "sign" }, icon("waiting")),
                  h(
                    "span",
                    { class: "row-words" },
                    h("span", { class: "row-title" }, () => title(item())),
                    h("span", { class: "row-text" }, () => t("changes.since", { when: ago(item().since) })),
                  ),
                  () =>
                    item().canDiscard
                      ? h("button", {
                        type: "button",
                        class: "quiet",
                        onclick: () => discard(item()),
                      }, t("discard"))
                      : null,
                ),
              )),
          ),
        )
        : null,
    () => isAllDone.get() ? null : ask(),
    () => hasBin.get() ? list(row({ title: t("changes.bin"), after: icon("next"), href: "/activity" })) : null,
    section(
      { title: t("changes.device") },
      h("p", null, t("changes.version", { version: LOADED })),
      () => {
        const found = space.get();
        return found && [
          h("p", null, t("changes.used", { used: found.used })),
          h("p", { class: "hint" }, t(found.isKept ? "changes.persistent" : "changes.notPersistent")),
        ];
      },
    ),
  );
}

/** The storage that the browser reports; some browsers report none. */
async function measure() {
  const storage = navigator.storage;
  if (!storage?.estimate) return null;
  const [{ usage = 0 }, isKept] = await Promise.all([storage.estimate(), storage.persisted?.() ?? false]);
  const used = new Intl.NumberFormat(locale(), { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(
    usage / 1e6,
  );
  return { used, isKept };
}
