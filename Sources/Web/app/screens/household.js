// The household: its people, invitations, and what its members do rarely.

import { avatar } from "../parts/avatar.js";
import { confirmed } from "../parts/confirm.js";
import { isAway } from "../parts/dates.js";
import { styleOf } from "../parts/family.js";
import { household, mine, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { emailWords, membersOf, nameOf } from "../parts/names.js";
import { qr } from "../parts/qr.js";
import { address, go } from "../parts/router.js";
import { confirmSheet, openSheet } from "../parts/sheet.js";
import { computed, each, h, signal, when } from "../parts/signal.js";
import { check, field, form, inWords, row, screen, section, skeleton } from "../parts/screen.js";
import { announce, say } from "../parts/snackbar.js";
import { ago, calendarDay, day, dayOf, now } from "../parts/when.js";
import { words } from "../parts/words.js";
import { act } from "./inbox.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Code, Member } from "../parts/records.d.ts" */

const [t] = await Promise.all([words("people"), styleOf("people")]);

/** As a code is read out. @param {string} code */
const spaced = (code) => code.replace(/^(.{5})(.{5})$/, "$1 $2");
/** The last code that a person made for a household: the server tells it once. It is shown until it is used up. */
const codes = /** @type {Map<string, { key: string, code: string, link: string }>} */ (new Map());

/** @param {Hearth} hearth */
export function render(hearth) {
  const id = household(hearth).peek() ?? "";
  const me = mine(hearth);
  const room = roomOf(hearth, `household/${id}`);
  const state = () => room.state.get();
  const house = () => state()?.household;
  const members = computed(() => membersOf(state()));
  const isHost = () => house()?.host === hearth.me;
  const name = () => house()?.name ?? "";
  const zone = () => house()?.timeZone;
  const today = () => dayOf(now.get(), zone());
  /** @param {Member} member */
  const awayWords = ({ away }) => {
    if (!away || away.to < today()) return "";
    const [from, to] = [calendarDay(away.from, false), calendarDay(away.to, false)];
    return away.from <= today() ? t("house.away", { day: to }) : t("house.awayFrom", { from, to });
  };

  // Home asks for a sheet by a query. It opens once the screen itself is in the page.
  const { query } = address.peek();
  const member = query.get("member");
  if (member || query.has("invite")) {
    queueMicrotask(() => {
      go("/household", { replace: true });
      if (member) openMember(member);
      else invite();
    });
  }

  return screen(
    {
      title: () => name() || t("house.title"),
      back: "/",
      lead: () => state() ? t("house.lead", { n: members.get().length }) : null,
    },
    () => state() ? null : skeleton(6),
    when(state, () => [
      h(
        "ul",
        { class: "rows" },
        each(() => members.get(), ([person]) => person, (member, person) =>
          row({
            before: avatar(person, () => member()[1].name, {
              online: () => person === hearth.me || room.presence.get()?.[person]?.online === true,
            }),
            title: () => person === hearth.me ? `${member()[1].name} (${t("you")})` : member()[1].name,
            text: () => about(person, member()[1]),
            after: icon("next"),
            onclick: () => openMember(person),
          })),
      ),
      invitations(),
      h(
        "ul",
        { class: "rows framed beside" },
        row({
          before: icon("suitcase"),
          title: () => {
            const member = state()?.members?.[hearth.me ?? ""];
            return (member && awayWords(member)) || t("house.awayLink");
          },
          after: icon("next"),
          href: "/household/away",
        }),
        row({ before: icon("calendar"), title: t("house.calendar"), after: icon("next"), href: "/calendar" }),
        row({ before: icon("rota"), title: t("house.rota"), after: icon("next"), href: "/rota" }),
        row({
          before: icon("settings"),
          title: t("house.settings"),
          after: icon("next"),
          href: "/household/settings",
        }),
        row({ before: icon("leave"), title: t("house.leave"), onclick: leave }),
        () =>
          isHost()
            ? row({ before: icon("bin"), title: t("house.dismiss"), onclick: dismiss, class: "dangerous" })
            : null,
      ),
      h("button", { type: "button", class: "primary fab", onclick: invite }, icon("addPerson"), t("house.invite")),
    ]),
  );

  /** @param {string} person @param {Member} member */
  function about(person, member) {
    const presence = room.presence.get()?.[person];
    return [
      member.role === "host" ? t("house.host") : "",
      member.role === "guest" ? t("house.guestOf", { name: nameOf(state(), member.guestOf) }) : "",
      awayWords(member),
      person === hearth.me
        ? ""
        : presence?.online
        ? t("house.online")
        : presence?.lastSeen
        ? t("house.lastSeen", { when: ago(presence.lastSeen) })
        : "",
    ].filter(Boolean).join(" · ");
  }

  /** @param {string} person */
  function openMember(person) {
    const member = () => state()?.members?.[person];
    const mayRemove = () =>
      person !== hearth.me && person !== house()?.host &&
      (isHost() || (house()?.policies?.removal !== "host" && state()?.members?.[hearth.me ?? ""]?.role !== "guest"));
    openSheet({ title: nameOf(state(), person) }, (close) => [
      h(
        "div",
        { class: "person-head" },
        avatar(person, () => nameOf(state(), person), { size: "large" }),
        h("p", null, () => member() ? about(person, /** @type {Member} */ (member())) : ""),
      ),
      h(
        "ul",
        { class: "facts" },
        () => h("li", null, icon("home"), t("house.since", { day: day(member()?.joinedAt ?? Date.now(), zone()) })),
        () =>
          member()?.birthday &&
          h("li", null, icon("cake"), t("house.birthday", { day: calendarDay(`2024-${member()?.birthday}`, false) })),
        () =>
          member()?.away?.delegate &&
          h("li", null, icon("people"), t("house.standIn", { name: nameOf(state(), member()?.away?.delegate) })),
        () =>
          Object.entries(member()?.handles ?? {}).map(([kind, handle]) =>
            h(
              "li",
              null,
              icon("money"),
              h("span", null, `${HANDLES[kind] ?? ""} `, h("bdi", null, /** @type {string} */ (handle))),
            )
          ),
      ),
      person === hearth.me ? h("a", { class: "button", href: "/me/profile" }, icon("edit"), t("edit")) : h(
        "div",
        { class: "buttons" },
        person in (me.state.get()?.contacts ?? {}) ? null : act(t("house.addContact"), "", async () => {
          await hearth.ask("contacts.invite", { person }, { room: "me" });
          await close();
          say(t("house.contactSent", { name: nameOf(state(), person) }));
        }),
        isHost() && member()?.role === "member" && h("button", {
          type: "button",
          onclick: async () => {
            const called = nameOf(state(), person);
            await close();
            if (
              !await confirmSheet({
                title: t("house.makeHostTitle", { name: called }),
                text: t("house.makeHostText", { name: called }),
                action: t("house.makeHost"),
              })
            ) return;
            await tell(
              () => hearth.ask("members.makeHost", { person }, { room: room.name }),
              t("house.madeHost", { name: called }),
            );
          },
        }, t("house.makeHost")),
        mayRemove() && h("button", {
          type: "button",
          class: "danger",
          onclick: async () => {
            const called = nameOf(state(), person);
            await close();
            if (
              !await confirmSheet({
                title: t("house.removeTitle", { name: called }),
                text: t("house.removeText"),
                action: t("house.remove"),
              })
            ) return;
            await tell(
              () => hearth.ask("members.remove", { person }, { room: room.name }),
              t("house.removed", { name: called }),
            );
          },
        }, t("house.remove")),
      ),
    ]);
  }

  /** @param {() => Promise<unknown>} work @param {string} done */
  async function tell(work, done) {
    try {
      await work();
      say(done);
      return true;
    } catch (error) {
      say(inWords(error));
      return false;
    }
  }

  function invite() {
    const whose = `${hearth.me} ${id}`;
    const last = codes.get(whose);
    const open = last && state()?.joinCodes?.[last.key];
    const made = signal(open && (open.used ?? 0) < open.uses ? last : null);
    /** A code for several people; made once, when it is wanted. */
    const code = async () => {
      const known = made.peek();
      if (known) return known;
      const key = hearth.newId();
      const answer = await hearth.ask("joinCodes.create", { id: key }, { room: room.name });
      const one = { key, code: String(answer.code), link: `${location.origin}/join#${answer.code}` };
      codes.set(whose, one);
      made.set(one);
      announce(`${t("house.codeIs")} ${spaced(one.code)}`);
      return one;
    };
    openSheet({ title: t("house.inviteTitle") }, (close) => {
      const email = field({
        label: t("house.email"),
        name: "email",
        type: "email",
        inputmode: "email",
        autocomplete: "off",
        required: true,
      });
      const guest = signal(false);
      /** @param {{ email: string } | { person: string }} whom */
      const send = async (whom) => {
        const more = guest.peek() ? { guest: true } : {};
        await hearth.ask("invitations.send", { id: hearth.newId(), household: id, ...whom, ...more }, { room: "me" });
        await close();
        const isContact = "person" in whom;
        say(t(isContact ? "house.sentToContact" : "house.sent"));
      };
      const contacts = Object.entries(me.state.peek()?.contacts ?? {}).filter(([person]) =>
        !state()?.members?.[person]
      );
      const canShare = Boolean(navigator.share) && matchMedia("(pointer: coarse)").matches;
      return [
        h("p", null, t("house.linkText")),
        act(canShare ? t("house.shareLink") : t("house.copyLink"), "primary", async () => {
          // The name tells whose link it is. No server on the way sees what is behind "#".
          const link = `${(await code()).link}/${encodeURIComponent(name())}`;
          if (canShare) {
            await navigator.share({ title: "Hearth", text: t("house.shareWords", { name: name() }), url: link }).catch(
              () => {},
            );
            return;
          }
          // Where nothing may be copied, the code and its picture are shown by now.
          const copied = navigator.clipboard?.writeText(link) ?? Promise.reject();
          await copied.then(() => say(t("house.linkCopied")), () => say(t("house.linkNotCopied")));
        }),
        () => {
          const one = made.get();
          if (!one) return act(t("house.showCode"), "", code);
          return h(
            "div",
            { class: "join-code" },
            qr(one.link, t("house.linkIs")),
            h("p", null, t("house.codeIs")),
            h("p", { class: "code", dir: "ltr" }, spaced(one.code)),
          );
        },
        h("h3", null, t("house.byMail")),
        form(
          {
            fields: [email],
            action: t("house.send"),
            submit: async () => {
              await send({ email: email.value() });
            },
          },
          isAway(state()?.members?.[hearth.me ?? ""], today()) &&
            check(() => guest.get(), () => guest.update((is) => !is), t("house.asGuest")),
        ),
        contacts.length > 0 && h("h3", null, t("house.byContact")),
        contacts.map(([person, contact]) =>
          h(
            "div",
            { class: "row" },
            avatar(person, contact.name),
            h("span", { class: "row-words" }, contact.name),
            act(t("house.invite"), "", () => send({ person })),
          )
        ),
      ];
    });
  }

  /** Known to the author of the invitation alone. @param {string} key */
  function invitee(key) {
    const { email, person } = me.state.get()?.sentInvitations?.[key] ?? {};
    return email ? emailWords(email) : me.state.get()?.contacts?.[/** @type {string} */ (person)]?.name;
  }

  /** @param {string} key @param {"joinCodes" | "invitations"} kind */
  async function revoke(key, kind) {
    const action = t("house.takeBack");
    if (!await confirmSheet({ title: action, text: t("house.takeBackText"), action })) return;
    hearth.change(`${kind}.revoke`, { id: key }, {
      room: room.name,
      optimistic: () => ({ [kind]: { [key]: null } }),
      about: t("house.aboutRevoke"),
    });
    say(t("house.takenBack"));
  }

  /** Open codes and invitations. */
  function invitations() {
    const open = computed(() => [
      ...Object.entries(state()?.joinCodes ?? {}).map(([key, one]) => ({ key, one, kind: "code" })),
      ...Object.entries(state()?.invitations ?? {}).map(([key, one]) => ({ key, one, kind: "invitation" })),
    ]);
    return () =>
      open.get().length
        ? section(
          { title: t("house.open") },
          h(
            "ul",
            { class: "rows" },
            each(() => open.get(), (one) => one.key, (item, key) => {
              const one = () => /** @type {Code} */ (item().one);
              const isCode = item().kind === "code";
              return row({
                class: "roomy",
                before: h("span", { class: "sign" }, icon(isCode ? "code" : "mail")),
                title: () =>
                  isCode
                    ? t("house.openCode", { name: nameOf(state(), one().by) })
                    : invitee(key) ?? t("house.openInvitation", { name: nameOf(state(), one().by) }),
                text: () =>
                  isCode
                    ? t("house.openCodeText", {
                      used: one().used ?? 0,
                      uses: one().uses,
                      day: day(one().expiresAt, zone()),
                    })
                    : t("house.openText", { day: day(one().expiresAt, zone()) }),
                after: () =>
                  one().by === hearth.me || isHost()
                    ? h("button", {
                      type: "button",
                      class: "plain",
                      onclick: () => revoke(key, isCode ? "joinCodes" : "invitations"),
                    }, t("house.takeBack"))
                    : null,
              });
            }),
          ),
        )
        : null;
  }

  /** Says how much the person owes or is owed. If the module cannot be loaded, the question is asked without it. */
  async function owed() {
    const money = await import("../parts/bills.js").catch(() => null);
    const open = money?.owedOf(state(), hearth.me ?? "");
    return open?.length ? `${money?.owedWords(open)} ${t("house.leaveOwed")}` : "";
  }

  async function leave() {
    const called = name();
    const isLast = members.peek().length === 1;
    const text = [
      t(isLast ? "house.leaveLast" : "house.leaveText"),
      isHost() && !isLast && t("house.leaveHost"),
      await owed(),
    ].filter(Boolean).join(" ");
    if (!await confirmSheet({ title: t("house.leaveTitle", { name: called }), text, action: t("house.leaveAction") })) {
      return;
    }
    if (await tell(() => hearth.ask("members.leave", {}, { room: room.name }), t("house.left", { name: called }))) {
      go("/");
    }
  }

  async function dismiss() {
    const called = name();
    const title = t("house.dismissTitle", { name: called });
    const text = [t("house.dismissText"), await owed()].filter(Boolean).join(" ");
    if (!await confirmSheet({ title, text, action: t("house.dismissAction") })) return;
    try {
      if (!await confirmed(hearth, title, () => hearth.ask("households.dismiss", {}, { room: room.name }))) return;
      say(t("house.dismissed", { name: called }));
      go("/");
    } catch (error) {
      say(inWords(error));
    }
  }
}

/** How the ways of paying call themselves. @type {Record<string, string>} */
const HANDLES = { venmo: "Venmo", paypal: "PayPal", applePay: "Apple Pay", other: "" };
