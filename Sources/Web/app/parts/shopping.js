// A household's shopping list as two screens need it: what is on it, and what can be done to it.

import { added, checked, edited, find, isWord, removed, rows } from "./groceries.js";
import { forWhom } from "./names.js";
import { nameKey, quantityText } from "./quantity.js";
import { computed, observe, onEnd } from "./signal.js";
import { tripOf } from "./trips.js";
import { language } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Changes, Entry, Lines, LinesPatch, Row, Segment, Where } from "./groceries.js" */
/** @import { Line } from "./records.d.ts" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */
/** @typedef {(key: string, values?: Record<string, string | number | undefined>) => string} Speak */
/**
 * @typedef {{ name: string, quantity?: number | undefined, unit?: string | undefined, note?: string | undefined,
 *   list?: string | undefined, category?: string | undefined }} Item
 */

/** @typedef {ReturnType<typeof shoppingList>} Shopping */

/**
 * Inside the scope of a screen: it ends with it.
 * @param {Hearth} hearth @param {string} household @param {Speak} t
 */
export function shoppingList(hearth, household, t) {
  const me = /** @type {string} */ (hearth.me);
  const home = hearth.room(`household/${household}`);
  const mine = hearth.room(`household/${household}/mine`);
  onEnd(() => (home.close(), mine.close()));
  const homeState = observe(home, (room) => room.state);
  const mineState = observe(mine, (room) => room.state);
  const status = observe(home, (room) => room.status);
  const waiting = observe(hearth, ({ waiting }) => waiting);
  const refused = observe(hearth, ({ refused }) => refused);
  // Not by the document: a note on the board would otherwise be news for every row.
  const homeLines = computed(() => /** @type {Lines | undefined} */ (homeState.get()?.groceries));
  const mineLines = computed(() => /** @type {Lines | undefined} */ (mineState.get()?.groceries));
  const members = computed(() => homeState.get()?.members);
  const lists = computed(() => homeState.get()?.lists);
  const mainOrder = computed(() => homeState.get()?.mainList?.order);
  const homeCategories = computed(() => homeState.get()?.categories);
  const mineCategories = computed(() => mineState.get()?.categories);
  const trips = computed(() => homeState.get()?.trips);
  const former = computed(() => homeState.get()?.former);
  const isOurs = (/** @type {{ room: string }} */ { room }) => room === home.name || room === mine.name;
  const unsent = computed(() =>
    new Set(
      waiting.get().filter(isOurs).flatMap((
        { params },
      ) => [params?.id, params?.newId, ...(/** @type {string[] | undefined} */ (params?.sources) ?? [])]),
    )
  );
  const now = () => new Date(hearth.now()).toISOString();

  const categories = () => ({ ...mineCategories.get(), ...homeCategories.get() });
  /** @param {Where} where */
  const room = (where) => where === "home" ? home : mine;

  /**
   * @template {keyof Methods} M
   * @param {Where} where @param {M} method @param {Params<M>} params @param {string} about
   * @param {(lines: Lines | undefined) => LinesPatch} optimistic
   */
  function change(where, method, params, about, optimistic) {
    return hearth.change(method, params, {
      room: room(where),
      about,
      optimistic: ({ groceries }) => optimistic(/** @type {Lines | undefined} */ (groceries)),
    });
  }

  /** @param {string | undefined} person */
  function name(person) {
    if (!person) return t("someone");
    return person === me ? t("you") : ownName(person);
  }

  /** @param {string} person */
  function ownName(person) {
    return members.get()?.[person]?.name ?? former.get()?.[person]?.name ?? t("someone");
  }

  /**
   * @param {Item} item @param {"everybody" | "shown" | "hidden"} forWhom
   * @param {string} [category] the one that the server is about to give it
   * @returns {{ where: Where, id: string, total: Line | null }} the line, if it was wanted already
   */
  function add(item, forWhom, category = item.category) {
    const id = hearth.newId();
    const where = forWhom === "hidden" ? "mine" : "home";
    const merges = forWhom === "everybody";
    const owner = forWhom === "shown" ? me : undefined;
    const params = /** @type {Params<"groceries.add">} */ ({ id, ...item, ...(owner ? { personal: true } : {}) });
    change(
      where,
      "groceries.add",
      params,
      t("aboutAdd", { name: item.name }),
      (lines) => added(lines, { id, ...item, category, owner, merges }, me, now()),
    );
    const lines = where === "home" ? homeLines.peek() : mineLines.peek();
    const [[lineID, line] = []] = Object.entries(
      added(lines, { id, ...item, category, owner, merges }, me, now())?.groceries ?? {},
    );
    const into = lineID === undefined || lineID === id ? undefined : lines?.[lineID];
    return { where, id, total: into ? /** @type {Line} */ ({ ...into, ...line }) : null };
  }

  /** @param {Entry} entry @param {boolean} isChecked */
  function check({ where, id, line }, isChecked) {
    change(
      where,
      "groceries.check",
      { id, checked: isChecked },
      t(isChecked ? "aboutCheck" : "aboutUncheck", { name: line.name }),
      (lines) => checked(lines, id, isChecked, me, now()),
    );
  }

  /** Removes what is seen of a line, or one addition of it. @param {Entry} entry @param {string[]} [sources] */
  function remove({ where, id, line }, sources = Object.keys(line.sources ?? {})) {
    change(
      where,
      "groceries.remove",
      { id, sources },
      t("aboutRemove", { name: line.name }),
      (lines) => removed(lines, id, sources),
    );
  }

  /** Puts back what was removed, as it was: under new ids, since what is removed stays so. @param {Entry} entry */
  function restore({ where, line }) {
    const forWhom = where === "mine" ? "hidden" : line.owner ? "shown" : "everybody";
    const notes = Object.values(line.sources ?? {}).flatMap(({ note }) => note ?? []);
    const item = { name: line.name, quantity: line.quantity, unit: line.unit, note: notes.join("\n") || undefined };
    const { category, list } = line;
    const put = add(
      withoutGaps({ ...item, category, list: list && home.state?.lists?.[list] ? list : undefined }),
      forWhom,
    );
    if (line.checkedAt) check({ ...put, line }, true);
  }

  /** @param {Entry} entry @param {string} source @param {Changes} changes */
  function edit({ where, id, line }, source, changes) {
    const needsSource = Object.keys(line.sources).length > 1 &&
      ["quantity", "unit", "note"].some((key) => key in changes);
    const { category, ...rest } = changes;
    // A new name of a category is kept under its key.
    const key = category && (isWord(category) ? category : nameKey(category));
    hearth.change(
      "groceries.edit",
      { id, ...(needsSource ? { source } : {}), ...changes },
      {
        room: room(where),
        about: t("aboutEdit", { name: line.name }),
        optimistic: (/** @type {HouseholdState} */ { groceries, categories }) => {
          const patch = edited(
            /** @type {Lines | undefined} */ (groceries),
            id,
            source,
            category === undefined ? rest : { ...rest, category: key ?? null },
          );
          if (!patch || !key || !category || isWord(category) || categories?.[key]) return patch;
          return { ...patch, categories: { [key]: { name: category } } };
        },
      },
    );
  }

  /**
   * Shows my own item to everybody, or no longer. It moves, and has a new id. @param {Entry} entry
   * @param {boolean} isShown
   */
  function move({ where, id, line }, isShown) {
    const newId = hearth.newId();
    // Where it is while an earlier move is underway, only the server knows; calls of one room come in order.
    const { answer } = change(
      where,
      isShown ? "groceries.show" : "groceries.hide",
      { id, newId },
      t(isShown ? "aboutShow" : "aboutHide", { name: line.name }),
      // It stays in sight until it is there: a list where something is missing for a moment would be worse.
      () => null,
    );
    return { newId, answer };
  }

  /** @param {string | undefined} owner none if it is everybody's */
  const nameOwner = (owner) => owner ? forWhom(homeState.get(), owner, me) : t("forAll");

  return {
    home: homeState,
    homeLines,
    mineLines,
    members,
    status,
    refused: computed(() =>
      refused.get().filter((one) => isOurs(one) && /^(groceries|lists|trips)\./.test(one.method))
    ),
    room: home,
    lists,
    /** Everybody's trips, and my own. */
    trips,
    trip: computed(() => tripOf(trips.get(), me)),
    /** The order of the categories on a list; without one, on the main list. @param {string} [list] */
    orderOf: (list) => (list ? lists.get()?.[list]?.shelves.order : mainOrder.get()) ?? [],
    /** @param {string} key */
    categoryName: (key) => isWord(key) ? t(`category.${key}`) : categories()[key]?.name ?? key,
    categories,
    /** @param {Segment} segment */
    rows: (segment) => rows(segment, homeLines.get(), mineLines.get(), me),
    /** @param {Row} row */
    isWaiting: ({ entries }) => {
      const ids = unsent.get();
      return ids.size > 0 &&
        entries.some(({ id, line }) =>
          ids.has(id) || Object.keys(line.sources ?? {}).some((source) => ids.has(source))
        );
    },
    /** @param {string} id @returns {Entry | null} */
    find: (id) => {
      homeLines.get();
      mineLines.get();
      // From the rooms: an undo also looks here after the screen has ended, when signals stand still.
      const places = /** @type {[Where, Lines | undefined][]} */ ([
        ["home", home.state?.groceries],
        ["mine", mine.state?.groceries],
      ]);
      for (const [where, lines] of places) {
        const found = find(lines ?? {}, id);
        if (found) return { where, ...found };
      }
      return null;
    },
    name,
    forWhom: nameOwner,
    /** How much of a row is for whom. @param {Row} row */
    amounts: (row) =>
      row.entries.map(({ line: { quantity = 1, unit, owner } }) =>
        `${quantityText(quantity, unit, language.peek())} ${nameOwner(owner)}`
      ),
    ownName,
    add,
    check,
    remove,
    restore,
    edit,
    move,
  };
}

/** @param {Item} item @returns {Item} */
function withoutGaps(item) {
  return /** @type {Item} */ (Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)));
}
