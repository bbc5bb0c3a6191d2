// One share: mine, or one that I receive.

import { wordsOf } from "../parts/family.js";
import { mine } from "../parts/household.js";
import { refusals } from "../parts/refusals.js";
import { go } from "../parts/router.js";
import { empty, screen, skeleton } from "../parts/screen.js";
import { sharesIn } from "../parts/shares.js";
import { computed, h, observe } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { moment } from "../parts/when.js";
import { myShare } from "./my_share.js";
import { watching } from "./watching.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Waiting } from "../hearth/types/library.d.ts" */

const t = await wordsOf("out");

/** @param {Hearth} hearth @param {{ id: string }} params */
export function render(hearth, { id }) {
  const me = mine(hearth);
  const waiting = observe(hearth, ({ waiting }) => waiting);
  const refused = observe(hearth, ({ refused }) => refused);
  /** @param {Waiting} one */
  const isStart = (one) => one.method === "shares.start" && one.params?.id === id;
  const start = computed(() => waiting.get().find(isStart));
  async function takeBack() {
    if (!await hearth.discard(start.peek()?.id ?? "")) return;
    go("/out", { replace: true });
    say(t("notStarted"));
  }
  const view = computed(() => {
    if (!me.state.get()) return "loading";
    if (start.get()) return "unsent";
    const listed = me.state.get()?.shares?.[id]?.role;
    return listed ?? (refused.get().some(isStart) ? "refused" : "over");
  });
  return h("div", null, () => {
    switch (view.get()) {
      case "loading":
        return screen({ title: t("title"), back: "/out" }, skeleton(4));
      case "unsent":
        return screen(
          { title: t("mineTitle"), back: "/out", class: "my-share" },
          h("p", { class: "notice-card", role: "status" }, t("notSent")),
          () => start.get()?.canDiscard ? h("button", { type: "button", onclick: takeBack }, t("takeBack")) : null,
        );
      case "refused":
        return screen(
          { title: t("newTitle"), back: "/out" },
          refusals(hearth, computed(() => refused.get().filter(isStart))),
          empty({ icon: "out", text: t("notStarted"), action: h("a", { class: "button", href: "/out" }, t("toOut")) }),
        );
      case "sharer":
        return myShare(hearth, id);
      case "receiver":
        return watching(hearth, id);
      default:
        return over(hearth, id);
    }
  });
}

/** Why a share has ended, as a person may know it. @type {Record<string, string>} */
const ENDS = {
  timeUp: "endedTimeUp",
  neverLeft: "endedTimeUp",
  noReceivers: "endedNoReceivers",
  stopped: "endedStopped",
  phoneLost: "endedPhoneLost",
};

/**
 * The end of a share that is no longer there, as its notification tells it. @param {Hearth} hearth
 * @param {string} id
 */
function over(hearth, id) {
  const me = mine(hearth);
  const last = computed(
    () =>
      Object.values(me.state.get()?.inbox ?? {}).find(({ ref, kind }) =>
        ref === id && ["arrived", "ended", "urgent"].includes(kind)
      ),
  );
  const text = () => {
    const { kind, actor, actorName: name = "", place, reason = "", fixedAt } = last.get() ?? {};
    const isMine = actor === hearth.me;
    const why = ENDS[reason] ?? "ended";
    const said = kind === "arrived"
      ? t(isMine ? "endedMeArrived" : "endedArrived", { name, place })
      : kind === "urgent"
      ? t(isMine ? "endedMeUrgent" : "endedUrgent", { name, time: fixedAt ? moment(fixedAt) : "–" })
      : t(isMine && reason === "stopped" ? "endedMeStopped" : why, { name });
    return isMine ? `${said} ${t(sharesIn(me.state.get()).own.length ? "stillSeen" : "notStarted")}` : said;
  };
  return screen(
    { title: t("title"), back: "/out" },
    empty({ icon: "flag", text, action: h("a", { class: "button", href: "/out" }, t("toOut")) }),
  );
}
