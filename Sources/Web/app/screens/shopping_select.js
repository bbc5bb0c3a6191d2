// The bar in place of the line to add, while rows of the list are selected.

import { icon } from "../parts/icons.js";
import { list, row } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, h, onEnd } from "../parts/signal.js";
import { wordsOf } from "../parts/family.js";
import { canMove, move, take, toggle } from "./shopping_acts.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Row } from "../parts/groceries.js" */
/** @import { IconName } from "../parts/icons.js" */
/** @import { Selection } from "../parts/select.js" */
/** @import { Shopping } from "../parts/shopping.js" */

const t = await wordsOf("shopping");

/** How many rows are selected. @param {Selection<Row>} select */
export function selectedText(select) {
  const n = select.rows().length;
  return n ? t("selected", { n }) : t("noneSelected");
}

/**
 * The lists that some of the rows are not on, and can be put on. @param {Hearth} hearth @param {Shopping} shopping
 * @param {Row[]} rows
 */
function targets(hearth, shopping, rows) {
  const known = Object.entries(shopping.lists.get() ?? {}).filter(([, { name }]) => name);
  const all = [
    { id: /** @type {string | undefined} */ (undefined), name: t("mainList") },
    ...known.map(([id, { name }]) => ({ id, name })),
  ];
  const entries = rows.flatMap(({ entries }) => entries).filter(canMove(hearth));
  return all.filter(({ id }) => entries.some(({ line }) => line.list !== id));
}

/** @param {{ hearth: Hearth, shopping: Shopping, select: Selection<Row> }} actions */
export function selectBar({ hearth, shopping, select }) {
  const from = document.activeElement?.closest("li")?.querySelector("input");
  const areBought = computed(() => areAllBought(select.rows()));
  const canGo = computed(() => targets(hearth, shopping, select.rows()).length > 0);
  /** @param {(rows: Row[]) => void} act */
  const then = (act) => async () => {
    const rows = select.rows();
    await select.stop();
    act(rows);
  };
  /** @param {() => IconName} sign @param {() => string} word @param {() => void} onclick */
  const button = (sign, word, onclick) =>
    h(
      "button",
      { type: "button", class: "quiet", disabled: () => !select.rows().length, onclick },
      () => icon(sign()),
      h("span", null, word),
    );
  const moveTo = () =>
    openSheet({ title: t("moveTo") }, (close) =>
      list(
        targets(hearth, shopping, select.rows()).map((to) =>
          row({
            before: icon(to.id ? "store" : "list"),
            title: h("bdi", null, to.name),
            onclick: async () => {
              await close();
              then((rows) => move(hearth, shopping, rows, to))();
            },
          })
        ),
      ));
  const bar = h(
    "div",
    { class: "add-line", role: "group", "aria-label": t("select") },
    h(
      "div",
      { class: "select-bar" },
      h("button", {
        type: "button",
        class: "quiet round",
        "aria-label": t("stopSelecting"),
        onclick: () => select.stop(),
      }, icon("close")),
      h("p", null, () => selectedText(select)),
      h(
        "div",
        { class: "acts" },
        button(
          () => areBought.get() ? "undo" : "check",
          () => t(areBought.get() ? "notBought" : "bought"),
          then((rows) => toggle(shopping, rows, !areAllBought(rows))),
        ),
        () => canGo.get() ? button(() => "list", () => t("move"), moveTo) : null,
        button(() => "bin", () => t("remove"), then((rows) => take(hearth, shopping, rows))),
      ),
    ),
  );
  // The focused button goes with the bar, so the focus returns to the row.
  onEnd(() => {
    if (!bar.contains(document.activeElement)) return;
    const next = from?.isConnected ? from : bar.closest(".screen")?.querySelector("h1");
    next?.focus({ preventScroll: true });
  });
  return bar;
}

/** Whether there are rows, and all are bought. @param {Row[]} rows */
const areAllBought = (rows) => rows.length > 0 && rows.every(({ checkedAt }) => checkedAt);
