// Signals without a page: each change is seen once, in one go, and by nobody who has ended.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  computed,
  effect,
  observe,
  onEnd,
  scope,
  settle,
  signal,
  untracked,
} from "../../../Sources/Web/app/parts/signal.js";

test("an effect runs once for several changes", () => {
  const [a, b] = [signal(1), signal(2)];
  /** @type {number[]} */ const seen = [];
  const stop = effect(() => void seen.push(a.get() + b.get()));
  a.set(10);
  b.set(20);
  settle();
  assert.deepEqual(seen, [3, 30]);
  stop();
  a.set(100);
  settle();
  assert.deepEqual(seen, [3, 30]);
});

test("a computed value is derived when asked for, and stops changes that change nothing", () => {
  const count = signal(1);
  let derived = 0;
  const isEven = computed(() => {
    derived += 1;
    return count.get() % 2 === 0;
  });
  assert.equal(derived, 0);
  /** @type {boolean[]} */ const seen = [];
  effect(() => void seen.push(isEven.get()));
  count.set(3);
  settle();
  assert.deepEqual(seen, [false]);
  count.set(4);
  assert.equal(isEven.peek(), true);
  settle();
  assert.deepEqual(seen, [false, true]);
  assert.equal(derived, 3);
});

test("of two ways to one source, nobody sees a half-changed state", () => {
  const name = signal("a");
  const upper = computed(() => name.get().toUpperCase());
  /** @type {string[]} */ const seen = [];
  effect(() => void seen.push(name.get() + upper.get()));
  name.set("b");
  settle();
  assert.deepEqual(seen, ["aA", "bB"]);
});

test("what an effect has made ends when it runs again, and with its scope", () => {
  const outer = signal(0);
  const inner = signal(0);
  let runs = 0;
  let ended = 0;
  const made = scope(() =>
    effect(() => {
      outer.get();
      effect(() => {
        inner.get();
        runs += 1;
      });
      onEnd(() => ended += 1);
    })
  );
  outer.set(1);
  settle();
  assert.equal(ended, 1);
  runs = 0;
  inner.set(1);
  settle();
  assert.equal(runs, 1);
  made.end();
  inner.set(2);
  outer.set(2);
  settle();
  assert.equal(runs, 1);
  assert.equal(ended, 2);
});

test("an untracked read, and one through a source that has ended, cause no further runs", () => {
  const quiet = signal(1);
  let runs = 0;
  effect(() => {
    untracked(() => quiet.get());
    runs += 1;
  });
  quiet.set(2);
  settle();
  assert.equal(runs, 1);
  /** @type {Set<() => void>} */ const listeners = new Set();
  const source = {
    value: 1,
    /** @param {() => void} f */
    onChange: (f) => {
      listeners.add(f);
      return () => listeners.delete(f);
    },
  };
  const watched = scope(() => observe(source, (one) => one.value));
  source.value = 5;
  for (const f of listeners) f();
  assert.equal(watched.value.peek(), 5);
  watched.end();
  assert.equal(listeners.size, 0);
});
