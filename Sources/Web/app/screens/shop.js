// In the shop: big tiles for a hand that also holds a bag. One tap puts a thing into the basket, and one takes it out.

import { stayAwake } from "../parts/awake.js";
import { isOnline } from "../parts/connection.js";
import { household } from "../parts/household.js";
import { quantityText } from "../parts/quantity.js";
import { refusals } from "../parts/refusals.js";
import { empty, screen, section, skeleton, waitingMark } from "../parts/screen.js";
import { go } from "../parts/router.js";
import { byCategory } from "../parts/groceries.js";
import { shoppingList } from "../parts/shopping.js";
import { computed, each, effect, h, onEnd, signal } from "../parts/signal.js";
import { announce, say as tell } from "../parts/snackbar.js";
import { discardTrip, startTrip } from "../parts/trips.js";
import { wordsOf } from "../parts/family.js";
import { language, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Row, rows } from "../parts/groceries.js" */
/** @typedef {{ above: Row[], below: Row[] }} Seen */

const t = await wordsOf("shopping");
const say = await words("trip");
/** Milliseconds without a tap until the tiles move: before that, the next tap would meet another thing. */
const STILL = 2000;

/** @param {Hearth} hearth */
export function render(hearth) {
  const home = household(hearth);
  const id = computed(() => home.get());
  return h("div", null, () => {
    const one = id.get();
    return one ? tiles(hearth, one) : screen({ title: t("inShop") }, empty({ icon: "store", text: t("noHousehold") }));
  });
}

/** @param {Hearth} hearth @param {string} id */
function tiles(hearth, id) {
  const shopping = shoppingList(hearth, id, t);
  onEnd(stayAwake());
  const entered = new Date(hearth.now()).toISOString();
  const trip = computed(() => shopping.trip.get());
  const came = () => trip.get()?.at ?? entered;
  const segment = () => trip.get()?.list ?? "all";
  /** The lines on the list when the screen was opened. @type {Set<string>} */
  const before = new Set();
  const isReady = signal(false);
  effect(() => {
    if (isReady.peek() || shopping.home.get() === null) return;
    for (const { key } of shopping.rows("all").wanted) before.add(key);
    isReady.set(true);
  });
  const isHere = computed(() => shopping.home.get() !== null);
  const shown = computed(() => shopping.rows(segment()));
  // By the way through the shop. A thing keeps its place there: fingers remember where it is.
  const wanted = computed(() =>
    byCategory([...shown.get().wanted].sort(byName), shopping.orderOf(trip.get()?.list)).flatMap(({ rows }) => rows)
  );
  const basket = computed(() => shown.get().bought.filter(({ checkedAt }) => String(checkedAt) >= came()));
  /** The tiles as they are seen while fingers tap. @type {{ get(): Seen | null, set(seen: Seen | null): void }} */
  const still = signal(null);
  const above = computed(() => {
    const seen = still.get();
    if (!seen) return wanted.get();
    const known = new Set([...seen.above, ...seen.below].flatMap(idsOf));
    // Nothing that comes meanwhile moves the others.
    const others = wanted.get().filter((row) => !idsOf(row).some((id) => known.has(id)));
    return [...seen.above.map((row) => inPlace(row, shown.get())), ...others];
  });
  const below = computed(() => still.get()?.below.map((row) => inPlace(row, shown.get())) ?? basket.get());
  const hasBelow = computed(() => below.get().length > 0);
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;
  onEnd(() => clearTimeout(timer));
  function stay() {
    still.set({ above: above.peek(), below: below.peek() });
    clearTimeout(timer);
    timer = setTimeout(() => still.set(null), STILL);
  }
  /** On a trip, the server knows what others have added. @param {Row} row */
  const isLate = (row) => trip.get() ? row.isLate : isReady.get() && !before.has(row.key) && row.at >= entered;
  const late = computed(() => wanted.get().filter(isLate).length);

  return screen(
    {
      title: t("inShop"),
      back: "/shopping",
      class: "shop",
      lead: h("span", { role: "status" }, () =>
        [
          wanted.get().length ? t("left", { n: wanted.get().length }) : t("shopEmpty"),
          late.get() ? t("newItems", { n: late.get() }) : "",
        ].filter(Boolean).join(" · ")),
    },
    refusals(hearth, shopping.refused),
    () => isHere.get() ? list(() => above.get(), t("title")) : skeleton(6),
    () =>
      hasBelow.get()
        ? section(
          { title: t("basket"), class: "basket beside" },
          list(() => below.get(), t("basket"), true),
        )
        : null,
    () =>
      isHere.get() && h(
        "div",
        { class: "shop-end" },
        h("a", {
          class: () => `button${basket.get().length ? " primary" : ""}`,
          href: () => basket.get().length || trip.get() ? "/shopping/checkout" : "/shopping",
        }, t("leaveShop")),
        trip.get()
          ? h("button", { type: "button", class: "quiet", onclick: leave }, say("trip.discard"))
          : h("button", { type: "button", class: "quiet", onclick: () => startTrip(hearth) }, say("trip.tell")),
      ),
  );

  /** @param {() => Row[]} rows @param {string} label @param {boolean} [isSmall] */
  function list(rows, label, isSmall = false) {
    return h(
      "ul",
      { class: `tiles ${isSmall ? "small" : ""}`, "aria-label": label },
      each(rows, ({ key }) => key, (row) => tile(shopping, row, isLate, stay, isSmall)),
    );
  }

  function leave() {
    const now = trip.peek();
    if (now) discardTrip(hearth, now.id);
    go("/shopping");
    tell(
      say(isOnline(hearth) ? "trip.discarded" : "trip.later"),
      now ? { undo: () => startTrip(hearth, now.list), isBrief: true } : {},
    );
  }
}

/** @param {Row} a @param {Row} b */
function byName(a, b) {
  return a.name.localeCompare(b.name, language.peek(), { sensitivity: "base" }) || (a.key < b.key ? -1 : 1);
}

/** @param {Row} row */
const idsOf = ({ entries }) => entries.map(({ id }) => id);

/**
 * A row as it is now, under the key that it was seen by. If somebody has removed the thing, it counts as taken, and a
 * tap does nothing.
 * @param {Row} row @param {ReturnType<typeof rows>} now
 * @returns {Row}
 */
function inPlace(row, { wanted, bought }) {
  const ids = new Set(idsOf(row));
  const isIt = (/** @type {Row} */ one) => idsOf(one).some((id) => ids.has(id));
  const open = wanted.find(isIt);
  if (open) return { ...open, key: row.key };
  return { ...row, checkedAt: row.at, entries: bought.filter(isIt).flatMap(({ entries }) => entries) };
}

/**
 * @param {ReturnType<typeof shoppingList>} shopping @param {() => Row} row @param {(row: Row) => boolean} isLate
 * @param {() => void} stay called before a tap changes something @param {boolean} isSmall
 */
function tile(shopping, row, isLate, stay, isSmall) {
  const isIn = () => row().checkedAt !== undefined;
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        class: () => `tile${isIn() ? " in" : ""}${isLate(row()) ? " late" : ""}`,
        "aria-pressed": () => String(isIn()),
        onclick: () => {
          stay();
          if (!row().entries.length) return;
          const isChecked = !isIn();
          for (const entry of row().entries) {
            if ((entry.line.checkedAt !== undefined) !== isChecked) shopping.check(entry, isChecked);
          }
          announce(t(isChecked ? "put" : "back", { name: row().name }));
          // Only where the phone can: a hand that does not look feels that it was heard.
          navigator.vibrate?.(15);
        },
      },
      h("span", { class: "tile-name", dir: "auto" }, () => row().name),
      h(
        "span",
        { class: "tile-quantity", dir: "auto" },
        () => quantityText(row().quantity, row().unit, language.peek()),
      ),
      () => {
        const { category, notes } = row();
        const small = [...owners(shopping, row()), ...notes];
        if (category && !isSmall) small.unshift(shopping.categoryName(category));
        return small.length ? h("span", { class: "tile-note", dir: "auto" }, small.join(" · ")) : null;
      },
      () => isLate(row()) && !isIn() ? h("span", { class: "badge" }, t("isNew")) : null,
      waitingMark(() => shopping.isWaiting(row())),
    ),
  );
}

/**
 * Whose it is; how much is for whom, if several want it.
 * @param {ReturnType<typeof shoppingList>} shopping @param {Row} row
 */
function owners(shopping, row) {
  if (row.isPrivate) return [t("onlyMe")];
  if (row.entries.length < 2) return row.owners.map(shopping.forWhom);
  return shopping.amounts(row);
}
