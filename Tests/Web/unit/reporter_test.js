import assert from "node:assert/strict";
import { test } from "node:test";
import { Reporter, reports, running } from "../../../Sources/Web/app/parts/reporter.js";

/** A phone, a clock and a server that the test moves. */
function setting() {
  let now = Date.parse("2026-01-01T10:00:00Z");
  let interval = 30;
  /** @type {{ at: number, work: () => void }[]} */ let timers = [];
  /** @type {any} */ let found = null;
  /** @type {any} */ let failed = null;
  /** @type {any[]} */ const asked = [];
  /** @type {any[][]} */ const sent = [];
  /** @type {Error | null} */ let refusal = null;
  let watches = 0;
  const geolocation = /** @type {any} */ ({
    watchPosition: (/** @type {any} */ success, /** @type {any} */ failure) => {
      [found, failed] = [success, failure];
      return ++watches;
    },
    // Only the newest watch is alive: nobody may forget one.
    clearWatch: (/** @type {number} */ id) => assert.equal(id, watches),
    getCurrentPosition: (/** @type {any} */ success, /** @type {any} */ failure) => asked.push({ success, failure }),
  });
  const time = {
    now: () => now,
    after: (/** @type {number} */ delay, /** @type {() => void} */ work) => {
      const timer = { at: now + delay, work };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
  };
  const reporter = new Reporter(
    (fixes) => {
      sent.push(fixes);
      return refusal ? Promise.reject(refusal) : Promise.resolve({ intervalSeconds: interval });
    },
    geolocation,
    time,
  );
  /** @param {number} lat */
  const position = (lat) => ({ coords: { latitude: lat, longitude: 13, accuracy: 8 }, timestamp: now });
  return {
    reporter,
    sent,
    asked,
    position,
    move: (/** @type {number} */ lat) => found(position(lat)),
    /** A browser ends a watch that it refuses. */
    fail: (/** @type {number} */ code) => {
      const tell = failed;
      if (code === 1) found = failed = null;
      tell({ code });
    },
    refuse: (/** @type {Error | null} */ error) => (refusal = error),
    wish: (/** @type {number} */ seconds) => (interval = seconds),
    /** @param {number} seconds */
    async pass(seconds) {
      const end = now + seconds * 1000;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        now = next.at;
        timers = timers.filter((timer) => timer !== next);
        next.work();
        await null;
        await null;
        await null;
      }
      now = end;
    },
  };
}

test("the first place is told at once, the next ones after the interval, together", async () => {
  const phone = setting();
  phone.reporter.set(true);
  assert.equal(phone.reporter.state, "asking");
  phone.move(1);
  assert.deepEqual(phone.sent.map((fixes) => fixes.map(({ lat }) => lat)), [[1]]);
  await phone.pass(10);
  phone.move(2);
  await phone.pass(10);
  phone.move(3);
  assert.equal(phone.sent.length, 1);
  await phone.pass(10);
  assert.deepEqual(phone.sent[1]?.map(({ lat }) => lat), [2, 3]);
  assert.equal(phone.reporter.state, "watching");
});

test("fixes in quick succession are one, the newest", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.move(1);
  for (let n = 2; n <= 6; n++) {
    await phone.pass(1);
    phone.move(n);
  }
  await phone.pass(30);
  assert.ok((phone.sent[1]?.length ?? 9) <= 2);
  assert.equal(phone.sent[1]?.at(-1)?.lat, 6);
});

test("a phone that lies still is asked, and what it cannot say is told", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.move(1);
  await phone.pass(30);
  assert.equal(phone.asked.length, 1);
  phone.asked[0].success(phone.position(1));
  assert.deepEqual(phone.sent[1]?.map(({ lat }) => lat), [1]);
  await phone.pass(30);
  phone.asked[1].failure({ code: 3 });
  assert.deepEqual(phone.sent[2], []);
});

test("the server's interval counts from the last report", async () => {
  const phone = setting();
  phone.wish(10);
  phone.reporter.set(true);
  phone.move(1);
  await phone.pass(0);
  await null;
  await phone.pass(4);
  phone.move(2);
  await phone.pass(6);
  assert.equal(phone.sent.length, 2);
});

test("refused permission is told without a place, and shown", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.fail(1);
  assert.equal(phone.reporter.state, "denied");
  assert.deepEqual(phone.sent, [[]]);
  await phone.pass(30);
  assert.deepEqual(phone.sent, [[], []]);
});

test("S3: a permission that is given later is noticed when the page is looked at again, and told at once", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.fail(1);
  await phone.pass(10);
  phone.reporter.wake();
  phone.fail(1);
  assert.equal(phone.reporter.state, "denied");
  assert.deepEqual(phone.sent, [[]]);
  phone.reporter.wake();
  phone.move(1);
  assert.equal(phone.reporter.state, "watching");
  assert.deepEqual(phone.sent.map((fixes) => fixes.map(({ lat }) => lat)), [[], [1]]);
  phone.reporter.set(false);
});

test("a refusal is kept in its words; another device's is not one to read", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.refuse(Object.assign(new Error("Not so often."), { reason: "attempts" }));
  phone.move(1);
  await phone.pass(0);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(phone.reporter.refusal, "Not so often.");
  phone.refuse(null);
  await phone.pass(30);
  phone.asked[0].success(phone.position(1));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(phone.reporter.refusal, "");
  assert.equal(phone.reporter.unsent, 0);
});

test("somebody who sees me from now on does not wait", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.move(1);
  await phone.pass(12);
  phone.reporter.tell();
  assert.deepEqual(phone.sent.map((fixes) => fixes.map(({ lat }) => lat)), [[1], [1]]);
});

test("after the last share nothing is watched or kept", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.move(1);
  phone.reporter.set(false);
  assert.equal(phone.reporter.state, "off");
  assert.equal(phone.reporter.latest, null);
  await phone.pass(300);
  assert.equal(phone.sent.length, 1);
  phone.reporter.set(true);
  assert.equal(phone.reporter.state, "asking");
});

test("one device reports: the one that has begun, until `me` names one", () => {
  assert.equal(reports([], null, "me", []), false);
  assert.equal(reports([], { reporter: { session: "me" } }, "me", ["s"]), false);
  assert.equal(reports(["s"], {}, "me", ["s"]), true);
  assert.equal(reports(["s"], {}, "me", []), "elsewhere");
  assert.equal(reports(["s"], { reporter: { session: "me" } }, "me", []), true);
  assert.equal(reports(["s"], { reporter: { session: "other" } }, "me", ["s"]), "elsewhere");
});

test("a share runs once the server knows it", () => {
  const me = { shares: { a: { role: "sharer" }, b: { role: "receiver" }, c: { role: "sharer" } } };
  assert.deepEqual(running(me, []), ["a", "c"]);
  assert.deepEqual(running(me, [{ method: "shares.start", params: { id: "c" } }]), ["a"]);
  assert.deepEqual(running(null, []), []);
});

test("S3: the person is warned when the server has taken no report for 75 seconds, until it takes one", async () => {
  const phone = setting();
  phone.reporter.set(true);
  phone.move(1);
  for (let n = 0; n < 4; n++) await phone.pass(0);
  await phone.pass(10);
  phone.refuse(Object.assign(new Error("lost"), { reason: "lost" }));
  let changes = 0;
  phone.reporter.onChange(() => changes++);
  await phone.pass(64);
  assert.equal(phone.reporter.isSilent, false);
  await phone.pass(1);
  assert.equal(phone.reporter.isSilent, true);
  assert.ok(changes > 0);
  phone.refuse(null);
  phone.move(2);
  await phone.pass(35);
  assert.equal(phone.reporter.isSilent, false);
});

test("a phone that has never been heard is warned, and one that does not share is not", async () => {
  const phone = setting();
  phone.refuse(Object.assign(new Error("offline"), { reason: "offline" }));
  await phone.pass(100);
  assert.equal(phone.reporter.isSilent, false);
  phone.reporter.set(true);
  await phone.pass(75);
  assert.equal(phone.reporter.isSilent, true);
  phone.reporter.set("elsewhere");
  assert.equal(phone.reporter.isSilent, false);
  await phone.pass(200);
  assert.equal(phone.reporter.isSilent, false);
});
