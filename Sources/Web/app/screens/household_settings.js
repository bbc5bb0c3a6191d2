// Name, time zone, currency and rules of the household. The host changes them; others see them.

import { follow } from "../parts/follow.js";
import { household, roomOf } from "../parts/household.js";
import { computed, h } from "../parts/signal.js";
import { field, form, screen, section, skeleton, toggle } from "../parts/screen.js";
import { say } from "../parts/snackbar.js";
import { duration } from "../parts/when.js";
import { words } from "../parts/words.js";
import { currencyField, zoneField } from "./start.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { Patch } from "../hearth/types/library.d.ts" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { Currency, House } from "../parts/records.d.ts" */

const t = await words("people");
const DAY = 86_400_000;
/** The day of a dinner begins then; nobody can be late before. */
const DAY_START = "04:00";
const SPANS =
  /** @type {[string, number][]} */ ([["day", DAY], ["week", 7 * DAY], ["twoWeeks", 14 * DAY], ["month", 30 * DAY]]);

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const frame = { title: t("settings.title"), back: "/household" };
  const isHere = computed(() => Boolean(room.state.get()?.household));
  return h("div", null, () => isHere.get() ? settings(hearth, room, frame) : screen(frame, skeleton()));
}

/** @param {Hearth} hearth @param {ReturnType<typeof roomOf>} room @param {{ title: string, back: string }} frame */
function settings(hearth, room, frame) {
  const house = /** @type {House} */ (room.state.peek()?.household);
  const policies = () => room.state.get()?.household?.policies ?? {};
  const isHost = () => room.state.get()?.household?.host === hearth.me;
  const mayEdit = () => isHost() || policies().settings === "anyMember";
  /** @param {Params<"households.update">} params @param {Patch<HouseholdState["household"]>} [patch] */
  const update = (params, patch = params) =>
    hearth.change("households.update", params, {
      room: room.name,
      optimistic: () => ({ household: patch }),
      about: t("settings.about"),
    });

  const now = () => /** @type {Partial<House>} */ (room.state.get()?.household ?? {});
  const name = follow(
    field({ label: t("settings.name"), name: "name", value: house.name, required: true, maxlength: 64 }),
    () => now().name,
  );
  const zone = follow(zoneField(house.timeZone), () => now().timeZone);
  const currency = follow(currencyField(house.currency), () => now().currency);
  const cutoff = follow(
    field({
      label: t("settings.cutoff"),
      name: "dinnerCutoff",
      type: "time",
      required: true,
      hint: t("settings.cutoffText"),
    }),
    () => now().dinnerCutoff ?? "17:00",
  );
  const spanName = (/** @type {number | undefined} */ ms) => SPANS.find(([, span]) => span === ms)?.[0] ?? "other";
  const known = spanName(house.noteLifetime);
  const lifetime = follow(
    field({
      label: t("settings.lifetime"),
      name: "noteLifetime",
      value: known,
      options: [
        ...(known === "other" ? [/** @type {[string, string]} */ (["other", duration(house.noteLifetime)])] : []),
        ...SPANS.map(([key]) => /** @type {[string, string]} */ ([key, t(`settings.span.${key}`)])),
      ],
    }),
    () => spanName(now().noteLifetime),
  );
  return screen(
    { ...frame, lead: () => mayEdit() ? null : t("settings.readOnly") },
    h(
      "fieldset",
      { class: "plain-set", disabled: () => !mayEdit() },
      form({
        fields: [name, lifetime, cutoff, zone, currency],
        action: t("save"),
        check: () => {
          if (cutoff.value() < DAY_START) cutoff.problem.set(t("settings.cutoffEarly"));
        },
        submit: () => {
          /** @type {Params<"households.update">} */ const params = {};
          if (name.isChanged()) params["name"] = name.value().trim();
          if (zone.isChanged()) params["timeZone"] = zone.value();
          if (currency.isChanged()) params["currency"] = /** @type {Currency} */ (currency.value());
          if (cutoff.isChanged()) params["dinnerCutoff"] = cutoff.value();
          const span = SPANS.find(([key]) => key === lifetime.value())?.[1];
          if (span && lifetime.isChanged()) params["noteLifetime"] = span;
          if (Object.keys(params).length) update(params);
          say(t("settings.saved"));
        },
      }),
    ),
    section(
      { title: t("settings.rules") },
      h(
        "div",
        { class: "rows framed" },
        rule(
          "anyNotes",
          () => policies().notes === "any",
          (on) => update({ policies: { notes: on ? "any" : "authorOrHost" } }),
        ),
        rule(
          "hostRemoves",
          () => policies().removal === "host",
          (on) => update({ policies: { removal: on ? "host" : "anyMember" } }),
        ),
        rule(
          "anySettings",
          () => policies().settings === "anyMember",
          (on) => update({ policies: { settings: on ? "anyMember" : "host" } }),
        ),
        rule(
          "points",
          () => room.state.get()?.household?.points === true,
          (on) => update({ points: on }, { points: on || null }),
        ),
        rule(
          "simplify",
          () => room.state.get()?.household?.simplify === true,
          (on) => update({ simplify: on }, { simplify: on || null }),
        ),
        rule(
          "exclusive",
          () => room.state.get()?.household?.exclusive === true,
          (on) => update({ exclusive: on }, { exclusive: on || null }),
        ),
      ),
    ),
  );

  /** @param {string} key @param {() => boolean} isOn @param {(on: boolean) => void} change */
  function rule(key, isOn, change) {
    const text = ["anyNotes", "hostRemoves", "points", "simplify", "exclusive"].includes(key)
      ? t(`settings.${key}Text`)
      : "";
    return toggle({
      label: t(`settings.${key}`),
      ...(text ? { text } : {}),
      isOn,
      change,
      disabled: () => key === "points" || key === "simplify" ? !mayEdit() : !isHost(),
    });
  }
}
