// One thing on the list: how much, what kind, and who sees it. Each change is made at once; "Done" only closes.

import { icon } from "../parts/icons.js";
import { parseItem, quantityText, readNumber, readUnit } from "../parts/quantity.js";
import { barcodeOf, CATEGORIES } from "../parts/groceries.js";
import { section } from "../parts/screen.js";
import { computed, each, h, signal, when } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { ago } from "../parts/when.js";
import { wordsOf } from "../parts/family.js";
import { language } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { shoppingList } from "../parts/shopping.js" */
/** @import { Addition, Entry } from "../parts/groceries.js" */

const t = await wordsOf("shopping");

/** The choice that is no category yet. */
const NEW = "+";
/** Units that one tap chooses; any other can be written. */
const UNITS = ["", "g", "kg", "ml", "l", { en: "pack", de: "Packung" }, { en: "bottle", de: "Flasche" }];

/**
 * @param {Hearth} hearth @param {ReturnType<typeof shoppingList>} shopping @param {string} id
 * @param {() => Promise<void>} close @param {string[]} all this one, and the same thing for others
 */
export function itemSheet(hearth, shopping, id, close, all) {
  /** A shown or hidden item has another id: the sheet follows it there. */
  const ids = [id];
  /** Where the item is to go, until it is there. @type {{ get(): boolean | null, set(to: boolean | null): void }} */
  const target = signal(null);
  const entry = computed(() => ids.map(shopping.find).findLast((found) => found !== null) ?? null);
  // On its way to the other list it is in neither for a moment.
  const isThere = computed(() => entry.get() !== null || target.get() !== null);
  const alike = computed(() => all.flatMap((one) => shopping.find(one) ?? []));
  /** Whose the part is that the sheet changes; nothing where it changes none. */
  const part = () => {
    const owner = entry.get()?.line.owner;
    return owner && owner !== hearth.me ? null : t("part", { whom: shopping.forWhom(owner) });
  };
  return h(
    "div",
    { class: "item-fields" },
    when(() => alike.get().length > 1, () =>
      section(
        { title: t("forWhom") },
        h("p", { class: "hint" }, part),
        h(
          "ul",
          { class: "additions" },
          each(() => alike.get(), ({ id }) => id, (one) =>
            h(
              "li",
              {},
              h(
                "span",
                { class: "addition-text" },
                h("b", {}, () => quantityText(one().line.quantity ?? 1, one().line.unit, language.peek())),
                " · ",
                () => shopping.forWhom(one().line.owner),
              ),
            )),
        ),
      )),
    () => isThere.get() ? fields() : h("p", { class: "empty" }, t("goneItem")),
  );

  function fields() {
    // Not made again by every change, or a text that somebody is typing would be lost.
    const now = /** @type {Entry} */ (entry.peek());
    const { owner } = now.line;
    if (owner && owner !== hearth.me) {
      const name = shopping.name(owner);
      return h("p", {}, t("notYours", { name }));
    }
    const single = computed(() => {
      const [only, another] = Object.keys(entry.get()?.line.sources ?? {});
      return only && !another ? only : null;
    });
    /** My addition beside those of others. */
    const own = computed(() => {
      const all = Object.entries(entry.get()?.line.sources ?? {}).filter(([, { by }]) => by === hearth.me);
      return all.length === 1 ? all[0]?.[0] : undefined;
    });
    return [
      nameField(now),
      () => {
        const only = single.get();
        if (only) return amount(only);
        const mine = own.get();
        return [additions(), mine ? h("section", {}, h("h3", {}, t("yourAddition")), amount(mine)) : null];
      },
      visibility(),
      where(now),
      h(
        "div",
        { class: "sheet-actions" },
        h("button", {
          type: "button",
          class: "danger",
          onclick: async () => {
            const gone = entry.peek();
            if (!gone) return;
            // The sheet would take the way back with it.
            await close();
            shopping.remove(gone);
            say(t("removed", { name: gone.line.name }), { undo: () => shopping.restore(gone) });
          },
        }, t("remove")),
        h("button", { type: "button", class: "primary", onclick: close }, t("save")),
      ),
    ];
  }

  /** @param {Entry} now */
  function nameField(now) {
    const input = h("input", {
      name: "name",
      value: now.line.name,
      maxlength: 100,
      required: true,
      dir: "auto",
      autocomplete: "off",
      onchange: () => {
        const name = input.value.trim().replace(/\s+/gu, " ");
        const was = entry.peek();
        if (was && name && name !== was.line.name) {
          shopping.edit(was, Object.keys(was.line.sources)[0] ?? was.id, { name });
        }
        if (!name) input.value = was?.line.name ?? "";
      },
    });
    return h("label", { class: "field" }, h("span", {}, t("name")), input);
  }

  /** Where it is bought, and what kind of thing it is: few people ever need it. @param {Entry} now */
  function where(now) {
    /** @param {Parameters<typeof shopping.edit>[2]} changes */
    const edit = (changes) => {
      const was = entry.peek();
      if (was) shopping.edit(was, Object.keys(was.line.sources)[0] ?? was.id, changes);
    };
    const line = () => entry.get()?.line;
    const lists = Object.entries(shopping.lists.peek() ?? {}).filter(([, { name }]) => name);
    const list = h(
      "select",
      { name: "list", value: () => line()?.list ?? "", onchange: () => edit({ list: list.value || null }) },
      h("option", { value: "" }, t("mainList")),
      lists.map(([id, { name }]) => h("option", { value: id }, name)),
    );
    const isNew = signal(false);
    const own = Object.keys(shopping.categories());
    const category = h(
      "select",
      {
        name: "category",
        value: () => line()?.category ?? "",
        onchange: () => {
          isNew.set(category.value === NEW);
          if (!isNew.peek()) edit({ category: category.value || null });
        },
      },
      h("option", { value: "" }, t("noCategory")),
      // One that somebody names while the sheet is open is among them, too.
      () =>
        [...new Set([...CATEGORIES, ...own, ...(line()?.category ? [line()?.category ?? ""] : [])])]
          .map((key) => /** @type {const} */ ([key, shopping.categoryName(key)]))
          .sort(([, a], [, b]) => a.localeCompare(b, language.peek()))
          .map(([key, name]) => h("option", { value: key, selected: key === line()?.category }, name)),
      h("option", { value: NEW }, t("newCategory")),
    );
    const named = h("input", {
      name: "newCategory",
      maxlength: 40,
      autocomplete: "off",
      dir: "auto",
      onchange: () => {
        const name = named.value.trim().replace(/\s+/gu, " ");
        if (name) edit({ category: name });
        isNew.set(false);
      },
    });
    const problem = signal("");
    const barcode = h("input", {
      name: "barcode",
      inputmode: "numeric",
      autocomplete: "off",
      maxlength: 20,
      value: () => line()?.barcode ?? "",
      "aria-describedby": "barcode-problem",
      "aria-invalid": () => problem.get() ? "true" : null,
      onchange: () => {
        const text = barcode.value.trim();
        const code = barcodeOf(text);
        problem.set(text && !code ? t("wrongBarcode") : "");
        if (!problem.peek()) edit({ barcode: code ?? null });
      },
    });
    const labelled = (/** @type {string} */ label, /** @type {HTMLElement} */ input) =>
      h("label", { class: "field" }, h("span", {}, label), input);
    return h(
      "details",
      {},
      h("summary", null, t("where")),
      h(
        "div",
        { class: "item-fields" },
        now.where === "home" && lists.length ? labelled(t("list"), list) : null,
        labelled(t("category"), category),
        () => isNew.get() ? labelled(t("newCategoryName"), named) : null,
        labelled(t("barcode"), barcode),
        h("p", { class: "problem", id: "barcode-problem", role: "alert" }, () => problem.get()),
      ),
    );
  }

  /** Quantity, unit and note of one addition. @param {string} source */
  function amount(source) {
    const addition = () => /** @type {Addition | undefined} */ (entry.get()?.line.sources[source]);
    const quantity = computed(() => quantityText(addition()?.quantity, undefined, language.peek()));
    const noted = computed(() => addition()?.note ?? "");
    const problem = signal("");
    /** @param {Parameters<typeof shopping.edit>[2]} changes */
    const edit = (changes) => {
      const now = entry.peek();
      if (now) shopping.edit(now, source, changes);
    };
    const number = h("input", {
      id: "item-quantity",
      name: "quantity",
      inputmode: "decimal",
      autocomplete: "off",
      value: () => quantity.get(),
      "aria-describedby": "item-problem",
      "aria-invalid": () => problem.get() ? "true" : null,
      onchange: () => {
        const text = number.value.trim();
        // "2 kg" may be written into the field of the number, too.
        const both = parseItem(`${text} x`, language.peek());
        const quantity = text === ""
          ? null
          : readNumber(text, language.peek()) ?? (both.name === "x" ? both.quantity : undefined);
        if (quantity === undefined) return problem.set(t("wrongQuantity"));
        problem.set("");
        edit({ quantity, ...(both.name === "x" && both.unit ? { unit: both.unit } : {}) });
      },
    });
    /** @param {number} by */
    const step = (by) => {
      const now = addition()?.quantity ?? 1;
      const next = Math.max(1, Math.round((now + by * stride(now)) * 1000) / 1000);
      number.value = quantityText(next, undefined, language.peek());
      problem.set("");
      edit({ quantity: next });
    };
    const unit = h("input", {
      name: "unit",
      maxlength: 16,
      autocomplete: "off",
      autocapitalize: "none",
      value: () => addition()?.unit ?? "",
      onchange: () => edit({ unit: readUnit(unit.value.trim()) ?? (unit.value.trim() || null) }),
    });
    const note = h("textarea", {
      name: "note",
      rows: 2,
      maxlength: 500,
      dir: "auto",
      placeholder: t("noteHint"),
      value: () => noted.get(),
      onchange: () => edit({ note: note.value.trim() || null }),
    });
    return [
      h(
        "div",
        { class: "quantity-fields" },
        h(
          "div",
          { class: "field" },
          h("label", { for: "item-quantity" }, t("quantity")),
          h(
            "div",
            { class: "stepper" },
            h("button", { type: "button", "aria-label": t("less"), onclick: () => step(-1) }, icon("minus")),
            number,
            h("button", { type: "button", "aria-label": t("moreOf"), onclick: () => step(1) }, icon("plus")),
          ),
        ),
        h("label", { class: "field unit" }, h("span", {}, t("unit")), unit),
      ),
      h("p", { class: "problem", id: "item-problem", role: "alert" }, () => problem.get()),
      h(
        "div",
        { class: "chips", role: "group", "aria-label": t("unit") },
        ...UNITS.map((one) => {
          const word = typeof one === "string" ? one : one[language.peek() === "de" ? "de" : "en"];
          return h("button", {
            type: "button",
            class: "chip",
            "aria-pressed": () => {
              const { unit, quantity } = addition() ?? {};
              return String(word ? unit === word : !unit && quantity !== undefined);
            },
            onclick: () =>
              edit({ unit: word || null, ...(word || addition()?.quantity !== undefined ? {} : { quantity: 1 }) }),
          }, word || t("pieces"));
        }),
      ),
      h("label", { class: "field" }, h("span", {}, t("note")), note),
    ];
  }

  /** A line that several people have added to: each addition, and the way to take it off. */
  function additions() {
    const sources = computed(() => Object.entries(entry.get()?.line.sources ?? {}));
    return h(
      "section",
      {},
      h("h3", {}, t("additions")),
      h(
        "ul",
        { class: "additions" },
        each(() => sources.get(), ([source]) => source, (one, source) =>
          h(
            "li",
            {},
            h(
              "span",
              { class: "addition-text" },
              h("b", {}, () => quantityText(one()[1].quantity ?? 1, one()[1].unit, language.peek())),
              " · ",
              () => t("added", { name: shopping.name(one()[1].by), when: ago(one()[1].at) }),
              () => one()[1].note ? h("span", { class: "item-note", dir: "auto" }, one()[1].note) : null,
            ),
            h("button", {
              type: "button",
              class: "text-button",
              "aria-label": () =>
                t("removeItem", { name: quantityText(one()[1].quantity ?? 1, one()[1].unit, language.peek()) }),
              onclick: () => {
                const now = entry.peek();
                const gone = now?.line.sources[source];
                if (!gone) return;
                const { unit: _unit, ...rest } = now.line;
                const { quantity = 1, unit } = gone;
                const line = { ...rest, quantity, ...(unit ? { unit } : {}), sources: { [source]: gone } };
                shopping.remove(now, [source]);
                say(t("removed", { name: line.name }), { undo: () => shopping.restore({ ...now, line }) });
              },
            }, t("remove")),
          )),
      ),
    );
  }

  /** Only what is my own has a choice: what is everybody's is seen by everybody. */
  function visibility() {
    const isMine = computed(() => entry.get()?.where === "mine" || entry.get()?.line.owner === hearth.me);
    return () => {
      if (!isMine.get()) return null;
      const box = h("input", {
        type: "checkbox",
        role: "switch",
        checked: () => target.get() ?? entry.get()?.where === "home",
        onchange: () => {
          const now = entry.peek();
          if (!now) return;
          target.set(box.checked);
          const { newId, answer } = shopping.move(now, box.checked);
          ids.push(newId);
          answer.then(() => {}, () => {}).finally(() => target.set(null));
        },
      });
      return h("label", { class: "switch" }, h("span", {}, t("show")), box);
    };
  }
}

/** How much one tap adds: a piece, a hundred grams, half a litre's millilitres. @param {number} quantity */
function stride(quantity) {
  return quantity >= 1000 ? 250 : quantity >= 100 ? 50 : quantity < 10 && !Number.isInteger(quantity) ? 0.5 : 1;
}
