// Everybody who shares with me, on one map, and in a list below it.

import { shortAge } from "../parts/ages.js";
import { avatar, initial } from "../parts/avatar.js";
import { wordsOf } from "../parts/family.js";
import { headingAt } from "../parts/heading.js";
import { locateAndTurn, mine as here, onHere } from "../parts/here.js";
import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { empty, list, row, screen, skeleton } from "../parts/screen.js";
import { plainMap, shareMap } from "../parts/share_map.js";
import { ageWords, directionWords, distanceWords, followShare, sharesIn, tellSeen } from "../parts/shares.js";
import { seconds } from "../parts/ages.js";
import { computed, each, effect, h, onEnd, scope, signal } from "../parts/signal.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Followed } from "../parts/shares.js" */

const t = await wordsOf("out");

/** More signs than this hide each other; the list has all. */
const MOST = 60;

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const now = seconds(hearth);
  const place = signal(here.here);
  const state = signal(here.state);
  onEnd(onHere(() => {
    place.set(here.here);
    state.set(here.state);
  }));
  const received = computed(() => sharesIn(me.state.get()).received);
  const ids = computed(() => received.get().map(({ id }) => id).slice(0, MOST).join(" "));

  /** @param {string} id */
  const follow = (id) => {
    const one = followShare(hearth, id, now);
    tellSeen(hearth, one, t("title"));
    return one;
  };
  // A share is followed from when it is in the list until it is not, or the screen ends.
  /** @type {Map<string, { value: Followed, end: () => void }>} */
  const followed = new Map();
  const count = signal(0);
  effect(() => {
    const wanted = new Set(ids.get().split(" ").filter(Boolean));
    for (const id of wanted) {
      if (!followed.has(id)) followed.set(id, scope(() => follow(id)));
    }
    for (const [id, { end }] of followed) {
      if (wanted.has(id)) continue;
      end();
      followed.delete(id);
    }
    count.update((n) => n + 1);
  });
  onEnd(() => followed.forEach(({ end }) => end()));
  /** @param {string} id */
  const share = (id) => (count.get(), followed.get(id)?.value);

  const map = shareMap(hearth);
  const heading = headingAt(place);
  effect(() => map.turn(heading.get()));
  const figures = computed(() =>
    received.get().flatMap(({ id, name }) => {
      const one = share(id);
      const position = one?.position.get();
      return one && position
        ? [{
          id,
          place: position,
          accuracy: position.accuracy,
          initial: initial(name),
          label: `${name} · ${shortAge(one.age.get() ?? 0)}`,
          state: one.freshness.get(),
        }]
        : [];
    })
  );
  effect(() => {
    const people = figures.get();
    map.show({
      me: place.get(),
      people,
      description: [t("mapOf"), ...people.map(({ label }) => `${label}.`)].join(" "),
    });
  });

  return screen(
    { title: t("mapTitle"), back: "/out", class: "out-map" },
    () => me.state.get() ? null : skeleton(4),
    h(
      "div",
      { class: "map-frame large beside" },
      map.element,
      () => figures.get().length || place.get() ? null : h("p", { class: "map-none" }, t("mapEmpty")),
    ),
    plainMap(hearth),
    () =>
      state.get() === "unknown" && figures.get().length
        ? h(
          "div",
          { class: "offer" },
          h("button", { type: "button", class: "plain", onclick: locateAndTurn }, icon("locate"), t("howFar")),
          h("p", { class: "hint" }, t("howFarWhy")),
        )
        : null,
    () =>
      me.state.get() && !received.get().length
        ? empty({ icon: "out", text: t("emptyOut") })
        : list(each(() => received.get(), ({ id }) => id, (one, id) =>
          row({
            before: avatar(one().sharer, () => one().name),
            title: () => one().name,
            text: () => {
              const now = share(id);
              const position = now?.position.get();
              const from = place.get();
              return [
                from && position ? distanceWords(from.place, position) : "",
                from && position ? directionWords(t, from.place, position) : "",
                one().state === "arrived" ? t("arrived") : ageWords(t, now?.age.get() ?? null, position?.at),
              ].filter(Boolean).join(" · ");
            },
            after: icon("next"),
            href: `/out/share/${id}`,
          }))),
  );
}
