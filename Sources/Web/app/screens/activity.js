// The events of the household: the newest thirty are in the room, older ones are asked for. Above them is what this
// person can still take back.

import { activitySign, activityWords, whereTo } from "../parts/activity.js";
import { bin, takeBack } from "../parts/bin.js";
import { household, roomOf } from "../parts/household.js";
import { olderButton, paging } from "../parts/paging.js";
import { computed, each, h } from "../parts/signal.js";
import { empty, row, screen, section, skeleton } from "../parts/screen.js";
import { say } from "../parts/snackbar.js";
import { ago, clock, day, dayOf } from "../parts/when.js";
import { t as word, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Done } from "../parts/bin.js" */
/** @import { Activity } from "../parts/records.d.ts" */

const t = await words("home");

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const state = () => room.state.get();
  const zone = () => state()?.household?.timeZone;
  const older = paging(hearth, "activity.list", room.name);
  const all = computed(() => {
    /** @type {Map<number, Activity>} */ const seen = new Map();
    for (const event of [...Object.values(state()?.activity ?? {}), ...older.items.get()]) seen.set(event.n, event);
    return [...seen.values()].sort((a, b) => b.n - a.n);
  });
  /** Days, each with its events. */
  const days = computed(() => {
    /** @type {Map<string, Activity[]>} */ const found = new Map();
    for (const event of all.get()) {
      const date = dayOf(event.at, zone());
      found.set(date, [...found.get(date) ?? [], event]);
    }
    return [...found];
  });
  return screen(
    { title: t("activity.title"), back: "/" },
    binPart(),
    () => state() ? null : skeleton(8),
    () => state() && !all.get().length ? empty({ icon: "activity", text: t("home.activityEmpty") }) : null,
    each(() => days.get(), ([date]) => date, (group) =>
      h(
        "section",
        { class: "section" },
        h("h2", { class: "day-head" }, () => day(group()[1][0]?.at ?? 0, zone())),
        h(
          "ul",
          { class: "rows" },
          each(() => group()[1], (event) => String(event.n), (event) =>
            row({
              before: activitySign(state, event()),
              title: () => activityWords(state(), event(), hearth.me),
              href: whereTo(event()),
              after: h("time", { class: "hint", datetime: event().at }, () => clock(event().at, zone())),
            })),
        ),
      )),
    () =>
      !state() || all.get().length < 30 && !older.isAll()
        ? null
        : older.isAll()
        ? h("p", { class: "hint centred" }, t("activity.begin"))
        : olderButton(older, t("activity.older")),
  );
}

function binPart() {
  const isShown = computed(() => bin.get().length > 0);
  return () =>
    isShown.get()
      ? section(
        { title: t("activity.bin") },
        h("ul", { class: "rows" }, each(() => bin.get(), ({ id }) => id, binRow)),
      )
      : null;
}

/** @param {() => Done} item */
function binRow(item) {
  const { text, about, at } = item();
  const title = text.replace(/\.$/, "");
  const undo = h("button", {
    type: "button",
    "aria-label": `${word("undo")}: ${[title, about].filter(Boolean).join(", ")}`,
    onclick: async () => {
      if (await takeBack(item())) say(word("undone", { what: about || title }));
    },
  }, word("undo"));
  return row({ title, text: [about && [h("bdi", null, about), " · "], () => ago(at)], after: undo });
}
