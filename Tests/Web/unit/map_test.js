import assert from "node:assert/strict";
import { test } from "node:test";
import { offset } from "../../../Sources/Web/app/parts/geo.js";
import {
  fit,
  labelShift,
  labelY,
  moved,
  tiles,
  toPlace,
  toScreen,
  zoomed,
} from "../../../Sources/Web/app/parts/map.js";

const me = { lat: 52.52, lon: 13.4 };
const far = { lat: 52.51631, lon: 13.3777 };
const size = { width: 390, height: 420 };

/** @param {{ x: number, y: number }} a @param {{ x: number, y: number }} b */
function same(a, b) {
  assert.ok(Math.hypot(a.x - b.x, a.y - b.y) < 1e-6, `${JSON.stringify(a)} is not ${JSON.stringify(b)}`);
}

test("everything is in sight, with room for its words", () => {
  const view = fit(me, [{ place: me }, { place: far, radius: 100 }], size);
  for (const place of [me, far]) {
    const { x, y } = toScreen(view, size, place);
    assert.ok(x >= 43 && x <= size.width - 75 && y >= 43 && y <= size.height - 55, `${x}, ${y}`);
  }
  assert.ok(toScreen(view, size, far).x < toScreen(view, size, me).x, "west is left");
  assert.ok(toScreen(view, size, far).y > toScreen(view, size, me).y, "north is up");
});

test("one place alone stands in the middle, and not closer than it is exact", () => {
  const view = fit(me, [{ place: me }], size);
  same(toScreen(view, size, me), { x: 179, y: 204 });
  assert.ok(view.scale * 120 <= size.width);
  assert.ok(Number.isFinite(fit(me, [], size).scale));
  assert.ok(fit(me, [{ place: me }], { width: 10, height: 10 }).scale > 0);
});

test("a label makes room for that of a person in the same place", () => {
  assert.equal(labelY({ x: 100, y: 100 }, [{ x: 200, y: 100 }], 24, 48), 24);
  assert.equal(labelY({ x: 100, y: 100 }, [{ x: 200, y: 100 }, { x: 110, y: 90 }], 24, 48), 48);
  assert.equal(labelY({ x: 100, y: 100 }, [], 24, 48), 24);
});

test("a label stands below its disc, beside the edges and the buttons", () => {
  const text = "Maximiliane · 29 sec";
  assert.equal(labelShift({ x: 190, y: 100 }, text, size), 0);
  // Cut off at neither side, but never so far away that it is no longer below the disc.
  assert.equal(labelShift({ x: 60, y: 100 }, text, size), 19);
  assert.equal(labelShift({ x: 330, y: 100 }, text, size), -19);
  assert.equal(labelShift({ x: -100, y: 100 }, text, size), 57);
  // The buttons take the lower corner.
  assert.equal(labelShift({ x: 314, y: 100 }, "29 sec", size), 0);
  assert.equal(labelShift({ x: 314, y: 300 }, "29 sec", size), -4.5);
});

test("a point of the picture is a place, and back", () => {
  const view = fit(me, [{ place: me }, { place: far }], size);
  same(toScreen(view, size, toPlace(view, size, { x: 17, y: 300 })), { x: 17, y: 300 });
});

test("zooming keeps what is under the finger, moving follows it", () => {
  const view = fit(me, [{ place: me }, { place: far }], size);
  const finger = { x: 100, y: 50 };
  const under = toPlace(view, size, finger);
  same(toScreen(zoomed(view, size, 2, finger), size, under), finger);
  same(toScreen(zoomed(view, size, 1e9, finger), size, under), finger);
  same(toScreen(moved(view, 30, -7), size, under), { x: 130, y: 43 });
});

test("tiles cover the whole picture and are asked of the house's own server", () => {
  const view = fit(me, [{ place: me }, { place: far }], size);
  const found = tiles(view, size, "https://tiles.home/{z}/{x}/{y}.png");
  assert.ok(found.length > 1 && found.length <= 48);
  const left = Math.min(...found.map(({ x }) => x));
  const top = Math.min(...found.map(({ y }) => y));
  const right = Math.max(...found.map(({ x, width }) => x + width));
  const bottom = Math.max(...found.map(({ y, height }) => y + height));
  assert.ok(left <= 0 && top <= 0 && right >= size.width && bottom >= size.height);
  for (const { url, width, height } of found) {
    assert.match(url, /^https:\/\/tiles\.home\/\d+\/\d+\/\d+\.png$/);
    assert.ok(width > 128 && width < 512 && Math.abs(width - height) / width < 0.02, `${width} × ${height}`);
  }
});

test("a tile lies where Mercator puts it", () => {
  // Zoom 15: the tile of the Brandenburg Gate is 17601, 10746.
  const view = { origin: far, centre: offset(far, far), scale: 1 / 2.9 };
  const found = tiles(view, size, "{z}/{x}/{y}");
  const at = toScreen(view, size, far);
  const tile = found.find(({ x, y, width, height }) => x <= at.x && at.x < x + width && y <= at.y && at.y < y + height);
  assert.equal(tile?.url, "15/17601/10746");
});
