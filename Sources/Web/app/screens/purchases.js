// The purchases so far, the newest first.

import { avatar } from "../parts/avatar.js";
import { household, roomOf } from "../parts/household.js";
import { icon } from "../parts/icons.js";
import { money } from "../parts/money.js";
import { nameOf } from "../parts/names.js";
import { olderButton, paging } from "../parts/paging.js";
import { empty, row, screen, skeleton } from "../parts/screen.js";
import { each, effect, h, observe, untracked } from "../parts/signal.js";
import { purchaseNews } from "../parts/trips.js";
import { day } from "../parts/when.js";
import { listed, words } from "../parts/words.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { Purchase } from "../parts/records.d.ts" */

const t = await words("trips");
/** So many things are named. */
const FEW = 3;

/** @param {Purchase} one */
function thingsOf({ lines }) {
  if (!lines.length) return t("trips.nothing");
  const names = lines.slice(0, FEW).map(({ name }) => name);
  return listed(lines.length > FEW ? [...names, `+${lines.length - FEW}`] : names);
}

/** @param {Hearth} hearth */
export function render(hearth) {
  const room = roomOf(hearth, `household/${household(hearth).peek()}`);
  const state = () => room.state.get();
  const pages = paging(hearth, "trips.history", room.name, { filter: {} });
  const isLive = observe(hearth, () => hearth.phase === "live");
  const news = purchaseNews(state);
  effect(() => {
    news.get();
    // At the start of the page a question waits for the connection.
    if (isLive.get() || hearth.phase === "connecting") untracked(() => pages.again());
  });
  return screen(
    { title: t("trips.history"), back: "/shopping" },
    () => pages.isBeginning() ? skeleton(6) : null,
    () => pages.isAll() && !pages.items.get().length ? empty({ icon: "basket", text: t("trips.historyEmpty") }) : null,
    () =>
      pages.items.get().length || pages.isBusy.get() || isLive.get()
        ? null
        : h("p", { class: "hint" }, t("trips.offline")),
    h(
      "ul",
      { class: "rows" },
      each(() => pages.items.get(), (one) => one.id, (item, id) => {
        const { by, at, list, total, currency, shares = {} } = item();
        const share = shares[hearth.me ?? ""];
        return row({
          before: avatar(by, () => nameOf(state(), by)),
          title: h("span", { dir: "auto" }, thingsOf(item())),
          text: () =>
            [
              t("trips.by", { name: nameOf(state(), by, hearth.me), when: day(at, state()?.household?.timeZone) }),
              list ? state()?.lists?.[list]?.name : "",
              share ? t("trips.yourShare", { amount: money(share, currency) }) : "",
            ].filter(Boolean).join(" · "),
          after: total ? h("b", { class: "amount-of" }, money(total, currency)) : icon("next"),
          href: `/shopping/purchase/${id}`,
        });
      }),
    ),
    () => pages.isAll() || pages.isBeginning() ? null : olderButton(pages, t("trips.older")),
  );
}
