import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../../Sources/Web/app/hearth/backoff.js";
import { Core } from "../../../Sources/Web/app/hearth/core.js";
import { unreadable } from "../../../Sources/Web/app/hearth/queue.js";
import { ClientUnderTest, house } from "./client_under_test.js";

test("a room has at most 64 unanswered numbers, and the client says which answers have left its disk", () => {
  const client = new ClientUnderTest({ limits: { saveInterval: 3_600_000 } }).follow();
  for (let n = 1; n <= 70; n++) client.change("notes.add", { text: `${n}` }, house, { notes: { [n]: `${n}` } });
  const calls = client.takeSent();
  assert.deepEqual(calls.map(({ params }) => params.seq), Array.from({ length: 64 }, (_, index) => index + 1));
  // Answers out of order free nothing, nor does the first one until it has left the disk.
  for (const call of calls.slice(1, 10)) client.answer(call, { version: 1 });
  assert.deepEqual(client.takeSent(), []);
  assert.equal(client.store.content.intents.size, 61);
  client.isSlow = true;
  client.answer(calls[0], { version: 1 });
  assert.deepEqual(client.takeSent(), []);
  assert(client.writes.some(({ kind }) => kind === "save"), "answers that hold up changes are written at once");
  client.write();
  const more = client.takeSent();
  assert.deepEqual(more.map(({ params }) => params.seq), [65, 66, 67, 68, 69, 70]);
  assert.deepEqual(more.map(({ params }) => params.answered), [10, ...Array(5).fill(undefined)], "said only once");
});

test("the queue holds at most the given bytes", () => {
  const client = new ClientUnderTest({ queue: { changes: 1000, bytes: 1000 } });
  /** @type {string[]} */ const ends = [];
  while (ends.at(-1) !== "tooMuch" && ends.length < 100) ends.push(client.change("m", { text: "0123456789" }, house));
  assert(ends.length > 5 && ends.length < 10, `${ends.length}`);
});

test("a change that the server cannot read, or that sets what the library sets, is refused", () => {
  /** @param {any} params */
  const reason = (params) => unreadable({ method: "m", params, room: house, patch: null })?.reason ?? null;
  for (const name of ["room", "seq", "answered"]) assert.equal(reason({ [name]: 1 }), "reserved");
  assert.equal(reason([1]), "params");
  /** @param {number} depth */
  const nested = (depth) => {
    /** @type {any} */ let value = 1;
    for (let n = 0; n < depth; n++) value = [value];
    return value;
  };
  assert.equal(reason({ a: nested(28) }), null);
  assert.equal(reason({ a: nested(29) }), "tooMuch");
  assert.equal(reason({ a: Array(9_900).fill(1) }), "tooMuch");
  assert.equal(reason({ a: Array(9_800).fill(1) }), null);
  assert.equal(reason({ a: "x".repeat(65_500) }), "tooMuch");
  assert.equal(reason({ a: "x".repeat(65_000) }), null);
  assert.equal(reason({ a: "é".repeat(33_000) }), "tooMuch", "bytes count, not letters");
});

test("delays grow to 30 s, and clients that lose the server together come back evenly spread", () => {
  const backoff = new Backoff();
  const ceilings = Array.from({ length: 9 }, () => {
    const { ceiling } = backoff;
    assert.equal(backoff.next(0.5), ceiling / 2);
    return ceiling;
  });
  assert.deepEqual(ceilings, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  const tenths = Array(10).fill(0);
  for (let seed = 0; seed < 2000; seed++) {
    const core = new Core({ client: "c", token: "t", me: "a", seed });
    core.start(0);
    core.ended({ reason: "lost" }, 0);
    if ("until" in core.phase) tenths[Math.floor(core.phase.until / 50)]++;
  }
  for (const count of tenths) assert(count > 140 && count < 260, `${tenths}`);
});

test("a refused change is tried again under a new number, or discarded", () => {
  const client = new ClientUnderTest().follow();
  const ids = ["1", "2"].map((key) => client.change("notes.add", { key }, house, { notes: { [key]: key } }));
  for (const call of client.takeSent()) client.refuse(call, 6, "notes");
  client.advance(1000);
  assert.deepEqual(client.core.queue.refused.map(({ number }) => number), [1, 2]);
  client.run(client.core.retry(ids[0] ?? "", client.now));
  assert.deepEqual(client.takeSent().map(({ params }) => params), [{ key: "1", room: house, seq: 3, answered: 2 }]);
  assert.deepEqual(client.shown().notes, { a: "x", 1: "1" });
  assert.deepEqual([...client.store.content.intents.keys()], [2, 3], "the old number has left the disk");
  assert.equal(client.core.discard(ids[1] ?? "", client.now).number, 2);
  assert.deepEqual(client.core.queue.refused, []);
});

test("a waiting change can be discarded while it was never sent and no later one builds on it", () => {
  const client = new ClientUnderTest().follow();
  const { queue } = client.core;
  /** @param {string} id @param {object} [more] */
  const add = (id, more) => client.change("notes.add", { id, ...more }, house, { notes: { [id]: id } });
  add("sent");
  client.end({ reason: "lost" });
  const first = add("first");
  const second = add("second");
  const later = add("third", { after: { id: "second" } });
  assert.deepEqual([...queue.discardable.keys()].sort(), [first, later], "the sent one may have reached the server");
  assert.equal(client.core.discard(second, client.now).number, 0);
  for (const id of [later, second]) {
    const { number } = client.core.discard(id, client.now);
    client.store.content.intents.delete(number);
    assert.equal(Object.keys(client.shown().notes).includes("second"), true, "shown until it has left the disk");
    client.run(client.core.dropped(id, client.now));
    assert("error" in (client.settled.get(id) ?? {}));
  }
  assert.deepEqual(client.shown().notes, { a: "x", sent: "sent", first: "first" });
  assert.deepEqual([...client.store.content.intents.keys()], [1, 2]);
  client.advance(60_000);
  client.connect();
  assert.deepEqual(client.takeSent().flatMap(({ params }) => params.seq ?? []), [1, 2]);
});

test("a discarded change that does not leave the disk is sent after all, in its order", () => {
  const client = new ClientUnderTest().follow();
  client.end({ reason: "lost" });
  const [first = "", second] = ["one", "two"].map((id) => client.change("notes.add", { id }, house));
  client.run(client.core.discard(first, client.now).outputs);
  assert.deepEqual(client.core.queue.waiting.map(({ id }) => id), [first, second]);
  client.advance(60_000);
  client.connect();
  assert.deepEqual(client.takeSent().filter(({ params }) => params.seq), [], "held back with what follows");
  client.run(client.core.notStored([first], client.now));
  client.advance(1000);
  assert.deepEqual(client.takeSent().map(({ params }) => params.id), ["one", "two"]);
});

test("an answer that another tab's change still waits for is not given up, though later numbers are done", () => {
  const client = new ClientUnderTest().follow();
  client.core.queue.floor = 2;
  client.change("notes.add", { key: "2" }, house);
  client.answer(client.takeSent()[0], { version: 1 });
  client.advance(1000);
  const intent = { method: "m", params: {}, patch: null, needs: [], about: "", at: client.wall };
  client.run(client.core.adopt({ ...intent, id: "other", number: 1, room: house }, client.now));
  client.change("notes.add", { key: "3" }, house);
  assert.deepEqual(client.takeSent().map(({ params }) => [params.seq, params.answered]), [[1, undefined], [
    3,
    undefined,
  ]]);
});

test("at most 60 positions go in one report, and the newest 600 are kept until they can go", () => {
  const client = new ClientUnderTest().follow();
  const fixes = Array.from({ length: 700 }, (_, lat) => ({ lat }));
  client.run(client.core.report(fixes, client.now));
  assert.equal(client.core.fixes.length, 600);
  for (let first = 100; first < 700; first += 60) {
    const [call, ...more] = client.takeSent();
    assert.deepEqual([call.params.fixes[0], call.params.fixes.length, more], [{ lat: first }, 60, []]);
    client.answer(call, { shares: 1, intervalSeconds: 30 });
  }
  assert.deepEqual(client.takeSent(), []);
  assert.deepEqual(client.core.fixes, []);
});

test("while a report has no answer nothing is due, however long that takes", () => {
  const client = new ClientUnderTest().follow();
  client.run(client.core.report([{ lat: 1 }], client.now));
  const [call] = client.takeSent();
  client.run(client.core.report([{ lat: 2 }], client.now));
  assert.ok(client.core.deadline > client.now);
  client.advance(1000);
  assert.deepEqual(client.takeSent(), []);
  client.answer(call, { shares: 1, intervalSeconds: 30 });
  assert.deepEqual(client.takeSent().map(({ params }) => params.fixes), [[{ lat: 2 }]]);
});

test("positions are dropped while a report has no answer: the answer takes none of the next ones", () => {
  const client = new ClientUnderTest().follow();
  client.run(client.core.report([{ lat: 1 }, { lat: 2 }], client.now));
  const [call] = client.takeSent();
  client.run(client.core.dropFixes());
  client.run(client.core.report([{ lat: 3 }], client.now));
  client.answer(call, { shares: 1, intervalSeconds: 30 });
  assert.deepEqual(client.takeSent().map(({ params }) => params.fixes), [[{ lat: 3 }]]);
});

/** Somebody else's change of the house. @param {ClientUnderTest} client @param {number} version */
function patch(client, version) {
  const params = {
    room: house,
    from: version - 1,
    version,
    at: "2026-05-01T09:00:00.000Z",
    patch: { n: { a: version } },
  };
  client.say({ method: "room.patch", params });
}

test("a change is on disk at once, and a thousand in a row take few writes", () => {
  const client = new ClientUnderTest().follow();
  client.advance(1000);
  const kept = () => client.store.content.rooms.get(house)?.version;
  patch(client, 2);
  assert.equal(kept(), 2, "at once after a rest");
  let writes = 0;
  const commit = client.store.commitNow;
  client.store.commitNow = (one) => {
    writes++;
    commit.call(client.store, one);
  };
  for (let n = 3; n <= 1002; n++) {
    client.advance(1);
    patch(client, n);
  }
  client.advance(100);
  assert.deepEqual([kept(), writes], [1002, 51]);
});

test("on a slow disk one write is under way, and the next one has all that came meanwhile", () => {
  const client = new ClientUnderTest().follow();
  client.advance(1000);
  client.isSlow = true;
  for (let n = 2; n <= 1001; n++) {
    client.advance(1000);
    patch(client, n);
  }
  assert.deepEqual(client.writes.map(({ kind }) => kind), ["save"]);
  // The write that is under way began with the first change.
  const commit = client.core.takeCommit();
  assert.equal(commit?.rooms[0]?.version, 1001);
  patch(client, 1002);
  client.advance(5000);
  assert.equal(client.writes.length, 1);
  client.writes = [];
  client.run(client.core.notSaved(/** @type {any} */ (commit), client.now));
  client.advance(999);
  assert.equal(client.writes.length, 0, "a full disk is not tried again all the time");
  client.advance(1);
  client.write();
  assert.equal(client.store.content.rooms.get(house)?.version, 1002);
});
