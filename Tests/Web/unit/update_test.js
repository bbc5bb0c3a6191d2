import assert from "node:assert/strict";
import { test } from "node:test";
import { keepPage, watchVersion } from "../../../Sources/Web/app/parts/update.js";

/** A library that the test lets hear of versions. */
function told() {
  /** @type {() => void} */ let tell = () => {};
  const hearth = {
    /** @type {{ version?: string }} */ page: {},
    onChange: (/** @type {() => void} */ f) => {
      tell = f;
      return () => void (tell = () => {});
    },
  };
  /** @param {string} [version] */
  const greet = (version) => {
    hearth.page = version ? { version } : {};
    tell();
  };
  return { hearth, greet };
}

test("another version of the server is found once, and a return to this one not at all", () => {
  const { hearth, greet } = told();
  let found = 0;
  const end = watchVersion(hearth, "one", () => found++);
  greet();
  greet("one");
  assert.equal(found, 0);
  greet("two");
  greet("two");
  assert.equal(found, 1);
  greet("one");
  assert.equal(found, 1);
  greet("three");
  assert.equal(found, 2);
  end();
  greet("four");
  assert.equal(found, 2);
});

test("a version that was known before the page began is found at once", () => {
  const { hearth, greet } = told();
  greet("two");
  let found = 0;
  watchVersion(hearth, "one", () => found++);
  assert.equal(found, 1);
});

test("the first worker of a browser is no newer version, however late its states are told", async () => {
  const [first, newer] = [new EventTarget(), new EventTarget()];
  /** @type {any} */ const kept = Object.assign(new EventTarget(), { installing: first, waiting: null, active: null });
  const workers = Object.assign(new EventTarget(), {
    controller: /** @type {any} */ (null),
    register: async () => kept,
  });
  Object.defineProperty(navigator, "serviceWorker", { value: workers, configurable: true });
  let offers = 0;
  await keepPage(/** @type {any} */ (told().hearth), () => offers++);
  kept.dispatchEvent(new Event("updatefound"));
  // As WebKit does: it is in control, and still said to wait.
  Object.assign(kept, { installing: null, waiting: first });
  workers.controller = first;
  first.dispatchEvent(new Event("statechange"));
  assert.equal(offers, 0);
  Object.assign(kept, { installing: newer, waiting: null, active: first });
  kept.dispatchEvent(new Event("updatefound"));
  Object.assign(kept, { installing: null, waiting: newer });
  newer.dispatchEvent(new Event("statechange"));
  assert.equal(offers, 1);
});
