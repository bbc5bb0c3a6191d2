// Keeping the app on the device, as one that was installed. Some browsers ask when we want them to; on an iPhone only
// the person can do it.

import { signal } from "./signal.js";

/** @typedef {"button" | "words" | "no"} Way */

const isInstalled = matchMedia("(display-mode: standalone)").matches;
// An iPad says that it is a Mac, but no Mac is touched.
const isApple = /iPhone|iPad/.test(navigator.userAgent) ||
  navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1;
/** @type {any} */ let question = null;

/** How it can be done here, if at all. */
export const way = signal(/** @type {Way} */ (isApple && !isInstalled ? "words" : "no"));

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  question = event;
  way.set("button");
});
addEventListener("appinstalled", () => way.set("no"));

/** Lets the browser ask. Only a tap may lead here. */
export async function install() {
  const asked = question;
  question = null;
  way.set("no");
  await asked?.prompt();
}
