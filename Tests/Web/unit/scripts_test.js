// Replays the scripts of Tests/Web/scripts: what happens to a client, and what it must do then.
//
// A file is a list of scripts {title, only?, from?, limits?, queue?, cases?, steps}. `from` is "new" (nothing is known)
// or "following" (the default): connected as Ana, with the house at version 1 and its only note {a: "x"}. A script with
// `only: "browser"` tests what HearthClient does not do. With `cases`, the script runs once for each, and "$name"
// stands for a member of the case. HOUSE, ANA, BO, CLIENT and NOW stand for a room, ids and a time. Each step is an
// object with one verb:
//
//     {"start": true}  {"woken": true}  {"open": true}     as the core's methods; `open`: there is a connection
//     {"connect": {…}}                  start, open, and an answer to hello with these members
//     {"greet": {…}, "token"?}          it has said hello with this token ("t"), and gets these members as an answer
//     {"end": {"reason", "code"?}}      the connection has ended
//     {"say": message}                  the server sends it
//     {"patch": [from, version, patch]}                    the same, a patch of the house
//     {"answer": name, "result"}  {"refuse": name, "code", "reason", "data"?}      to the call of that name
//     {"advance": ms}                   time passes; what falls due is done
//     {"change": [method, params, room, patch], "is"?}     `is`: why it is refused at once
//     {"follow": room, "kept"?}  {"unfollow": room}  {"ask": [method, params]}
//     {"disk": "slow" | "full" | "good"}  {"write": true}  slow: writes wait for `write`
//     {"reload": {"token", "me"}}       another client opens on the same disk
//     {"use": {"token", "me"}}          somebody logs in
//     {"solve": solution}               of the puzzle that was asked for
//     {"report": fixes}
//
// and what must be true:
//
//     {"sent": [{"method", "params", "as"?}, …]}           all calls since the last look; `as` names one
//     {"seqs": [1, 2]}                  the same, only their numbers
//     {"outputs": ["connect", …]}       the core's other outputs since the last look, in order
//     {"phase": {"name", …}}  {"delay": {"atLeast"?, "atMost"?, "is"?}}            until the next attempt
//     {"notes": {…} | null}             of the house, with our own changes
//     {"shown": {…}, "room": room}      a whole document
//     {"pending": n}                    changes on top of it
//     {"onDisk": [1, 2], "refused"?: [3]}                  the numbers of changes
//     {"kept": {room: version}}         the documents on disk
//     {"settled": ["ok" | reason, …]}   how changes have ended since the last look, in order
//     {"called": ["ok" | reason, …]}    the same of questions
//     {"status": "current", "room"?}  {"refusedList": [reason, …]}

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ana, bo, client as installation, ClientUnderTest, house } from "./client_under_test.js";

const folder = new URL("../scripts/", import.meta.url);

/** Outputs that other steps look at, or that every step may have. */
const QUIET = new Set(["phase", "queue", "settled", "called", "room", "greeted", "keepOnly", "accepted", "reported"]);

class Replay {
  /** @type {Map<string, any>} */ calls = new Map();
  /** @type {string[]} */ outputs = [];
  /** @type {string[]} */ settled = [];
  /** @type {string[]} */ called = [];
  puzzled = "";

  /** @param {any} script */
  constructor({ from = "following", limits, queue }) {
    this.options = { limits: { saveInterval: 5000, ...limits }, ...(queue && { queue }) };
    this.client = new ClientUnderTest(this.options);
    if (from === "following") this.client.follow();
  }

  look() {
    for (const output of this.client.take()) {
      if (output.kind === "settled") this.settled.push(said(output.answer));
      else if (output.kind === "called") this.called.push(said(output.answer));
      else if (output.kind === "room" && output.event.kind === "closed") {
        this.outputs.push(`closed ${output.event.reason}`);
      } else if (output.kind === "solve") this.puzzled = output.id;
      // To disconnect twice is to disconnect.
      const isRepeated = output.kind === "disconnect" && this.outputs.at(-1) === "disconnect";
      if (!QUIET.has(output.kind) && !isRepeated) this.outputs.push(output.kind);
    }
  }

  /** @param {any} step */
  step(step) {
    const { client } = this;
    const { core } = client;
    const verb = Object.keys(step)[0] ?? "";
    const value = step[verb];
    const room = step.room ?? house;
    switch (verb) {
      case "start":
        return client.start();
      case "woken":
        return client.run(core.woken(client.now));
      case "open":
        return client.open();
      case "connect":
        return client.connect(value);
      case "greet": {
        const [hello, ...more] = client.takeSent();
        const { method, params } = hello ?? {};
        assert.deepEqual([method, params, more], ["hello", {
          client: installation,
          token: step.token ?? "t",
          app: "test",
        }, []]);
        return client.answer(hello, client.greeting(value));
      }
      case "patch": {
        const [from, version, patch] = value;
        return client.say({ method: "room.patch", params: { room: house, from, version, at: now, patch } });
      }
      case "end":
        return client.end(value);
      case "say":
        return client.say(value);
      case "answer":
        return client.answer(this.calls.get(value), step.result);
      case "refuse":
        return client.refuse(this.calls.get(value), step.code, step.reason, step.data);
      case "advance":
        return client.advance(value);
      case "change": {
        const [method, params, place, patch] = value;
        const id = client.change(method, params, place, patch);
        if ("is" in step) assert.equal(id, step.is);
        return;
      }
      case "follow":
        return client.run(core.follow(value, step.kept ?? client.kept.get(value) ?? null));
      case "unfollow":
        return client.run(core.unfollow(value));
      case "ask": {
        const { call, outputs } = core.call(value[0], value[1]);
        client.run(outputs);
        if (!call) this.called.push("offline");
        return;
      }
      case "disk":
        client.isSlow = value === "slow";
        client.isFull = value === "full";
        return;
      case "write":
        return client.write();
      case "reload": {
        const { now, wall, store } = client;
        this.client = new ClientUnderTest({ ...this.options, ...value }, store);
        Object.assign(this.client, { now, wall });
        return;
      }
      case "use":
        return client.run(core.use(value, client.now));
      case "solve":
        this.look();
        return client.run(core.solved(this.puzzled, value, client.now));
      case "report":
        return client.run(core.report(value, client.now));
      case "sent": {
        const sent = client.takeSent();
        const plain = value.map((/** @type {any} */ { as: _, ...call }) => call);
        assert.deepEqual(sent.map(({ method, params }) => ({ method, params })), plain);
        for (const [index, { as }] of value.entries()) if (as) this.calls.set(as, sent[index]);
        return;
      }
      case "seqs": {
        const sent = client.takeSent().filter(({ params }) => "seq" in params);
        assert.deepEqual(sent.map(({ params }) => params.seq), value);
        for (const call of sent) this.calls.set(`#${call.params.seq}`, call);
        return;
      }
      case "outputs":
        assert.deepEqual(this.outputs.splice(0), value);
        return;
      case "phase":
        assert.deepEqual({ ...core.phase, ...value }, core.phase);
        return;
      case "delay": {
        assert.equal(core.phase.name, "waiting");
        const delay = "until" in core.phase ? core.phase.until - client.now : NaN;
        if ("is" in value) assert.equal(delay, value.is);
        assert(delay >= (value.atLeast ?? 0) && delay <= (value.atMost ?? Infinity), `${delay}`);
        return;
      }
      case "notes":
        assert.deepEqual(client.shown(house)?.notes ?? null, value);
        return;
      case "shown":
        assert.deepEqual(client.shown(room), value);
        return;
      case "pending":
        assert.equal(core.queue.shown(room).length, value);
        return;
      case "onDisk": {
        const intents = [...client.store.content.intents.values()].sort((a, b) => a.number - b.number);
        assert.deepEqual(intents.filter(({ error }) => !error).map(({ number }) => number), value);
        const refused = intents.filter(({ error }) => error).map(({ number }) => number);
        if ("refused" in step) assert.deepEqual(refused, step.refused);
        return;
      }
      case "kept": {
        assert.deepEqual(Object.fromEntries([...client.kept].map(([name, { version }]) => [name, version])), value);
        return;
      }
      case "settled":
        assert.deepEqual(this.settled.splice(0), value);
        return;
      case "called":
        assert.deepEqual(this.called.splice(0), value);
        return;
      case "status":
        assert.equal(core.status(room), value);
        return;
      case "refusedList":
        assert.deepEqual(core.queue.refused.map(({ error }) => error?.reason), value);
        return;
      default:
        throw new Error(`no such step: ${verb}`);
    }
  }
}

/** @param {import("../../../Sources/Web/app/hearth/types/library.d.ts").Answer} answer */
function said(answer) {
  return "error" in answer ? answer.error.reason : "ok";
}

/** @param {string} name */
function readScript(name) {
  let text = readFileSync(new URL(name, folder), "utf8");
  for (const [word, value] of Object.entries(NAMES)) text = text.replaceAll(`"${word}"`, `"${value}"`);
  return text;
}

/** Puts the members of a case in the places of their names. @param {any} value @param {any} members @returns {any} */
function fill(value, members) {
  if (typeof value === "string" && value.startsWith("$")) return members[value.slice(1)];
  if (Array.isArray(value)) return value.map((part) => fill(part, members));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fill(part, members)]));
}

const now = "2026-05-01T09:00:00.000Z";
const NAMES = { HOUSE: house, ANA: ana, BO: bo, CLIENT: installation, NOW: now };

for (const name of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  for (const script of JSON.parse(readScript(name))) {
    for (const members of script.cases ?? [{}]) {
      const suffix = script.cases ? `: ${Object.values(members).map((part) => JSON.stringify(part)).join(" ")}` : "";
      test(`${name}: ${script.title}${suffix}`, () => {
        const replay = new Replay(script);
        for (const [index, step] of fill(script.steps, members).entries()) {
          try {
            replay.step(step);
          } catch (error) {
            if (error instanceof Error) error.message = `step ${index} ${JSON.stringify(step)}: ${error.message}`;
            throw error;
          }
          replay.look();
        }
      });
    }
  }
}
