// Payments between people: no money passes through Hearth, which keeps what they say of it. All of this needs the
// server's word at once, and the more important steps a PIN.

import { sums, titleOf } from "./bills.js";
import { confirmed, PIN, pinNotice } from "./confirm.js";
import { icon } from "./icons.js";
import { money, plainMoney, readMoney, UNDO_WITHIN } from "./money.js";
import { nameOf } from "./names.js";
import { olderButton, paging } from "./paging.js";
import { check, field, form, inWords, row, section, toggle } from "./screen.js";
import { openSheet } from "./sheet.js";
import { computed, each, effect, h, observe, onEnd, signal } from "./signal.js";
import { say } from "./snackbar.js";
import { calendarDay, day, dayOf } from "./when.js";
import { listed, needWords, t as word } from "./words.js";

/** @import { HearthError } from "../hearth/hearth.js" */
/** @import { Methods, Params } from "../hearth/types/methods.d.ts" */
/** @import { BillList, Owed } from "./bills.js" */
/** @import { Payment } from "./records.d.ts" */
/** @typedef {NonNullable<Payment["method"]>} Method */
/** @typedef {Pick<BillList, "hearth" | "room">} Place */
/** @typedef {Methods["payments.link"]["result"]["links"][number]} Link */

await needWords("payments");
/** @param {string} key @param {Record<string, string | number | undefined>} [values] */
const t = (key, values) => word(`payments.${key}`, values);
/** The server takes so many bills for one payment. */
const MOST_BILLS = 64;
/** @type {Method[]} */
const METHODS = ["cash", "bank", "paypal", "venmo", "applePay", "other"];

/** Asks the server about the household. @param {Place} list */
export const ask = ({ hearth, room }) =>
/** @template {keyof Methods} M @param {M} method @param {Params<M>} params */
(method, params) => hearth.ask(method, params, { room: room.name });

/** The pending payments that I have made, or that wait for me. @param {BillList} list @param {string} [other] */
const pendingOf = ({ state, me }, other) =>
  Object.entries(state()?.payments ?? {}).filter(([, { from, to, state: is }]) =>
    is === "pending" && (from === me || to === me) && (!other || from === other || to === other)
  ).sort(([, a], [, b]) => (a.at < b.at ? 1 : -1));

/** The amount left to pay between me and each other one once all pending payments are confirmed: below 0, I owe it.
 * @param {BillList} list @param {Owed[]} owed @returns {Owed[]}
 */
export function leftOf(list, owed) {
  const rest = owed.map((one) => {
    const pending = pendingOf(list, one.other).filter(([, { from, currency }]) =>
      currency === one.currency && (from === list.me) === one.amount < 0
    );
    const paid = pending.reduce((sum, [, { amount }]) => sum + amount, 0);
    return { ...one, amount: Math.sign(one.amount) * Math.max(0, Math.abs(one.amount) - paid) };
  });
  return rest.filter(({ amount }) => amount);
}

/** Does what the server must say yes to at once, and says what it says. @param {() => Promise<unknown>} work */
export async function act(work) {
  try {
    await work();
    return true;
  } catch (error) {
    say(inWords(error));
    return false;
  }
}

/**
 * The sheet in which the payer says that they have paid, or the payee that they have got it.
 * @param {BillList} list @param {Owed} owed above 0: it is owed to me
 */
export function openPayment(list, { other, currency, amount: owed }) {
  const { hearth, state } = list;
  const [isPayee, id, name] = [owed > 0, hearth.newId(), nameOf(state(), other)];
  const due = Math.abs(owed);
  const typed = signal(plainMoney(due, currency));
  const method = signal(/** @type {Method | null} */ (isPayee ? "cash" : null));
  const links = signal(/** @type {readonly Link[]} */ ([]));
  const mayExceed = signal(false);
  const exceeds = signal(false);
  /** The bills of which the debt consists, and those of them that it is paid for. */
  const open =
    Object.values(state()?.debts ?? {}).find((one) =>
      one.currency === currency && one.from === (isPayee ? other : list.me) && one.to === (isPayee ? list.me : other)
    )?.bills?.flatMap(({ bill, left }) => bill ? [{ bill, left }] : []).slice(0, MOST_BILLS) ?? [];
  const chosen = signal(/** @type {readonly string[]} */ ([]));
  const amount = field({
    label: t("amount", { currency }),
    name: "amount",
    value: typed.peek(),
    required: true,
    inputmode: "decimal",
    autocomplete: "off",
  });
  amount.input.addEventListener("input", () => typed.set(amount.value()));
  /** The amount follows the choice, and can be changed afterwards. @param {string} bill */
  const choose = (bill) => {
    chosen.update((all) => all.includes(bill) ? all.filter((one) => one !== bill) : [...all, bill]);
    const sum = open.reduce((all, one) => chosen.peek().includes(one.bill) ? all + one.left : all, 0);
    amount.input.value = plainMoney(sum || due, currency);
    amount.problem.set("");
    typed.set(amount.value());
  };
  const ref = field({ label: t("ref"), name: "extRef", maxlength: 100, autocomplete: "off", hint: t("refText") });
  const read = computed(() => readMoney(typed.get(), currency));

  openSheet({ title: t(isPayee ? "gotTitle" : "payTitle", { name }) }, (close) => {
    if (!isPayee && other in (state()?.members ?? {})) {
      effect(() => {
        const n = read.get();
        if (!n) return links.set([]);
        let isOver = false;
        onEnd(() => isOver = true);
        // Without a connection, or a handle, one pays in another way.
        ask(list)("payments.link", { to: other, amount: n, currency: code(currency) }).then(
          (answer) => isOver || links.set(answer.links),
          () => {},
        );
      });
    }
    return [
      isPayee ? null : pinNotice(hearth),
      form(
        {
          fields: [amount],
          action: t(isPayee ? "gotAction" : "payAction"),
          check: () => {
            if (typed.peek().trim() && !read.peek()) amount.problem.set(t("wrongAmount"));
          },
          submit: async () => {
            const params = {
              id,
              amount: read.peek() ?? 0,
              currency: code(currency),
              ...(method.peek() ? { method: method.peek() } : {}),
              ...(chosen.peek().length ? { bills: chosen.peek() } : {}),
              ...(ref.value().trim() ? { extRef: ref.value().trim() } : {}),
              ...(exceeds.peek() ? { overpay: true } : {}),
            };
            const said = money(params.amount, currency);
            const propose = () => ask(list)("payments.propose", { ...params, to: other });
            try {
              if (isPayee) await ask(list)("payments.record", { ...params, from: other });
              else if (!await confirmed(hearth, t("youSay", { name, amount: said }), propose, PIN)) return;
            } catch (error) {
              const { reason, data } = /** @type {Partial<HearthError>} */ (error);
              if (reason !== "exceeds") throw error;
              amount.problem.set(t("exceeds", { amount: money(Number(data?.["left"] ?? 0), currency) }));
              mayExceed.set(true);
              amount.input.focus();
              return;
            }
            await close();
            if (isPayee) {
              say(t("got", { name, amount: said }), { undo: () => act(() => ask(list)("payments.undo", { id })) });
            } else {say(t("paid", { name, amount: said }), {
                undo: () => act(() => ask(list)("payments.cancel", { id })),
              });}
          },
        },
        () =>
          mayExceed.get()
            ? toggle({ label: t("overpay"), isOn: () => exceeds.get(), change: (on) => exceeds.set(on) })
            : null,
        () =>
          links.get().length
            ? h(
              "div",
              { class: "buttons" },
              links.get().map(({ platform, url }) =>
                h(
                  "a",
                  {
                    class: "button",
                    href: url,
                    target: "_blank",
                    rel: "noopener noreferrer",
                    onclick: () => method.set(platform),
                  },
                  icon("link"),
                  t("openPlatform", { platform: t(`method.${platform}`) }),
                )
              ),
            )
            : null,
        h(
          "fieldset",
          { class: "field" },
          h("legend", null, t("how")),
          h(
            "div",
            { class: "chips" },
            METHODS.map((one) =>
              h("button", {
                type: "button",
                class: "chip",
                "aria-pressed": () => String(method.get() === one),
                onclick: () => method.update((now) => now === one ? null : one),
              }, t(`method.${one}`))
            ),
          ),
        ),
        open.length > 1 ? h("details", null, h("summary", null, t("bills")), billChoice()) : null,
        h("details", null, h("summary", null, t("refMore")), ref.element),
      ),
      isPayee ? null : h("p", { class: "hint" }, t("payText", { name })),
    ];
  });

  function billChoice() {
    return h(
      "div",
      null,
      h("p", { class: "hint" }, t("billsText")),
      h(
        "ul",
        { class: "parts-of", "aria-label": t("bills") },
        open.map(({ bill, left }) =>
          h(
            "li",
            null,
            check(() => chosen.get().includes(bill), () => choose(bill), billTitle(list, bill)),
            h("span", { class: "amount-of" }, money(left, currency)),
          )
        ),
      ),
    );
  }
}

/** @param {BillList} list @param {string} bill */
const billTitle = ({ state }, bill) => titleOf(state()?.bills?.[bill], t("olderBill"));

/** @param {string} currency */
const code = (currency) => /** @type {NonNullable<Params<"payments.propose">["currency"]>} */ (currency);

/** Pending payments with what can be done about them. @param {BillList} list @param {string} [other] */
export function pendingRows(list, other) {
  const { hearth, state, me } = list;
  const all = computed(() => pendingOf(list, other));
  return h(
    "ul",
    { class: "rows pending", "aria-label": t("pending") },
    each(() => all.get(), ([id]) => id, (item, id) => {
      const one = () => item()[1];
      const isMine = one().from === me;
      const name = () => nameOf(state(), isMine ? one().to : one().from);
      const amount = () => money(one().amount, one().currency);
      const cancel = async () => {
        const about = `${name()} · ${amount()}`;
        if (!await act(() => ask(list)("payments.cancel", { id }))) return;
        const undo = () => act(() => ask(list)("payments.restore", { id, newId: hearth.newId() }));
        say(t("cancelled"), { undo, about });
      };
      return h(
        "li",
        { class: "card" },
        h(
          "div",
          { class: "row" },
          h("span", { class: "sign" }, icon("waiting")),
          h(
            "span",
            { class: "row-words" },
            h(
              "span",
              { class: "row-title" },
              () => t(isMine ? "youSay" : "theySay", { name: name(), amount: amount() }),
            ),
            h("span", { class: "row-text" }, () =>
              [
                one().bills && t("for", { bills: listed((one().bills ?? []).map((bill) => billTitle(list, bill))) }),
                one().method && t(`method.${one().method}`),
                one().extRef,
                one().until && t("until", { day: calendarDay(dayOf(one().until ?? "", list.zone()), false) }),
              ].filter(Boolean).join(" · ")),
          ),
        ),
        h(
          "div",
          { class: "row-buttons" },
          isMine ? h("button", { type: "button", onclick: cancel }, t("cancel")) : [
            h("button", {
              type: "button",
              class: "primary",
              onclick: () => confirm(list, id, { name: name(), amount: amount() }),
            }, t("confirm")),
            h("button", {
              type: "button",
              "aria-label": () => `${t("reject")}: ${amount()}, ${name()}`,
              onclick: () => openReject(list, id, name()),
            }, t("reject")),
          ],
        ),
      );
    }),
  );
}

/**
 * Says that it has come, with a way back.
 * @param {Place} list @param {string} id @param {{ name: string, amount: string }} words the payer's name
 */
export async function confirm(list, id, words) {
  let isDone = false;
  const said = t("confirmed", words);
  await act(async () => isDone = await confirmed(list.hearth, said, () => ask(list)("payments.confirm", { id }), PIN));
  if (isDone) say(said, { undo: () => act(() => ask(list)("payments.undo", { id })) });
}

/** @param {Place} list @param {string} id @param {string} name the payer's */
export function openReject(list, id, name) {
  openSheet({ title: t("rejectTitle") }, (close) => {
    const reason = field({ label: t("reason"), name: "reason", maxlength: 500, autofocus: true, autocomplete: "off" });
    return [
      h("p", null, t("rejectText", { name })),
      form({
        fields: [reason],
        action: t("rejectAction"),
        submit: async () => {
          const why = reason.value().trim();
          await ask(list)("payments.reject", { id, ...(why ? { reason: why } : {}) });
          await close();
          say(t("rejected", { name }));
        },
      }),
    ];
  });
}

/** The payments between me and another one that are no longer pending. @param {BillList} list @param {string} other */
export function paymentPages(list, other) {
  const { hearth, room, state, me } = list;
  const isLive = observe(hearth, () => hearth.phase === "live");
  const news = computed(() => [state()?.payments, state()?.debts]);
  return () => {
    news.get();
    if (!isLive.get()) return null;
    const pages = paging(hearth, "payments.list", room.name, { filter: { people: [me, other] } });
    pages.more();
    const hasAny = computed(() => pages.items.get().length > 0);
    const older = () => pages.isAll() ? null : olderButton(pages, t("older"));
    return h("div", null, () => hasAny.get() ? section({ title: t("all") }, rows(), older) : null);

    function rows() {
      return h(
        "ul",
        { class: "rows" },
        each(() => pages.items.get(), ({ id }) => id, (item, id) => {
          const { payment: one } = item();
          const isMine = one.from === me;
          const isFresh = hearth.now() - Date.parse(one.closedAt ?? one.at) < UNDO_WITHIN;
          const mayUndo = one.state === "confirmed" && one.to === me && isFresh;
          return row({
            before: h("span", { class: "sign" }, icon(one.state === "confirmed" ? "check" : "close")),
            title: t(isMine ? "listPaid" : "listGot", { name: nameOf(state(), other) }),
            text: [
              day(one.at, list.zone()),
              t(`state.${one.state}`),
              one.method && t(`method.${one.method}`),
              one.extRef,
              one.reason,
            ].filter(Boolean).join(" · "),
            after: [
              mayUndo &&
              h("button", {
                type: "button",
                class: "chip",
                onclick: () => act(() => ask(list)("payments.undo", { id })),
              }, t("takeBack")),
              h("span", { class: "amount-of" }, money(one.amount, one.currency)),
            ],
            ...(one.state === "confirmed" ? {} : { class: "faint" }),
          });
        }),
      );
    }
  };
}

/** Reminds one person of what they owe me. @param {BillList} list @param {string} other */
export async function remind(list, other) {
  const isDone = await act(() => ask(list)("money.remind", { person: other }));
  if (isDone) say(t("reminded", { name: nameOf(list.state(), other) }));
}

/** Reminds everybody who owes me something, and shows who was told what. @param {BillList} list */
export async function remindAll(list) {
  try {
    const { sent = {}, skipped = {} } = await ask(list)("money.remindAll", {});
    const name = (/** @type {string} */ person) => nameOf(list.state(), person);
    const line = (/** @type {string} */ person, /** @type {string} */ text) =>
      h(
        "li",
        null,
        h(
          "div",
          { class: "row" },
          h("span", { class: "row-words" }, [
            h("span", { class: "row-title", dir: "auto" }, name(person)),
            h("span", { class: "row-text" }, text),
          ]),
        ),
      );
    openSheet({ title: t("remindedAll") }, (close) => [
      h(
        "ul",
        { class: "rows" },
        Object.entries(sent).map(([person, amounts]) =>
          line(person, sums(Object.entries(amounts).map(([currency, amount]) => ({ currency, amount }))))
        ),
        Object.entries(skipped).filter(([, why]) => why !== "nothingOwed").map(([person, why]) =>
          line(person, t(`skipped.${why}`))
        ),
      ),
      h("button", { type: "button", class: "primary", onclick: () => close() }, t("done")),
    ]);
  } catch (error) {
    say(inWords(error));
  }
}
