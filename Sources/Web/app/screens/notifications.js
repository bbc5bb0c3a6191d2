// The kinds that appear as new in the inbox, and the hours in which nothing makes a sound.

import { avatar } from "../parts/avatar.js";
import { mine } from "../parts/household.js";
import { mateNames } from "../parts/names.js";
import { each, h } from "../parts/signal.js";
import { field, list, row, section, toggle } from "../parts/screen.js";
import { settingsScreen } from "../parts/settings.js";
import { say } from "../parts/snackbar.js";
import { calendarDay, dayOf } from "../parts/when.js";
import { words } from "../parts/words.js";
import { mute } from "./inbox.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Params } from "../hearth/types/methods.d.ts" */

const t = await words("me");
/** Kinds that can be muted, by subject. */
const GROUPS = {
  household: ["note", "joined", "left", "removed", "host", "dismissed", "restored", "standIn", "stayOver", "dinner"],
  chores: [
    "choreDue",
    "choreReminder",
    "choreAdded",
    "choreDone",
    "choreRemoved",
    "choreUnassigned",
    "choreUnclaimed",
    "choreToApprove",
    "choreRejected",
    "thanks",
    "rewardRedeemed",
    "rota",
    "birthday",
  ],
  money: [
    "bill",
    "billChanged",
    "billRemoved",
    "debtReminder",
    "debts",
    "payment",
    "paymentConfirmed",
    "paymentRejected",
    "paymentRecorded",
    "paymentUndone",
    "recurringBill",
    "recurringBillChanged",
    "recurringBillCancelled",
    "recurringBillPaused",
    "billDue",
    "rentDue",
    "rentPaid",
    "request",
    "requestAccepted",
    "requestDeclined",
    "requestExpired",
  ],
  trips: ["shopping", "shoppingCancelled", "shopped", "purchaseChanged"],
  events: ["event", "eventChanged", "eventRemoved", "specialEvent", "specialEventCancelled"],
  people: ["invitation", "declined", "unavailable", "contactInvitation", "contactAccepted"],
  way: ["ask"],
};

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const settings = () => me.state.get()?.settings ?? {};
  /** @param {Params<"settings.edit">} params */
  const edit = (params) =>
    hearth.change("settings.edit", params, {
      room: "me",
      optimistic: () => ({ settings: params }),
      about: t("notifications.about"),
    });
  /**
   * @param {"quietFrom" | "quietTo" | "hour"} name @param {string} label @param {() => void} change
   * @param {string} [hint]
   */
  const time = (name, label, change, hint) => {
    const made = field({ label, name, type: "time", value: settings()[name] ?? "", hint });
    made.input.addEventListener("change", change);
    return made;
  };
  const editHour = () => edit({ hour: hour.value() || null });
  const hour = time("hour", t("notifications.hour"), editHour, t("notifications.usual"));
  /** Quiet hours have a beginning, an end and a zone; without one of the first two there are none. */
  const editQuiet = () => {
    const [quietFrom, quietTo] = [from.value(), to.value()];
    if (quietFrom && quietTo) {
      const timeZone = settings().timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
      edit({ quietFrom, quietTo, timeZone });
    } else if (settings().quietFrom) edit({ quietFrom: null, quietTo: null });
  };
  const from = time("quietFrom", t("notifications.from"), editQuiet);
  const to = time("quietTo", t("notifications.to"), editQuiet);

  // Only those with whom the person lives can be muted.
  const nameOf = mateNames(hearth);
  const muted = () => Object.entries(me.state.get()?.mutedSenders ?? {});

  return settingsScreen(
    { title: t("notifications.title"), lead: t("notifications.lead") },
    section(
      { title: t("notifications.quiet") },
      h("p", { class: "hint" }, t("notifications.quietText")),
      h("div", { class: "pair" }, from.element, to.element),
      h("div", { class: "section" }, hour.element),
    ),
    Object.entries(GROUPS).map(([group, kinds]) => {
      const isAnyOn = () => kinds.some((kind) => settings().muted?.[kind] !== true);
      /** @param {(kind: string) => boolean} isMuted */
      const muteAll = (isMuted) => edit({ muted: Object.fromEntries(kinds.map((kind) => [kind, isMuted(kind)])) });
      const all = () => {
        const [{ muted = {} }, isOff] = [settings(), isAnyOn()];
        muteAll(() => isOff);
        say(t(`notifications.said${isOff ? "Off" : "On"}`), {
          undo: () => muteAll((kind) => muted[kind] === true),
          isBrief: true,
        });
      };
      const words = () => t(isAnyOn() ? "notifications.allOff" : "notifications.allOn");
      return section(
        {
          title: t(`notifications.${group}`),
          actions: h("button", { type: "button", class: "plain", onclick: all }, words),
        },
        h(
          "div",
          { class: "rows framed" },
          kinds.map((kind) =>
            toggle({
              label: t(`notifications.${kind}`),
              isOn: () => settings().muted?.[kind] !== true,
              change: (on) => edit({ muted: { [kind]: !on } }),
            })
          ),
        ),
      );
    }),
    h("p", { class: "hint" }, t("notifications.always")),
    () =>
      muted().length
        ? section(
          { title: t("notifications.mutedPeople") },
          list(each(muted, ([person]) => person, (item, person) =>
            row({
              before: avatar(person, () => nameOf(person)),
              title: h("bdi", null, () => nameOf(person)),
              text: () => t("notifications.until", { day: calendarDay(dayOf(item()[1].until), false) }),
              after: h("button", {
                type: "button",
                onclick: () => mute(hearth, person, nameOf(person), false),
              }, t("notifications.hearAgain")),
            }))),
        )
        : null,
  );
}
