// The drinks of a household: what each has to buy, and how counts change before the server has answered.

import { nameKey } from "./quantity.js";
import { say } from "./snackbar.js";
import { words } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Home } from "./household.js" */
/** @import { Drink, DrinkEntry } from "./records.d.ts" */
/** @typedef {{ drunk: number, bought: number, carried: number }} Count */

const t = await words("drinks");
/** @returns {Count} */
const nothing = () => ({ drunk: 0, bought: 0, carried: 0 });

/** The drinks that a person has to buy; below 0 if they have bought more than they drank. @param {Count} count */
export const toBuy = ({ drunk, bought, carried }) => carried + drunk - bought;

/** Each one's count over all kinds. @param {{ [key: string]: Drink }} drinks */
export function totals(drinks) {
  /** @type {Map<string, Count>} */ const found = new Map();
  for (const [person, count] of Object.values(drinks).flatMap(({ counts }) => Object.entries(counts ?? {}))) {
    const sum = found.get(person) ?? nothing();
    for (const key of /** @type {(keyof Count)[]} */ (Object.keys(sum))) sum[key] += count[key];
    found.set(person, sum);
  }
  return found;
}

/**
 * The member with the most to buy, if anybody has. @param {HouseholdState | null} state
 * @returns {[string, number] | undefined}
 */
export function buysNext(state) {
  const all = [...totals(state?.drinks ?? {})].map((
    [person, count],
  ) => /** @type {[string, number]} */ ([person, toBuy(count)]));
  return all.filter(([person, n]) => n > 0 && state?.members?.[person]).sort(([a, n], [b, m]) =>
    m - n || (a < b ? -1 : 1)
  )[0];
}

/**
 * The patch that counts an entry, or takes it back.
 * @param {HouseholdState} state @param {string} id @param {DrinkEntry} entry @param {string} name
 * @param {1 | -1} [sign]
 */
function counted(state, id, entry, name, sign = 1) {
  const { kind, act, person } = entry;
  const n = sign * entry.n;
  const drink = state.drinks?.[kind] ?? { name, stock: 0, unaccounted: 0 };
  const count = { ...nothing(), ...drink.counts?.[person] };
  if (act !== "corrected") count[act] += n;
  return {
    drinks: {
      [kind]: {
        name: drink.name,
        stock: drink.stock + (act === "drunk" ? -n : n),
        unaccounted: drink.unaccounted + (act === "corrected" ? n : 0),
        counts: act === "corrected" ? {} : { [person]: Object.values(count).some(Boolean) ? count : null },
      },
    },
    drinkEntries: { [id]: sign > 0 ? entry : null },
  };
}

/**
 * The calls that count drinks; one tap takes each of them back.
 * @param {Hearth} hearth @param {Home} room
 */
export function counting(hearth, room) {
  const me = hearth.me ?? "";

  /**
   * @param {"drinks.add" | "drinks.buy" | "drinks.correct"} method @param {object} params @param {string} name
   * @param {(stock: number) => Pick<DrinkEntry, "act" | "n" | "person">} what
   * @param {string} said
   */
  function enter(method, params, name, what, said) {
    const [id, kind] = [hearth.newId(), nameKey(name)];
    /** @param {HouseholdState} state @returns {DrinkEntry} */
    const entry = (state) => ({
      ...what(state.drinks?.[kind]?.stock ?? 0),
      kind,
      by: me,
      at: new Date(hearth.now()).toISOString(),
    });
    hearth.change(method, /** @type {any} */ ({ id, kind: name, ...params }), {
      room: room.name,
      about: said,
      optimistic: (state) => counted(state, id, entry(state), name),
    });
    // The entries are listed, and the server lets a person take back only their newest.
    say(said, { undo: () => undo(id), isBrief: true });
  }

  /** @param {string} id */
  function undo(id) {
    hearth.change("drinks.undo", { id }, {
      room: room.name,
      about: t("drinks.aboutUndo"),
      optimistic: (state) => {
        const entry = state.drinkEntries?.[id];
        return entry ? counted(state, id, entry, "", -1) : null;
      },
    });
  }

  return {
    undo,
    /** @param {string} name @param {number} n @param {string} person @param {string} said */
    drink: (name, n, person, said) =>
      enter("drinks.add", { n, ...(person === me ? {} : { person }) }, name, () => ({ act: "drunk", n, person }), said),
    /** @param {string} name @param {number} n @param {string} person @param {number | undefined} cost */
    buy: (name, n, person, cost) =>
      enter(
        "drinks.buy",
        { n, ...(person === me ? {} : { person }), ...(cost ? { cost } : {}) },
        name,
        () => ({ act: "bought", n, person }),
        t("drinks.saidBought", { n, name }),
      ),
    /** @param {string} name @param {number} to */
    correct: (name, to) =>
      enter(
        "drinks.correct",
        { to },
        name,
        (stock) => ({ act: "corrected", n: to - stock, person: me }),
        t("drinks.saidStock", { n: to, name }),
      ),
    /** @param {string} key @param {string} name */
    remove: (key, name) =>
      hearth.change("drinks.removeKind", { kind: name }, {
        room: room.name,
        about: t("drinks.aboutRemove", { name }),
        optimistic: () => ({ drinks: { [key]: null } }),
      }),
  };
}
