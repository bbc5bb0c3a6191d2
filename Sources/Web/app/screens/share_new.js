// Starting to share: who, how long or until where, with a ride or not. The choices of the last time are made already.

import { avatar } from "../parts/avatar.js";
import { wordsOf } from "../parts/family.js";
import { readPlace } from "../parts/geo.js";
import { mine as here, once, onHere } from "../parts/here.js";
import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { keep, kept } from "../parts/keep.js";
import { acquaintances } from "../parts/acquaintances.js";
import { begin } from "../parts/reporter.js";
import { address, go } from "../parts/router.js";
import { empty, field, screen, section, skeleton, toggle } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, each, h, onEnd, signal, untracked } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { listed } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Place } from "../parts/geo.js" */
/** @import { MeState } from "../hearth/types/documents.d.ts" */
/** @import { Child } from "../parts/signal.js" */
/** @typedef {Place & { r: number, label: string }} Goal */
/**
 * @typedef {{ receivers: string[], minutes: number | null, place: string | null, ride: boolean,
 *   stop: "consent" | "notify",
 *   silence: "keeps" | "confirms", trail: boolean }} Choice `minutes` or the name of a place
 */

const t = await wordsOf("out");

/** The server takes 15 minutes at least; the phone's clock and the way there need a margin. */
const MINUTES = [30, 60, 120, 240];
/** With a place, a share ends after so many hours at the latest. */
const LONGEST_HOURS = 12;
const MOST_PLACES = 20;

/** @param {MeState | null} me @returns {Choice} */
function lastChoice(me) {
  const last = kept(me, "share") ?? {};
  return {
    receivers: Array.isArray(last.receivers) ? last.receivers : [],
    minutes: MINUTES.includes(last.minutes) ? last.minutes : last.place ? null : 60,
    place: typeof last.place === "string" ? last.place : null,
    // A ride is asked for anew each time.
    ride: false,
    stop: last.stop === "notify" ? "notify" : "consent",
    silence: last.silence === "confirms" ? "confirms" : "keeps",
    trail: last.trail === true,
  };
}

/** @param {MeState | null} me @returns {Goal[]} */
function placesOf(me) {
  const places = kept(me, "places");
  return Array.isArray(places)
    ? places.filter(({ label, lat, lon }) => label && lat !== undefined && lon !== undefined)
    : [];
}

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const isKnown = computed(() => Boolean(me.state.get()));
  return h(
    "div",
    null,
    () => isKnown.get() ? choices(hearth) : screen({ title: t("newTitle"), back: "/out" }, skeleton(5)),
  );
}

/** @param {Hearth} hearth */
function choices(hearth) {
  const me = mine(hearth);
  // A share until a place begins with where the phone is: its next fix may be there already.
  onEnd(onHere(() => {}));
  const people = acquaintances(hearth);
  const places = computed(() => placesOf(me.state.get()));
  const last = lastChoice(me.state.peek());
  const asking = address.peek().query.get("to");
  const known = untracked(() => people.get()).map(([id]) => id);
  const receivers = asking ? [asking] : known.length === 1 ? known : last.receivers;
  /** @type {{ get(): Choice, peek(): Choice, set(next: Choice): void }} */
  const choice = signal({ ...last, receivers });
  const note = signal("");
  /** @param {Partial<Choice>} change */
  const choose = (change) => choice.set({ ...choice.peek(), ...change });
  // A receiver of the last time may be gone.
  const chosen = computed(() => people.get().filter(([id]) => choice.get().receivers.includes(id)));
  const goal = computed(() => places.get().find(({ label }) => label === choice.get().place) ?? null);
  const problem = computed(() =>
    !chosen.get().length ? t("chooseSomebody") : choice.get().minutes === null && !goal.get() ? t("choosePlace") : ""
  );

  function start() {
    if (problem.peek()) return say(problem.peek());
    const id = hearth.newId();
    const { minutes, ride, stop, silence, trail } = choice.peek();
    const until = new Date(hearth.now() + (minutes === null ? LONGEST_HOURS * 60 - 1 : minutes) * 60_000).toISOString();
    const place = minutes === null ? goal.peek() : null;
    const position = place && here.here
      ? { ...here.here.place, accuracy: Math.min(50_000, Math.max(0, here.here.accuracy)) }
      : null;
    const params = {
      id,
      receivers: chosen.peek().map(([person]) => person),
      until,
      ...(place ? { place: { lat: place.lat, lon: place.lon, r: place.r, label: place.label } } : {}),
      ...(position ? { position } : {}),
      ...(ride ? { ride: true } : {}),
      ...(note.peek().trim() ? { note: note.peek().trim() } : {}),
      ...(stop === "notify" ? { stop } : silence === "confirms" ? { silence } : {}),
      ...(trail ? { trail: true } : {}),
    };
    const { name } = me.state.peek()?.profile ?? {};
    begin(id);
    hearth.change("shares.start", params, {
      about: t("aboutShare"),
      optimistic: () => ({
        shares: {
          [id]: {
            role: /** @type {const} */ ("sharer"),
            sharer: hearth.me,
            name: name ?? "",
            until,
            state: /** @type {const} */ ("active"),
            ...(place ? { place: place.label } : {}),
            ...(ride ? /** @type {const} */ ({ pickup: "wanted" }) : {}),
          },
        },
      }),
    });
    const next = { ...choice.peek(), receivers: params.receivers };
    if (JSON.stringify(next) !== JSON.stringify(last)) keep(hearth, "share", next, t("who"));
    go(`/out/share/${id}`, { replace: true });
  }

  return screen(
    { title: t("newTitle"), back: "/out", class: "share-new" },
    section(
      { title: t("who") },
      () => people.get().length ? null : empty({ icon: "people", text: t("nobodyYet") }),
      h(
        "div",
        { class: "faces", role: "group", "aria-label": t("who") },
        each(() => people.get(), ([id]) => id, (one, id) =>
          h(
            "button",
            {
              type: "button",
              class: "face plain",
              "aria-pressed": () => String(choice.get().receivers.includes(id)),
              onclick: () => {
                const { receivers } = choice.peek();
                choose({
                  receivers: receivers.includes(id) ? receivers.filter((one) => one !== id) : [...receivers, id],
                });
              },
            },
            h(
              "span",
              { class: "face-sign" },
              avatar(id, () => one()[1]),
              h("span", { class: "face-check" }, icon("check")),
            ),
            h("span", { class: "face-name", dir: "auto" }, () => one()[1]),
          )),
      ),
    ),
    section(
      { title: t("howLong") },
      h(
        "div",
        { class: "chips", role: "group", "aria-label": t("howLong") },
        MINUTES.map((minutes) =>
          chip(minutes < 60 ? t("minutes", { n: minutes }) : t("hours", { n: minutes / 60 }), {
            isOn: () => choice.get().minutes === minutes,
            choose: () => choose({ minutes, place: null }),
          })
        ),
      ),
      h(
        "div",
        { class: "chips", role: "group", "aria-label": t("untilPlace") },
        h("span", { class: "hint chips-name" }, t("untilPlace")),
        each(() => places.get(), ({ label }) => label, (place) =>
          chip(() => place().label, {
            isOn: () => choice.get().minutes === null && choice.get().place === place().label,
            choose: () => choose({ minutes: null, place: place().label }),
            icon: "flag",
          })),
        h(
          "button",
          {
            type: "button",
            class: "chip",
            onclick: () => newPlace(hearth, (label) => choose({ minutes: null, place: label })),
          },
          icon("plus"),
          t("addPlace"),
        ),
      ),
      () => choice.get().minutes === null ? h("p", { class: "hint" }, t("longest", { n: LONGEST_HOURS })) : null,
      () => {
        const place = goal.get();
        if (choice.get().minutes !== null || !place) return null;
        return h(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: () => {
              keep(
                hearth,
                "places",
                places.peek().filter((one) => one !== place),
                t("placeRemove", { place: place.label }),
              );
              choose({ minutes: 60, place: null });
              say(t("placeForgotten", { place: place.label }), {
                undo: () => keep(hearth, "places", [...placesOf(mine(hearth).state.peek()), place], t("aboutPlaces")),
              });
            },
          },
          icon("bin"),
          t("placeRemove", { place: place.label }),
        );
      },
    ),
    toggle({ label: t("ride"), isOn: () => choice.get().ride, change: (ride) => choose({ ride }) }),
    radios(
      t("stopRule"),
      [["consent", t("stopConsent")], ["notify", t("stopNotify")]],
      () => choice.get().stop,
      (stop) => choose({ stop: stop === "notify" ? "notify" : "consent" }),
    ),
    h(
      "details",
      { class: "more" },
      h("summary", null, t("moreChoices")),
      h(
        "div",
        { class: "form" },
        noteField(note),
        toggle({ label: t("trail"), isOn: () => choice.get().trail, change: (trail) => choose({ trail }) }),
        () =>
          choice.get().stop === "consent"
            ? radios(
              t("silence"),
              [["keeps", t("silenceKeeps")], ["confirms", t("silenceConfirms")]],
              () => choice.get().silence,
              (silence) => choose({ silence: silence === "confirms" ? "confirms" : "keeps" }),
            )
            : null,
      ),
    ),
    h("p", { class: "hint limits" }, icon("info"), t("browserLimits")),
    h(
      "button",
      { type: "button", class: "primary fab", onclick: start },
      icon("out"),
      () => chosen.get().length ? t("beginWith", { names: listed(chosen.get().map(([, name]) => name)) }) : t("begin"),
    ),
  );
}

/**
 * @param {Child} label
 * @param {{ isOn: () => boolean, choose: () => void, icon?: import("../parts/icons.js").IconName }} options
 */
function chip(label, options) {
  return h(
    "button",
    {
      type: "button",
      class: "chip",
      "aria-pressed": () => String(options.isOn()),
      onclick: options.choose,
    },
    options.icon ? icon(options.icon) : null,
    h("span", { dir: "auto" }, label),
  );
}

/** @param {{ set(text: string): void }} note */
function noteField(note) {
  const made = field({
    label: t("noteLabel"),
    name: "note",
    placeholder: t("noteHint"),
    maxlength: 200,
    autocomplete: "off",
  });
  made.input.addEventListener("input", () => note.set(made.value()));
  return made.element;
}

let groups = 0;

/**
 * @param {string} legend @param {[string, string][]} choices @param {() => string} value
 * @param {(value: string) => void} change
 */
function radios(legend, choices, value, change) {
  const name = `choice-${++groups}`;
  return h(
    "fieldset",
    { class: "radios" },
    h("legend", null, legend),
    choices.map(([one, text]) =>
      h(
        "label",
        null,
        h("input", { type: "radio", name, checked: () => value() === one, onchange: () => change(one) }),
        text,
      )
    ),
  );
}

/**
 * A place gets a name and is where I am now, or where a map says. @param {Hearth} hearth
 * @param {(label: string) => void} done
 */
function newPlace(hearth, done) {
  openSheet({ title: t("addPlace") }, (close) => {
    const name = field({
      label: t("placeName"),
      name: "label",
      placeholder: t("placeNameHint"),
      maxlength: 64,
      required: true,
      autofocus: true,
      autocomplete: "off",
    });
    const pasted = field({
      label: t("placePaste"),
      name: "place",
      placeholder: t("placePasteHint"),
      autocomplete: "off",
      spellcheck: false,
    });
    const isBusy = signal(false);
    /** @param {Place} place */
    function save({ lat, lon }) {
      const label = name.value().trim();
      const places = placesOf(mine(hearth).state.peek()).filter((one) => one.label !== label);
      const place = { label, lat: Math.round(lat * 1e5) / 1e5, lon: Math.round(lon * 1e5) / 1e5, r: 100 };
      keep(hearth, "places", [...places, place].slice(-MOST_PLACES), t("aboutPlaces"));
      close();
      done(label);
    }
    function isNamed() {
      if (name.value().trim()) return true;
      name.problem.set(t("placeName"));
      name.input.focus();
      return false;
    }
    return h(
      "form",
      {
        class: "form",
        novalidate: true,
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          if (!isNamed()) return;
          const place = readPlace(pasted.value());
          if (place) return save(place);
          pasted.problem.set(t("placeWrong"));
          pasted.input.focus();
        },
      },
      name.element,
      h(
        "button",
        {
          type: "button",
          "aria-busy": () => String(isBusy.get()),
          onclick: async () => {
            if (!isNamed() || isBusy.peek()) return;
            isBusy.set(true);
            const found = await once();
            isBusy.set(false);
            if (found) save(found.place);
            else pasted.problem.set(t("hereDenied"));
          },
        },
        icon("locate"),
        t("placeHere"),
      ),
      pasted.element,
      h("button", { class: "primary" }, t("placeSave")),
    );
  });
}
