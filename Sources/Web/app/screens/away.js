// The days in which the person is away, and who stands in for them.

import { isOnline } from "../parts/connection.js";
import { household, roomOf } from "../parts/household.js";
import { membersOf } from "../parts/names.js";
import { computed, h } from "../parts/signal.js";
import { empty, field, form, screen, skeleton } from "../parts/screen.js";
import { say } from "../parts/snackbar.js";
import { back } from "../parts/router.js";
import { calendarDay, dayOf, now } from "../parts/when.js";
import { words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Home } from "../parts/household.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Params } from "../hearth/types/methods.d.ts" */

const t = await words("people");

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const frame = { title: t("away.title"), back: "/household" };
  const isHere = computed(() => Boolean(room.state.get()));
  return h("div", null, () => isHere.get() ? days(hearth, room, frame) : screen(frame, skeleton()));
}

/** @param {Hearth} hearth @param {Home} room @param {{ title: string, back: string }} frame */
function days(hearth, room, frame) {
  const me = hearth.me ?? "";
  const state = /** @type {HouseholdState} */ (room.state.peek());
  const myself = state.members?.[me];
  if (myself?.role === "guest") return screen(frame, empty({ icon: "suitcase", text: t("away.isGuest") }));
  const away = myself?.away;
  const today = dayOf(now.peek(), state.household?.timeZone);
  const from = field({ label: t("away.from"), name: "from", type: "date", value: away?.from ?? today, required: true });
  const to = field({ label: t("away.to"), name: "to", type: "date", value: away?.to ?? "", required: true });
  const delegate = field({
    label: t("away.delegate"),
    hint: t("away.delegateHint"),
    name: "delegate",
    value: away?.delegate ?? "",
    options: [
      ["", t("away.nobody")],
      ...membersOf(state).filter(([person, one]) => person !== me && one.role !== "guest").map((
        [person, { name, away }],
      ) => /** @type {[string, string]} */ ([
        person,
        away ? t("away.mate", { name, to: calendarDay(away.to, false) }) : name,
      ])),
    ],
  });
  /** @param {Params<"members.away">} params */
  const leave = (params) =>
    hearth.change("members.away", params, {
      room: room.name,
      optimistic: () => ({ members: { [me]: { away: { ...params, delegate: params.delegate ?? null } } } }),
      about: t("away.about"),
    });
  return screen(
    {
      ...frame,
      lead: () => {
        const one = room.state.get()?.members?.[me]?.away;
        return one
          ? t("away.now", { from: calendarDay(one.from, false), to: calendarDay(one.to, false) })
          : t("away.lead");
      },
    },
    form({
      fields: [from, to, delegate],
      action: t("away.save"),
      check: () => {
        if (from.value() && to.value() && to.value() < from.value()) to.problem.set(t("away.order"));
      },
      submit: () => {
        const params = {
          from: from.value(),
          to: to.value(),
          ...(delegate.value() ? { delegate: delegate.value() } : {}),
        };
        leave(params);
        say(
          t(isOnline(hearth) ? "away.saved" : "away.later", {
            from: calendarDay(params.from, false),
            to: calendarDay(params.to, false),
          }),
        );
        back("/household");
      },
    }),
    () => {
      const one = room.state.get()?.members?.[me]?.away;
      const isToCome = one && one.from > today;
      return one
        ? h("button", {
          type: "button",
          class: "plain wide",
          onclick: () => {
            const before = room.state.peek()?.members?.[me]?.away;
            hearth.change("members.back", {}, {
              room: room.name,
              optimistic: () => ({ members: { [me]: { away: null } } }),
              about: t("away.about"),
            });
            say(t(isToCome ? "away.notGoingSaid" : "away.backSaid"), before && { undo: () => leave(before) });
            back("/household");
          },
        }, t(isToCome ? "away.notGoing" : "away.back"))
        : null;
    },
    h("p", { class: "hint" }, t("away.guests")),
  );
}
