// Out: who is on the way and shares it with me, and who sees where I am.

import { agoText, seconds } from "../parts/ages.js";
import { avatar } from "../parts/avatar.js";
import { isOnline } from "../parts/connection.js";
import { isDenied } from "../parts/hidden.js";
import { wordsOf } from "../parts/family.js";
import { mine as here, onHere } from "../parts/here.js";
import { mine } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { acquaintances } from "../parts/acquaintances.js";
import { refusals } from "../parts/refusals.js";
import { empty, list, row, screen, section, skeleton, waitingMark } from "../parts/screen.js";
import { distances, followShare, sharesIn } from "../parts/shares.js";
import { openSheet } from "../parts/sheet.js";
import { computed, each, h, observe, onEnd, signal, when } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { goalWords, hidden, pickupWords, stopWords } from "../parts/way.js";
import { duration } from "../parts/when.js";
import { listed } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Here } from "../parts/here.js" */
/** @import { Ask, Listed } from "../parts/records.d.ts" */

const t = await wordsOf("out");

/** So many shares are followed for their ages in the list; the rest tell theirs when they are opened. */
const FOLLOWED = 12;

/** @param {Hearth} hearth */
export function render(hearth) {
  const me = mine(hearth);
  const now = seconds(hearth);
  const place = signal(here.here);
  onEnd(onHere(() => place.set(here.here)));
  const shares = computed(() => sharesIn(me.state.get()));
  const received = computed(() => shares.get().received);
  const own = computed(() => shares.get().own);
  const asks = computed(() => Object.entries(me.state.get()?.asks ?? {}).filter(([, { until }]) => isOpen(until, now)));
  // One that was met stays listed until another may be sent.
  const asked = computed(() =>
    Object.entries(me.state.get()?.asked ?? {}).filter(([, { until, sharedAt }]) => !sharedAt && isOpen(until, now))
  );
  const people = acquaintances(hearth);
  const isKnown = computed(() => Boolean(me.state.get()));
  const refused = observe(hearth, ({ refused }) => refused);
  const ours = computed(() => refused.get().filter(isAboutShares));
  const waiting = observe(hearth, ({ waiting }) => waiting);
  /** @param {string} id */
  const isWaiting = (id) => waiting.get().some((one) => one.params?.id === id || one.room === `share/${id}`);

  return screen(
    {
      title: t("title"),
      class: "out",
      lead: h("span", { role: "status" }, () => {
        const underWay = received.get().filter(({ state }) => state === "active");
        const names = [...new Set(underWay.map(({ name }) => name))];
        if (!isKnown.get()) return "";
        if (!names.length) return t("nobody");
        return names.length === 1 ? t("oneOut", { name: names[0] ?? "" }) : t("manyOut", { n: names.length });
      }),
      actions: () =>
        received.get().length > 0
          ? h("a", { class: "button", href: "/out/map" }, icon("compass"), t("everyone"))
          : null,
    },
    refusals(hearth, ours),
    () => isKnown.get() ? null : skeleton(3),
    () =>
      asks.get().length
        ? h("ul", { class: "asks" }, each(() => asks.get(), ([person]) => person, (one, id) => ask(hearth, one, id)))
        : null,
    () =>
      isKnown.get() && !received.get().length && !own.get().length ? empty({ icon: "out", text: t("emptyOut") }) : null,
    () =>
      received.get().length
        ? section(
          { title: t("withMe") },
          list(each(() => received.get(), ({ id }) => id, (one, id) => {
            const index = received.peek().findIndex((share) => share.id === id);
            const asksToStop = () => stopWords(hearth, me.state.get(), one(), now.get());
            return receivedRow(hearth, one, id, now, place, index < FOLLOWED, () => isWaiting(id), asksToStop);
          })),
        )
        : null,
    () =>
      own.get().length
        ? section(
          { title: () => isDenied.get() ? hidden() : t("myShares"), class: "beside" },
          list(each(() => own.get(), ({ id }) => id, (one, id) => ownRow(hearth, one, id, now, () => isWaiting(id)))),
        )
        : null,
    h(
      "div",
      { class: "out-more" },
      each(() => asked.get(), ([person]) => person, (_, id) => {
        const name = () => people.get().find(([person]) => person === id)?.[1] ?? t("someone");
        return h("p", { class: "hint" }, () => t("askedAlready", { name: name() }));
      }),
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => askSomebody(hearth) },
        icon("search"),
        t("askSomebody"),
      ),
    ),
    h("a", { class: "button primary fab", href: "/out/new" }, icon("walk"), t("start")),
  );
}

/** @param {string} until @param {{ get(): number }} now */
const isOpen = (until, now) => Date.parse(until) > now.get();

/** @param {{ method: string }} refused */
const isAboutShares = ({ method }) => /^(shares|pickup)\./.test(method);

/**
 * @param {Hearth} hearth @param {() => Listed} one @param {string} id @param {{ get(): number, peek(): number }} now
 * @param {{ get(): Here | null }} place where I am @param {boolean} isFollowed @param {() => boolean} isWaiting
 * @param {() => string} asksToStop
 */
function receivedRow(hearth, one, id, now, place, isFollowed, isWaiting, asksToStop) {
  const followed = isFollowed ? followShare(hearth, id, now) : null;
  const seen = () => {
    if (!followed) return "";
    const age = followed.age.get();
    return age === null ? t("noFixYet") : t("seenAgo", { ago: agoText(age, t("now")) });
  };
  return row({
    class: () => `share ${followed ? followed.freshness.get() : ""}`,
    before: avatar(one().sharer, () => one().name),
    title: () => one().name,
    text: [
      () => asksToStop() ? h("b", null, asksToStop()) : null,
      () => one().state === "arrived" ? null : h("span", { class: "seen" }, seen()),
      () => h("span", null, goalWords(one())),
      () => ride(hearth, one(), now.get()),
    ],
    after: [
      waitingMark(isWaiting),
      () => {
        const from = place.get();
        const to = followed?.position.get();
        return from && to ? h("span", { class: "far" }, distances(from.place, to)[0]) : null;
      },
      icon("next"),
    ],
    href: `/out/share/${id}`,
  });
}

/**
 * @param {Hearth} hearth @param {() => Listed} one @param {string} id @param {{ get(): number, peek(): number }} now
 * @param {() => boolean} isWaiting
 */
function ownRow(hearth, one, id, now, isWaiting) {
  // The server has no room of a share that it has not begun yet.
  const isBegun = observe(
    hearth,
    ({ waiting }) => !waiting.some(({ method, params }) => method === "shares.start" && params?.id === id),
  );
  return row({
    class: "share",
    before: h("span", { class: "sign" }, icon("out")),
    title: () => goalWords(one()),
    text: [
      when(() => isBegun.get(), () => seers(followShare(hearth, id, now))),
      () => t("left", { span: duration(Math.max(0, Date.parse(one().until) - now.get())) }),
      () => ride(hearth, one(), now.get()),
    ],
    after: [waitingMark(isWaiting), icon("next")],
    href: `/out/share/${id}`,
  });
}

/** The receivers of one's own share. @param {ReturnType<typeof followShare>} followed */
function seers(followed) {
  const names = () => Object.values(followed.receivers.get()).map(({ name }) => name);
  return () => names().length ? h("span", null, t("shownTo", { names: listed(names()) })) : null;
}

/** @param {Hearth} hearth @param {Listed} share @param {number} now */
function ride(hearth, share, now) {
  const words = pickupWords(hearth, share, now);
  return words ? h("span", { class: `ride ${share.pickup ?? ""}` }, icon("car"), words) : null;
}

// MARK: asking

/** @param {Hearth} hearth @param {() => [string, Ask]} one @param {string} person */
function ask(hearth, one, person) {
  return h(
    "li",
    { class: "notice" },
    avatar(person, () => one()[1].name),
    h("p", null, () => t("asksWhere", { name: one()[1].name })),
    h(
      "div",
      { class: "buttons" },
      h(
        "a",
        { class: "button primary", href: `/out/new?to=${person}` },
        () => t("shareWith", { name: one()[1].name }),
      ),
      h("button", {
        type: "button",
        onclick: () =>
          hearth.change("shares.declineAsk", { person }, {
            about: t("notNow"),
            optimistic: () => ({ asks: { [person]: null } }),
          }),
      }, t("notNow")),
    ),
  );
}

/** @param {Hearth} hearth */
function askSomebody(hearth) {
  openSheet({ title: t("askWho") }, (close) => {
    const people = acquaintances(hearth);
    return () =>
      people.get().length
        ? list(each(() => people.get(), ([id]) => id, (one, id) =>
          row({
            before: avatar(id, () => one()[1]),
            title: () => one()[1],
            onclick: async () => {
              const [, name] = one();
              await close();
              hearth.change("shares.ask", { person: id }, { about: t("aboutAsk", { name }) });
              say(t(isOnline(hearth) ? "asked" : "later", { name }));
            },
          })))
        : h("p", null, t("nobodyToAsk"));
  });
}
