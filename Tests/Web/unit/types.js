// Lines that `deno check` must refuse, and others that it must let pass. It fails at an `@ts-expect-error` above a line
// without a mistake, so each of these lines shows that a misspelt name cannot get into a screen. Nothing of this runs.

import { household, mine, roomOf } from "../../../Sources/Web/app/parts/household.js";
import { membersOf } from "../../../Sources/Web/app/parts/names.js";
import { paging } from "../../../Sources/Web/app/parts/paging.js";
import { changesOf, followShare } from "../../../Sources/Web/app/parts/shares.js";

/** @import { Hearth } from "../../../Sources/Web/app/hearth/hearth.js" */
/** @import { Room } from "../../../Sources/Web/app/hearth/room.js" */

/** The documents of rooms, by their names. @param {Hearth} hearth @param {string} id */
export function documents(hearth, id) {
  const me = mine(hearth).state.get();
  const home = roomOf(hearth, `household/${household(hearth).peek()}`);
  const own = roomOf(hearth, `household/${id}/mine`).state.get();
  const share = roomOf(hearth, `share/${id}`);
  /** @type {Room<`household/${string}`>} */ const room = home.room;

  return [
    [me?.profile?.name, home.state.get()?.notes?.[id]?.text, own?.groceries, share.live.get().position?.at, room.state],
    // @ts-expect-error: `profile`
    me?.profil,
    // @ts-expect-error: `readAt`
    me?.inbox?.[id]?.readAtt,
    // @ts-expect-error: `text`
    home.state.get()?.notes?.[id]?.txt,
    // @ts-expect-error: `online`
    home.presence.get()[id]?.onlin,
    // @ts-expect-error: a personal list has no notes
    own?.notes,
    // @ts-expect-error: `arrivedAt`
    share.state.get()?.share?.arrived,
    // @ts-expect-error: `accuracy`
    share.live.get().position?.accurate,
    // @ts-expect-error: `timeZone`
    room.state?.household?.timezone,
    // @ts-expect-error: the document may not be known yet
    room.state.household,
    // @ts-expect-error: `birthday`
    membersOf(home.state.get())[0]?.[1].birthdy,
    // @ts-expect-error: `message`
    paging(hearth, "chat.list", home.name).items.get()[0]?.text,
    // @ts-expect-error: `kind` has no such value
    me?.inbox?.[id]?.kind === "arived",
  ];
}

/** Calls and what they show before they are answered. @param {Hearth} hearth @param {string} id */
export async function calls(hearth, id) {
  const room = roomOf(hearth, `household/${id}`).name;
  hearth.change("notes.edit", { id, text: "" }, { room, optimistic: () => ({ notes: { [id]: { text: "" } } }) });
  // @ts-expect-error: `notes.edit`
  hearth.change("note.edit", { id, text: "" }, { room });
  // @ts-expect-error: `text`
  hearth.change("notes.edit", { id, txt: "" }, { room });
  // @ts-expect-error: `person`
  await hearth.ask("members.remove", { persn: id }, { room });
  // @ts-expect-error: `code`
  (await hearth.ask("joinCodes.create", {}, { room })).cod;

  hearth.change("chat.read", { household: id }, { optimistic: () => ({ chats: { [id]: { read: 1 } } }) });
  // @ts-expect-error: `chats`
  hearth.change("chat.read", { household: id }, { optimistic: () => ({ chat: { [id]: { read: 1 } } }) });
  // @ts-expect-error: `read`, alone
  hearth.change("chat.read", { household: id }, { optimistic: () => ({ chats: { [id]: { raed: 1 } } }) });
  // @ts-expect-error: `read`, beside a right one
  hearth.change("chat.read", { household: id }, { optimistic: () => ({ chats: { [id]: { n: 1, raed: 1 } } }) });
  // @ts-expect-error: a number
  hearth.change("chat.read", { household: id }, { optimistic: () => ({ chats: { [id]: { read: "" } } }) });

  const { change } = changesOf(hearth, followShare(hearth, id));
  change("pickup.ready", {}, "", () => ({ pickup: { state: "requested", by: null } }));
  // @ts-expect-error: `state`
  change("pickup.ready", {}, "", () => ({ pickup: { stat: "requested", by: null } }));
  // @ts-expect-error: `minutes`
  change("pickup.accept", { minute: 5 }, "");
}
