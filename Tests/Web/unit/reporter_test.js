import assert from "node:assert/strict";
import { test } from "node:test";
import { Reporter, reports, running } from "../../../Sources/Web/app/parts/reporter.js";

/** A phone, a clock and a server that the test moves. */
function setting() {
  let now = Date.parse("2026-01-01T10:00:00Z");
  let interval = 30;
  let shares = 1;
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
      return refusal ? Promise.reject(refusal) : Promise.resolve({ intervalSeconds: interval, shares });
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
    take: (/** @type {number} */ count) => (shares = count),
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

let pages = 0;

/** The page of a person who shares, on a phone without a network; `tell` says that something has changed. */
async function page() {
  sessionStorage.clear();
  /** @type {any} */ let found = null;
  const phone = {
    watchPosition: (/** @type {any} */ success) => {
      found = success;
      return 7;
    },
    clearWatch: () => (found = null),
    getCurrentPosition: () => {},
  };
  Object.defineProperty(navigator, "geolocation", { value: phone, configurable: true });
  Object.assign(globalThis, { document: { hidden: false, addEventListener: () => {} } });
  let tell = () => {};
  const me = { state: /** @type {any} */ ({ shares: {} }), status: "stale", onChange: () => {} };
  const hearth = {
    me: "ana",
    session: "here",
    at: Date.parse("2026-01-01T10:00:00Z"),
    waiting: /** @type {any[]} */ ([]),
    shares: /** @type {Record<string, any>} */ ({}),
    /** @type {any[]} */ kept: ["an old one"],
    now: () => hearth.at,
    room: () => me,
    peek: (/** @type {string} */ name) => hearth.shares[name] ?? null,
    onChange: (/** @type {() => void} */ f) => void (tell = f),
    report: (/** @type {any[]} */ fixes) => {
      hearth.kept.push(...fixes);
      return new Promise(() => {});
    },
    dropFixes: () => void (hearth.kept = []),
  };
  const { start } = await import(`../../../Sources/Web/app/parts/reporter.js?${++pages}`);
  return {
    me,
    hearth,
    tell: () => tell(),
    move: () => found?.({ coords: { latitude: 1, longitude: 13 }, timestamp: hearth.at }),
    /** @returns {Reporter} */
    start: () => start(hearth),
  };
}

/** @param {string} [until] */
const mine = (until = "2026-01-01T11:00:00Z") => ({ role: "sharer", until });
const here = { session: "here" };

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
  assert.equal(reports(["s"], { reporter: {} }, "me", ["s"]), true);
  assert.equal(reports(["s"], { reporter: { session: "me" } }, "me", []), true);
  assert.equal(reports(["s"], { reporter: { session: "other" } }, "me", ["s"]), "elsewhere");
});

test("a share runs once the server knows it", () => {
  const me = { shares: { a: { role: "sharer" }, b: { role: "receiver" }, c: { role: "sharer" } } };
  assert.deepEqual(running(me, []), ["a", "c"]);
  assert.deepEqual(running(me, [{ method: "shares.start", params: { id: "c" } }]), ["a"]);
  assert.deepEqual(running(null, []), []);
  assert.deepEqual(running(me, [], new Set(["share/a", "share/b"])), ["c"]);
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

test("S3: a report that no share has taken does not put off the warning", async () => {
  const phone = setting();
  phone.take(0);
  phone.reporter.set(true);
  phone.move(1);
  await phone.pass(60);
  assert.equal(phone.reporter.isSilent, false);
  await phone.pass(15);
  assert.equal(phone.reporter.isSilent, true);
  phone.take(1);
  await phone.pass(30);
  phone.asked.at(-1).success(phone.position(1));
  await new Promise((resolve) => setImmediate(resolve));
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

test("S3: a share that ends when I say so is not reported after that, also before the server knows it", async () => {
  const { me, hearth, tell, move, start } = await page();
  me.state = { shares: { a: mine() }, reporter: here };
  hearth.shares["share/a"] = { share: { stop: "notify" } };
  const reporter = start();
  move();
  assert.equal(hearth.kept.length, 2);
  const stop = { method: "shares.stop", room: "share/a", params: {} };
  hearth.waiting = [stop];
  tell();
  move();
  assert.equal(reporter.state, "off");
  assert.deepEqual(hearth.kept, []);
  // If it is refused or taken back, the others see me on.
  hearth.waiting = [];
  tell();
  assert.equal(reporter.state, "asking");
  me.state = { shares: {} };
  tell();
  assert.equal(reporter.state, "off");
});

test("S3: receivers of a share that is stopped get no place after that; those of another one get all", async () => {
  const { me, hearth, tell, move, start } = await page();
  me.state = { shares: { a: mine(), b: mine() }, reporter: here };
  hearth.shares["share/a"] = { share: { stop: "notify" } };
  start();
  move();
  const before = hearth.kept.length;
  hearth.waiting = [{ method: "shares.stop", room: "share/a", params: {} }];
  tell();
  hearth.at += 30_000;
  move();
  assert.equal(hearth.kept.length, before);
  hearth.waiting = [];
  me.state = { shares: { b: mine() }, reporter: here };
  tell();
  assert.equal(hearth.kept.length, before + 1);
});

test("a share whose receivers have to agree is reported until they do", async () => {
  const { me, hearth, tell, move, start } = await page();
  me.state = { shares: { a: mine() }, reporter: here };
  hearth.shares["share/a"] = { share: {} };
  const reporter = start();
  hearth.waiting = [{ method: "shares.stop", room: "share/a", params: {} }];
  tell();
  move();
  assert.equal(reporter.state, "watching");
  assert.equal(hearth.kept.length, 2);
  me.state = { shares: {} };
  tell();
  assert.equal(reporter.state, "off");
});

test("S3: without a network nothing is kept after the end of the last share", async () => {
  const { me, hearth, tell, move, start } = await page();
  me.state = { shares: { a: mine(), b: mine("2026-01-01T10:30:00Z") }, reporter: here };
  const reporter = start();
  move();
  hearth.at = Date.parse("2026-01-01T10:30:00Z");
  move();
  assert.equal(reporter.state, "watching");
  assert.ok(hearth.kept.length > 1);
  hearth.at = Date.parse("2026-01-01T11:00:00Z");
  move();
  assert.equal(reporter.state, "off");
  assert.deepEqual(hearth.kept, []);
  me.status = "current";
  tell();
  assert.equal(reporter.state, "asking");
  me.state = { shares: {} };
  tell();
});

test("positions of an earlier share do not go to the receivers of the next", async () => {
  const { me, hearth, start } = await page();
  me.state = { shares: { a: mine() } };
  hearth.waiting = [{ method: "shares.start", params: { id: "a" }, room: "me" }];
  assert.equal(start().state, "off");
  assert.deepEqual(hearth.kept, []);
});

test("S3: a share that was begun without a network is reported from here after the page was closed", async () => {
  const { me, hearth, tell, start } = await page();
  me.state = { shares: { a: mine(), b: mine() } };
  // As it is read from disk.
  hearth.waiting = ["a", "b"].map((id) => ({ method: "shares.start", params: { id }, room: "me" }));
  const reporter = start();
  for (let n = 0; n < 9; n++) tell();
  hearth.waiting.pop();
  tell();
  assert.equal(reporter.state, "asking");
  hearth.waiting = [];
  me.state = { shares: { a: mine() } };
  tell();
  assert.equal(reporter.state, "asking");
  me.state = { shares: { another: mine() } };
  tell();
  assert.equal(reporter.state, "elsewhere");
});
