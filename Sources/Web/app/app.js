// The frame around all screens: the bars, which screen an address means, and what everybody sees who is not in a
// household yet. Screens are loaded when they are first opened.

import { Hearth } from "./hearth/hearth.js";
import { startAlive } from "./parts/alive.js";
import { avatar, giveColours } from "./parts/avatar.js";
import { emptyBin } from "./parts/bin.js";
import { isCutOff, watchConnection } from "./parts/connection.js";
import { isDenied, silence, silentKey } from "./parts/hidden.js";
import { choose, forgetChoice, household, mine, roomOf } from "./parts/household.js";
import { icon } from "./parts/icons.js";
import "./parts/install.js";
import { startKeys } from "./parts/keys.js";
import { applyScheme, language, restoreLanguage } from "./parts/look.js";
import { membersOf } from "./parts/names.js";
import { askButton, pullSign } from "./parts/pull.js";
import { address, back, decoded, go, lastMove, savedScroll, startRouter } from "./parts/router.js";
import { inWords, skeleton } from "./parts/screen.js";
import { fence, openSheet } from "./parts/sheet.js";
import { computed, each, effect, h, observe, scope, signal, untracked } from "./parts/signal.js";
import { announce, say, sayOn, snackbar } from "./parts/snackbar.js";
import { t } from "./parts/words.js";

/** @import { IconName } from "./parts/icons.js" */

/**
 * @typedef {object} Route
 * @property {string} path `:name` stands for one part
 * @property {() => Promise<{ render(hearth: Hearth, params: Record<string, string>): Element }>} load
 * @property {string} [tab] it is the front of this tab
 * @property {string} [under] the tab that it belongs to
 * @property {boolean} [free] it can be seen without a household
 * @property {boolean} [stays] its screen is kept while another is shown, and is up to date when it comes back
 */

/** @type {Route[]} */
const ROUTES = [
  { path: "/", tab: "home", stays: true, load: () => import("./screens/home.js") },
  { path: "/chat", under: "home", load: () => import("./screens/chat.js") },
  { path: "/activity", under: "home", load: () => import("./screens/activity.js") },
  { path: "/dinner", under: "home", load: () => import("./screens/dinner.js") },
  { path: "/drinks", under: "home", load: () => import("./screens/drinks.js") },
  { path: "/calendar", under: "home", load: () => import("./screens/calendar.js") },
  { path: "/special/:id", under: "home", load: () => import("./screens/special.js") },
  { path: "/inbox", under: "home", free: true, load: () => import("./screens/inbox.js") },
  { path: "/household", under: "home", load: () => import("./screens/household.js") },
  { path: "/household/settings", under: "home", load: () => import("./screens/household_settings.js") },
  { path: "/household/away", under: "home", load: () => import("./screens/away.js") },
  { path: "/start", under: "home", free: true, load: () => import("./screens/start.js") },
  { path: "/join", under: "home", free: true, load: () => import("./screens/start.js") },
  { path: "/contacts", under: "home", free: true, load: () => import("./screens/contacts.js") },
  { path: "/me", under: "home", free: true, load: () => import("./screens/me.js") },
  { path: "/me/profile", under: "home", free: true, load: () => import("./screens/profile.js") },
  { path: "/me/notifications", under: "home", free: true, load: () => import("./screens/notifications.js") },
  { path: "/me/security", under: "home", free: true, load: () => import("./screens/security.js") },
  { path: "/me/look", under: "home", free: true, load: () => import("./screens/look.js") },
  { path: "/me/delete", under: "home", free: true, load: () => import("./screens/delete_account.js") },
  { path: "/me/changes", under: "home", free: true, load: () => import("./screens/changes.js") },
  { path: "/shopping", tab: "shopping", stays: true, load: () => import("./screens/shopping.js") },
  { path: "/shopping/item/:id", under: "shopping", load: () => import("./screens/shopping.js") },
  { path: "/shopping/shop", under: "shopping", load: () => import("./screens/shop.js") },
  { path: "/shopping/checkout", under: "shopping", load: () => import("./screens/checkout.js") },
  { path: "/shopping/history", under: "shopping", load: () => import("./screens/purchases.js") },
  { path: "/shopping/purchase/:id", under: "shopping", load: () => import("./screens/purchase.js") },
  { path: "/shopping/stock", under: "shopping", load: () => import("./screens/stock.js") },
  { path: "/chores", tab: "chores", stays: true, load: () => import("./screens/chores.js") },
  { path: "/chores/chore/:id", under: "chores", load: () => import("./screens/chore.js") },
  { path: "/chores/statistics", under: "chores", load: () => import("./screens/chore_statistics.js") },
  { path: "/rota", under: "chores", load: () => import("./screens/rota.js") },
  { path: "/money", tab: "money", stays: true, load: () => import("./screens/money.js") },
  { path: "/money/bill/:id", under: "money", load: () => import("./screens/bill.js") },
  { path: "/money/spending", under: "money", load: () => import("./screens/spending.js") },
  { path: "/money/recurring", under: "money", load: () => import("./screens/recurring.js") },
  { path: "/money/requests", under: "money", load: () => import("./screens/requests.js") },
  { path: "/money/with/:id", under: "money", load: () => import("./screens/money_with.js") },
  { path: "/out", tab: "out", free: true, load: () => import("./screens/out.js") },
  { path: "/out/new", under: "out", free: true, load: () => import("./screens/share_new.js") },
  { path: "/out/map", under: "out", free: true, load: () => import("./screens/out_map.js") },
  { path: "/out/share/:id", under: "out", free: true, load: () => import("./screens/share.js") },
  { path: "/out/share/:id/pocket", under: "out", free: true, load: () => import("./screens/pocket.js") },
];

/** @type {{ name: string, path: string, icon: IconName }[]} */
const TABS = [
  { name: "home", path: "/", icon: "home" },
  { name: "shopping", path: "/shopping", icon: "basket" },
  { name: "chores", path: "/chores", icon: "chores" },
  { name: "money", path: "/money", icon: "money" },
  { name: "out", path: "/out", icon: "out" },
];

/** The first steps, as they are named in `settings.seen`: one for each tab, and how to keep the app on the phone. */
const STEPS = [...TABS.map(({ name }) => name), "install"];

/** @param {string} path @returns {{ route: Route, params: Record<string, string> } | null} */
function match(path) {
  const parts = path.split("/");
  for (const route of ROUTES) {
    const wanted = route.path.split("/");
    if (wanted.length !== parts.length) continue;
    /** @type {Record<string, string>} */ const params = {};
    const fits = wanted.every((part, at) => {
      if (!part.startsWith(":")) return part === parts[at];
      params[part.slice(1)] = decoded(parts[at] ?? "");
      return true;
    });
    if (fits) return { route, params };
  }
  return null;
}

/** @returns {import("./screens/entry.js").Entry | null} */
function takeEntry() {
  const [, code = ""] = /^\/login\/([^/]+)$/.exec(location.pathname) ?? [];
  const back = location.pathname === "/openid/callback" && Object.fromEntries(new URLSearchParams(location.search));
  if (!code && !back) return null;
  go("/login", { replace: true });
  return back ? { back } : { code };
}

/** Screens for people whom the page does not know (yet). @type {Record<string, string>} */
const OUTSIDE = { "/login": "logIn", "/signup": "signUp", "/forgot": "forgot" };

// Browsers keep nothing and tell no place over such a connection. A proxy may have hidden it from the server.
if (!isSecureContext) {
  location.replace("/insecure");
  await new Promise(() => {});
}

applyScheme();
/** The secret of a link that logs in. It leaves the address and the history before anything else happens. */
const entry = signal(takeEntry());
await restoreLanguage();
startRouter();
const hearth = await Hearth.open();
hearth.onUnkept = (/** @type {unknown} */ error) => say(inWords(error));
const status = observe(hearth, () => ({ phase: hearth.phase, me: hearth.me, isEnded: hearth.isEnded }));
const phase = computed(() => status.get().phase);
const myself = computed(() => status.get().me);
const refusedCount = observe(hearth, () => hearth.refused.length);
const openHousehold = household(hearth);

/** The place that can be shown at all; it changes rarely. */
const place = computed(() => {
  if (phase.get() === "outdated") return "outdated";
  if (entry.get()) return "entering";
  if (!myself.get()) return status.get().isEnded ? "ended" : "outside";
  if (phase.get() === "loggedOut") return "expired";
  const me = mine(hearth).state.get();
  if (!me) return "loading";
  return openHousehold.get() ? "inside" : "alone";
});

const main = h("main", { id: "main", tabindex: -1 });
const pull = pullSign(hearth, () => ["inside", "alone"].includes(place.peek()));
/** @type {ReturnType<typeof signal<Route | null>>} */ const shown = signal(null);
/** The first steps, while there is one that the person has not seen. */
const steps = signal(/** @type {typeof import("./parts/tour.js").tour | null} */ (null));
/** Whether the server has heard nothing of a running share of this phone for too long. */
let drawing = 0;
/** The path of the screen that is shown. */
let shownPath = "";

/** The screen to load for the address and the place, and a name for it: the same name is not drawn again. */
const target = computed(() => {
  const [where, { path }] = [place.get(), address.get()];
  const base = { route: /** @type {Route | null} */ (null), params: /** @type {Record<string, string>} */ ({}) };
  if (where === "loading") {
    return { ...base, key: "loading", load: () => Promise.resolve({ render: () => skeleton(6) }) };
  }
  if (where === "outdated") {
    return { ...base, key: "outdated", params: { show: "outdated" }, load: () => import("./screens/welcome.js") };
  }
  if (where === "entering") {
    const secret = entry.peek();
    const load = async () => {
      const { enter } = await import("./screens/entry.js");
      return { render: () => secret ? enter(hearth, secret, () => entry.set(null)) : skeleton() };
    };
    return { ...base, key: "entry", load };
  }
  if (where === "outside" || where === "expired" || where === "ended") {
    const show = OUTSIDE[path] ?? (where === "outside" ? "welcome" : "logIn");
    return {
      ...base,
      key: `${show} ${where}`,
      params: { show, where },
      load: () => import("./screens/welcome.js"),
    };
  }
  const found = match(path in OUTSIDE ? "/" : path);
  const id = openHousehold.get();
  if (!found) return { ...base, key: "lost", params: { show: "lost" }, load: () => import("./screens/welcome.js") };
  if (!id && !found.route.free) return { ...base, key: "start", load: () => import("./screens/start.js") };
  const key = `${path} ${found.route.free ? "" : id} ${JSON.stringify(found.params)}`;
  return { route: found.route, params: found.params, key, load: found.route.load };
});
const targetKey = computed(() => `${target.get().key} ${language.get()}`);

/** @typedef {{ value: Element, end: () => void }} Drawn */

/** Screens that stay, by key. To make one anew would be most of the time that a change of the tab takes. */
const staying = /** @type {Map<string, Drawn>} */ (new Map());
/** The person, household and language that screens are made for, and for which alone they stay. */
const audience = computed(() => JSON.stringify([myself.get(), openHousehold.get(), language.get()]));
effect(() => {
  audience.get();
  for (const made of staying.values()) drop(made);
  staying.clear();
});
let leave = () => {};

/** @param {Drawn} made */
function drop(made) {
  made.end();
  made.value.remove();
}

/**
 * Shows a screen that has stayed, or a new one, in place of the last. One that stays keeps its place in the document,
 * where nobody sees it: to put it back would make the browser style and lay out all of it. Answers also the field that
 * wants the focus.
 * @param {() => Element} render @param {string} key @param {boolean} stays
 */
function show(render, key, stays) {
  leave();
  const kept = staying.get(key);
  const made = kept ?? scope(render);
  const wish = made.value.querySelector("[autofocus]");
  // A browser may focus a field that has it when it draws, while somebody types elsewhere.
  wish?.removeAttribute("autofocus");
  const by = audience.peek();
  staying.delete(key);
  leave = () => {
    if (!stays || audience.peek() !== by) return drop(made);
    // Each has moved in once.
    for (const row of made.value.querySelectorAll("[data-new]")) row.removeAttribute("data-new");
    made.value.setAttribute("aria-hidden", "true");
    staying.set(key, made);
  };
  if (kept) made.value.removeAttribute("aria-hidden");
  else main.append(made.value);
  return { screen: made.value, wish };
}

/** The modules of screens that have been opened: `import` answers after the next paint even if it has one. */
const opened = /** @type {Map<Route["load"], Awaited<ReturnType<Route["load"]>>>} */ (new Map());

/** Draws the screen of the address, at once if it has been opened before. */
async function draw() {
  const mineNow = ++drawing;
  const { load, params, route } = target.peek();
  const key = targetKey.peek();
  const kind = lastMove();
  let module = opened.get(load);
  let stays = route?.stays ?? false;
  try {
    module ??= await load();
    if (route) opened.set(load, module);
  } catch (error) {
    if (mineNow !== drawing) return;
    // Not on the device and no network, or a version that the server no longer has.
    console.warn(error);
    module = { render: () => broken() };
    stays = false;
  }
  if (mineNow !== drawing) return;
  const swap = () => {
    // A transition waits for a frame, and a tab that is chosen meanwhile does not.
    if (mineNow !== drawing) return;
    // Asked and set only where it changes: either makes the browser lay out the page at once.
    const [from, to] = [scrollY, kind === "back" ? savedScroll() : 0];
    const { screen, wish } = show(() => module.render(hearth, params), key, stays);
    shown.set(route);
    if (from !== to) scrollTo(0, to);
    const title = screen.querySelector("h1");
    document.title = title?.textContent ? `${title.textContent} · Hearth` : "Hearth";
    // Readers of the screen hear where they are; a field that wants the focus gets it. Back leads to where they were.
    const opener = kind === "back" && [...screen.querySelectorAll("a")].find((one) => one.pathname === shownPath);
    const next = wish ?? (kind === "start" ? null : opener || title);
    shownPath = location.pathname;
    if (next instanceof HTMLElement) moveFocus(next, stays);
  };
  // A screen that stays is shown in the next frame: a transition would take two more before it begins.
  const isAtOnce = kind === "start" || stays || document.hidden || isStill.matches;
  if (isAtOnce || !document.startViewTransition) return swap();
  const transition = document.startViewTransition(swap);
  // The next one may cut it short; the screen is there all the same.
  transition.ready.catch(() => {});
  await transition.updateCallbackDone;
}
/**
 * Moves the focus into the screen that has just been drawn. The browser lays out the page for it, so a screen that
 * stays is seen first.
 * @param {HTMLElement} wish @param {boolean} isSeenFirst
 */
function moveFocus(wish, isSeenFirst) {
  const [mineNow, before] = [drawing, document.activeElement];
  const move = () => wish.focus({ preventScroll: true });
  if (!isSeenFirst) return move();
  requestAnimationFrame(() =>
    setTimeout(() => {
      const isFree = [before, document.body].includes(document.activeElement);
      if (mineNow === drawing && isFree) move();
    })
  );
}

const isStill = matchMedia("(prefers-reduced-motion: reduce)");

function broken() {
  // The browser remembers what it could not load until the page is loaded anew.
  let wasCutOff = false;
  effect(() => {
    if (isCutOff.get()) wasCutOff = true;
    else if (wasCutOff) location.reload();
  });
  return h(
    "div",
    { class: "screen" },
    h("div", { class: "empty" }, icon("offline"), h("p", null, t("notLoaded")), reloadButton()),
  );
}
const reloadButton = () =>
  h("button", { type: "button", class: "primary", onclick: () => location.reload() }, t("reload"));

// MARK: the bars

/** The household's name; with it one changes to another household. */
function switcher() {
  const all = () =>
    Object.entries(mine(hearth).state.get()?.households ?? {}).sort(([, a], [, b]) => (a.at < b.at ? -1 : 1));
  const name = () => mine(hearth).state.get()?.households?.[openHousehold.get() ?? ""]?.name ?? "Hearth";
  const open = () =>
    openSheet({ title: t("households") }, (close) => [
      h(
        "ul",
        { class: "rows" },
        each(all, ([id]) => id, (item, id) =>
          h(
            "li",
            null,
            h(
              "button",
              {
                type: "button",
                class: "row",
                "aria-pressed": () => String(id === openHousehold.get()),
                onclick: async () => {
                  await close();
                  choose(id);
                  go("/");
                },
              },
              avatar(id, () => item()[1].name),
              h("span", { class: "row-words" }, h("span", { class: "row-title" }, () => item()[1].name)),
              () => id === openHousehold.get() && icon("check"),
            ),
          )),
      ),
      h(
        "div",
        { class: "buttons" },
        h("a", { class: "button", href: "/household" }, icon("people"), t("manageHousehold")),
        h("a", { class: "button", href: "/start" }, icon("plus"), t("anotherHousehold")),
      ),
    ]);
  return h(
    "button",
    { type: "button", class: "switcher", onclick: open, "aria-haspopup": "dialog" },
    h("span", { dir: "auto" }, name),
    icon("down"),
  );
}

/** @param {() => number} count @param {(n: number) => string} label */
const badge = (count, label) => () => {
  const n = count();
  return n
    ? h(
      "span",
      { class: "badge" },
      h("span", { "aria-hidden": "true" }, n > 99 ? "99+" : n),
      h("span", { class: "unseen" }, label(n)),
    )
    : null;
};

const unread = computed(() => Object.values(mine(hearth).state.get()?.inbox ?? {}).filter((one) => !one.readAt).length);

function bar() {
  const me = () => mine(hearth).state.get()?.profile?.name ?? "?";
  return h(
    "header",
    { class: "bar" },
    h("div", { class: "grow" }, () => openHousehold.get() ? switcher() : h("span", { class: "switcher" }, "Hearth")),
    h(
      "a",
      { class: "button quiet round counted", href: "/inbox", "aria-label": () => t("inboxWith", { n: unread.get() }) },
      icon("bell"),
      () =>
        unread.get()
          ? h("span", { class: "badge", "aria-hidden": "true" }, unread.get() > 99 ? "99+" : unread.get())
          : null,
    ),
    h("a", { class: "button quiet round", href: "/me", "aria-label": t("me") }, avatar(myself.peek() ?? "", me)),
  );
}

function tabs() {
  const counts = /** @type {Record<string, () => number>} */ ({
    out: () => Object.keys(mine(hearth).state.get()?.asks ?? {}).length,
  });
  return h(
    "nav",
    { class: "tabs", "aria-label": t("tabs") },
    h("div", { class: "brand", "aria-hidden": "true" }, icon("home"), h("span", null, "Hearth")),
    TABS.map(({ name, path, icon: sign }) =>
      h(
        "a",
        {
          href: path,
          // Without a household the other tabs have nothing to show.
          hidden: () => place.get() === "alone" && !["home", "out"].includes(name),
          "aria-current": () => {
            const route = shown.get();
            return route?.tab === name ? "page" : route?.under === name ? "true" : null;
          },
        },
        h("span", { class: "tab-sign" }, icon(sign)),
        h("span", null, t(`tab.${name}`)),
        counts[name] && h("span", { class: "tab-badge" }, badge(counts[name], (n) => t("asksWaiting", { n }))),
      )
    ),
  );
}

watchConnection(hearth);

function notices() {
  const show = (/** @type {string} */ href) => h("a", { href }, t("look"));
  const refused = () => {
    const n = refusedCount.get();
    return n
      ? h("p", { class: "notice" }, icon("alert"), h("span", null, t("refusedCount", { n })), show("/me/changes"))
      : null;
  };
  const offline = () =>
    isCutOff.get() && place.get() !== "outside"
      ? h(
        "p",
        { class: "notice" },
        icon("offline"),
        h("span", null, t("offline")),
        askButton(hearth, t("askNow")),
      )
      : null;
  const silent = () =>
    silence.get()
      ? h("p", { class: "notice urgent" }, icon("alert"), h("span", null, t(silentKey())), show("/out"))
      : null;
  return h("div", { class: "notices", role: "status" }, offline, silent, refused);
}

/** The frame, made again when the language or the person changes. */
let endFrame = () => {};
effect(() => {
  language.get();
  const isInside = ["inside", "alone", "loading"].includes(place.get());
  untracked(() => {
    endFrame();
    const made = scope(() =>
      isInside ? [skip(), bar(), notices(), h("div", null, firstSteps), main, tabs()] : [notices(), main]
    );
    endFrame = made.end;
    document.body.classList.toggle("alone", !isInside);
    document.body.replaceChildren(...made.value, pull, ...snackbar());
    // Sheets are gone.
    fence();
    sayOn();
  });
});

/** When the last notification came; null before any is known. One that comes while the page is open is read aloud. */
let heard = /** @type {string | null} */ (null);
effect(() => {
  const state = mine(hearth).state.get();
  const inbox = state?.inbox;
  const newest = Object.values(inbox ?? {}).sort((a, b) => (a.at < b.at ? 1 : -1))[0];
  // The screen of a share tells its end by itself.
  const isSeen = newest?.readAt || newest?.kind === "ended" && location.pathname === `/out/share/${newest.ref}`;
  if (heard !== null && newest && newest.at > heard && !isSeen) {
    import("./screens/inbox.js").then(({ inboxWords }) => announce(inboxWords(newest, hearth.me, state)), console.warn);
  }
  heard = inbox ? newest?.at ?? "" : null;
});

/** The messages that others have sent and I have not seen; its changes are read aloud, outside of the chat. */
const unseen = computed(() => {
  const chat = mine(hearth).state.get()?.chats?.[openHousehold.get() ?? ""];
  return chat && chat.n - chat.read;
});
let unseenBefore = /** @type {number | undefined} */ (undefined);
effect(() => {
  const n = unseen.get();
  if (n && unseenBefore !== undefined && n > unseenBefore && location.pathname !== "/chat") {
    announce(t("inChat", { n }));
  }
  unseenBefore = n;
});

effect(() => {
  const seen = place.get() === "inside" && (mine(hearth).state.get()?.settings?.seen ?? {});
  if (!seen || steps.peek() || STEPS.every((step) => seen[step])) return;
  import("./parts/tour.js").then(({ tour }) => steps.set(tour), console.warn);
});

function firstSteps() {
  return steps.get()?.(hearth, () => shown.get()?.tab, STEPS);
}

function skip() {
  return h("a", {
    class: "skip",
    href: "#main",
    onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      main.focus();
    },
  }, t("skip"));
}

// On every screen the members of a household have colours that differ.
effect(() => {
  const id = openHousehold.get();
  if (!id) return;
  const { state } = roomOf(hearth, `household/${id}`);
  // As a text, which is the same as long as nobody comes or goes.
  const members = computed(() => membersOf(state.get()).map(([id]) => id).join());
  effect(() => giveColours(members.get().split(",")));
});

// A screen of its own has its own head with an arrow; the bar belongs to the fronts of the tabs.
effect(() => document.body.classList.toggle("deep", Boolean(shown.get() && !shown.get()?.tab)));

effect(() => {
  targetKey.get();
  untracked(() => void draw().then(keep));
});

let isKept = false;
/** Fetching the whole page must not delay the first screen. */
function keep() {
  if (isKept) return;
  isKept = true;
  const offer = (/** @type {() => void} */ act) => say(t("newVersion"), { label: t("reload"), act });
  import("./parts/update.js").then(({ keepPage }) => keepPage(hearth, offer), console.warn);
}

addEventListener("click", (event) => {
  const arrow = event.target instanceof Element ? event.target.closest("[data-back]") : null;
  if (arrow instanceof HTMLElement) back(arrow.dataset["back"] ?? "/");
});

// A session that has ended meanwhile leaves nothing on the screen: another person may log in here.
effect(() => {
  const me = myself.get();
  emptyBin();
  if (!me) forgetChoice();
});

/** Loaded once the person shares where they are. */
let hasReporter = false;
effect(() => {
  const shares = Object.values(mine(hearth).state.get()?.shares ?? {});
  if (hasReporter || !shares.some(({ role }) => role === "sharer")) return;
  hasReporter = true;
  import("./parts/reporter.js").then(({ start }) => {
    const reporter = start(hearth);
    const hear = () => {
      silence.set(reporter.isTold ? "told" : reporter.isSilent ? "silent" : "");
      isDenied.set(reporter.state === "denied");
    };
    reporter.onChange(hear);
    hear();
  }, console.warn);
});

startKeys();
startAlive(hearth);
