// Pocket mode: the screen stays on and dark, because a browser tells no positions while the phone is locked. Touches
// in a pocket do nothing; sliding to the end, or two taps one after the other, leaves.

import { agoText, seconds } from "../parts/ages.js";
import { stayAwake } from "../parts/awake.js";
import { silentKey } from "../parts/hidden.js";
import { wordsOf } from "../parts/family.js";
import { start as startReporter } from "../parts/reporter.js";
import { go } from "../parts/router.js";
import { followShare, rideWords } from "../parts/shares.js";
import { computed, effect, h, observe, onEnd, signal } from "../parts/signal.js";
import { clock } from "../parts/when.js";
import { t as base } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */

const t = await wordsOf("out");

/** @param {Hearth} hearth @param {{ id: string }} params */
export function render(hearth, { id }) {
  const now = seconds(hearth);
  const reporter = startReporter(hearth);
  const sentAt = observe(reporter, ({ sentAt }) => sentAt);
  const state = observe(reporter, ({ state }) => state);
  const isSilent = observe(reporter, ({ isSilent }) => isSilent);
  const room = hearth.room("me");
  onEnd(() => room.close());
  const followed = followShare(hearth, id, now);
  const isRunning = observe(room, ({ state }) => Boolean(state?.shares?.[id]));
  onEnd(stayAwake());
  document.documentElement.requestFullscreen?.().catch(() => {});
  onEnd(() => document.fullscreenElement && document.exitFullscreen().catch(() => {}));
  const leave = () => go(`/out/share/${id}`, { replace: true });
  // Nothing is left to be told: the dark would only hide that it is over.
  effect(() => {
    if (!isRunning.get()) queueMicrotask(leave);
  });
  const hasTapped = signal(false);
  const words = computed(() => {
    now.get();
    const at = sentAt.get();
    if (isSilent.get()) return base(silentKey());
    if (state.get() === "denied") return `${t("notStarted")} ${t("hereDenied")}`;
    if (state.get() === "unavailable") return t("unavailable");
    if (followed.share.get()?.lost === "noFix") return t("ownNoFix");
    return at === null ? t("sending") : t("sentAgo", { ago: agoText(Date.now() - at, t("now")) });
  });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 100,
    value: "0",
    "aria-label": t("slideToLeave"),
    oninput: () => Number(slider.value) >= 95 && leave(),
    // A slider that was not slid to the end slips back.
    onchange: () => (slider.value = "0"),
  });
  return h(
    "article",
    { class: "pocket" },
    h("h1", { class: "unseen", tabindex: -1 }, t("pocket")),
    h("p", { class: "pocket-clock" }, () => clock(now.get())),
    h("p", { class: "pocket-words" }, t("pocketSharing")),
    h("p", { class: "pocket-words", role: "status" }, () => isSilent.get() ? words.get() : null),
    h("p", { class: "pocket-words" }, () => isSilent.get() ? null : words.get()),
    h("p", { class: "pocket-words" }, () => rideWords(t, hearth, followed.pickup.get(), now.get(), true)),
    h("p", { class: "pocket-words limits" }, t("pocketLimits")),
    h(
      "div",
      { class: "pocket-leave" },
      h("label", { class: "slide" }, slider, h("span", { "aria-hidden": "true" }, t("slideToLeave"))),
      h("button", {
        type: "button",
        class: "quiet",
        onclick: () => {
          if (hasTapped.peek()) return leave();
          hasTapped.set(true);
          setTimeout(() => hasTapped.set(false), 4000);
        },
      }, () => t(hasTapped.get() ? "tapAgain" : "leavePocket")),
    ),
  );
}
