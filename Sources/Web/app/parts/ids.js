// Ids that the server makes of others, so that the page knows them before it says them.

/**
 * @param {string} kind of what it is the id @param {string} cause the id of what it follows from
 * @param {string} [more] such as a day
 */
export async function derivedId(kind, cause, more = "") {
  const id = [...cause.replaceAll("-", "").matchAll(/../g)].map(([byte]) => parseInt(byte, 16));
  const text = (/** @type {string} */ one) => new TextEncoder().encode(one);
  const source = new Uint8Array([...text(`${kind}\0`), ...id, ...text(more)]);
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", source)).slice(0, 16);
  // A UUID of version 8.
  bytes[6] = (bytes[6] ?? 0) & 0x0f | 0x80;
  bytes[8] = (bytes[8] ?? 0) & 0x3f | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
