// The lists of a household: their names, their stores, and the way through the shop. And what is needed rarely.

import { wordsOf } from "../parts/family.js";
import { icon } from "../parts/icons.js";
import { address, go } from "../parts/router.js";
import { field, form, list as rows, row } from "../parts/screen.js";
import { CATEGORIES } from "../parts/groceries.js";
import { openSheet } from "../parts/sheet.js";
import { each, h, signal } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Shopping } from "../parts/shopping.js" */
/** @import { GroceryList } from "../parts/records.d.ts" */

const t = await wordsOf("shopping");

/**
 * @param {Hearth} hearth @param {Shopping} shopping @param {string | undefined} shown the list on the screen
 * @param {() => void} select begins to select rows
 */
export function listsSheet(hearth, shopping, shown, select) {
  const lists = Object.entries(shopping.lists.peek() ?? {}).filter(([, { name }]) => name);
  openSheet({ title: t("lists") }, (close) => {
    const then = (/** @type {() => void} */ act) => async () => {
      await close();
      act();
    };
    return [
      rows(
        row({
          before: icon("clock"),
          title: t("purchases"),
          after: icon("next"),
          onclick: then(() => go("/shopping/history")),
        }),
        row({
          before: icon("jar"),
          title: t("stock"),
          after: icon("next"),
          onclick: then(() => go("/shopping/stock")),
        }),
        row({ before: icon("done"), title: t("select"), onclick: then(select) }),
        row({
          before: icon("list"),
          title: t("mainList"),
          text: t("aboutMain"),
          after: icon("next"),
          onclick: then(() => orderSheet(hearth, shopping)),
        }),
        lists.map(([id, { name, store }]) =>
          row({
            before: icon("store"),
            title: h("bdi", null, name),
            text: store ?? "",
            after: icon(id === shown ? "check" : "next"),
            onclick: then(() => listSheet(hearth, shopping, id)),
          })
        ),
      ),
      h("button", { type: "button", onclick: then(() => listSheet(hearth, shopping)) }, icon("plus"), t("newList")),
    ];
  });
}

/** @param {Hearth} hearth @param {Shopping} shopping @param {string} [id] a new one without it */
function listSheet(hearth, shopping, id) {
  const before = id ? shopping.lists.peek()?.[id] : undefined;
  if (id && !before) return;
  openSheet({ title: before?.name ?? t("newList") }, (close) => {
    const name = field({
      label: t("listName"),
      name: "name",
      value: before?.name ?? "",
      required: true,
      maxlength: 64,
      autofocus: !id,
      autocomplete: "off",
    });
    const store = field({
      label: t("store"),
      name: "store",
      value: before?.store ?? "",
      hint: t("storeHint"),
      maxlength: 64,
      autocomplete: "off",
    });
    const submit = async () => {
      const [said, where] = [name, store].map((one) => one.value().trim().replace(/\s+/gu, " "));
      await close();
      if (said) save(hearth, shopping, id, { name: said, store: where || null });
    };
    return [
      form({ fields: [name, store], action: t(id ? "save" : "createList"), submit }),
      id && before
        ? h(
          "div",
          { class: "buttons" },
          h("button", {
            type: "button",
            onclick: async () => {
              await close();
              orderSheet(hearth, shopping, id);
            },
          }, t("order")),
          h("button", {
            type: "button",
            class: "danger",
            onclick: async () => {
              await close();
              remove(hearth, shopping, id, before);
            },
          }, t("removeList")),
        )
        : null,
    ];
  });
}

/**
 * @param {Hearth} hearth @param {Shopping} shopping @param {string | undefined} known
 * @param {{ name: string, store: string | null }} values
 */
function save(hearth, shopping, known, { name, store }) {
  const id = known ?? hearth.newId();
  const shelves = { order: /** @type {string[]} */ ([]) };
  const made = { name, ...(store ? { store } : {}) };
  if (known) {
    hearth.change("lists.edit", { id, name, store }, {
      room: shopping.room,
      about: t("aboutList", { name }),
      optimistic: () => ({ lists: { [id]: { name, store } } }),
    });
    return;
  }
  hearth.change("lists.create", { id, ...made }, {
    room: shopping.room,
    about: t("aboutList", { name }),
    optimistic: () => ({
      lists: { [id]: { ...made, shelves, by: hearth.me ?? "", at: new Date(hearth.now()).toISOString() } },
    }),
  });
  go(`/shopping?show=${id}`, { replace: true });
}

/**
 * Its items go to the main list, and come back with it.
 * @param {Hearth} hearth @param {Shopping} shopping @param {string} id @param {GroceryList} before
 */
function remove(hearth, shopping, id, before) {
  const about = t("aboutList", { name: before.name });
  /** @param {HouseholdState} state @param {string | undefined} from @param {string | null} to */
  const moved = ({ groceries = {} }, from, to) =>
    Object.fromEntries(
      Object.entries(groceries).filter(([line, { list }]) => from ? list === from : was.has(line) && !list)
        .map(([line]) => [line, { list: to }]),
    );
  const was = new Set(
    Object.entries(shopping.homeLines.peek() ?? {}).filter(([, { list }]) => list === id).map(([line]) => line),
  );
  hearth.change("lists.remove", { id }, {
    room: shopping.room,
    about,
    optimistic: (state) => ({ lists: { [id]: null }, groceries: moved(state, id, null) }),
  });
  go("/shopping", { replace: true });
  const undo = () => {
    const newId = hearth.newId();
    hearth.change("lists.restore", { id, newId }, {
      room: shopping.room,
      about,
      optimistic: (state) => ({
        lists: { [newId]: { ...before, was: id } },
        groceries: moved(state, undefined, newId),
      }),
    });
    // The undo may come from another screen: the person stays on it.
    if (address.peek().path === "/shopping") go(`/shopping?show=${newId}`, { replace: true });
  };
  say(t("listRemoved", { name: before.name }), { undo });
}

/**
 * The categories in the order of the shelves.
 * @param {Hearth} hearth @param {Shopping} shopping @param {string} [id]
 */
function orderSheet(hearth, shopping, id) {
  const state = shopping.home.peek();
  const shelves = id ? state?.lists?.[id]?.shelves : state?.mainList;
  const known = shelves?.order ?? [];
  const all = [...new Set([...known, ...CATEGORIES, ...Object.keys(state?.categories ?? {})])];
  const order = signal(all);
  let isChanged = false;
  /** @param {string} one @param {number} by */
  const move = (one, by) => {
    isChanged = true;
    order.update((before) => {
      const at = before.indexOf(one);
      const after = before.filter((other) => other !== one);
      after.splice(Math.max(0, at + by), 0, one);
      return after;
    });
  };
  /** @param {string[] | null} to */
  const set = (to) => {
    const where = id ? { id } : {};
    hearth.change("lists.edit", { ...where, order: to }, {
      room: shopping.room,
      about: t("order"),
      optimistic: ({ mainList }) => {
        const after = to ? { order: to, fixed: true } : { order: [...known], fixed: null };
        return id
          ? { lists: { [id]: { shelves: after } } }
          : { mainList: { ...(mainList ? {} : { order: [] }), ...after } };
      },
    });
  };
  openSheet({ title: t("order") }, (close) => [
    h("p", { class: "hint" }, t(shelves?.fixed ? "orderFixed" : "orderLearned")),
    h(
      "ol",
      { class: "rows shelves" },
      each(() => order.get(), (one) => one, (_, one) => {
        const name = shopping.categoryName(one);
        const button = (/** @type {"up" | "down"} */ sign, /** @type {number} */ by) =>
          h("button", {
            type: "button",
            class: "quiet round",
            "aria-label": t(sign === "up" ? "moveUp" : "moveDown", { name }),
            onclick: () => move(one, by),
          }, icon(sign));
        return h(
          "li",
          { class: "row" },
          h("span", { class: "row-words" }, h("span", { class: "row-title", dir: "auto" }, name)),
          button("up", -1),
          button("down", 1),
        );
      }),
    ),
    h(
      "div",
      { class: "sheet-actions" },
      shelves?.fixed
        ? h("button", {
          type: "button",
          onclick: async () => {
            await close();
            set(null);
            say(t("orderLearned"));
          },
        }, t("learn"))
        : null,
      h("button", {
        type: "button",
        class: "primary",
        onclick: async () => {
          await close();
          if (isChanged) set(order.peek());
        },
      }, t("save")),
    ),
  ]);
}
