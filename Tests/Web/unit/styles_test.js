// The style sheets of screens: once loaded, each stays, so none may change how another family of screens looks.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const APP = fileURLToPath(new URL("../../../Sources/Web/app/", import.meta.url));
/** @param {string} path */
const read = (path) => readFileSync(join(APP, path), "utf8");
/** @param {string} folder @param {string} end */
const list = (folder, end) => readdirSync(join(APP, folder)).filter((name) => name.endsWith(end));

/** The classes with which selectors of a style sheet begin. @param {string} path */
function begun(path) {
  /** @type {Set<string>} */ const found = new Set();
  /** @type {boolean[]} */ const isRule = [];
  let text = "";
  for (const letter of read(path).replaceAll(/\/\*.*?\*\//gs, "")) {
    if (letter === "{") {
      const selector = text.trim();
      if (!selector.startsWith("@") && !isRule.includes(true)) {
        for (const one of selector.split(",")) {
          const [, name] = /^\s*[^\s.]*\.([\w-]+)/.exec(one) ?? [];
          if (name) found.add(name);
        }
      }
      isRule.push(!selector.startsWith("@"));
    } else if (letter === "}") isRule.pop();
    text = "{};".includes(letter) ? "" : text + letter;
  }
  return found;
}

const shared = begun("app.css");
const families = new Map(list("screens", ".css").map((name) => [basename(name, ".css"), begun(`screens/${name}`)]));

test("no class is styled by two families of screens, or by one and the page", () => {
  /** @type {Map<string, string>} */ const by = new Map([...shared].map((name) => [name, "the page"]));
  /** @type {string[]} */ const twice = [];
  for (const [family, names] of families) {
    for (const name of names) {
      if (by.has(name)) twice.push(`.${name}: ${by.get(name)} and ${family}`);
      by.set(name, family);
    }
  }
  assert.deepEqual(twice, []);
  assert.ok(by.size > 150, `${by.size}`);
});

/** A module and all that it imports before it is shown. @param {string} path @param {Set<string>} [found] */
function loaded(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name = ""] of read(path).matchAll(/(?:from|^import) "(\.[^"]+\.js)"/gm)) {
    loaded(normalize(join(dirname(path), name)), found);
  }
  return found;
}

test("a module that uses a class of a family of screens is shown with its style sheet", () => {
  const modules = [
    "app.js",
    ...list("screens", ".js").map((name) => `screens/${name}`),
    ...list("parts", ".js").map((name) => `parts/${name}`),
  ];
  /** @param {string} path @param {string} family */
  const loads = (path, family) =>
    [...loaded(path)].some((one) => new RegExp(`(words|style)Of\\("${family}"\\)`).test(read(one)));
  /** @type {string[]} */ const bare = [];
  let uses = 0;
  for (const path of modules) {
    const classes = new Set(
      [...read(path).matchAll(/class: (?:\([^)]*\) => )?["`]([^"`]+)["`]/g)].flatMap(([, text = ""]) =>
        text.match(/[\w-]+/g) ?? []
      ),
    );
    for (const [family, names] of families) {
      const used = [...classes].filter((name) => names.has(name));
      uses += used.length;
      if (!used.length || loads(path, family)) continue;
      // A part has the sheet of the screens that use it, and each of them must load it.
      const users = modules.filter((one) => one !== path && one.startsWith("screens/") && loaded(one).has(path));
      if (users.length && users.every((one) => loads(one, family))) continue;
      bare.push(`${path}: ${used.join(" ")} of ${family}`);
    }
  }
  assert.deepEqual(bare, []);
  assert.ok(uses > 100, `${uses}`);
});
