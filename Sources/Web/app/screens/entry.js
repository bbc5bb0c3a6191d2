// Links that log a person in: one of the server's own, or the way back from an OpenID provider.

import { icon } from "../parts/icons.js";
import { mine } from "../parts/household.js";
import { go } from "../parts/router.js";
import { h, signal } from "../parts/signal.js";
import { empty, inWords, screen, skeleton } from "../parts/screen.js";
import { words } from "../parts/words.js";
import { takeBegun } from "../parts/openid.js";
import { arrive, deviceName } from "./welcome.js";

/** @import { Hearth } from "../hearth/hearth.js" */
/**
 * @typedef {{ code: string } | { back: Record<string, string> }} Entry a link's secret, which works once, or a
 * provider's answer
 */

const t = await words("welcome");

/**
 * @param {Hearth} hearth @param {Entry} entry
 * @param {() => void} done called once the secret is of no use
 */
export function enter(hearth, entry, done) {
  /** @type {ReturnType<typeof signal<"asking" | "busy" | "used" | "unasked" | Error>>} */ const state = signal("busy");
  // With a log-in that has expired, the same person comes back.
  const isIn = hearth.me && hearth.phase !== "loggedOut";
  const name = isIn && (mine(hearth).state.peek()?.profile?.name ?? t("somebody"));
  const begun = "back" in entry ? takeBegun(entry.back["state"]) : null;
  /** Kept for a second try, as the secret works once. @type {any} */ let account = null;

  const proceed = async () => {
    state.set("busy");
    try {
      account ??= begun ? await exchange(begun, entry) : await redeem(entry);
      if (!account) return state.set("used");
      const isSame = account.email === (mine(hearth).state.peek()?.account?.email ?? "");
      if (isIn && !isSame) await hearth.logOut();
      await (begun ? hearth.logInWith : hearth.logIn).call(hearth, { ...account, device: deviceName() });
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
  // Nobody is logged in unawares by an answer that this tab has not asked for: it may be another person's.
  if ("back" in entry && !begun) state.set("unasked");
  else if (name) state.set("asking");
  else proceed();

  const question = () => {
    const n = hearth.waiting.length;
    return [
      h("p", null, t("entry.other", { name: name || "" })),
      n ? h("p", { class: "notice" }, icon("alert"), t("entry.waiting", { n })) : null,
      h(
        "div",
        { class: "stack" },
        button(t("entry.change"), proceed, "primary"),
        button(t("entry.stay"), () => leave()),
      ),
    ];
  };
  return screen({ title: t("logIn.title"), class: "narrow" }, () => {
    const now = state.get();
    if (now === "busy") return skeleton(3);
    if (now === "asking") return question();
    const isUsed = now === "used" || now === "unasked";
    return empty({
      icon: isUsed ? "lock" : "offline",
      text: !isUsed ? inWords(now) : t(now === "unasked" || begun ? "entry.unasked" : "entry.used"),
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

/** Answers the account that a link is for, or null if it has been used. @param {Entry} entry */
const redeem = (entry) => post(`/login/${"code" in entry ? entry.code : ""}`);

/**
 * Answers what logs in by a provider, or null if it has refused.
 * @param {import("../parts/openid.js").Begun} begun @param {Entry} entry
 */
async function exchange({ provider, verifier }, entry) {
  const code = "back" in entry && entry.back["code"];
  const given = code ? await post("/openid/token", { provider, code, verifier }) : null;
  return given && { provider, ...given };
}

/** @param {string} path @param {object} [body] @returns {Promise<any>} null where the server refuses */
async function post(path, body) {
  /** @type {Response} */ let response;
  try {
    response = await fetch(path, {
      method: "POST",
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
    if (response.ok) return await response.json();
  } catch {
    throw Object.assign(new Error("no answer"), { reason: "offline" });
  }
  if (response.status < 500 && response.status !== 429) return null;
  throw Object.assign(new Error("not now"), { reason: "busy" });
}
