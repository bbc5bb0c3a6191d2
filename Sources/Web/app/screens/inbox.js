// The inbox: what others want the person to know or to answer, the newest first, with its buttons.

import { avatar } from "../parts/avatar.js";
import { choreList, isTakenBack } from "../parts/chores.js";
import { choose, mine, personIn, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money } from "../parts/money.js";
import { nameOf } from "../parts/names.js";
import { go } from "../parts/router.js";
import { computed, each, effect, h, onEnd, scope, signal, untracked } from "../parts/signal.js";
import { empty, inWords, screen, skeleton } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { say } from "../parts/snackbar.js";
import { ago, calendarDay, moment, now } from "../parts/when.js";
import { hasWords, listed, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { HouseholdState, MeState } from "../hearth/types/documents.d.ts" */
/** @import { Home } from "../parts/household.js" */
/** @import { Notification } from "../parts/records.d.ts" */

const t = await words("inbox");

/**
 * One notification in words. @param {Notification} one @param {string | null} me
 * @param {MeState | null} [state] with the notifications before it
 * @param {(person: string) => string | undefined} [known] the names of people
 */
export function inboxWords(one, me, state = null, known = () => undefined) {
  const actor = one.actorName ?? known(one.actor ?? "") ?? t("somebody");
  const values = { actor, name: one.name ?? "", place: one.place ?? "" };
  /** @type {string} */ let key = one.kind;
  if (key === "share" && one.place) key = "shareTo";
  if (key === "removed" && one.ref === me) key = "removedYou";
  if (key === "arrived" && one.place) key = "arrivedAt";
  if (key === "lost" && one.cause === "noFix") key = "lostNoFix";
  if (key === "login" && !one.name) key = "loginUnnamed";
  if (key === "ended" && goesOn(one, state)) key = "endedOne";
  // Only the end of an account takes away a name.
  if (key === "left" && one.actor && !one.actorName) key = "leftForGood";
  if (key === "pickup") key = `pickup.${one.pickup}`;
  if (key === "pickup.accepted" && one.arriveBy) key = "pickup.acceptedBy";
  if (key === "pickup.requested" && hadAccepted(one, state)) key = "pickup.released";
  // A member who has only paid has no share to be told of.
  if (key === "bill" && !one.amount) key = "billWithout";
  if (key === "paymentRejected" && one.name) key = "paymentRejectedWhy";
  if (key === "paymentConfirmed" && !one.actorName) key = "paymentConfirmedAlone";
  if (key === "billChanged" && one.amount === one.before) key = "billChangedOnly";
  if (key === "shopping" && one.name) key = "shoppingFor";
  if (key === "thanks" && !one.name) key = "thanksShopping";
  if (key === "shopped" && one.amount) key = "shoppedShare";
  if (key === "purchaseChanged" && one.amount !== one.before) key = "purchaseChangedShare";
  if (one.actor === me && hasWords(`inbox.kind.${key}Yours`)) key += "Yours";
  if (!hasWords(`inbox.kind.${key}`)) return t("inbox.kind.other");
  const amounts = {
    amount: one.debts?.length
      ? listed(one.debts.map(({ amount, currency }) => money(amount, currency)))
      : money(one.amount ?? 0, one.currency ?? "EUR"),
    before: money(one.before ?? 0, one.currency ?? "EUR"),
  };
  const [until, time] = [one.until, one.arriveBy].map((time) => time ? moment(time) : "");
  return t(`inbox.kind.${key}`, { ...values, ...amounts, until, time });
}

/** How somebody is called there, also one who has left. @param {HouseholdState | null} home @param {string} [id] */
const calledIn = (home, id) => Object.keys(personIn(home, id)).length ? nameOf(home, id) : undefined;

/** Whether the actor still shares with me. @param {Notification} one @param {MeState | null} state */
const goesOn = ({ actor }, state) =>
  Object.values(state?.shares ?? {}).some(({ role, sharer }) => role === "receiver" && sharer === actor);

/** Whether the actor had been the driver. @param {Notification} one @param {MeState | null} state */
function hadAccepted({ actor, ref }, state) {
  return Object.values(state?.inbox ?? {}).some((before) =>
    before.pickup === "accepted" && before.actor === actor && before.ref === ref
  );
}

/** Where one about a chore leads: what is done or removed is in the history. @param {Notification} one */
function chores({ kind, ref }) {
  if (!kind.startsWith("chore") && kind !== "birthday") return null;
  return kind === "choreDone" || kind === "choreRemoved" ? "/chores/statistics" : `/chores/chore/${ref}`;
}

/** Where a tap leads. @param {Notification} one @param {MeState | null} state @returns {string | null} */
function target(one, state) {
  const [kind, id = ""] = (one.room ?? "").split("/");
  if (one.kind === "login") return "/me/security";
  if (one.kind === "contactAccepted") return "/contacts";
  // A notification of a share leads to it while the share lasts.
  if (kind === "share") return state?.shares?.[id] ? `/out/share/${id}` : null;
  if (one.kind === "ask") return state?.asks?.[one.ref ?? ""] ? "/out" : null;
  if (kind !== "household" || !state?.households?.[id]) return null;
  if (one.kind.startsWith("shopping")) return "/shopping";
  if (one.kind === "thanks") return one.name ? "/chores/statistics" : `/shopping/purchase/${one.ref}`;
  if (one.kind === "shopped" || one.kind === "purchaseChanged") return `/shopping/purchase/${one.ref}`;
  if (one.kind === "dinner" || one.kind === "rota") return `/${one.kind}`;
  if (/^(payment|debtReminder)/.test(one.kind)) return `/money/with/${one.actor}`;
  if (one.kind === "debts") return "/money";
  if (one.kind.startsWith("recurringBill")) return "/money/recurring";
  if (one.kind.startsWith("request")) return "/money/requests";
  if (/^(bill|rent)/.test(one.kind)) return `/money/bill/${one.ref}`;
  if (one.kind === "specialEvent") return `/special/${one.ref}`;
  if (one.kind === "event" || one.kind === "eventChanged") return `/calendar?event=${one.ref}`;
  if (one.kind === "eventRemoved" || one.kind === "specialEventCancelled") return "/calendar";
  return one.kind === "note" ? "/" : chores(one) ?? "/household";
}

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const state = () => me.state.get();
  /** Notifications that were new when first seen here stay among the new ones until the screen is left. */
  const fresh = signal(/** @type {ReadonlySet<string>} */ (new Set()));
  const all = computed(() => Object.entries(state()?.inbox ?? {}).sort(([, a], [, b]) => (a.at < b.at ? 1 : -1)));
  effect(() => {
    // The clock moves as soon as the page is in sight again. Until then, other devices go on counting.
    now.get();
    const unread = all.get().filter(([, one]) => !one.readAt).map(([id]) => id);
    if (!unread.length || document.visibilityState !== "visible") return;
    untracked(() => {
      fresh.update((known) => new Set([...known, ...unread]));
      const at = new Date(hearth.now()).toISOString();
      hearth.change("inbox.read", { ids: unread }, {
        room: "me",
        optimistic: () => ({ inbox: Object.fromEntries(unread.map((id) => [id, { readAt: at }])) }),
        about: t("inbox.title"),
      });
    });
  });
  /** The households that notifications are from. */
  const homes = /** @type {Map<string, { value: Home, end: () => void }>} */ (new Map());
  const homeOf = (/** @type {string} */ room) => {
    if (!state()?.households?.[room.split("/")[1] ?? ""]) return null;
    const made = homes.get(room) ?? scope(() => roomOf(hearth, /** @type {Home["name"]} */ (room)));
    homes.set(room, made);
    return made.value;
  };
  /** An invitation that waits for an answer counts as new. @param {[string, Notification]} entry */
  const isNew = ([id, one]) => fresh.get().has(id) || isOpen(one);
  const isOpen = (/** @type {Notification} */ { kind, ref = "", room = "" }) =>
    (kind === "invitation" && ref in (state()?.invitations ?? {})) ||
    (kind === "contactInvitation" && ref in (state()?.contactInvitations ?? {})) ||
    (kind === "payment" && homeOf(room)?.state.get()?.payments?.[ref]?.state === "pending") ||
    (kind === "request" && homeOf(room)?.state.get()?.requests?.[ref]?.parts?.[hearth.me ?? ""]?.state === "pending") ||
    (kind === "ask" && ref in (state()?.asks ?? {}));
  const news = computed(() => all.get().filter((entry) => isNew(entry)));
  const earlier = computed(() => all.get().filter((entry) => !isNew(entry)));

  /** The chores of the households that notifications are from. */
  const lists = /** @type {Map<string, { value: ReturnType<typeof choreList>, end: () => void }>} */ (new Map());
  onEnd(() => {
    for (const { end } of [...lists.values(), ...homes.values()]) end();
  });
  const choresOf = (/** @type {string} */ household) => {
    const make = () => scope(() => choreList(hearth, roomOf(hearth, `household/${household}`)));
    const made = lists.get(household) ?? make();
    lists.set(household, made);
    return made.value;
  };

  return screen(
    {
      title: t("inbox.title"),
      back: "/",
      lead: () => state() && all.get().length && !news.get().length ? t("inbox.none") : null,
    },
    () => state() ? null : skeleton(6),
    () => state() && !all.get().length ? empty({ icon: "bell", text: t("inbox.empty") }) : null,
    () => news.get().length && earlier.get().length ? h("h2", { class: "day-head" }, t("inbox.newHead")) : null,
    h("ul", { class: "rows inbox" }, each(() => news.get(), ([id]) => id, (item, id) => entry(() => item()[1], id))),
    () => news.get().length && earlier.get().length ? h("h2", { class: "day-head" }, t("inbox.earlier")) : null,
    h("ul", { class: "rows inbox" }, each(() => earlier.get(), ([id]) => id, (item, id) => entry(() => item()[1], id))),
  );

  /** @param {() => Notification} one @param {string} id */
  function entry(one, id) {
    const path = computed(() => target(one(), state()));
    const inside = () => [
      one().actor
        ? avatar(one().actor ?? "", () => one().actorName ?? known(one().actor ?? "") ?? "?")
        : h("span", { class: "sign" }, icon(sign(one().kind))),
      h(
        "span",
        { class: "row-words" },
        h("span", { class: "row-title" }, () => said(one())),
        h(
          "span",
          { class: "row-text" },
          () => ago(one().at),
          () => one().kind === "login" ? ` · ${t("inbox.loginHint")}` : null,
          () => one().kind === "share" && one().pickup ? ` · ${t("inbox.ride")}` : null,
          () => isUndone(one()) ? ` · ${t("inbox.undone")}` : null,
          () =>
            one().kind === "ended" && hasWords(`inbox.why.${one().reason}`)
              ? ` · ${t(`inbox.why.${one().reason}`)}`
              : null,
        ),
      ),
    ];
    return h(
      "li",
      { class: () => `${one().kind === "urgent" || one().kind === "lost" ? "urgent" : ""}` },
      () => {
        const to = path.get();
        return to
          ? h("button", { type: "button", class: "row", onclick: () => open(one(), to) }, inside(), icon("next"))
          : h("div", { class: "row" }, inside());
      },
      () =>
        one().kind === "choreDue" || one().kind.endsWith("Reminder")
          ? choreButtons(one(), id)
          : one().kind === "choreDone" || one().kind === "shopped"
          ? thanks(one(), id)
          : buttons(one()),
    );
  }

  /** @param {string} kind */
  function sign(kind) {
    return kind === "login"
      ? "key"
      : kind === "host"
      ? "crown"
      : /^(bill|payment|debt|rent|re(curringBill|quest))/.test(kind)
      ? "money"
      : kind.startsWith("chore")
      ? "chores"
      : "bell";
  }

  /** Closing a reminder is doing its chore; or it comes again later. @param {Notification} one @param {string} id */
  function choreButtons(one, id) {
    const list = choresOf((one.room ?? "").split("/")[1] ?? "");
    const item = list.items.get().find((open) => open.id === one.ref && list.isMine(open));
    const mayMute = one.kind.endsWith("Reminder") && one.actor && !state()?.mutedSenders?.[one.actor];
    const home = homeOf(one.room ?? "")?.state.get();
    const isOver = home && !home.occurrences?.[one.ref ?? ""];
    if (!item && !mayMute) {
      return isOver ? h("p", { class: "row-buttons hint" }, icon("check"), t("inbox.over")) : null;
    }
    const later = () =>
      openSheet({ title: t("inbox.later") }, (close) =>
        h(
          "div",
          { class: "buttons" },
          [15, 60, 180, 1440].map((minutes) => {
            const when = t(`inbox.in${minutes}`);
            return act(when, "", async () => {
              await close();
              hearth.change("inbox.snooze", { id, minutes }, { room: "me", about: inboxWords(one, hearth.me) });
              say(t("inbox.snoozed", { when: when.charAt(0).toLocaleLowerCase() + when.slice(1) }));
            });
          }),
        ));
    return h(
      "div",
      { class: "row-buttons" },
      item && act(t("inbox.completed"), "primary", () => list.complete(item)),
      item && one.kind === "choreDue" && act(t("inbox.later"), "", later),
      mayMute && h(
        "button",
        {
          type: "button",
          class: "quiet",
          onclick: () => mute(hearth, one.actor ?? "", one.actorName ?? t("somebody")),
        },
        t("inbox.mute", { actor: one.actorName ?? t("somebody") }),
      ),
    );
  }

  /** @param {Notification} one */
  function isUndone({ kind, room = "", ref = "" }) {
    return kind === "choreDone" && isTakenBack(homeOf(room)?.state.get() ?? null, ref);
  }

  /** Thanks somebody for their work, as long as it is not old. @param {Notification} one @param {string} id */
  function thanks(one, id) {
    const { actor = "", room = "", thankedAt, at } = one;
    if (isUndone(one)) return null;
    if (thankedAt) return h("p", { class: "row-buttons hint" }, icon("check"), t("inbox.thanked"));
    if (!(actor in (homeOf(room)?.state.get()?.members ?? {})) || now.get() - Date.parse(at) > THANKED) return null;
    const thank = () =>
      void hearth.change("inbox.thank", { id }, {
        room: "me",
        optimistic: () => ({ inbox: { [id]: { thankedAt: new Date(hearth.now()).toISOString() } } }),
        about: inboxWords(one, hearth.me),
      });
    return h("div", { class: "row-buttons" }, h("button", { type: "button", onclick: thank }, t("inbox.thank")));
  }

  /** @param {Notification} one */
  function said(one) {
    const isGuest = one.kind === "invitation" && state()?.invitations?.[one.ref ?? ""]?.guest;
    if (isGuest) {
      return t("inbox.kind.guestInvitation", { actor: one.actorName ?? t("somebody"), name: one.name ?? "" });
    }
    const home = homeOf(one.room ?? "")?.state.get() ?? null;
    const removed = one.kind === "removed" && one.ref !== hearth.me && calledIn(home, one.ref);
    if (removed) return t("inbox.kind.removedMember", { actor: one.actorName ?? t("somebody"), name: removed });
    const member = home?.members?.[one.actor ?? ""];
    if (one.kind === "standIn" && member) {
      const { away, name } = member;
      if (away?.delegate !== hearth.me) return t("inbox.kind.standInOver", { actor: name });
      const [from, to] = [away.from, away.to].map((day) => calendarDay(day, false));
      return t("inbox.kind.standInDays", { actor: name, from, to });
    }
    const date = one.kind === "birthday" && member?.birthday;
    // A leap year, which has every day.
    const day = date && calendarDay(`2024-${date}`, false);
    return day
      ? t("inbox.kind.birthdayOn", { actor: one.actorName ?? t("somebody"), day })
      : inboxWords(one, hearth.me, state(), known);
  }

  /** The notifications of a share do not name its receivers to each other. @param {string} person */
  function known(person) {
    return Object.values(state()?.shares ?? {}).find(({ driver }) => driver === person)?.driverName ??
      Object.keys(state()?.households ?? {}).map((id) =>
        calledIn(homeOf(`household/${id}`)?.state.get() ?? null, person)
      ).find(Boolean);
  }

  /** @param {Notification} one @param {string} path */
  function open(one, path) {
    const [kind, id = ""] = (one.room ?? "").split("/");
    if (kind === "household") choose(id);
    go(path);
  }

  /** @param {Notification} one */
  function buttons(one) {
    const { ref = "" } = one;
    if (one.kind === "dismissed") {
      const restorable = state()?.dismissed?.[ref]?.restorable;
      if (!restorable && !one.link) return null;
      return h(
        "div",
        { class: "row-buttons" },
        restorable &&
          act(
            t("inbox.restore"),
            "primary",
            () => hearth.ask("households.restore", { household: ref }, { room: "me" }),
          ),
        one.link && h("a", { class: "button", href: one.link, download: "" }, t("inbox.download")),
      );
    }
    if (one.kind === "rentDue") return rentButton(one);
    if (!isOpen(one)) return null;
    if (one.kind === "request" || one.kind === "payment") return moneyButtons(one);
    if (one.kind === "invitation") {
      return h(
        "div",
        { class: "row-buttons" },
        act(t("inbox.accept"), "primary", async () => {
          const { household } = await hearth.ask("invitations.accept", { id: ref }, { room: "me" });
          choose(household);
          go("/");
        }),
        act(t("inbox.decline"), "", () => decline("invitations", ref)),
      );
    }
    if (one.kind === "contactInvitation") {
      return h(
        "div",
        { class: "row-buttons" },
        act(t("inbox.accept"), "primary", () => hearth.ask("contacts.accept", { id: ref }, { room: "me" })),
        act(t("inbox.decline"), "", () => decline("contactInvitations", ref)),
      );
    }
    return h(
      "div",
      { class: "row-buttons" },
      h(
        "a",
        { class: "button primary", href: `/out/new?to=${ref}` },
        t("inbox.share", { name: one.actorName ?? "" }),
      ),
      act(t("inbox.notNow"), "", () => {
        hearth.change("shares.declineAsk", { person: ref }, {
          room: "me",
          optimistic: () => ({ asks: { [ref]: null } }),
          about: inboxWords(one, hearth.me),
        });
      }),
    );
  }

  /** Closing the reminder of the day is telling the others that it is paid. @param {Notification} one */
  function rentButton({ room = "", ref = "" }) {
    const home = homeOf(room);
    const [id, date] = Object.entries(home?.state.get()?.recurringBills ?? {}).flatMap(([id, { posted = {} }]) =>
      Object.entries(posted).flatMap(([day, { bill, host, paidOn }]) =>
        bill === ref && host === hearth.me && !paidOn ? [id, day] : []
      )
    );
    return home && id && date
      ? h(
        "div",
        { class: "row-buttons" },
        act(t("inbox.paid"), "primary", async () => {
          const { notePaid } = await import("../parts/recurring.js");
          await notePaid({ hearth, room: home }, id, date);
        }),
      )
      : null;
  }

  /** @param {Notification} one */
  function moneyButtons({ room = "", ref = "", actorName: name = t("somebody"), amount = 0, currency = "EUR" }) {
    const home = homeOf(room);
    const request = home?.state.get()?.requests?.[ref];
    if (!home) return null;
    const list = { hearth, room: home };
    const requests = () => import("../parts/requests.js");
    const payments = () => import("../parts/payments.js");
    return h(
      "div",
      { class: "row-buttons" },
      request
        ? [
          act(t("inbox.agree"), "primary", async () => (await requests()).accept(list, ref, request, name)),
          act(t("inbox.decline"), "", async () => (await requests()).openDecline(list, ref, name)),
        ]
        : [
          act(t("inbox.got"), "primary", async () => {
            await (await payments()).confirm(list, ref, { name, amount: money(amount, currency) });
          }),
          act(t("inbox.notGot"), "", async () => (await payments()).openReject(list, ref, name)),
        ],
    );
  }

  /** @param {"invitations" | "contactInvitations"} table @param {string} id */
  function decline(table, id) {
    hearth.change(table === "invitations" ? "invitations.decline" : "contacts.decline", { id }, {
      room: "me",
      optimistic: () => ({ [table]: { [id]: null } }),
      about: t("inbox.decline"),
    });
    say(t("inbox.declinedSaid"));
  }
}

/** For so long somebody can be thanked for what they have done. */
const THANKED = 7 * 86_400_000;
/** For so long somebody is not heard. */
const MUTED = 30 * 86_400_000;

/**
 * Keeps the reminders of somebody quiet, or no longer.
 * @param {Hearth} hearth @param {string} person @param {string} name
 */
export function mute(hearth, person, name, isMuted = true) {
  /** @param {boolean} muted */
  const set = (muted) => {
    const until = new Date(hearth.now() + MUTED).toISOString();
    hearth.change("inbox.mute", { person, muted }, {
      room: "me",
      about: t(muted ? "inbox.mute" : "inbox.unmute", { actor: name }),
      optimistic: () => ({ mutedSenders: { [person]: muted ? { until } : null } }),
    });
  };
  set(isMuted);
  say(t(isMuted ? "inbox.muted" : "inbox.unmuted", { actor: name }), { undo: () => set(!isMuted), isBrief: true });
}

/**
 * A button that shows that the server is asked.
 * @param {string} text @param {string} kind @param {() => unknown} work
 */
export function act(text, kind, work) {
  const isBusy = signal(false);
  return h("button", {
    type: "button",
    class: kind,
    "aria-busy": () => String(isBusy.get()),
    onclick: async () => {
      if (isBusy.peek()) return;
      isBusy.set(true);
      try {
        await work();
      } catch (error) {
        say(inWords(error));
      } finally {
        isBusy.set(false);
      }
    },
  }, text);
}
