// My own share: what the others see, whether they look, who fetches me, and how it ends.

import { agoText } from "../parts/ages.js";
import { avatar, initial } from "../parts/avatar.js";
import { confirmed } from "../parts/confirm.js";
import { isOnline } from "../parts/connection.js";
import { wordsOf } from "../parts/family.js";
import { freshness } from "../parts/geo.js";
import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { refusals } from "../parts/refusals.js";
import { start as startReporter } from "../parts/reporter.js";
import { empty, inWords, list, row, screen, section, skeleton, waitingMark } from "../parts/screen.js";
import { shareMap } from "../parts/share_map.js";
import { ageWords, changesOf, followShare, rideWords } from "../parts/shares.js";
import { confirmSheet } from "../parts/sheet.js";
import { computed, effect, h, observe, when } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { duration, moment } from "../parts/when.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Change, Followed } from "../parts/shares.js" */
/** @import { Share } from "../parts/records.d.ts" */

const t = await wordsOf("out");

/** By so many minutes one tap makes it longer. */
const LONGER = [30, 60];
/** After so many milliseconds the sharer may ask again to stop. */
const PAUSE = 300_000;

/** @param {Hearth} hearth @param {string} id */
export function myShare(hearth, id) {
  const followed = followShare(hearth, id);
  const { ours, change } = changesOf(hearth, followed);
  const isThere = computed(() => Boolean(followed.share.get()));
  const isGone = computed(() => ["gone", "forbidden"].includes(followed.status.get()));
  return screen(
    { title: t("mineTitle"), back: "/out", class: "my-share", lead: () => isThere.get() ? lead(followed) : null },
    refusals(hearth, ours),
    () => isGone.get() ? empty({ icon: "flag", text: t("ended") }) : isThere.get() ? null : skeleton(4),
    () => isThere.get() && !isGone.get() ? whole() : null,
  );

  function whole() {
    const { asked, parts } = ending(hearth, followed, change);
    // In sight without scrolling: it is the answer to the last tap.
    return [asked, sending(hearth, followed), rideForMe(hearth, followed, change), viewers(followed), parts];
  }
}

/** @param {Followed} followed */
function lead(followed) {
  return h("span", null, () => {
    const { until, place, arrival, arrivedAt } = /** @type {Share} */ (followed.share.get());
    if (arrivedAt) return t("mineArrived", { time: moment(until) });
    const span = duration(Math.max(0, Date.parse(until) - followed.now.get()));
    if (!place) return t("mineUntil", { time: moment(until), span });
    if (arrival === "alreadyInside") return t("mineInside", { place: place.label });
    return t("minePlace", { place: place.label, time: moment(until) });
  }, waitingMark(() => followed.isUnsent("shares.extend")));
}

/**
 * The position that receivers see, and whether this browser reports it.
 * @param {Hearth} hearth @param {Followed} followed
 */
function sending(hearth, followed) {
  const reporter = startReporter(hearth);
  const state = observe(reporter, ({ state }) => state);
  const sentAt = observe(reporter, ({ sentAt }) => sentAt);
  const unsent = observe(reporter, ({ unsent }) => unsent);
  const refusal = observe(reporter, ({ refusal }) => refusal);
  const phase = observe(hearth, ({ phase }) => phase);
  /** Since this browser was heard, or any other device of mine. */
  const sentAge = computed(() => {
    const now = followed.now.get();
    const linkAt = followed.live.get()?.link?.at;
    const at = sentAt.get();
    if (at !== null) return Math.max(0, Date.now() - at);
    return linkAt ? Math.max(0, now - Date.parse(linkAt)) : null;
  });
  const map = shareMap(hearth);
  const name = computed(() => followed.share.get()?.name ?? "");
  effect(() => {
    const position = followed.position.get();
    const goal = followed.share.get()?.place;
    const age = followed.age.get();
    map.show({
      people: position
        ? [{
          id: followed.id,
          place: position,
          accuracy: position.accuracy,
          initial: initial(name.get() || "?"),
          // The line below the map tells when it was sent.
          label: "",
          state: followed.freshness.get(),
        }]
        : [],
      goal: goal ? { place: goal, radius: goal.r ?? 0, label: goal.label } : null,
      trail: followed.trail.get(),
      description: `${t("theySee")}. ${ageWords(t, age, position?.at)}`,
    });
  });
  const words = () => {
    switch (state.get()) {
      case "denied":
        return h("p", { class: "notice-card", role: "status" }, icon("alert"), t("hereDenied"));
      case "unavailable":
        return h("p", { class: "notice-card", role: "status" }, icon("alert"), t("unavailable"));
      case "elsewhere":
        return h(
          "div",
          { class: "notice-card question", role: "status" },
          h("p", null, t("elsewhere")),
          h(
            "button",
            {
              type: "button",
              onclick: () => hearth.change("shares.takeOver", {}, { about: t("aboutTake") }),
            },
            icon("phone"),
            t("fromHere"),
          ),
        );
      case "asking":
        return h("p", { class: "hint", role: "status" }, t("sending"));
      default:
        return null;
    }
  };
  const hasNoFix = computed(() => followed.share.get()?.lost === "noFix");
  const isHere = computed(() => state.get() === "watching" || state.get() === "asking");
  return section(
    { title: () => t(state.get() === "denied" ? "notStarted" : "theySee"), class: "they-see beside" },
    words,
    () => refusal.get() ? h("p", { class: "notice-card", role: "alert" }, icon("alert"), refusal.get()) : null,
    () => hasNoFix.get() ? h("p", { class: "notice-card", role: "status" }, icon("alert"), t("ownNoFix")) : null,
    h(
      "div",
      { class: "map-frame small" },
      map.element,
      () =>
        followed.position.get() || followed.share.get()?.place ? null : h("p", { class: "map-none" }, t("noFixYet")),
    ),
    // Receivers see nothing of a report without a place.
    when(() => state.get() !== "denied" && !hasNoFix.get(), () =>
      h(
        "p",
        { class: () => `age ${freshness(sentAge.get() ?? Infinity)}` },
        h("span", { class: "pulse", "aria-hidden": "true" }),
        () => {
          if (unsent.get() > 0 && phase.get() !== "live") return t("unsent", { n: unsent.get() });
          const age = sentAge.get();
          return age === null ? t("notSentYet") : t("sentAgo", { ago: agoText(age, t("now")) });
        },
      )),
    () =>
      isHere.get()
        ? h(
          "div",
          { class: "keep-open" },
          h("p", { class: "hint" }, t("keepOpen")),
          h("a", { class: "button", href: `/out/share/${followed.id}/pocket` }, icon("moon"), t("pocket")),
        )
        : null,
  );
}

/** @param {Hearth} hearth @param {Followed} followed @param {Change} change */
function rideForMe(hearth, followed, change) {
  const isLater = computed(() => followed.isUnsent("pickup."));
  const ride = computed(() => followed.pickup.get());
  const state = computed(() => ride.get().state ?? "");
  const cancel = () =>
    h("button", {
      type: "button",
      class: "quiet",
      onclick: () =>
        change(
          "pickup.cancel",
          {},
          t("noRide"),
          () => ({ pickup: { state: null, by: null, byName: null, arriveBy: null } }),
        ),
    }, t("noRide"));
  const ready = (kind = "primary wide-button") =>
    h(
      "button",
      {
        type: "button",
        class: kind,
        onclick: () =>
          change("pickup.ready", {}, t("aboutReady"), () => ({
            pickup: { state: "requested", requestedAt: new Date(followed.now.peek()).toISOString() },
          })),
      },
      icon("car"),
      t("ready"),
    );
  const later = when(() => isLater.get(), () => h("p", { class: "hint later", role: "status" }, t("later")));
  /** The driver who no longer comes. The sharer is told of `requested` by such a driver alone. */
  const dropped = computed(() => {
    const [newest] = Object.values(mine(hearth).state.get()?.inbox ?? {})
      .filter(({ kind, ref }) => kind === "pickup" && ref === followed.id).sort((a, b) => (a.at < b.at ? 1 : -1));
    return newest?.pickup === "requested" ? newest.actorName ?? t("someone") : "";
  });
  const noDriver = () =>
    dropped.get() ? h("p", { class: "notice-card" }, icon("alert"), t("driverOff", { name: dropped.get() })) : null;
  return h("section", { class: "pickup" }, () => {
    if (followed.share.get()?.arrivedAt) return null;
    switch (state.get()) {
      case "wanted":
        return [
          noDriver,
          h("p", { class: "ride wanted", role: "status" }, icon("car"), t("rideWanted")),
          ready(),
          cancel(),
        ];
      case "requested":
        return [
          noDriver,
          isLater.get() ? null : h("p", { class: "ride requested", role: "status" }, icon("car"), t("readyDone")),
          cancel(),
        ];
      case "accepted":
        return [
          h(
            "div",
            { class: "driver" },
            avatar(ride.get().by ?? "", ride.get().byName ?? ""),
            h(
              "div",
              null,
              h("p", { class: "driver-name" }, t("driverComes", { name: ride.get().byName ?? "" })),
              h("p", { class: "driver-time" }, () => {
                const { arriveBy, late, byName = "" } = ride.get();
                const remaining = Date.parse(arriveBy ?? "") - followed.now.get();
                return late || remaining < 0
                  ? t("thereLate", { name: byName })
                  : t("there", { span: duration(remaining) });
              }),
            ),
          ),
          h(
            "div",
            { class: "buttons" },
            h("button", {
              type: "button",
              class: "primary",
              onclick: () => change("pickup.collected", {}, t("inCar"), () => ({ pickup: { state: "collected" } })),
            }, t("inCar")),
            cancel(),
          ),
        ];
      case "collected":
        return h("p", { class: "ride collected" }, icon("car"), rideWords(t, hearth, ride.get(), 0, true));
      default:
        return ready("quiet");
    }
  }, later);
}

/** Everybody who sees me, with what they have said. @param {Followed} followed */
function viewers(followed) {
  const now = computed(() => Object.entries(followed.receivers.get()));
  const before = computed(() => Object.entries(followed.state.get()?.formerReceivers ?? {}));
  const asked = computed(() => Boolean(followed.state.get()?.stopRequest?.until));
  return section(
    { title: t("whoSees") },
    list(() => [
      ...now.get().map(([id, { name, state, deniedAt }]) =>
        row({
          before: avatar(id, name),
          title: name,
          text: asked.get() && deniedAt ? t("saysGoOn") : t(state === "seen" ? "hasLooked" : "notLooked"),
          after: state === "seen" ? icon("check") : null,
        })
      ),
      ...before.get().map(([id, { name, state }]) =>
        row({
          class: "former",
          before: avatar(id, name),
          title: name,
          text: t(state === "confirmed" ? "agreedStop" : "hasLeft"),
        })
      ),
    ]),
  );
}

/** @param {Hearth} hearth @param {Followed} followed @param {Change} change */
function ending(hearth, followed, change) {
  const reporter = observe(startReporter(hearth), ({ state }) => state);
  const share = computed(() => followed.share.get());
  const isNotified = computed(() => share.get()?.stop === "notify");
  const request = computed(() => followed.state.get()?.stopRequest);
  const isWaiting = computed(() => Date.parse(request.get()?.until ?? "") > followed.now.get());
  const again = computed(() => Date.parse(request.get()?.askedAt ?? "") + PAUSE);
  const isLater = computed(() => followed.isUnsent("shares.stop"));
  const mayAsk = computed(() => !isLater.get() && (!isWaiting.get() || again.get() <= followed.now.get()));
  const end = computed(() => {
    const { until = "", place } = share.get() ?? {};
    const time = moment(until);
    return place ? t("minePlace", { place: place.label, time }) : t("until", { time });
  });
  const isDenied = computed(() => Object.values(followed.receivers.get()).every(({ deniedAt }) => deniedAt));
  /** The server's latest end: 24 hours after the start, or 12 with a place. */
  const latest = computed(() => Date.parse(share.get()?.startedAt ?? "") + (share.get()?.place ? 12 : 24) * 3_600_000);
  /** @param {number} minutes */
  const until = (minutes) => Date.parse(share.get()?.until ?? "") + minutes * 60_000;
  const longer = computed(() => LONGER.filter((minutes) => until(minutes) <= latest.get()).length);
  const asked = () =>
    isLater.get()
      ? h("p", { class: "notice-card later", role: "status" }, icon("waiting"), t("later"))
      : isWaiting.get()
      ? h(
        "p",
        { class: "notice-card", role: "status" },
        icon("waiting"),
        isDenied.get()
          ? t("stopDenied", { end: end.get() })
          : t("stopWaiting", { time: moment(request.get()?.until ?? 0) }),
        " ",
        mayAsk.get() ? null : t("stopAgain", { time: moment(again.get()) }),
      )
      : null;
  const parts = [
    () =>
      longer.get()
        ? section(
          { title: t("extend") },
          h(
            "div",
            { class: "chips" },
            LONGER.slice(0, longer.get()).map((minutes) =>
              h(
                "button",
                {
                  type: "button",
                  class: "chip",
                  onclick: () => {
                    const next = new Date(until(minutes)).toISOString();
                    change("shares.extend", { until: next }, t("aboutExtend"), () => ({ share: { until: next } }));
                    const end = t("until", { time: moment(next) });
                    say(isOnline(hearth) ? `${t("aboutExtend")}: ${end}` : t("later"));
                  },
                },
                icon("plus"),
                t("extendBy", { span: duration(minutes * 60_000) }),
              )
            ),
          ),
        )
        : null,
    () =>
      mayAsk.get()
        ? h(
          "button",
          {
            type: "button",
            class: "danger wide-button stop",
            onclick: async () => {
              const isSure = await confirmSheet({
                title: t(isNotified.peek() ? "stopNowTitle" : "askStopTitle"),
                text: t(isNotified.peek() ? "stopNowText" : "askStopText"),
                action: t(isNotified.peek() ? "stopNow" : "askStop"),
                keep: t("cancel"),
              });
              if (!isSure) return;
              // The answer stands on top.
              scrollTo(0, 0);
              const end = new Date(mineNow() + 900_000).toISOString();
              change(
                "shares.stop",
                {},
                t("aboutStop"),
                () =>
                  isNotified.peek()
                    ? null
                    : { stopRequest: { askedAt: new Date(mineNow()).toISOString(), until: end } },
              );
            },
          },
          icon("stop"),
          t(isNotified.get() ? "stopNow" : "askStop"),
        )
        : null,
    // A lost phone cannot be taken back, and strangers may hold it: with PIN or password it ends at once.
    () =>
      reporter.get() === "elsewhere" && !isNotified.get()
        ? h("button", { type: "button", class: "quiet wide-button", onclick: endLost }, icon("phone"), t("endOther"))
        : null,
  ];
  return { asked, parts };
  async function endLost() {
    const [title, text, action] = [t("endOther"), t("endOtherText"), t("stopNow")];
    if (!await confirmSheet({ title, text, action, keep: t("cancel") })) return;
    try {
      await confirmed(hearth, action, () => hearth.ask("shares.end", { share: followed.id }));
    } catch (error) {
      say(inWords(error));
    }
  }
  function mineNow() {
    return followed.now.peek();
  }
}
