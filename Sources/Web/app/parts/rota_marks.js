// One tap ticks a task of the rota off, or takes it on.

import { observe } from "./signal.js";
import { say } from "./snackbar.js";
import { words } from "./words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Home } from "./household.js" */
/** @import { Turn } from "./rota.js" */

const t = await words("chore");

/** @param {Hearth} hearth @param {Home} room */
export function rotaMarks(hearth, room) {
  const me = hearth.me ?? "";
  const unsent = observe(hearth, () => {
    const marks = hearth.waiting.filter(({ method }) => method.startsWith("rota."));
    return new Set(marks.map(({ params: { week, task } }) => `${week} ${task}`));
  });

  /** @param {Turn} turn @param {string} monday @param {boolean} done */
  function tick({ task, name, doneBy }, monday, done) {
    // After an undo, a task that another has done is theirs again.
    const person = done && doneBy && doneBy !== me ? doneBy : undefined;
    hearth.change("rota.tick", { task, week: monday, done, ...(person ? { person } : {}) }, {
      room: room.name,
      about: name,
      optimistic: () => ({
        rotaWeeks: {
          [monday]: {
            doneBy: { [task]: done ? person ?? me : null },
            doneAt: { [task]: done ? new Date(hearth.now()).toISOString() : null },
          },
        },
      }),
    });
  }

  return {
    /** Whether a mark has not reached the server yet. @param {Turn} turn @param {string} monday */
    isWaiting: ({ task }, monday) => unsent.get().has(`${monday} ${task}`),
    /** Ticks it off, or takes the tick away. @param {Turn} turn @param {string} monday */
    toggle(turn, monday) {
      tick(turn, monday, !turn.doneBy);
      say(t(turn.doneBy ? "chore.undone" : "chore.done", { name: turn.name }), {
        undo: () => tick(turn, monday, Boolean(turn.doneBy)),
        isBrief: true,
      });
    },
    /** Takes on what is open. @param {Turn} turn @param {string} monday */
    claim({ task, name }, monday) {
      /** @param {"rota.claim" | "rota.release"} method */
      const put = (method) =>
        hearth.change(method, { task, week: monday }, {
          room: room.name,
          about: name,
          optimistic: () => ({ rotaWeeks: { [monday]: { claims: { [task]: method === "rota.claim" ? me : null } } } }),
        });
      put("rota.claim");
      say(t("chore.taken", { name }), { undo: () => put("rota.release") });
    },
  };
}
