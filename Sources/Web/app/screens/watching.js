// Watching somebody on their way: where they are, how old that is, how far from me, and whether I fetch them.

import { agoText, shortAge } from "../parts/ages.js";
import { initial } from "../parts/avatar.js";
import { isCutOff, isOnline } from "../parts/connection.js";
import { wordsOf } from "../parts/family.js";
import { bearing, directions, distanceText, side } from "../parts/geo.js";
import { headingAt } from "../parts/heading.js";
import { locateAndTurn, mine as here, onHere } from "../parts/here.js";
import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { keep, kept } from "../parts/keep.js";
import { refusals } from "../parts/refusals.js";
import { go } from "../parts/router.js";
import { empty, list, row, screen, skeleton } from "../parts/screen.js";
import { plainMap, shareMap } from "../parts/share_map.js";
import {
  ageWords,
  changesOf,
  directionWords,
  distanceWords,
  followShare,
  rideWords,
  tellSeen,
} from "../parts/shares.js";
import { confirmSheet, openSheet } from "../parts/sheet.js";
import { computed, effect, h, onEnd, signal, when } from "../parts/signal.js";
import { announce, say } from "../parts/snackbar.js";
import { duration, moment } from "../parts/when.js";
import { language, listed } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Change, Followed } from "../parts/shares.js" */
/** @import { Here } from "../parts/here.js" */
/** @import { Position, Share } from "../parts/records.d.ts" */

const t = await wordsOf("out");

/** How soon a driver may be there; any other time is written. */
const MINUTES = [5, 10, 15, 20, 30, 45];

/** @param {Hearth} hearth @param {string} id */
export function watching(hearth, id) {
  const followed = followShare(hearth, id);
  const listedShare = computed(() => mine(hearth).state.get()?.shares?.[id]);
  const name = computed(() => followed.share.get()?.name ?? listedShare.get()?.name ?? t("someone"));
  const place = signal(here.here);
  const state = signal(here.state);
  onEnd(onHere(() => {
    place.set(here.here);
    state.set(here.state);
  }));
  const heading = headingAt(place);
  const { ours, change } = changesOf(hearth, followed);
  tellSeen(hearth, followed, t("title"));

  const status = computed(() => followed.status.get());
  const isShared = () => followed.share.get();
  effect(() => status.get() === "gone" && announce(t("ended")));
  return screen(
    { title: () => name.get(), back: "/out", class: "watching" },
    refusals(hearth, ours),
    () => {
      if (status.get() === "forbidden") return empty({ icon: "lock", text: t("forbidden") });
      if (status.get() === "gone") return empty({ icon: "flag", text: t("ended") });
      if (!followed.share.get()) return skeleton(3);
      return null;
    },
    when(isShared, () => [
      stopQuestion(hearth, followed, name, change),
      headline(followed, name, place, heading),
      picture(hearth, followed, name, place, heading),
    ]),
    when(isShared, () => plainMap(hearth)),
    () => distanceOffer(followed, state),
    when(isShared, () => [
      pickUp(hearth, followed, name, change),
      facts(hearth, followed),
      leaving(hearth, followed, name, change),
    ]),
  );
}

/** The first line answers what I came for: how far, where to, how old. */
/**
 * @param {Followed} followed @param {{ get(): string }} name @param {{ get(): Here | null }} place
 * @param {{ get(): number | null }} heading
 */
function headline(followed, name, place, heading) {
  // A computed value, so that the words change only with the side.
  const sideWords = computed(() => {
    const [from, to, ahead] = [place.get(), followed.position.get(), heading.get()];
    return from && to && ahead !== null ? t(`side.${side(bearing(from.place, to) - ahead)}`) : "";
  });
  const far = () => {
    const from = place.get();
    const to = followed.position.get();
    if (!from || !to) return null;
    const where = directionWords(t, from.place, to);
    return h(
      "p",
      { class: "far-line" },
      where ? t("isAway", { distance: distanceWords(from.place, to) }) : t("isHere"),
      where ? h("span", { class: "direction" }, where, () => sideWords.get() && ",") : null,
      where ? h("span", { class: "direction" }, () => sideWords.get()) : null,
    );
  };
  /** Changes once a minute at most: read out, a clock that runs is noise. */
  const spoken = computed(() => {
    const age = followed.age.get();
    const at = followed.position.get()?.at;
    return ageWords(t, age === null ? null : age < 60_000 ? 0 : Math.floor(age / 60_000) * 60_000, at);
  });
  const warning = computed(() => {
    const { lost, lostAt } = followed.share.get() ?? {};
    const at = followed.position.get()?.at;
    if (followed.share.get()?.arrivedAt) return "";
    if (isCutOff.get()) return at ? t("offlineOld") : "";
    if (!at) return t("waitingFirst", { name: name.get() });
    if (lost === "noFix") return t("lostNoFix", { name: name.get() });
    if (lost) return t("lostNoContact", { name: name.get(), time: moment(at ?? lostAt) });
    if (followed.position.get()?.suspect) return t("suspect");
    if (followed.position.get()?.coarse) return t("coarse");
    return "";
  });
  return h(
    "header",
    { class: "headline" },
    () => followed.share.get()?.arrivedAt ? h("p", { class: "far-line" }, t("arrived")) : null,
    far,
    h(
      "p",
      { class: () => `age ${followed.freshness.get()}` },
      h("span", { class: "pulse", "aria-hidden": "true" }),
      h("span", { "aria-hidden": "true" }, () => ageWords(t, followed.age.get(), followed.position.get()?.at)),
      h("span", { class: "unseen", role: "status" }, () => spoken.get()),
      () => {
        const accuracy = followed.position.get()?.accuracy;
        return accuracy === undefined ? null : h(
          "span",
          { class: "accuracy" },
          t("accuracy", {
            distance: distanceText(Math.max(5, accuracy), language.peek()),
          }),
        );
      },
    ),
    () => warning.get() ? h("p", { class: "notice-card", role: "status" }, icon("alert"), warning.get()) : null,
  );
}

/**
 * @param {Hearth} hearth @param {Followed} followed @param {{ get(): string }} name
 * @param {{ get(): Here | null }} place @param {{ get(): number | null }} heading
 */
function picture(hearth, followed, name, place, heading) {
  const map = shareMap(hearth);
  effect(() => map.turn(heading.get()));
  effect(() => {
    const position = followed.position.get();
    const age = followed.age.get();
    const goal = followed.share.get()?.place;
    const me = place.get();
    const where = position && me
      ? [distanceWords(me.place, position), directionWords(t, me.place, position)].filter(Boolean).join(", ")
      : "";
    map.show({
      me,
      people: position
        ? [{
          id: followed.id,
          place: position,
          accuracy: position.accuracy,
          initial: initial(name.get()),
          label: shortAge(age ?? 0),
          state: followed.freshness.get(),
        }]
        : [],
      goal: goal ? { place: goal, radius: goal.r ?? 0, label: goal.label } : null,
      trail: followed.trail.get(),
      description: `${t("mapOf")} ${t("mapPerson", { name: name.get(), where, age: ageWords(t, age, position?.at) })}`,
    });
  });
  return h(
    "div",
    { class: "map-frame beside" },
    map.element,
    () =>
      followed.position.get() || place.get() || followed.share.get()?.place
        ? null
        : h("p", { class: "map-none" }, t("waitingFirst", { name: name.get() })),
  );
}

/** Says what has been done, or that it is kept. @param {Hearth} hearth @param {string} text */
const told = (hearth, text) => say(isOnline(hearth) ? text : t("later"));

/** @param {() => boolean} isLater */
const later = (isLater) => when(isLater, () => h("p", { class: "hint later", role: "status" }, t("later")));

/** @param {Followed} followed @param {{ get(): string }} state */
function distanceOffer(followed, state) {
  if (!followed.position.get()) return null;
  switch (state.get()) {
    case "unknown":
      return h(
        "div",
        { class: "offer" },
        h("button", { type: "button", class: "plain", onclick: locateAndTurn }, icon("locate"), t("howFar")),
        h("p", { class: "hint" }, t("howFarWhy")),
      );
    case "asking":
      return h("p", { class: "hint" }, t("herePending"));
    case "denied":
      return h("p", { class: "hint" }, t("hereDenied"));
    default:
      return null;
  }
}

/**
 * @param {Hearth} hearth @param {Followed} followed @param {{ get(): string, peek(): string }} name
 * @param {Change} change
 */
function pickUp(hearth, followed, name, change) {
  const ride = computed(() => followed.pickup.get());
  const words = () => rideWords(t, hearth, ride.get(), followed.now.get());
  /** @param {number} minutes @param {"pickup.accept" | "pickup.update"} method */
  function promise(minutes, method) {
    const arriveBy = new Date(hearth.now() + minutes * 60_000).toISOString();
    const mate = followed.receivers.get()[hearth.me ?? ""]?.name ?? "";
    change(method, { minutes }, t("aboutRide", { name: name.peek() }), () => ({
      pickup: { state: "accepted", by: hearth.me, byName: mate, arriveBy, late: null },
    }));
    told(hearth, t("inMinutesLong", { n: minutes }));
  }
  const state = computed(() => ride.get().state ?? "");
  const isDriver = computed(() => ride.get().by === hearth.me);
  return h("section", { class: "pickup" }, () => {
    // No status: the notification of it is read aloud.
    const text = h("p", { class: `ride ${state.get()}` }, icon("car"), words);
    switch (state.get()) {
      case "wanted":
      case "requested":
        return [
          text,
          h(
            "button",
            {
              type: "button",
              class: "primary wide-button",
              onclick: () => chooseMinutes(t("pickUpName", { name: name.peek() }), (n) => promise(n, "pickup.accept")),
            },
            icon("car"),
            t("pickUp"),
          ),
        ];
      case "accepted":
        return isDriver.get()
          ? [
            text,
            h(
              "div",
              { class: "buttons" },
              h("button", {
                type: "button",
                class: "primary",
                onclick: () =>
                  change("pickup.collected", {}, t("aboutRide", { name: name.peek() }), () => ({
                    pickup: { state: "collected" },
                  })),
              }, t("pickedUp", { name: name.peek() })),
              h(
                "button",
                {
                  type: "button",
                  onclick: () => chooseMinutes(t("newTime"), (n) => promise(n, "pickup.update")),
                },
                icon("clock"),
                t("newTime"),
              ),
              h("button", {
                type: "button",
                class: "quiet",
                onclick: () => {
                  change("pickup.release", {}, t("iCannot"), () => ({
                    pickup: { state: "requested", by: null, byName: null, arriveBy: null, late: null },
                  }));
                  told(hearth, t("released", { name: name.peek() }));
                },
              }, t("iCannot")),
            ),
          ]
          : text;
      case "collected":
        return text;
      default:
        return null;
    }
  }, later(() => followed.isUnsent("pickup.")));
}

/** @param {string} title @param {(minutes: number) => void} done */
function chooseMinutes(title, done) {
  openSheet({ title }, (close) => {
    const number = h("input", {
      name: "minutes",
      type: "number",
      min: 1,
      max: 240,
      inputmode: "numeric",
      "aria-label": t("minutesField"),
      placeholder: t("minutesField"),
    });
    /** @param {number} minutes */
    const take = async (minutes) => {
      await close();
      done(minutes);
    };
    return [
      h(
        "div",
        { class: "minutes" },
        MINUTES.map((n) =>
          h(
            "button",
            { type: "button", "aria-label": t("inMinutesLong", { n }), onclick: () => take(n) },
            t("inMinutes", { n }),
          )
        ),
      ),
      h(
        "form",
        {
          class: "minutes-other",
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const minutes = Math.round(number.valueAsNumber);
            if (minutes >= 1 && minutes <= 240) take(minutes);
            else number.focus();
          },
        },
        number,
        h("button", { class: "primary" }, t("ok")),
      ),
    ];
  });
}

/** @param {Hearth} hearth @param {Followed} followed */
function facts(hearth, followed) {
  return h("dl", { class: "share-facts" }, () => {
    const share = /** @type {Share} */ (followed.share.get());
    const position = /** @type {Position} */ (followed.position.get() ?? {});
    const now = followed.now.get();
    const remaining = Math.max(0, Date.parse(share.until) - now);
    const others = Object.entries(followed.receivers.get()).filter(([id]) => id !== hearth.me)
      .map(([, { name }]) => name);
    const percent = new Intl.NumberFormat(language.peek(), { style: "percent" });
    /** @type {[import("../parts/icons.js").IconName, string][]} */
    const all = [
      share.place
        ? ["flag", t("toPlaceUntil", { place: share.place.label, time: moment(share.until) })]
        : ["clock", `${t("until", { time: moment(share.until) })} · ${t("left", { span: duration(remaining) })}`],
    ];
    if (share.note) all.push(["note", share.note]);
    if (position.stillSince) all.push(["stop", t("still", { span: duration(now - Date.parse(position.stillSince)) })]);
    if (position.battery !== undefined) {
      all.push(["battery", t("battery", { percent: percent.format(position.battery / 100) })]);
    }
    if (others.length) all.push(["people", t("alsoWatch", { names: listed(others) })]);
    return all.map(([sign, text]) => h("div", null, h("dt", null, icon(sign)), h("dd", { dir: "auto" }, text)));
  });
}

/**
 * @param {Hearth} hearth @param {Followed} followed @param {{ get(): string, peek(): string }} name
 * @param {Change} change
 */
function stopQuestion(hearth, followed, name, change) {
  const me = hearth.me ?? "";
  const request = computed(() => followed.state.get()?.stopRequest);
  const isOpen = computed(() => Date.parse(request.get()?.until ?? "") > followed.now.get());
  const hasDenied = computed(() => Boolean(followed.receivers.get()[me]?.deniedAt));
  return () => {
    if (!isOpen.get()) return null;
    const silence = followed.share.get()?.silence === "confirms" ? "stopWhenSilentConfirms" : "stopWhenSilentKeeps";
    return h(
      "section",
      { class: "notice-card question" },
      h("p", null, h("b", null, t("stopAsked", { name: name.get() }))),
      later(() => followed.isUnsent("shares.answerStop")),
      h("p", null, hasDenied.get() ? t("youGoOn") : t(silence, { time: moment(request.get()?.until ?? 0) })),
      h(
        "div",
        { class: "buttons" },
        h("button", {
          type: "button",
          class: "primary",
          onclick: () => {
            change("shares.answerStop", { confirm: true }, t("aboutAnswer", { name: name.peek() }));
            go("/out", { replace: true });
            told(hearth, t("left1", { name: name.peek() }));
          },
        }, t("agree")),
        hasDenied.get() ? null : h("button", {
          type: "button",
          onclick: () =>
            change("shares.answerStop", { confirm: false }, t("aboutAnswer", { name: name.peek() }), () => ({
              receivers: { [me]: { deniedAt: new Date(hearth.now()).toISOString() } },
            })),
        }, t("goOn")),
      ),
    );
  };
}

/**
 * @param {Hearth} hearth @param {Followed} followed @param {{ get(): string, peek(): string }} name
 * @param {Change} change
 */
function leaving(hearth, followed, name, change) {
  return h(
    "div",
    { class: "buttons last" },
    when(() => followed.position.get(), () => ways(hearth, followed, name)),
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        onclick: async () => {
          const isOnly = Object.keys(followed.receivers.get()).length <= 1;
          const isSure = await confirmSheet({
            title: t("leaveTitle", { name: name.peek() }),
            text: t(isOnly ? "leaveOnly" : "leaveOthers", { name: name.peek() }),
            action: t("leaveYes"),
          });
          if (!isSure) return;
          change("shares.leave", {}, t("aboutLeave", { name: name.peek() }));
          go("/out", { replace: true });
          told(hearth, t("left1", { name: name.peek() }));
        },
      },
      icon("leave"),
      t("leave"),
    ),
  );
}

/** @typedef {keyof ReturnType<typeof directions>} App */

/** The apps that show a way, with the words of each. @type {[App, string][]} */
const APPS = [["phone", "mapsPhone"], ["apple", "mapsApple"], ["google", "mapsGoogle"], ["osm", "mapsOsm"]];

/**
 * The way in an app of the phone. It is chosen once, and then one tap opens it.
 * @param {Hearth} hearth @param {Followed} followed @param {{ peek(): string }} name
 */
function ways(hearth, followed, name) {
  const chosen = computed(() => {
    const last = kept(mine(hearth).state.get(), "maps");
    return APPS.find(([app]) => app === last)?.[0];
  });
  const choose = () => chooseApp(hearth, followed, name.peek(), chosen.peek());
  return () => {
    const app = chosen.get();
    if (!app) return h("button", { type: "button", onclick: choose }, icon("directions"), t("directions"));
    return [
      h("a", { class: "button", ...wayIn(app, followed, name.peek()) }, icon("directions"), t("directions")),
      h("button", { type: "button", class: "quiet", onclick: choose }, t("otherApp")),
    ];
  };
}

/**
 * The properties of a link that opens an app. Another page must not take the place of this one.
 * @param {App} app @param {Followed} followed @param {string} name
 */
const wayIn = (app, followed, name) => ({
  href: () => {
    const position = followed.position.get();
    return position && directions(position, name)[app];
  },
  ...(app === "osm" ? { target: "_blank", rel: "noreferrer" } : {}),
});

/**
 * @param {Hearth} hearth @param {Followed} followed @param {string} name @param {App | undefined} last the one that was
 *   chosen before
 */
function chooseApp(hearth, followed, name, last) {
  openSheet({ title: t("directions") }, (close) => [
    list(
      APPS.map(([app, label]) =>
        h(
          "li",
          { class: app === last ? "chosen" : "" },
          h(
            "a",
            {
              class: "row",
              ...wayIn(app, followed, name),
              onclick: () => app === last || keep(hearth, "maps", app, t("directions")),
            },
            icon("directions"),
            h("span", { class: "row-words" }, h("span", { class: "row-title" }, t(label))),
          ),
        )
      ),
      row({
        before: icon("copy"),
        title: t("copy"),
        onclick: async () => {
          const { lat, lon } = followed.position.peek() ?? {};
          await navigator.clipboard?.writeText(`${lat}, ${lon}`).catch(() => {});
          await close();
          say(t("copied"));
        },
      }),
    ),
    h("p", { class: "hint" }, agoText(followed.age.get() ?? 0, t("now"))),
  ]);
}
