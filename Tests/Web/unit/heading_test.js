import assert from "node:assert/strict";
import { test } from "node:test";
import { headingOf } from "../../../Sources/Web/app/parts/heading.js";

test("a heading is clockwise from north, whatever the browser counts", () => {
  assert.equal(headingOf({ absolute: true, alpha: 0 }, 0), 0);
  assert.equal(headingOf({ absolute: true, alpha: 270 }, 0), 90);
  assert.equal(headingOf({ absolute: true, alpha: 90 }, 0), 270);
  assert.equal(headingOf({ absolute: false, alpha: 90, webkitCompassHeading: 30, webkitCompassAccuracy: 15 }, 0), 30);
});

test("a screen that is turned points elsewhere than the upper edge of the phone", () => {
  assert.equal(headingOf({ absolute: true, alpha: 90 }, 90), 0);
  assert.equal(headingOf({ absolute: true, alpha: 270 }, 270), 0);
  assert.equal(headingOf({ webkitCompassHeading: 30 }, 90), 120);
  assert.equal(headingOf({ webkitCompassHeading: 30 }, -90), 300);
});

test("there is no heading without a compass, or before it is set right", () => {
  assert.equal(headingOf({}, 0), null);
  assert.equal(headingOf({ absolute: true, alpha: null }, 0), null);
  assert.equal(headingOf({ absolute: false, alpha: 90 }, 0), null);
  assert.equal(headingOf({ webkitCompassHeading: 30, webkitCompassAccuracy: -1 }, 0), null);
});
