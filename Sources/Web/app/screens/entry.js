// Links that log a person in: one of the server's own, or the way back from an OpenID provider.

import { icon } from "../parts/icons.js";
import { mine } from "../parts/household.js";
import { go } from "../parts/router.js";
import { h, signal } from "../parts/signal.js";
import { empty, inWords, screen, skeleton } from "../parts/screen.js";
import { words } from "../parts/words.js";
import { arrive, BEGAN, deviceName } from "./welcome.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/** @typedef {{ code: string } | { ticket: string }} Entry a link's secret, which works once */

const t = await words("welcome");

/**
 * @param {Hearth} hearth @param {Entry} entry
 * @param {() => void} done called once the secret is of no use
 */
export function enter(hearth, entry, done) {
  /** @type {ReturnType<typeof signal<"asking" | "busy" | "used" | Error>>} */ const state = signal("busy");
  const name = hearth.me && (mine(hearth).state.peek()?.profile?.name ?? t("somebody"));
  // A ticket that this tab has not asked for may be another person's: nobody is logged in by it unawares.
  const isExpected = "code" in entry || sessionStorage.getItem(BEGAN) !== null;
  sessionStorage.removeItem(BEGAN);
  /** Kept for a second try, as the secret works once. @type {any} */ let account = null;

  const proceed = async () => {
    state.set("busy");
    try {
      account ??= await redeem(entry);
      if (!account) return state.set("used");
      const { me, email, ...rest } = account;
      const isSame = me ? me === hearth.me : email === mine(hearth).state.peek()?.account?.email;
      if (hearth.me && !isSame) await hearth.logOut();
      if (me) await hearth.adopt({ me, ...rest });
      else await hearth.logIn({ email, ...rest, device: deviceName() });
      done();
      arrive();
    } catch (error) {
      state.set(/** @type {Error} */ (error));
    }
  };
  const leave = (path = "/") => {
    done();
    go(path, { replace: true });
  };
  if (name || !isExpected) state.set("asking");
  else proceed();

  const question = () => {
    const n = hearth.waiting.length;
    return [
      h("p", null, name ? t("entry.other", { name }) : t("entry.unasked")),
      n ? h("p", { class: "notice" }, icon("alert"), t("entry.waiting", { n })) : null,
      h(
        "div",
        { class: "stack" },
        button(t(name ? "entry.change" : "welcome.logIn"), proceed, "primary"),
        button(t(name ? "entry.stay" : "cancel"), () => leave()),
      ),
    ];
  };
  return screen({ title: t("logIn.title"), class: "narrow" }, () => {
    const now = state.get();
    if (now === "busy") return skeleton(3);
    if (now === "asking") return question();
    const isUsed = now === "used";
    return empty({
      icon: isUsed ? "lock" : "offline",
      text: isUsed ? t("entry.used") : inWords(now),
      action: h(
        "div",
        { class: "stack" },
        isUsed ? null : button(t("retry"), proceed, "primary"),
        hearth.me
          ? button(t("lost.home"), () => leave(), isUsed ? "primary" : "")
          : button(t("entry.form"), () => leave("/login"), isUsed ? "primary" : ""),
      ),
    });
  });
}

/** @param {string} text @param {() => void} onclick @param {string} [kind] */
const button = (text, onclick, kind = "") => h("button", { type: "button", class: kind, onclick }, text);

/** Answers what the secret is good for, or null if it has been used. @param {Entry} entry */
async function redeem(entry) {
  const [path, body] = "code" in entry ? [`/login/${entry.code}`] : ["/openid/ticket", JSON.stringify(entry)];
  /** @type {Response} */ let response;
  try {
    response = await fetch(path, {
      method: "POST",
      ...(body && { headers: { "Content-Type": "application/json" }, body }),
    });
    if (response.ok) return await response.json();
  } catch {
    throw Object.assign(new Error("no answer"), { reason: "offline" });
  }
  if (response.status < 500 && response.status !== 429) return null;
  throw Object.assign(new Error("not now"), { reason: "busy" });
}
