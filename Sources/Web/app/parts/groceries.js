// The lines of a shopping list, and the effect of a change before the server has confirmed it. Pure functions.
//
// The rules for merging are the server's (protocol.md §8). If they should ever differ, the server's word replaces what
// is shown here as soon as it comes.

import { measure, nameKey, sum } from "./quantity.js";

/** @import { Line } from "./records.d.ts" */
/** @import { Patch } from "../hearth/types/library.d.ts" */

/**
 * @typedef {Line["sources"][string]} Addition
 * @typedef {Record<string, Line>} Lines by id
 * @typedef {{ groceries: Record<string, Patch<Line> | null> } | null} LinesPatch
 * @typedef {{ quantity?: number | null, unit?: string | null, note?: string | null }} Amounts of one addition
 * @typedef {{ name?: string, list?: string | null, category?: string | null, barcode?: string | null }
 *   & Amounts} Changes
 * @typedef {"all" | "ours" | "mine" | (string & {})} Segment which lines; else the id of a list
 *
 * @typedef {"home" | "mine"} Where in the household's list, or in the one that only I see
 * @typedef {{ where: Where, id: string, line: Line }} Entry
 * @typedef {object} Row one row of a screen: a line, or several lines of one thing
 * @property {string} key
 * @property {string} name
 * @property {number | undefined} quantity
 * @property {string | undefined} unit
 * @property {Entry[]} entries
 * @property {string[]} owners whose own item this is; empty if it is everybody's
 * @property {string[]} by everybody who has added to it
 * @property {string[]} notes
 * @property {boolean} isPrivate nobody else sees it
 * @property {string} at when it was added first
 * @property {string | undefined} category
 * @property {boolean} isLate somebody has added to it since another one went shopping
 * @property {string} [checkedBy]
 * @property {string} [checkedAt]
 */

/** A list without lines, for where there is no document yet. @type {Lines} */
const NONE = Object.freeze({});

/** @param {Entry[]} entries @returns {Row} */
function row(entries) {
  const additions = entries.flatMap(({ line }) => Object.values(line.sources ?? {}));
  const oldest = entries.reduce((a, b) => firstAt(a.line) <= firstAt(b.line) ? a : b);
  const { quantity, unit } = sum(entries.map(({ line }) => line));
  return {
    key: `${oldest.where} ${oldest.id}`,
    name: oldest.line.name,
    quantity,
    unit,
    entries,
    owners: [...new Set(entries.flatMap(({ line }) => line.owner ?? []))],
    by: [...new Set(additions.map((addition) => addition.by))],
    notes: [...new Set(additions.flatMap(({ note }) => note ?? []))],
    isPrivate: oldest.where === "mine",
    at: firstAt(oldest.line),
    category: oldest.line.category ?? entries.find(({ line }) => line.category)?.line.category,
    isLate: entries.some(({ line }) => line.late === true),
    ...(oldest.line.checkedBy ? { checkedBy: oldest.line.checkedBy } : {}),
    ...(oldest.line.checkedAt ? { checkedAt: oldest.line.checkedAt } : {}),
  };
}

/** When a line was added first. @param {Line} line */
function firstAt(line) {
  return Object.values(line.sources ?? {}).reduce((first, { at }) => first && first < at ? first : at, "");
}

/** Newest first. Where two reached the server at once, by their ids, which rise. @param {Row} a @param {Row} b */
function newest(a, b) {
  return a.at === b.at ? (a.key < b.key ? 1 : -1) : a.at < b.at ? 1 : -1;
}

/**
 * The rows of a screen: what is wanted, and what is bought, the latest first.
 *
 * `all` adds up what everybody wants, as one person would buy it: two people's eggs are one row, and so does each list
 * of the household's. My own items that nobody else sees stay rows of their own, so that it stays clear that they are
 * hidden. `ours` is the main list without what somebody has put there for themselves.
 * @param {Segment} segment
 * @param {Lines | undefined} home @param {Lines | undefined} mine @param {string | null} me
 */
export function rows(segment, home = NONE, mine = NONE, me) {
  /** @type {Entry[]} */
  const entries = [];
  for (const [id, line] of Object.entries(home)) {
    // Half a line may come from a change of one that is gone: it is none.
    if (line?.name && isIn(segment, line, me)) entries.push({ where: "home", id, line });
  }
  if (segment === "all" || segment === "mine") {
    for (const [id, line] of Object.entries(mine)) if (line?.name) entries.push({ where: "mine", id, line });
  }
  const wanted = entries.filter(({ line }) => !line.checkedAt);
  const bought = entries.filter(({ line }) => line.checkedAt).map((entry) => row([entry]));
  return {
    wanted: (segment === "ours" || segment === "mine" ? wanted.map((entry) => row([entry])) : grouped(wanted))
      .sort(newest),
    bought: bought.sort((a, b) => String(a.checkedAt) < String(b.checkedAt) ? 1 : -1),
  };
}

/** @param {Segment} segment @param {Line} line @param {string | null} me */
function isIn(segment, { owner, list }, me) {
  if (segment === "all") return true;
  return segment === "mine" ? owner === me : segment === "ours" ? !owner && !list : list === segment;
}

/** @param {Entry[]} entries */
function grouped(entries) {
  /** @type {Map<string, Entry[]>} */
  const groups = new Map();
  for (const entry of entries) {
    const { where, id, line } = entry;
    const name = where === "mine" ? id : `${line.key ?? nameKey(line.name)}\n${measure(line.unit).kind}`;
    groups.set(name, [...groups.get(name) ?? [], entry]);
  }
  return [...groups.values()].map(row);
}

/** The line with an id, or the one that the addition of that id is part of. @param {Lines} lines @param {string} id */
export function find(lines, id) {
  if (lines[id]) return { id, line: lines[id] };
  const found = Object.entries(lines).find(([, line]) => line?.sources && id in line.sources);
  return found ? { id: found[0], line: found[1] } : null;
}

// MARK: changes, as merge patches

/** At most so many additions make one line. */
const MOST_ADDITIONS = 64;

/**
 * @param {Lines | undefined} lines
 * @param {{ id: string, name: string, quantity?: number | undefined, unit?: string | undefined,
 *   note?: string | undefined, owner?: string | undefined, list?: string | undefined, category?: string | undefined,
 *   merges: boolean }} item
 * @param {string} me @param {string} at @returns {LinesPatch}
 */
export function added(lines = NONE, { id, name, quantity, unit, note, owner, list, category, merges }, me, at) {
  const key = nameKey(name);
  const kind = measure(unit).kind;
  /** @type {Addition} */
  const addition = { by: me, at, ...defined({ quantity, unit, note }) };
  const into = merges && Object.entries(lines)
    .filter(([, line]) =>
      line?.key === key && !line.owner && !line.checkedAt && line.list === list && measure(line.unit).kind === kind &&
      Object.keys(line.sources).length < MOST_ADDITIONS
    )
    .sort(([a], [b]) => a < b ? -1 : 1)[0];
  if (!into) {
    const line = { name, key, ...defined({ quantity, unit, owner, list, category }), sources: { [id]: addition } };
    return { groceries: { [id]: line } };
  }
  const [lineID, line] = into;
  const total = sum([...Object.values(line.sources), addition]);
  const more = line.category ? {} : defined({ category });
  return { groceries: { [lineID]: { ...total, ...more, sources: { [id]: addition } } } };
}

/**
 * The line of an id, if a change can show something.
 * @param {Lines | undefined} lines @param {string} id
 * @param {(lineID: string, line: Line) => Patch<Line> | null} change
 * @returns {LinesPatch}
 */
function changed(lines = NONE, id, change) {
  const found = find(lines, id);
  const patch = found && change(found.id, found.line);
  return found && patch !== null ? { groceries: { [found.id]: patch } } : null;
}

/**
 * @param {Lines | undefined} lines @param {string} id @param {boolean} isChecked @param {string} me
 * @param {string} at
 */
export function checked(lines, id, isChecked, me, at) {
  return changed(lines, id, () => isChecked ? { checkedAt: at, checkedBy: me } : { checkedAt: null, checkedBy: null });
}

/** @param {Lines | undefined} lines @param {string} id @param {string[]} sources @returns {LinesPatch} */
export function removed(lines = NONE, id, sources) {
  const found = find(lines, id);
  if (!found) return null;
  const rest = Object.entries(found.line.sources).filter(([source]) => !sources.includes(source));
  if (!rest.length) return { groceries: { [found.id]: null } };
  const total = sum(rest.map(([, addition]) => addition));
  const gone = Object.fromEntries(sources.map((source) => [source, null]));
  return { groceries: { [found.id]: { quantity: null, unit: null, ...total, sources: gone } } };
}

/**
 * @param {Lines | undefined} lines @param {string} id @param {string} source the addition
 * @param {Changes} changes
 */
export function edited(lines, id, source, { name, list, category, barcode, ...changes }) {
  return changed(lines, id, (_, line) => {
    const whole = given({ list, category, barcode });
    if (!Object.keys(changes).length) return { ...(name === undefined ? {} : { name, key: nameKey(name) }), ...whole };
    const addition = line.sources[source];
    if (!addition) return null;
    const after = /** @type {Addition} */ (defined({ ...addition, ...changes }));
    const all = Object.entries(line.sources).map(([id, other]) => id === source ? after : other);
    return {
      ...(name === undefined ? {} : { name, key: nameKey(name) }),
      ...whole,
      quantity: null,
      unit: null,
      ...sum(all),
      sources: { [source]: changes },
    };
  });
}

/** Without what is `undefined`. @param {Record<string, unknown>} values */
function given(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Without what is `undefined` or `null`. @param {Record<string, unknown>} values */
function defined(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}

// MARK: categories and barcodes

/** The categories that the server knows by a word; each language has its own name for them. */
export const CATEGORIES = (
  "fruit vegetables bakery dairy meat fish deli frozen pantry canned baking spices breakfast snacks sweets drinks " +
  "alcohol baby pets care health household garden other"
).split(" ");
/** @param {string} category */
export const isWord = (category) => CATEGORIES.includes(category);

/**
 * The number under a barcode: EAN-8, EAN-13, or UPC-A, which is an EAN-13 without its first 0. A wrong digit shows.
 * @param {string} text
 */
export function barcodeOf(text) {
  const digits = text.replace(/[\s-]/gu, "");
  if (!/^(\d{8}|\d{12,13})$/.test(digits)) return undefined;
  const sum = [...digits].reverse().reduce((all, digit, at) => all + Number(digit) * (at % 2 ? 3 : 1), 0);
  return sum % 10 ? undefined : digits.length === 12 ? `0${digits}` : digits;
}

/**
 * Rows by their category, in the order of a list. What has none comes last, and its group is always there.
 * @param {Row[]} rows @param {readonly string[]} order
 * @returns {{ category: string, rows: Row[] }[]}
 */
export function byCategory(rows, order) {
  const places = [...order, ...CATEGORIES.filter((word) => !order.includes(word))];
  /** @param {string} category */
  const place = (category) => category === "" ? Infinity : (places.indexOf(category) + 1 || places.length + 1);
  /** @type {Map<string, Row[]>} */ const groups = new Map([["", []]]);
  for (const row of rows) {
    const category = row.category ?? "";
    groups.set(category, [...groups.get(category) ?? [], row]);
  }
  return [...groups].sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
    .map(([category, rows]) => ({ category, rows }));
}
