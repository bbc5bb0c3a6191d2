// A row that somebody else has changed shows for a moment who that was.

import { avatar } from "./avatar.js";
import { household } from "./household.js";
import { nameOf } from "./names.js";
import { effect, h, onEnd } from "./signal.js";

/** @import { Hearth } from "../hearth/hearth.js" */

/** The time that a sign stays, in milliseconds. */
const SHOWN = 1500;
/** The rows of these tables show their author already. */
const TOLD = new Set(["activity", "chat", "members", "former"]);

/** Called once by the shell. @param {Hearth} hearth */
export function startAlive(hearth) {
  const open = household(hearth);
  effect(() => {
    const id = open.get();
    if (!id) return;
    const room = hearth.room(`household/${id}`);
    const end = room.onPatch((by, patch) => {
      if (by === hearth.me || document.hidden) return;
      // The screen adds new rows before the next frame.
      requestAnimationFrame(() => {
        for (const row of rowsOf(patch)) show(row, by, nameOf(room.state, by));
      });
    });
    onEnd(() => {
      end();
      room.close();
    });
  });
}

/** The rows of the patch that are on the screen now. @param {Record<string, unknown>} patch */
function rowsOf(patch) {
  return Object.entries(patch).flatMap(([table, rows]) =>
    TOLD.has(table) || !rows ? [] : Object.entries(rows).flatMap(([id, row]) => {
      if (row === null) return [];
      return [...document.querySelectorAll(`main > :not([aria-hidden]) li[data-row~="${CSS.escape(id)}"]`)];
    })
  );
}

/** @param {Element} row @param {string} person @param {string} name */
function show(row, person, name) {
  const { top, bottom } = row.getBoundingClientRect();
  if (bottom < 0 || top > innerHeight) return;
  row.querySelector(":scope > .changed-by")?.remove();
  const sign = h("span", { class: "changed-by", "aria-hidden": "true" }, avatar(person, name, { size: "small" }));
  row.append(sign);
  row.setAttribute("data-changed", "");
  setTimeout(() => {
    sign.remove();
    if (!row.querySelector(":scope > .changed-by")) row.removeAttribute("data-changed");
  }, SHOWN);
}
