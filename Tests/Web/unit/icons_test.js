// The icons: a browser fetches all of them at its first visit, so none is there for nothing.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const APP = new URL("../../../Sources/Web/app/", import.meta.url);

test("each icon is asked for", () => {
  const [, drawings = ""] =
    /const DRAWINGS = \{([^]*?)\n\};/.exec(readFileSync(new URL("parts/icons.js", APP), "utf8")) ?? [];
  const icons = [...drawings.matchAll(/^ {2}(\w+):/gm)].map(([, name = ""]) => name);
  assert.ok(icons.length > 60, `${icons.length}`);
  const folders = ["", "parts/", "screens/"].map((folder) => new URL(folder, APP));
  const text = folders.flatMap((folder) =>
    readdirSync(folder).filter((one) => one.endsWith(".js")).map((one) => readFileSync(new URL(one, folder), "utf8"))
  ).join("\n");
  assert.deepEqual(icons.filter((name) => !text.includes(`"${name}"`)), []);
});
