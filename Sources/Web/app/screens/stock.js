// The supplies of the household: in, low or out. The server puts a supply that is out on the shopping list.

import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { nameKey } from "../parts/quantity.js";
import { refusals } from "../parts/refusals.js";
import { empty, field, form, screen, segments, skeleton, waitingMark } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, each, h, observe } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Stock } from "../parts/records.d.ts" */
/** @typedef {Stock["level"]} Level */

const t = await words("stock");
const LEVELS = /** @type {const} */ (["in", "low", "out"]);
/** So many names are offered. */
const FEW = 8;

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const state = () => room.state.get();
  const isHere = computed(() => Boolean(state()));
  // By name: a tap must not move anything under the thumb.
  const items = computed(() => {
    const names = new Intl.Collator();
    return Object.entries(state()?.stock ?? {}).filter(([, one]) => one.name).sort(([, a], [, b]) =>
      names.compare(a.name, b.name)
    );
  });
  const count = (/** @type {Level} */ level) => items.get().filter(([, one]) => one.level === level).length;
  const unsent = observe(
    hearth,
    () => new Set(hearth.waiting.flatMap(({ method, params }) => method === "stock.set" ? [params["name"]] : [])),
  );
  const refused = observe(hearth, () => hearth.refused.filter(({ method }) => method.startsWith("stock.")));

  return screen(
    { title: t("stock.title"), back: "/shopping", lead: h("span", { role: "status" }, lead) },
    refusals(hearth, refused),
    () => isHere.get() ? null : skeleton(6),
    () => isHere.get() && !items.get().length ? empty({ icon: "jar", text: t("stock.empty") }) : null,
    h("ul", { class: "rows" }, each(() => items.get(), ([key]) => key, (item, key) => supply(key, () => item()[1]))),
    () =>
      isHere.get() && h(
        "button",
        { type: "button", class: "primary fab", onclick: openNew },
        icon("plus"),
        t("stock.new"),
      ),
  );

  function lead() {
    if (!items.get().length) return "";
    const [low, out] = [count("low"), count("out")];
    return [out && t("stock.out.n", { n: out }), low && t("stock.low.n", { n: low })].filter(Boolean).join(" ") ||
      t("stock.all");
  }

  /** Its lines on the list. @param {string} key */
  function lines(key) {
    // From the room: an undo also looks here after the screen has ended, when signals stand still.
    return Object.entries(room.room.state?.groceries ?? {}).filter(([, one]) =>
      one.key === key && !one.owner && !one.checkedAt
    );
  }

  /** @param {string} name @param {Level} level */
  function put(name, level) {
    const at = new Date(hearth.now()).toISOString();
    hearth.change("stock.set", { name, level }, {
      room: room.name,
      about: t(`stock.said.${level}`, { name }),
      optimistic: () => ({ stock: { [nameKey(name)]: { name, level, by: hearth.me ?? "", at } } }),
    });
  }

  /** @param {string} key @param {string} name */
  function drop(key, name) {
    hearth.change("stock.remove", { name }, {
      room: room.name,
      about: t("stock.removed", { name }),
      optimistic: () => ({ stock: { [key]: null } }),
    });
  }

  /** @param {string} key @param {Stock} before @param {Level} level */
  function change(key, { name, level: old }, level) {
    const known = new Set(lines(key).map(([id]) => id));
    put(name, level);
    const undo = () => {
      put(name, old);
      // The line that it has put on the list goes, too.
      for (const [id, line] of lines(key).filter(([id]) => !known.has(id))) {
        hearth.change("groceries.remove", { id, sources: Object.keys(line.sources ?? {}) }, {
          room: room.name,
          about: t(`stock.said.${old}`, { name }),
          optimistic: () => ({ groceries: { [id]: null } }),
        });
      }
    };
    say(t(`stock.said.${level}`, { name }), { undo, isBrief: true });
  }

  /** @param {string} key @param {() => Stock} one */
  function supply(key, one) {
    const name = () => one().name;
    return h(
      "li",
      { class: "supply" },
      h(
        "div",
        { class: "row" },
        h("span", { class: "row-words" }, h("span", { class: "row-title", dir: "auto" }, name)),
        waitingMark(() => unsent.get().has(name())),
        h("button", {
          type: "button",
          class: "quiet round",
          "aria-label": () => t("stock.remove", { name: name() }),
          onclick: () => {
            const { name, level } = one();
            drop(key, name);
            say(t("stock.removed", { name }), { undo: () => put(name, level) });
          },
        }, icon("bin")),
      ),
      segments({
        label: name(),
        choices: LEVELS.map((level) => [level, t(`stock.${level}`)]),
        value: () => one().level,
        change: (level) => change(key, one(), level),
      }),
    );
  }

  function openNew() {
    const { groceries = {}, stock = {} } = room.state.peek() ?? {};
    const addedAt = (/** @type {typeof groceries[string]} */ { sources }) =>
      Object.values(sources ?? {}).map(({ at }) => at).sort().at(-1) ?? "";
    // The newest lines first.
    const names = Object.values(groceries).filter(({ name, owner }) => name && !owner && !stock[nameKey(name)])
      .sort((a, b) => addedAt(a) < addedAt(b) ? 1 : -1).map(({ name }) => name);
    const known = [...new Set(names)].slice(0, FEW);
    openSheet({ title: t("stock.new") }, (close) => {
      const name = field({
        label: t("stock.name"),
        name: "name",
        required: true,
        maxlength: 100,
        autofocus: true,
        autocomplete: "off",
        enterkeyhint: "done",
      });
      const submit = async (text = name.value().trim().replace(/\s+/gu, " ")) => {
        await close();
        if (text && !room.state.peek()?.stock?.[nameKey(text)]) {
          put(text, "in");
          say(t("stock.added", { name: text }), { undo: () => drop(nameKey(text), text) });
        }
      };
      return [
        h("p", { class: "hint" }, t("stock.newText")),
        form({ fields: [name], action: t("stock.add"), submit: () => submit() }),
        known.length
          ? h(
            "div",
            { class: "chips", role: "group", "aria-label": t("stock.known") },
            known.map((one) =>
              h(
                "button",
                { type: "button", class: "chip", onclick: () => submit(one) },
                h("span", { class: "one-line", dir: "auto" }, one),
              )
            ),
          )
          : null,
      ];
    });
  }
}
