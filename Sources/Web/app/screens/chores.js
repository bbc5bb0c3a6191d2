// Chores: what is mine to do, what all do, and what nobody has taken yet.

import { choreList, choreRow } from "../parts/chores.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { refusals } from "../parts/refusals.js";
import { newest } from "../parts/rota.js";
import { address, go } from "../parts/router.js";
import { empty, screen, segments, skeleton } from "../parts/screen.js";
import { computed, each, h } from "../parts/signal.js";
import { choreForm } from "./chore_form.js";
import { laterSheet } from "./chore_later.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Item } from "../parts/chores.js" */
/** @typedef {"mine" | "all" | "free"} Segment */

const t = await wordsOf("chores");
/** @type {Segment[]} */
const SEGMENTS = ["mine", "all", "free"];

/** @param {Hearth} hearth */
export function render(hearth) {
  const list = choreList(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const segment = computed(() => {
    const wanted = /** @type {Segment} */ (address.get().query.get("show"));
    return SEGMENTS.includes(wanted) ? wanted : "mine";
  });
  const is = /** @type {Record<Segment, (item: Item) => boolean>} */ ({
    // Completions of others wait for my approval, too.
    mine: (item) => list.isMine(item) || Boolean(item.one.completion),
    all: () => true,
    free: ({ one }) => !one.people.length && !one.completion,
  });
  const of = (/** @type {Segment} */ one) => list.items.get().filter(is[one]);
  const shown = computed(() => of(segment.get()));
  const hasRota = computed(() => Boolean(newest(list.state())?.[1].tasks.length));
  const count = (/** @type {Segment} */ one) => h("span", { class: "count" }, () => of(one).length || "");

  return screen(
    {
      title: t("title"),
      class: "chores",
      lead: h("span", { role: "status" }, () => {
        if (!list.state()) return "";
        const n = list.today.get().length;
        return n ? t("mineToday", { n }) : t("noneToday");
      }),
      actions: [
        () =>
          hasRota.get()
            ? h("a", { class: "button quiet round", "aria-label": t("rota"), href: "/rota" }, icon("rota"))
            : null,
        h(
          "a",
          { class: "button quiet", href: "/chores/statistics" },
          icon("activity"),
          t("statistics"),
        ),
      ],
    },
    segments({
      label: t("segments"),
      choices: SEGMENTS.map((one) => [one, [t(one), " ", count(one)]]),
      value: () => segment.get(),
      change: (one) => go(one === "mine" ? "/chores" : `/chores?show=${one}`, { replace: true }),
    }),
    refusals(hearth, list.refused),
    () => list.state() ? null : skeleton(6),
    h(
      "ul",
      { class: "rows chore-list", "aria-label": t("title") },
      each(
        () => shown.get(),
        ({ id }) => id,
        (item) => choreRow(list, item, { later: (one) => laterSheet(list, one) }),
      ),
    ),
    () => {
      if (!list.state() || shown.get().length) return null;
      const words = { mine: "emptyMine", all: "emptyAll", free: "emptyFree" };
      return empty({ icon: "chores", text: t(list.items.get().length ? words[segment.get()] : "emptyAll") });
    },
    h(
      "button",
      { type: "button", class: "primary fab", onclick: () => choreForm(hearth, list) },
      icon("plus"),
      t("new"),
    ),
  );
}
