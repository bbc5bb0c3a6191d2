// Small things that I want to find again on all my devices, such as whom I shared with last. Only I can read them.
//
// They lie as one text in my settings on the server, and go from this device with everything else at log-out.

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { MeState } from "../hearth/types/documents.d.ts" */

/** @param {MeState | null} me @returns {Record<string, any>} */
function all(me) {
  try {
    const kept = JSON.parse(me?.settings?.client ?? "{}");
    return kept !== null && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
  } catch {
    return {};
  }
}

/** @param {MeState | null} me @param {string} key */
export function kept(me, key) {
  return all(me)[key];
}

/** @param {Hearth} hearth @param {string} key @param {unknown} value @param {string} about */
export function keep(hearth, key, value, about) {
  const room = hearth.room("me");
  const client = JSON.stringify({ ...all(room.state), [key]: value });
  room.close();
  hearth.change("settings.edit", { client }, { about, optimistic: () => ({ settings: { client } }) });
}
