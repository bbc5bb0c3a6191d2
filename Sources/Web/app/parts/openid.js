// The way to an OpenID provider and back: the authorization code flow with a proof key (RFC 7636). The tab that begins
// keeps the state and the key; the server keeps nothing.

const KEPT = "openid";

/** @typedef {{ provider: string, state: string, verifier: string }} Begun */

/** @param {ArrayBuffer | Uint8Array<ArrayBuffer>} bytes */
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Goes to a provider. @param {string} provider */
export async function begin(provider) {
  /** @type {Begun} */ const begun = { provider, state: random(), verifier: random() };
  sessionStorage.setItem(KEPT, JSON.stringify(begun));
  const challenge = base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(begun.verifier)));
  location.assign(`/openid/${provider}?${new URLSearchParams({ challenge, state: begun.state })}`);
}

/** Answers what this tab has begun, once, if it is that. @param {string | undefined} state @returns {Begun | null} */
export function takeBegun(state) {
  /** @type {Begun | null} */ const begun = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  return begun?.state === state ? begun : null;
}
