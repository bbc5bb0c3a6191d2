import assert from "node:assert/strict";
import { test } from "node:test";
import { BROWSER } from "../../../Sources/Web/app/hearth/browser.js";
import { HearthError } from "../../../Sources/Web/app/hearth/hearth.js";
import { FakeBrowser, FakeServer, opened, settle } from "./browser_under_test.js";
import { ana, bo, house } from "./client_under_test.js";
import { MemoryStore } from "./memory_store.js";

/** @typedef {import("../../../Sources/Web/app/hearth/hearth.js").Hearth} Hearth */

/** @param {unknown} value */
const plain = (value) => JSON.parse(JSON.stringify(value));

/** A change that the model server knows. @param {Hearth} hearth @param {string} id @param {string} [value] */
function put(hearth, id, value = id) {
  return hearth.change(/** @type {any} */ ("put"), /** @type {any} */ ({ id, key: id, value }), {
    room: house,
    optimistic: () => ({ n: { [id]: value } }),
    about: `about ${id}`,
  });
}

test("after a log-in, me and the households are followed by themselves", async () => {
  const { hearth, browser } = await opened();
  assert.equal(hearth.phase, "live");
  assert.equal(hearth.me, ana);
  assert.equal(hearth.room("me").status, "current");
  assert.equal(hearth.room(house).status, "current");
  assert.equal(hearth.room(`${house}/mine`).status, "current");
  await browser.advance(1000);
  assert.deepEqual([...browser.disk.rooms.keys()].sort(), [house, `${house}/mine`, "me"]);
});

test("ids are UUIDs of version 7, and rise from one millisecond to the next", () => {
  const now = Date.now();
  const ids = [0, 1, 2 ** 16, 2 ** 33].map((more) => withTime(now + more, () => BROWSER.newId()));
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(parseInt((ids[0] ?? "").replaceAll("-", "").slice(0, 12), 16), now);
});

/** @template T @param {number} time @param {() => T} body */
function withTime(time, body) {
  const real = Date.now;
  Date.now = () => time;
  try {
    return body();
  } finally {
    Date.now = real;
  }
}

test("a wrong password is an error of the form, and changes nothing", async () => {
  const { hearth } = await new FakeBrowser(new FakeServer()).open();
  await assert.rejects(hearth.logIn({ email: "ana", password: "wrong" }), (error) => {
    return error instanceof HearthError && error.reason === "login" && error.code === 1 && error.message === "Wrong.";
  });
  assert.equal(hearth.phase, "loggedOut");
  assert.equal(hearth.me, null);
});

test("SEC-10: a log-in that needs a proof of work is solved without anybody seeing it", async () => {
  const server = new FakeServer();
  server.puzzles = 1;
  const { hearth } = await new FakeBrowser(server).open();
  await hearth.logIn({ email: "ana", password: "right" });
  await settle();
  assert.equal(hearth.phase, "live");
});

test("everything is shown from disk before there is a network", async () => {
  const { server, browser, tab } = await opened();
  server.change(house, { n: { k: "v" } });
  await browser.advance(1000);
  await tab.kill();
  server.isReachable = false;
  const { hearth } = await browser.open();
  assert.equal(hearth.me, ana);
  assert.deepEqual(plain(hearth.room(house).state), { n: { k: "v" } });
  assert.equal(hearth.room(house).status, "stale");
  assert.equal(hearth.phase, "offline");
  server.isReachable = true;
  await browser.advance(30_000);
  assert.equal(hearth.phase, "live");
  assert.equal(hearth.room(house).status, "current");
});

test("SYN-11: a change is on disk before it is shown, shown before it is sent, and answered", async () => {
  const { server, browser, hearth } = await opened();
  const room = hearth.room(house);
  /** @type {string[]} */ const order = [];
  room.onChange(() => {
    if (room.state.n?.a && !order.includes("shown")) order.push("shown", `on disk: ${browser.disk.intents.size}`);
  });
  const { answer } = put(hearth, "a");
  assert.equal(room.state.n, undefined);
  server.puts.push = (/** @type {any[]} */ ...all) =>
    order.push("sent") && Array.prototype.push.apply(server.puts, all);
  assert.deepEqual(plain(await answer), { version: 1 });
  assert.deepEqual(order, ["shown", "on disk: 1", "sent"]);
  await browser.advance(1000);
  assert.equal(browser.disk.intents.size, 0);
  assert.equal(browser.disk.rooms.get(house)?.version, 1);
});

test("listeners are called once for what comes together, and unchanged tables keep their identity", async () => {
  const { server, hearth } = await opened();
  server.change(house, { n: { a: "1" }, m: { b: "2" } });
  await settle();
  const room = hearth.room(house);
  const before = room.state;
  let calls = 0;
  const end = room.onChange(() => void calls++);
  server.change(house, { n: { a: "2" } });
  await settle();
  assert.equal(calls, 1);
  assert.equal(room.state.m, before.m);
  assert.notEqual(room.state.n, before.n);
  assert(Object.isFrozen(room.state) && Object.isFrozen(room.state.n));
  end();
  server.change(house, { n: { a: "3" } });
  await settle();
  assert.equal(calls, 1);
});

test("offline, changes wait in view, survive a reload, and are carried out once", async () => {
  const { server, browser, tab, hearth } = await opened();
  server.isHolding = true;
  put(hearth, "a");
  await settle();
  assert.deepEqual(hearth.waiting.map(({ about, room }) => [about, room]), [["about a", house]]);
  assert.equal(server.puts.length, 1, "the server has it, and its answer is lost");
  await tab.kill();
  server.hangUp();
  server.isHolding = false;
  const { hearth: again } = await browser.open();
  assert.equal(server.model.room(house).effects.length, 1);
  assert.equal(server.model.repeated, 1);
  assert.deepEqual(again.waiting, []);
  assert.deepEqual(plain(again.room(house).state), { n: { a: "a" } });
});

test("a refused change is no longer shown, rejects its answer, and is listed until it is discarded", async () => {
  const { browser, hearth } = await opened();
  const { id, answer } = put(hearth, "a", "no");
  await assert.rejects(answer, (error) => error instanceof HearthError && error.reason === "forbidden");
  assert.equal(hearth.room(house).state.n, undefined);
  assert.deepEqual(hearth.refused.map(({ id, about, error }) => [id, about, error.reason]), [[
    id,
    "about a",
    "forbidden",
  ]]);
  await browser.advance(1000);
  hearth.discard(id);
  await settle();
  assert.deepEqual(hearth.refused, []);
  assert.equal(browser.disk.intents.size, 0);
});

test("what was begun without a network is taken back from any tab, and never sent", async () => {
  const { server, browser, hearth: leader } = await opened();
  const { hearth: other } = await browser.open();
  server.isReachable = false;
  server.hangUp();
  await settle();
  const kept = put(other, "kept");
  const gone = put(leader, "gone");
  await settle();
  for (const tab of [leader, other]) assert.deepEqual(tab.waiting.map(({ canDiscard }) => canDiscard), [true, true]);
  const order = leader.room(house).onChange(() => assert(!browser.disk.intents.has(2), "on disk before it is shown"));
  assert.equal(await other.discard(gone.id), true);
  await settle();
  order();
  await assert.rejects(gone.answer, (error) => error instanceof HearthError && error.reason === "discarded");
  for (const tab of [leader, other]) {
    assert.deepEqual(plain(tab.room(house).state), { n: { kept: "kept" } });
    assert.deepEqual(tab.waiting.map(({ id }) => id), [kept.id]);
  }
  server.isReachable = true;
  await browser.advance(60_000);
  assert.deepEqual(server.puts.map(({ key }) => key), ["kept"]);
});

test("a change that cannot be taken off the disk is sent after all", async () => {
  const { server, browser, hearth } = await opened();
  server.isReachable = false;
  server.hangUp();
  const { id } = put(hearth, "a");
  await settle();
  hearth.store.discard = () => Promise.reject(new Error("broken"));
  assert.equal(await hearth.discard(id), false);
  assert.deepEqual(plain(hearth.room(house).state), { n: { a: "a" } });
  server.isReachable = true;
  await browser.advance(60_000);
  assert.deepEqual(server.puts.map(({ key }) => key), ["a"]);
});

test("a change that may have reached the server is not taken back", async () => {
  const { server, hearth } = await opened();
  server.isHolding = true;
  const { id } = put(hearth, "a");
  await settle();
  assert.deepEqual(hearth.waiting.map(({ canDiscard }) => canDiscard), [false]);
  assert.equal(await hearth.discard(id), false);
  assert.equal(hearth.waiting.length, 1);
});

test("a change that nobody awaits does not become an unhandled rejection", async () => {
  const { hearth } = await opened();
  put(hearth, "a", "no");
  // An unhandled one would fail this test's process.
  await settle();
  assert.equal(hearth.refused.length, 1);
});

test("every tab is told once who has changed what, when it has the change", async () => {
  const { server, browser, hearth: leader } = await opened();
  const { hearth: other } = await browser.open();
  const rooms = [leader, other].map((hearth) => hearth.room(house));
  /** @type {unknown[]} */ const told = [];
  const ends = rooms.map((room, tab) =>
    room.onPatch((by, patch) => told.push([tab, by, plain(patch), plain(room.state)]))
  );
  server.change(house, { n: { a: "1" } }, bo);
  await settle();
  const [patch, state] = [{ n: { a: "1" } }, { n: { a: "1" } }];
  assert.deepEqual(told.splice(0), [[0, bo, patch, state], [1, bo, patch, state]]);
  // The server's own changes are nobody's.
  server.change(house, { n: { b: "2" } });
  await settle();
  for (const end of ends) end();
  server.change(house, { n: { c: "3" } }, bo);
  await settle();
  assert.deepEqual(told, []);
  assert.deepEqual(plain(rooms[1]?.state), { n: { a: "1", b: "2", c: "3" } });
});

test("any tab can ask the server now, however far away the next attempt is", async () => {
  const { server, browser, hearth: leader } = await opened();
  const { hearth: other } = await browser.open();
  assert.equal(await other.renew(), true);
  for (const tab of [leader, other]) {
    server.isReachable = false;
    server.hangUp();
    await browser.advance(60_000);
    assert.equal(await tab.renew(), false);
    server.isReachable = true;
    assert.equal(tab.phase, "offline");
    assert.equal(await tab.renew(), true);
    assert.equal(leader.phase, "live");
    assert.equal(server.sockets.size, 1);
  }
});

test("another tab's changes are sent by the leader, and answered and refused in the tab that made them", async () => {
  const { server, browser, hearth: leader } = await opened();
  const { hearth: other } = await browser.open();
  assert.equal(other.phase, "live");
  assert.equal(server.sockets.size, 1);
  const { answer } = put(other, "a");
  const refused = put(other, "b", "no").answer;
  assert.deepEqual(plain(await answer), { version: 1 });
  await assert.rejects(refused, HearthError);
  await settle();
  for (const tab of [leader, other]) {
    assert.deepEqual(plain(tab.room(house).state), { n: { a: "a" } });
    assert.equal(tab.refused.length, 1);
  }
  put(leader, "c");
  await settle();
  assert.deepEqual(plain(other.room(house).state), { n: { a: "a", c: "c" } });
  assert.deepEqual(server.puts.map(({ seq }) => seq), [1, 2, 3]);
});

test("a tab that was open before the log-in writes for the person that another one has logged in", async () => {
  const server = new FakeServer();
  const browser = new FakeBrowser(server);
  const { hearth: leader } = await browser.open();
  const { hearth: other } = await browser.open();
  await leader.logIn({ email: "ana", password: "right" });
  await settle();
  assert.equal(other.phase, "live");
  assert.deepEqual(plain(await put(other, "a").answer), { version: 1 });
});

test("a change of another tab is shown there at once, though the leader has not heard of it", async () => {
  const { server, browser } = await opened();
  const { hearth: other } = await browser.open();
  server.isHolding = true;
  put(other, "a");
  await settle();
  assert.deepEqual(plain(other.room(house).state), { n: { a: "a" } });
  assert.equal(other.waiting.length, 1);
});

test("bug 3: a tab that opens asks the leader for its state, which has more than the disk", async () => {
  const { server, browser } = await opened();
  await browser.advance(2000);
  for (const value of ["old", "new"]) {
    server.change(house, { n: { k: value } });
    await settle();
  }
  assert.equal(browser.disk.rooms.get(house)?.version, 1, "the second one is not on disk yet");
  const { hearth: other } = await browser.open();
  assert.deepEqual(plain(other.room(house).state), { n: { k: "new" } });
  assert.equal(other.room(house).version, 2);
});

test("when the leading tab closes, another one leads, with all that is not answered", async () => {
  const { server, browser, tab } = await opened();
  const { hearth: other } = await browser.open();
  server.isHolding = true;
  const { answer } = put(other, "a");
  await settle();
  await tab.kill();
  server.isHolding = false;
  server.hangUp();
  await browser.advance(1000);
  assert.equal(other.isLeader, true);
  assert.equal(other.phase, "live");
  assert.deepEqual(plain(await answer), { version: 1 });
  assert.deepEqual(server.puts.map(({ seq }) => seq), [1, 1], "sent again under its number");
});

test("a tab that somebody looks at takes over from a hidden one, and from a frozen one", async () => {
  const { server, browser, tab, hearth: first } = await opened();
  const second = await browser.open({ isHidden: true });
  await tab.show(true);
  await second.show(false);
  await browser.advance(0);
  assert.deepEqual([first.isLeader, second.hearth.isLeader], [false, true]);
  assert.equal(second.hearth.phase, "live");
  assert.equal(server.sockets.size, 1);
  server.change(house, { n: { k: "v" } });
  await settle();
  assert.deepEqual(plain(first.room(house).state), { n: { k: "v" } }, "the first one follows now");
  // The second one is frozen: it hears nothing.
  for (const channel of browser.channels) if (channel.onmessage) second.hearth.tabs.channel.onmessage = null;
  await tab.show(false);
  assert.equal(first.isLeader, false);
  await browser.advance(1000);
  assert.equal(first.isLeader, true);
});

test("a tab that opens takes over from a hidden one, and from a frozen one that holds the lock", async () => {
  const { browser, tab, hearth: first } = await opened();
  await tab.show(true);
  const { hearth: second } = await browser.open();
  await browser.advance(0);
  assert.deepEqual([first.isLeader, second.isLeader], [false, true]);
  // It hears nothing, and gives nothing back.
  for (const { tabs: { channel } } of [first, second]) channel.onmessage = null;
  const { hearth: third } = await browser.open();
  assert.equal(third.isLeader, false);
  await browser.advance(1000);
  assert.deepEqual([third.isLeader, third.phase], [true, "live"]);
});

test("a leader whose connection ends for a late one of a page before it comes back by itself", async () => {
  const { server, browser, tab, hearth } = await opened();
  server.hangUp(4006);
  await browser.advance(0);
  assert.equal(hearth.phase, "offline");
  await browser.advance(2000);
  assert.equal(hearth.phase, "live");
  // A page that nobody looks at waits until somebody does.
  await tab.show(true);
  server.hangUp(4006);
  await browser.advance(60_000);
  assert.equal(hearth.phase, "offline");
  await tab.show(false);
  assert.equal(hearth.phase, "live");
});

test("a question that is asked before there is a leader waits for one", async () => {
  const { browser, tab } = await opened();
  await tab.kill();
  // The page before has not given the lock back yet.
  browser.locks.holder = { reject: () => {} };
  const { hearth } = await browser.open();
  const early = hearth.ask("chat.list", {}, { room: house });
  await settle();
  assert.equal(hearth.isLeader, false);
  await browser.advance(1000);
  assert.deepEqual(plain(await early), { items: [] });
});

test("a question whose leader is gone is lost at once; the next one answers those that it has heard", async () => {
  const { server, browser, tab } = await opened();
  const others = [await browser.open(), await browser.open()].map(({ hearth }) => hearth);
  server.isHolding = true;
  const lost = others.map((other) => other.ask("chat.list", {}, { room: house }));
  await settle();
  // The next leader hears the second questions while it reads its disk.
  const gate = Promise.withResolvers();
  for (const { store } of others) {
    const load = store.load.bind(store);
    store.load = () => gate.promise.then(load);
  }
  await tab.kill();
  const heard = others.map((other) => other.ask("chat.list", {}, { room: house }));
  await settle();
  gate.resolve(null);
  for (const question of lost) {
    await assert.rejects(question, (error) => error instanceof HearthError && error.reason === "lost");
  }
  server.release();
  for (const question of heard) assert.deepEqual(plain(await question), { items: [] });
});

test("a tab does not take over from one that somebody looks at, too", async () => {
  const { browser, hearth: first } = await opened();
  const second = await browser.open();
  await second.show(false);
  await browser.advance(5000);
  assert.deepEqual([first.isLeader, second.hearth.isLeader], [true, false]);
});

test("questions go through the leader, wait while the page starts, and fail at once without a network", async () => {
  const { server, browser, tab, hearth: leader } = await opened();
  const otherTab = await browser.open();
  const other = otherTab.hearth;
  assert.deepEqual(plain(await other.ask("chat.list", {}, { room: house })), { items: [] });
  assert.deepEqual(plain(await leader.ask("chat.list", {}, { room: house })), { items: [] });
  server.isReachable = false;
  server.hangUp();
  await settle();
  await assert.rejects(leader.ask("chat.list"), (error) => error instanceof HearthError && error.reason === "offline");
  await assert.rejects(other.ask("chat.list"), (error) => error instanceof HearthError && error.reason === "offline");
  await tab.kill();
  await otherTab.kill();
  server.isReachable = true;
  server.isHolding = true;
  const { hearth: third } = await browser.open();
  assert.equal(third.phase, "connecting");
  const early = third.ask("chat.list", {}, { room: house });
  await settle();
  server.release();
  assert.deepEqual(plain(await early), { items: [] });
});

test("ACC-14, SEC-8: a log-out leaves nothing, in any tab", async () => {
  const { server, browser, hearth: leader } = await opened();
  const { hearth: other } = await browser.open();
  put(leader, "a");
  await browser.advance(1000);
  for (const tab of [leader, other]) assert.deepEqual(plain(tab.room(house).state), { n: { a: "a" } });
  await other.logOut();
  await settle();
  for (const tab of [leader, other]) {
    assert.equal(tab.phase, "loggedOut");
    assert.equal(tab.me, null);
    assert.equal(tab.room(house).state, null);
  }
  assert.deepEqual(browser.disk, { facts: {}, rooms: new Map(), intents: new Map() });
  assert.equal(browser.cleared, 1);
  assert.equal(server.sockets.size, 0);
  await browser.advance(3_600_000);
  assert.deepEqual(server.hellos, ["of Ana"], "nobody comes back");
  const error = await put(other, "b").answer.catch((error) => error);
  assert.equal(error.reason, "sessionEnded");
  assert.equal(browser.disk.intents.size, 0);
});

test("ACC-14: a log-out is shown when nothing is left on the disk", async () => {
  for (const end of ["logged out", "ended elsewhere"]) {
    const { server, browser, hearth } = await opened();
    const { hearth: other } = await browser.open();
    /** @type {number[]} */ const left = [];
    for (const tab of [hearth, other]) {
      tab.onChange(() => {
        if (tab.me === null) left.push(browser.disk.rooms.size + Object.keys(browser.disk.facts).length);
      });
    }
    if (end === "logged out") await hearth.logOut();
    else server.hangUp(4102);
    await settle();
    assert.deepEqual(left, [0, 0], end);
    assert.equal(hearth.isEnded, end === "ended elsewhere");
  }
});

test("ACC-14: a tab that logs out before it leads does not go on with what was on the disk", async () => {
  const { server, browser, tab } = await opened();
  const { hearth } = await browser.open();
  let release = () => {};
  const load = () => MemoryStore.prototype.load.call(hearth.store);
  hearth.store.load = async () => {
    const stored = await load();
    await new Promise((resolve) => release = () => resolve(null));
    return stored;
  };
  server.isReachable = false;
  server.hangUp();
  await settle();
  await tab.kill();
  const leaving = hearth.logOut();
  await settle();
  server.isReachable = true;
  hearth.store.load = load;
  release();
  await leaving;
  await browser.advance(60_000);
  assert.deepEqual([hearth.isLeader, hearth.phase, hearth.me], [true, "loggedOut", null]);
  assert.equal(server.sockets.size, 0);
  assert.deepEqual(browser.disk, { facts: {}, rooms: new Map(), intents: new Map() });
});

test("ACC-14: the leader's log-out is heard in the other tabs", async () => {
  const { browser, hearth: leader } = await opened();
  const { hearth: other } = await browser.open();
  const room = other.room(house);
  await leader.logOut();
  await settle();
  const { state, status } = room;
  assert.deepEqual([other.phase, other.me, state, status], ["loggedOut", null, null, "loading"]);
});

test("a change whose answer no tab has heard counts as answered when it is nowhere any more", async () => {
  const { browser, tab } = await opened();
  const { hearth: other } = await browser.open();
  const { channel } = other.tabs;
  const hear = channel.onmessage;
  const { answer } = put(other, "a");
  channel.onmessage = null;
  await browser.advance(1000);
  assert.equal(browser.disk.intents.size, 0);
  await tab.kill();
  channel.onmessage = hear;
  await browser.advance(1000);
  assert.equal(other.isLeader, true);
  assert.deepEqual(plain(await answer), {});
});

test("a log-out on a line that is dead leaves nothing after three seconds", async () => {
  const { server, browser, hearth } = await opened();
  server.isSilent = true;
  void hearth.logOut();
  await browser.advance(3000);
  assert.equal(hearth.phase, "loggedOut");
  assert.deepEqual(browser.disk, { facts: {}, rooms: new Map(), intents: new Map() });
});

test("a client that came too late, or was one too many, comes back when somebody looks", async () => {
  const { server, browser, tab, hearth } = await opened();
  for (const code of [4006, 4105, 4108]) {
    await tab.show(true);
    server.hangUp(code);
    await browser.advance(60_000);
    assert.equal(hearth.phase, "offline");
    await tab.show(false);
    assert.equal(hearth.phase, "live", `${code}`);
  }
  server.hangUp(4002);
  await browser.advance(60_000);
  await tab.show(true);
  await tab.show(false);
  assert.notEqual(hearth.phase, "live");
});

test("a clock of the device that is put right meanwhile is noticed at the next tick", async () => {
  const { server, browser, hearth } = await opened();
  const { hearth: other } = await browser.open();
  const wall = hearth.browser.wall;
  /** @param {string} at */
  const tick = (at) => {
    for (const socket of server.sockets) socket.hear({ method: "room.tick", params: { at, rooms: {} } });
  };
  hearth.browser.wall = other.browser.wall = () => wall() + 3_600_000;
  const before = new Date(wall() + 500).toISOString();
  tick(before);
  await settle();
  for (const one of [hearth, other]) assert.equal(one.now(), Date.parse(before));
  // A line that is a little slower moves nothing.
  tick(new Date(wall() - 1000).toISOString());
  assert.equal(hearth.now(), Date.parse(before));
});

test("a log-out without a network leaves nothing, either", async () => {
  const { server, browser, hearth } = await opened();
  put(hearth, "a");
  await browser.advance(1000);
  server.isReachable = false;
  server.hangUp();
  await hearth.logOut();
  assert.equal(hearth.phase, "loggedOut");
  assert.deepEqual(browser.disk, { facts: {}, rooms: new Map(), intents: new Map() });
});

test("a network that is said to have gone is asked for, and not waited for", async () => {
  const { server, browser, tab, hearth } = await opened();
  server.isSilent = true;
  tab.page().offline();
  await browser.advance(2999);
  assert.equal(hearth.phase, "live");
  server.isReachable = false;
  await browser.advance(1);
  assert.equal(hearth.phase, "offline");
});

test("another person's log-in finds nothing of the person before", async () => {
  const { server, browser, hearth } = await opened();
  const { hearth: other } = await browser.open();
  put(hearth, "a");
  server.isHolding = true;
  put(hearth, "b");
  await browser.advance(1000);
  const client = browser.disk.facts.client;
  server.hangUp(4002);
  await settle();
  server.isHolding = false;
  assert.equal(hearth.phase, "loggedOut");
  assert.equal(hearth.me, ana, "4002 keeps everything for the same person");
  assert.deepEqual(plain(hearth.room(house).state), { n: { a: "a", b: "b" } });
  await other.logIn({ email: "bo", password: "right" });
  await settle();
  for (const tab of [hearth, other]) {
    assert.equal(tab.me, bo);
    assert.equal(tab.phase, "live");
    assert.deepEqual(plain(tab.room("me").state), { profile: { name: "Bo" } });
    assert.equal(tab.room(house).state, null);
    assert.deepEqual(tab.waiting, []);
  }
  assert.equal(browser.disk.intents.size, 0);
  assert.notEqual(browser.disk.facts.client, client);
  assert.equal(server.puts.length, 2, "nothing of Ana is sent as Bo");
});

test("4002 asks for a new log-in, and goes on where it was", async () => {
  const { server, browser, hearth } = await opened();
  server.isHolding = true;
  const { answer } = put(hearth, "a");
  await settle();
  server.hangUp(4002);
  server.isHolding = false;
  await browser.advance(60_000);
  assert.equal(hearth.phase, "loggedOut");
  await hearth.logIn({ email: "ana", password: "right" });
  assert.deepEqual(plain(await answer), { version: 1 });
  assert.deepEqual(server.puts.map(({ seq }) => seq), [1, 1]);
});

test("the device token of a log-in or a new password is kept, and sent with the next log-in", async () => {
  const { server, browser, hearth } = await opened();
  assert.equal(browser.disk.facts.deviceToken, "device 1");
  await hearth.ask("auth.changePassword", { newPassword: "better" });
  await settle();
  assert.equal(browser.disk.facts.deviceToken, "device 2");
  server.hangUp(4002);
  await settle();
  await hearth.logIn({ email: "ana", password: "right" });
  assert.equal(server.logIns.at(-1).deviceToken, "device 2");
});

test("a disk that cannot be read at first is read again, and nothing is forgotten", async () => {
  const { browser, tab } = await opened();
  const { hearth: other } = await browser.open();
  const load = other.store.load;
  other.store.load = () => Promise.reject(new Error("taken away"));
  await tab.kill();
  assert.equal(other.isLeader, false);
  put(other, "a");
  other.store.load = load;
  await browser.advance(1000);
  assert.equal(other.isLeader, true);
  assert.deepEqual(plain(other.room(house).state), { n: { a: "a" } });
  assert.deepEqual(other.waiting, []);
});

test("a share is followed while a tab shows it", async () => {
  const { server, browser, hearth: leader } = await opened();
  server.model.rooms.set("share/1", new (/** @type {any} */ (server.model.room("me").constructor))());
  const { hearth: other } = await browser.open();
  const room = other.room("share/1");
  await settle();
  assert.equal(room.status, "current");
  server.change("share/1", { n: { a: "1" } });
  await settle();
  assert.deepEqual(plain(room.state), { n: { a: "1" } });
  room.close();
  await settle();
  assert.equal(server.model.room("share/1").isWatched, false);
  leader.room("share/2");
  await settle();
  assert.equal(leader.room("share/2").status, "gone");
  assert.equal(leader.room("share/2").reason, "room");
});

test("positions that a tab reports go out in order, also after a time without a network", async () => {
  const { server, browser } = await opened();
  const { hearth: other } = await browser.open();
  assert.equal((await other.report([/** @type {any} */ ({ lat: 1 })])).shares, 1);
  server.isReachable = false;
  server.hangUp();
  await settle();
  const late = other.report([/** @type {any} */ ({ lat: 2 }), /** @type {any} */ ({ lat: 3 })]).catch((error) => error);
  await settle();
  assert.deepEqual(browser.disk.facts.fixes, [{ lat: 2 }, { lat: 3 }]);
  server.isReachable = true;
  await browser.advance(5000);
  assert.equal((await late).shares, 2);
  assert.deepEqual(browser.disk.facts.fixes, []);
});

test("positions that nobody is to have any more are dropped in all tabs, and on the disk", async () => {
  const { server, browser } = await opened();
  const { hearth: other } = await browser.open();
  server.isReachable = false;
  server.hangUp();
  await settle();
  const late = other.report([/** @type {any} */ ({ lat: 1 })]).catch((error) => error);
  await settle();
  assert.deepEqual(browser.disk.facts.fixes, [{ lat: 1 }]);
  other.dropFixes();
  assert.equal((await late).reason, "lost");
  await settle();
  assert.deepEqual(browser.disk.facts.fixes, []);
  server.isReachable = true;
  await browser.advance(5000);
  assert.equal((await other.report([/** @type {any} */ ({ lat: 2 })])).shares, 1);
});

test("a room's document is read without following the room", async () => {
  const { server, hearth } = await opened();
  assert.deepEqual(plain(hearth.peek(house)), plain(hearth.room(house).state));
  assert.equal(hearth.peek("share/1"), null);
  assert.equal(server.model.rooms.get("share/1")?.isWatched ?? false, false);
});

test("a disk that is full refuses the change, and nothing is shown", async () => {
  const { browser, hearth } = await opened();
  hearth.store.number = () => Promise.reject(new Error("full"));
  /** @type {string[]} */ const unkept = [];
  hearth.onUnkept = ({ reason }) => unkept.push(reason);
  const error = await put(hearth, "a").answer.catch((error) => error);
  assert.equal(error.reason, "storage");
  assert.deepEqual(unkept, ["storage"]);
  assert.equal(hearth.room(house).state.n, undefined);
  assert.equal(browser.disk.intents.size, 0);
});

test("what the server says of its page is known in all tabs, and after a start without a network", async () => {
  const { server, browser, tab, hearth } = await opened();
  const { hearth: other } = await browser.open();
  assert.deepEqual(plain(hearth.page), {});
  server.about = { page: { version: "two", mapTiles: "https://tiles.test/{z}/{x}/{y}.png" }, openid: ["Home"] };
  server.hangUp();
  await browser.advance(60_000);
  for (const one of [hearth, other]) {
    assert.deepEqual(plain(one.page), { version: "two", mapTiles: "https://tiles.test/{z}/{x}/{y}.png" });
    assert.deepEqual(plain(one.openid), ["Home"]);
  }
  await other.close();
  await tab.kill();
  server.isReachable = false;
  const { hearth: later } = await browser.open();
  assert.equal(later.page.version, "two");
  assert.deepEqual(plain(later.openid), ["Home"]);
});

test("a stranger learns who else can log them in, and nothing is kept", async () => {
  const server = new FakeServer();
  server.about = { openid: ["Home"], page: { version: "two" } };
  const browser = new FakeBrowser(server);
  const { hearth } = await browser.open();
  assert.deepEqual(hearth.openid, []);
  let changes = 0;
  hearth.onChange(() => changes++);
  await hearth.greet();
  await settle();
  assert.deepEqual(plain(hearth.openid), ["Home"]);
  assert.equal(changes, 1);
  assert.equal(hearth.phase, "loggedOut");
  assert.equal(hearth.me, null);
  assert.equal(server.sockets.size, 0);
  assert.deepEqual(browser.disk.facts, {});
});

test("a stranger who asks without a network waits for nothing", async () => {
  const server = new FakeServer();
  server.isReachable = false;
  const { hearth } = await new FakeBrowser(server).open();
  await hearth.greet();
  assert.deepEqual(hearth.openid, []);
});

test("a session that the server has made by itself is taken over, and another person's things are erased", async () => {
  const { browser, hearth } = await opened();
  const { hearth: other } = await browser.open();
  put(hearth, "a");
  await other.adopt({ me: bo, token: "of Bo" });
  await settle();
  for (const tab of [hearth, other]) {
    assert.equal(tab.me, bo);
    assert.equal(tab.phase, "live");
    assert.equal(tab.room(house).state, null);
  }
  assert.equal(browser.disk.facts.token, "of Bo");
});
