// Shopping: what the house needs, what is needed together, and what I need for myself.

import { avatar } from "../parts/avatar.js";
import { household } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { nameKey, parseItem, quantityText } from "../parts/quantity.js";
import { refusals } from "../parts/refusals.js";
import { address, go } from "../parts/router.js";
import { empty, screen, section, segments, skeleton, waitingMark } from "../parts/screen.js";
import { hold, selection } from "../parts/select.js";
import { openSheet } from "../parts/sheet.js";
import { byCategory } from "../parts/groceries.js";
import { shoppingList } from "../parts/shopping.js";
import { computed, each, effect, h, onEnd, signal, untracked } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { swipe } from "../parts/swipe.js";
import { startTrip, tripRows } from "../parts/trips.js";
import { wordsOf } from "../parts/family.js";
import { language } from "../parts/words.js";
import { itemSheet } from "./item.js";
import { take, toggle } from "./shopping_acts.js";
import { listsSheet } from "./shopping_lists.js";
import { selectBar, selectedText } from "./shopping_select.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Row, Segment } from "../parts/groceries.js" */
/** @import { Selection } from "../parts/select.js" */
/** @typedef {{ hearth: Hearth, shopping: ReturnType<typeof shoppingList>, select: Selection<Row> }} Actions */

const t = await wordsOf("shopping");

/** The words of a list on which nothing is. @type {Record<string, string>} */
const EMPTY = { all: "emptyAll", ours: "emptyOurs", mine: "emptyMine" };
/** So many bought things are shown before somebody asks for more. */
const FEW = 8;

/** @param {Hearth} hearth */
export function render(hearth) {
  const home = household(hearth);
  const id = computed(() => home.get());
  return h("div", null, () => {
    const one = id.get();
    return one ? list(hearth, one) : screen({ title: t("title") }, empty({ icon: "cart", text: t("noHousehold") }));
  });
}

/** @param {Hearth} hearth @param {string} id */
function list(hearth, id) {
  const shopping = shoppingList(hearth, id, t);
  const lists = computed(() =>
    Object.entries(shopping.lists.get() ?? {}).filter(([, { name }]) => name).sort(([, a], [, b]) =>
      a.at < b.at ? -1 : 1
    )
  );
  const segment = computed(() => {
    const wanted = address.get().query.get("show") ?? "";
    return wanted in EMPTY || shopping.lists.get()?.[wanted] ? wanted : "all";
  });
  /** The list that new things go to. */
  const own = () => segment.get() in EMPTY ? undefined : segment.get();
  const ownNow = () => untracked(own);
  // Not at each change of something else in them, which would take the focus away.
  const choices = computed(() => JSON.stringify(lists.get().map(([id, { name }]) => [id, name])));
  const shown = computed(() => shopping.rows(segment.get()));
  const wanted = computed(() => shown.get().wanted);
  const groups = computed(() => byCategory(wanted.get(), shopping.orderOf(own())));
  const isOpen = signal(false);
  const bought = computed(() => {
    const all = shown.get().bought;
    return isOpen.get() ? all : all.slice(0, FEW);
  });
  const more = computed(() => shown.get().bought.length - bought.get().length);
  // The key changes when somebody buys the row, so that it leaves the selection.
  const select = selection(
    () => [...wanted.get(), ...bought.get()],
    (/** @type {Row} */ { key, checkedAt }) => `${checkedAt ? "bought" : "wanted"} ${key}`,
  );
  const actions = { hearth, shopping, select };
  const state = computed(() => {
    const status = shopping.status.get();
    return status === "gone" || status === "forbidden" ? "gone" : shopping.home.get() ? "here" : "loading";
  });
  openAddressed(hearth, shopping);

  return screen(
    {
      title: t("title"),
      class: "shopping",
      lead: h("span", { role: "status" }, () => {
        if (state.get() !== "here") return "";
        const n = wanted.get().length;
        return n ? t("toGet", { n }) : t("nothing");
      }),
      actions: [
        h(
          "button",
          {
            type: "button",
            class: "quiet lists-button",
            "aria-label": t("lists"),
            onclick: () => listsSheet(hearth, shopping, ownNow(), select.start),
          },
          icon("list"),
          h("span", null, t("listsWord")),
        ),
        h(
          "a",
          {
            class: "button",
            href: "/shopping/shop",
            onclick: () => shopping.trip.peek()?.state === "open" || startTrip(hearth, ownNow()),
          },
          icon("store"),
          t("goShopping"),
        ),
      ],
    },
    () => {
      /** @type {[string, string][]} */ const known = JSON.parse(choices.get());
      const words = [["all", t("all")], ["ours", t(known.length ? "mainList" : "ours")], ...known, ["mine", t("mine")]];
      return segments({
        label: t("segments"),
        choices: words.map(([one = "", word]) => [
          one,
          [h("span", { class: "one-line", dir: "auto" }, word), count(shopping, one)],
        ]),
        value: () => segment.get(),
        change: (one) => go(one === "all" ? "/shopping" : `/shopping?show=${one}`, { replace: true }),
      });
    },
    tripRows(hearth, () => shopping.home.get(), true),
    refusals(hearth, shopping.refused),
    () => {
      if (state.get() === "gone") return empty({ icon: "cart", text: t("gone") });
      if (state.get() === "loading") return skeleton(6);
      return [
        h(
          "div",
          { class: "groups" },
          each(() => groups.get(), ({ category }) => category, (group, category) =>
            h(
              "div",
              null,
              () => groups.get().length > 1 && group().rows.length ? groupHead(shopping, category) : null,
              h(
                "ul",
                { class: "items", "aria-label": category ? shopping.categoryName(category) : t("title") },
                each(() => group().rows, ({ key }) => key, (row) => item(actions, row)),
              ),
            )),
        ),
        () => {
          if (wanted.get().length) return null;
          return empty({
            icon: "cart",
            text: t(bought.get().length ? "allBought" : EMPTY[segment.get()] ?? "emptyList"),
          });
        },
        boughtPart(actions, shown, bought, more, isOpen),
      ];
    },
    () => state.get() === "gone" ? null : addLine(actions, segment, ownNow, id),
    () => select.isOn() ? selectBar(actions) : null,
    // A live region must be there before its text is, or nothing is read out.
    h("p", { class: "unseen", role: "status" }, () => select.isOn() ? selectedText(select) : ""),
  );
}

/**
 * Somebody wanted it already, and no new line shows that more of it is wanted.
 * @param {ReturnType<typeof shoppingList>} shopping @param {string} id of the addition
 * @param {{ name: string, quantity?: number, unit?: string }} total
 */
function sayTotal(shopping, id, { name, quantity, unit }) {
  const amount = quantityText(quantity, unit, language.peek());
  say(amount ? t("total", { name, amount }) : t("onList", { name }), {
    undo: () => {
      const line = untracked(() => shopping.find(id));
      if (line) shopping.remove(line, [id]);
    },
    isBrief: true,
  });
}

/** @param {ReturnType<typeof shoppingList>} shopping @param {string} category */
function groupHead(shopping, category) {
  return h("h2", { class: "group-head", dir: "auto" }, category ? shopping.categoryName(category) : t("otherThings"));
}

/** @param {ReturnType<typeof shoppingList>} shopping @param {Segment} one */
function count(shopping, one) {
  return h("span", { class: "count" }, () => shopping.rows(one).wanted.length || "");
}

/**
 * An address may name a thing, as a notification does. @param {Hearth} hearth
 * @param {ReturnType<typeof shoppingList>} shopping
 */
function openAddressed(hearth, shopping) {
  const [, id] = /^\/shopping\/item\/([^/]+)$/.exec(address.peek().path) ?? [];
  if (!id) return;
  // After the screen itself is in the page; the thing may still be on its way from the disk.
  queueMicrotask(() => {
    go("/shopping", { replace: true });
    openItem(hearth, shopping, id, untracked(() => shopping.find(id)?.line.name) ?? t("item"));
  });
}

/** @param {Actions} actions @param {() => Row} row */
function item({ hearth, shopping, select }, row) {
  const checkbox = h("input", {
    type: "checkbox",
    // While rows are selected, the checkbox stands for the selection.
    checked: () => select.isOn() ? select.has(row()) : row().checkedAt !== undefined,
    "aria-label": () => {
      const amount = quantityText(row().quantity, row().unit, language.peek());
      const name = [row().name, amount].filter(Boolean).join(", ");
      return select.isOn() ? t("selectItem", { name }) : name;
    },
    onchange: () => {
      const isChecked = checkbox.checked;
      if (select.isOn()) select.toggle(row());
      else toggle(shopping, [row()], isChecked);
    },
  });
  const cover = h(
    "div",
    { class: "item-cover" },
    h(
      "label",
      { class: "item-main" },
      checkbox,
      h("span", { class: "tick", "aria-hidden": "true" }, icon("check")),
      h(
        "span",
        { class: "item-text" },
        h("span", { class: "item-name", dir: "auto" }, () => row().name),
        () => details(shopping, row()),
      ),
      h(
        "span",
        { class: "item-quantity", dir: "auto" },
        () => quantityText(row().quantity, row().unit, language.peek()),
      ),
    ),
    waitingMark(() => shopping.isWaiting(row())),
    () => owners(shopping, row()),
    h("button", {
      type: "button",
      class: "quiet round",
      "aria-label": () => t("openItem", { name: row().name }),
      onclick: () => open(hearth, shopping, row()),
    }, icon("more")),
  );
  const element = h(
    "li",
    {
      class: () => {
        const how = select.has(row()) ? "selectable selected" : select.isOn() ? "selectable" : "";
        return `item ${row().checkedAt ? "bought" : ""} ${how}`;
      },
      "data-row": () => row().entries.map(({ id }) => id).join(" "),
    },
    h("span", { class: "swipe-end", "aria-hidden": "true" }, icon("check")),
    h("span", { class: "swipe-start", "aria-hidden": "true" }, icon("more")),
    cover,
  );
  swipe(element, cover, {
    end: () => toggle(shopping, [row()], row().checkedAt === undefined),
    start: () => open(hearth, shopping, row()),
    isOff: select.isOn,
  });
  hold(element, () => select.toggle(row()));
  element.addEventListener("keydown", (event) => {
    if (event.key === "Delete" && !select.isOn()) take(hearth, shopping, [row()]);
    if (event.key === "Enter" && event.target === checkbox) checkbox.click();
    if (event.key === "x" && !event.metaKey && !event.ctrlKey && !event.altKey) select.toggle(row());
  });
  return element;
}

/**
 * Shows one thing. A row of several people's things shows mine, or everybody's, before what is another's own.
 * @param {Hearth} hearth @param {ReturnType<typeof shoppingList>} shopping @param {Row} row
 */
function open(hearth, shopping, row) {
  const best = row.entries.find(({ line }) => !line.owner || line.owner === hearth.me) ?? row.entries[0];
  if (best) openItem(hearth, shopping, best.id, row.name, row.entries.map(({ id }) => id));
}

/**
 * @param {Hearth} hearth @param {ReturnType<typeof shoppingList>} shopping @param {string} id @param {string} title
 * @param {string[]} [all] of the same row
 */
function openItem(hearth, shopping, id, title, all = []) {
  openSheet({ title, class: "item-sheet" }, (close) => itemSheet(hearth, shopping, id, close, all));
}

/**
 * The second line of a row: what to look for, or by whom it was bought.
 * @param {ReturnType<typeof shoppingList>} shopping @param {Row} row
 */
function details(shopping, row) {
  const parts = [];
  if (row.checkedAt) parts.push(boughtBy(shopping, row));
  else {
    if (row.isPrivate) parts.push(t("onlyMe"));
    if (row.isLate) parts.push(t("isNew"));
    if (row.entries.length > 1 && row.owners.length) parts.push(...shopping.amounts(row));
    parts.push(...row.notes);
  }
  return parts.length ? h("span", { class: "item-note", dir: "auto" }, parts.join(" · ")) : null;
}

/** @param {ReturnType<typeof shoppingList>} shopping @param {Row} row */
function boughtBy(shopping, row) {
  const name = shopping.name(row.checkedBy);
  return name === t("you") ? t("boughtByYou") : t("boughtBy", { name });
}

/** Whose it is; everybody's has no face. @param {ReturnType<typeof shoppingList>} shopping @param {Row} row */
function owners(shopping, row) {
  if (row.checkedAt) return null;
  if (row.isPrivate) return h("span", { class: "item-lock" }, icon("lock"));
  return row.owners.map((person) =>
    avatar(person, shopping.ownName(person), { size: "small", label: () => shopping.forWhom(person) })
  );
}

/**
 * @param {Actions} actions
 * @param {{ get(): { bought: Row[] } }} shown @param {{ get(): Row[] }} bought @param {{ get(): number }} more
 * @param {{ set(is: boolean): void }} isOpen
 */
function boughtPart(actions, shown, bought, more, isOpen) {
  const { hearth, shopping } = actions;
  /** Others' own things stay: only they can take them off. */
  const clearable = () =>
    shown.get().bought.flatMap(({ entries }) => entries).filter(({ line }) => !line.owner || line.owner === hearth.me);
  const has = computed(() => bought.get().length > 0);
  const isMine = computed(() =>
    shown.get().bought.some(({ entries }) => entries.some(({ line }) => line.checkedBy === hearth.me))
  );
  return () =>
    has.get()
      ? section(
        {
          title: t("bought"),
          class: "beside",
          actions: h("button", {
            type: "button",
            class: "quiet",
            onclick: () => {
              const entries = clearable();
              for (const entry of entries) shopping.remove(entry);
              say(t("cleared", { n: entries.length }), { undo: () => entries.forEach(shopping.restore) });
            },
          }, t("clear")),
        },
        h(
          "ul",
          { class: "items", "aria-label": t("bought") },
          each(() => bought.get(), ({ key }) => key, (row) => item(actions, row)),
        ),
        () =>
          more.get() > 0
            ? h("button", {
              type: "button",
              class: "quiet",
              onclick: () => isOpen.set(true),
            }, () => t("more", { n: more.get() }))
            : null,
        () =>
          isMine.get() ? h("a", { class: "button", href: "/shopping/checkout" }, icon("receipt"), t("checkOut")) : null,
      )
      : h("p", { class: "hint beside" }, t("boughtHere"));
}

// MARK: adding

/**
 * The line to add something, with what is often on the list.
 * @param {Actions} actions
 * @param {{ get(): Segment, peek(): Segment }} segment @param {() => string | undefined} list @param {string} id
 */
function addLine({ hearth, shopping, select }, segment, list, id) {
  const text = signal("");
  const isNear = signal(false);
  const isShown = signal(true);
  const known = signal(/** @type {readonly { name: string, category?: string }[]} */ ([]));
  const input = h("input", {
    class: "add-text",
    name: "item",
    autocomplete: "off",
    enterkeyhint: "done",
    maxlength: 140,
    "aria-label": t("add"),
    "aria-keyshortcuts": "/",
    "data-key": "/",
    placeholder: t("addHint"),
    dir: "auto",
    oninput: () => text.set(input.value),
    onfocus: () => isNear.set(true),
  });
  const names = computed(() => suggestions(text.get(), known.get().map(({ name }) => name), shopping));

  /** @param {string} line */
  function add(line) {
    const item = parseItem(line, language.peek());
    if (!item.name) return input.focus();
    const where = segment.peek() !== "mine" ? "everybody" : isShown.peek() ? "shown" : "hidden";
    // A text longer than a name may be is refused at once, and stays to be shortened.
    if ([...item.name].length > 100) return;
    const key = nameKey(item.name);
    const category = known.peek().find(({ name }) => nameKey(name) === key)?.category;
    const on = where === "hidden" ? undefined : list();
    const { id, total } = shopping.add({ ...item, ...(on ? { list: on } : {}) }, where, category);
    if (total) sayTotal(shopping, id, total);
    input.value = "";
    text.set("");
    input.focus();
  }

  // Things that the household has had often, and those that begin like the typed text. The list itself is known
  // without a network.
  effect(() => {
    if (!isNear.get()) return;
    const prefix = parseItem(text.get(), language.peek()).name.slice(0, 100);
    const asked = setTimeout(() => {
      hearth.ask("groceries.suggest", { prefix }, { room: `household/${id}` }).then(
        ({ items }) => known.set(items),
        () => {},
      );
    }, prefix ? 80 : 0);
    onEnd(() => clearTimeout(asked));
  });

  const form = h(
    "form",
    {
      class: "add-line",
      hidden: select.isOn,
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        add(input.value);
      },
      onfocusout: (/** @type {FocusEvent} */ event) => {
        if (!form.contains(/** @type {Node | null} */ (event.relatedTarget))) isNear.set(false);
      },
    },
    () =>
      isNear.get() && names.get().length
        ? h(
          "ul",
          { class: "chips", "aria-label": t("known") },
          each(() => names.get(), (name) => name, (name) =>
            h(
              "li",
              {},
              h("button", {
                type: "button",
                class: "chip",
                // The keyboard of the phone stays where it is.
                onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
                onclick: () => add(name()),
              }, h("span", { dir: "auto" }, name)),
            )),
        )
        : null,
    h(
      "div",
      { class: "add-field" },
      input,
      h("button", { class: "primary round", "aria-label": t("addButton") }, icon("plus")),
    ),
    () =>
      segment.get() === "mine"
        ? h("button", {
          type: "button",
          class: "quiet add-seen",
          onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
          onclick: () => isShown.set(!isShown.peek()),
        }, () => isShown.get() ? [icon("people"), t("nextSeen")] : [icon("lock"), t("nextOnlyMe")])
        : null,
  );
  return form;
}

/**
 * Completions of the typed line: "2 l mi" becomes "2 l milk". Nothing that is on the list already.
 * @param {string} line @param {string[]} known @param {ReturnType<typeof shoppingList>} shopping
 */
function suggestions(line, known, shopping) {
  const { name, quantity, unit } = parseItem(line, language.peek());
  const start = name.toLowerCase();
  const { wanted, bought } = shopping.rows("all");
  const open = new Set(wanted.map((row) => row.name.toLowerCase()));
  const names = new Map([...known, ...bought.map((row) => row.name)].map((one) => [one.toLowerCase(), one]));
  const amount = quantityText(quantity, unit, language.peek());
  // A line on the list is worth adding to, once its name is typed.
  return [...names].filter(([key]) => (start || !open.has(key)) && key !== start && ` ${key}`.includes(` ${start}`))
    .slice(0, 8).map(([, one]) => amount ? `${amount} ${one}` : one);
}
