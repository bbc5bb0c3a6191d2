// Requests for money: those that wait for my answer, those that I have made with each one's answer, and earlier ones.

import { billsOf } from "../parts/bills.js";
import { avatar } from "../parts/avatar.js";
import { line } from "../parts/bill_fields.js";
import { wordsOf } from "../parts/family.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money, plainMoney, readMoney } from "../parts/money.js";
import { membersOf, nameOf } from "../parts/names.js";
import { olderButton, paging } from "../parts/paging.js";
import { ask } from "../parts/payments.js";
import { accept, isToAnswer, openDecline, requestsIn, withdraw } from "../parts/requests.js";
import { check, empty, field, form, list as rows, row, screen, section, skeleton, toggle } from "../parts/screen.js";
import { openSheet } from "../parts/sheet.js";
import { computed, each, h, observe, signal } from "../parts/signal.js";
import { say } from "../parts/snackbar.js";
import { day } from "../parts/when.js";
import { words } from "../parts/words.js";
import { act } from "./inbox.js";
import { currencyField } from "./start.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Params } from "../hearth/types/methods.d.ts" */
/** @import { BillList } from "../parts/bills.js" */
/** @import { Asked } from "../parts/requests.js" */

await wordsOf("money");
const t = await words("requests");
const PLATFORMS = ["paypal", "venmo", "applePay", "other"];

/** @param {Hearth} hearth */
export function render(hearth) {
  const list = billsOf(hearth, roomOf(hearth, `household/${household(hearth).peek()}`));
  const { state, me } = list;
  const isHere = computed(() => Boolean(state()));
  const all = computed(() => requestsIn(state(), me));
  const toAnswer = computed(() => all.get().filter(({ request }) => isToAnswer(request, me)));
  const others = computed(() => all.get().filter(({ request }) => !isToAnswer(request, me)));
  const hasAny = computed(() => all.get().length > 0);
  const mayAsk = computed(() => isHere.get() && !list.isGuest() && canBeAsked(list).length > 0);

  return screen(
    {
      title: t("requests.title"),
      back: "/money",
      class: "money",
      lead: h("span", { role: "status" }, () => {
        const n = toAnswer.get().length;
        return n ? t("requests.lead", { n }) : hasAny.get() ? t("requests.leadNone") : "";
      }),
    },
    () => isHere.get() ? null : skeleton(4),
    h(
      "ul",
      { class: "rows pending", "aria-label": t("requests.toAnswer") },
      each(() => toAnswer.get(), ({ id }) => id, (item) => card(item)),
    ),
    h(
      "ul",
      { class: "rows pending", "aria-label": t("requests.open") },
      each(() => others.get(), ({ id }) => id, (item) => card(item)),
    ),
    () => isHere.get() && !hasAny.get() ? empty({ icon: "send", text: t("requests.empty") }) : null,
    earlier(list),
    () =>
      mayAsk.get()
        ? h(
          "button",
          { type: "button", class: "primary fab", onclick: () => openRequestForm(list) },
          icon("plus"),
          t("requests.new"),
        )
        : null,
  );

  /** @param {() => Asked} item */
  function card(item) {
    const one = () => item().request;
    const isMine = one().author === me;
    const author = () => nameOf(state(), one().author);
    return h(
      "li",
      { class: "card" },
      h(
        "div",
        { class: "row" },
        isMine ? h("span", { class: "sign" }, icon("send")) : avatar(one().author, author),
        h(
          "span",
          { class: "row-words" },
          h("span", { class: "row-title", dir: "auto" }, () => one().title),
          h("span", { class: "row-text" }, () => said(item())),
          () => one().note ? h("span", { class: "row-text", dir: "auto" }, one().note) : null,
        ),
        h("span", { class: "share-of" }, h("strong", null, () => money(total(item(), me), one().currency))),
      ),
      () => isMine ? answers(list, item()) : null,
      () =>
        isToAnswer(one(), me)
          ? h(
            "div",
            { class: "row-buttons" },
            act(t("requests.accept"), "primary", () => accept(list, item().id, one(), author())),
            h(
              "button",
              { type: "button", onclick: () => openDecline(list, item().id, author()) },
              t("requests.decline"),
            ),
          )
          : isMine
          ? h(
            "div",
            { class: "row-buttons" },
            act(t("requests.withdraw"), "", () => withdraw(list, item().id)),
          )
          : null,
    );
  }

  /** @param {Asked} asked */
  function said({ request }) {
    const { author, at, platform, parts = {} } = request;
    const mine = parts[me];
    return [
      t(author === me ? "requests.byYou" : "requests.by", { name: nameOf(state(), author) }),
      day(at, list.zone()),
      platform && t("requests.platform", { platform: t(`payments.method.${platform}`) }),
      mine && mine.state !== "pending" && t(`requests.state.${mine.state}`),
    ].filter(Boolean).join(" · ");
  }
}

/**
 * The amount that concerns the reader: their part, or all parts of their own request.
 * @param {Asked} asked @param {string} me
 */
const total = ({ request: { author, parts = {} } }, me) =>
  author === me ? Object.values(parts).reduce((sum, { amount }) => sum + amount, 0) : parts[me]?.amount ?? 0;

/** Each one's answer. @param {BillList} list @param {Asked} asked */
const answers = ({ state }, { request: { parts = {}, currency } }) =>
  rows(
    Object.entries(parts).map(([person, { amount, state: is, reason }]) =>
      row({
        before: avatar(person, nameOf(state(), person), { size: "small" }),
        title: h("span", { dir: "auto" }, nameOf(state(), person)),
        text: h("span", { dir: "auto" }, [t(`requests.state.${is}`), reason].filter(Boolean).join(": ")),
        after: h("span", { class: "amount-of" }, money(amount, currency)),
      })
    ),
  );

/** The requests that are over, page by page. @param {BillList} list */
function earlier(list) {
  const { hearth, room, state, me } = list;
  const isLive = observe(hearth, () => hearth.phase === "live");
  /** Whenever one is over it is no longer among these. */
  const open = computed(() => requestsIn(state(), me).map(({ id }) => id).join());
  return () => {
    open.get();
    if (!isLive.get()) return h("p", { class: "hint" }, t("requests.offline"));
    const pages = paging(hearth, "requests.list", room.name, { filter: { people: [me] } });
    pages.more();
    const hasAny = computed(() => pages.items.get().length > 0);
    return h("div", null, () =>
      hasAny.get()
        ? section(
          { title: t("requests.earlier") },
          h("ul", { class: "rows" }, each(() => pages.items.get(), ({ id }) => id, (item) => past(item()))),
          () => pages.isAll() ? null : olderButton(pages, t("requests.older")),
        )
        : null);
  };

  /** @param {Asked} asked */
  function past(asked) {
    const { request: { author, parts = {}, title, currency, closedAt, at } } = asked;
    const isMine = author === me;
    const said = isMine
      ? Object.entries(parts).map(([person, { state: is, reason }]) =>
        [`${nameOf(state(), person)}: ${t(`requests.state.${is}`)}`, reason].filter(Boolean).join(", ")
      )
      : [t(`requests.state.${parts[me]?.state}`)];
    return row({
      before: avatar(author, nameOf(state(), author)),
      title: h("span", { dir: "auto" }, title),
      text: [
        t(isMine ? "requests.byYou" : "requests.by", { name: nameOf(state(), author) }),
        day(closedAt ?? at, list.zone()),
        ...said,
      ].join(" · "),
      after: h("span", { class: "amount-of" }, money(total(asked, me), currency)),
      class: "faint",
    });
  }
}

/** @param {BillList} list */
const canBeAsked = ({ state, me }) =>
  membersOf(state()).filter(([person, one]) => one.role !== "guest" && person !== me).map(([person]) => person);

/** @param {BillList} list */
function openRequestForm(list) {
  const { hearth, state } = list;
  const id = hearth.newId();
  const people = canBeAsked(list);
  const currency = signal(/** @type {string} */ (list.currency()));
  const chosen = signal(/** @type {readonly string[]} */ (people.length === 1 ? people : []));
  const isSame = signal(true);
  const each = signal("");
  const texts = signal(/** @type {Record<string, string>} */ ({}));
  const note = signal("");
  const code = currencyField(currency.peek());
  code.input.addEventListener("change", () => currency.set(code.value()));
  const title = field({ label: t("requests.what"), name: "title", required: true, maxlength: 100, autofocus: true });
  const digits = { inputmode: "decimal", autocomplete: "off" };
  const amount = field({
    label: t("requests.amount"),
    name: "amount",
    placeholder: plainMoney(0, currency.peek()),
    ...digits,
  });
  amount.input.addEventListener("input", () => each.set(amount.value()));
  const platforms = field({
    label: t("requests.how"),
    name: "platform",
    options: [
      ["", t("requests.anyhow")],
      ...PLATFORMS.map((one) => /** @type {[string, string]} */ ([one, t(`payments.method.${one}`)])),
    ],
  });
  /** By person; undefined where it is no amount. */
  const parts = computed(() =>
    Object.fromEntries(
      chosen.get().map((person) => [
        person,
        readMoney(isSame.get() ? each.get() : texts.get()[person] ?? "", currency.get()),
      ]),
    )
  );
  const isWhole = () => Object.values(parts.get()).every((n) => n !== undefined);
  const sum = () => Object.values(parts.get()).reduce((all, n) => (all ?? 0) + (n ?? 0), 0) ?? 0;
  const problem = signal("");

  openSheet({ title: t("requests.new") }, (close) => [
    form(
      {
        fields: [title],
        action: t("requests.ask"),
        check: () => {
          const example = plainMoney(1240, currency.peek());
          problem.set(
            !chosen.peek().length ? t("requests.nobody") : isWhole() ? "" : t("requests.wrongAmount", { example }),
          );
        },
        submit: async () => {
          if (problem.peek()) return;
          const params = /** @type {Params<"requests.create">} */ ({
            id,
            title: title.value().trim().replace(/\s+/gu, " "),
            parts: parts.peek(),
            currency: currency.peek(),
            ...(platforms.value() ? { platform: platforms.value() } : {}),
            ...(note.peek().trim() ? { note: note.peek().trim() } : {}),
          });
          await ask(list)("requests.create", params);
          await close();
          say(t("requests.asked"), { undo: () => withdraw(list, id), about: params.title });
        },
      },
      () => isSame.get() ? amount.element : null,
      h(
        "fieldset",
        { class: "field" },
        h("legend", null, t("requests.from")),
        h(
          "ul",
          { class: "parts-of" },
          people.map((person) => {
            const isIn = () => chosen.get().includes(person);
            return h(
              "li",
              null,
              check(isIn, () => {
                problem.set("");
                chosen.update((all) => isIn() ? all.filter((id) => id !== person) : [...all, person]);
              }, nameOf(state(), person)),
              () =>
                isSame.get() || !isIn() ? null : h("input", {
                  type: "text",
                  ...digits,
                  "aria-label": t("requests.amountOf", { name: nameOf(state(), person) }),
                  placeholder: plainMoney(0, currency.peek()),
                  value: texts.peek()[person] ?? "",
                  oninput: (/** @type {Event} */ event) => {
                    const { value } = /** @type {HTMLInputElement} */ (event.target);
                    texts.update((all) => ({ ...all, [person]: value }));
                  },
                }),
            );
          }),
        ),
        () => problem.get() ? h("p", { class: "problem" }, icon("alert"), problem.get()) : null,
      ),
      people.length > 1
        ? toggle({ label: t("requests.differ"), isOn: () => !isSame.get(), change: (on) => isSame.set(!on) })
        : null,
      h(
        "details",
        null,
        h("summary", null, t("requests.more")),
        h(
          "div",
          { class: "form" },
          platforms.element,
          line(t("requests.note"), "note", note, { rows: 2, maxlength: 1000 }),
          code.element,
        ),
      ),
      h(
        "p",
        { class: "bill-sum hint", role: "status" },
        () => isWhole() && sum() ? t("requests.sum", { amount: money(sum(), currency.get()) }) : "",
      ),
    ),
    h("p", { class: "hint" }, t("requests.text")),
  ]);
}
