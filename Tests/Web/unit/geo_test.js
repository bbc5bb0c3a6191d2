import assert from "node:assert/strict";
import { test } from "node:test";
import * as geo from "../../../Sources/Web/app/parts/geo.js";

const gate = { lat: 52.51631, lon: 13.3777 };

/** @param {number} actual @param {number} expected @param {number} margin */
function near(actual, expected, margin) {
  assert.ok(Math.abs(actual - expected) <= margin, `${actual} is not ${expected} ± ${margin}`);
}

test("a distance is the server's (protocol.md §9: 1001 m)", () => {
  assert.equal(Math.round(geo.distance(gate, { lat: 52.52531, lon: 13.3777 })), 1001);
  assert.equal(geo.distance(gate, gate), 0);
  near(geo.distance({ lat: 0, lon: 179.999 }, { lat: 0, lon: -179.999 }), 222.4, 0.1);
  near(geo.distance({ lat: 90, lon: 0 }, { lat: -90, lon: 0 }), Math.PI * geo.RADIUS, 1);
});

test("a bearing is clockwise from north, also across the date line", () => {
  near(geo.bearing(gate, { lat: 53, lon: 13.3777 }), 0, 1e-6);
  near(geo.bearing(gate, { lat: 52.51631, lon: 13.4 }), 90, 0.1);
  near(geo.bearing(gate, { lat: 52, lon: 13.3777 }), 180, 1e-6);
  near(geo.bearing({ lat: 0, lon: 179.9 }, { lat: 0, lon: -179.9 }), 90, 1e-6);
});

test("a direction is the nearest of eight", () => {
  const named = [[0, "n"], [22, "n"], [23, "ne"], [90, "e"], [180, "s"], [247, "sw"], [337, "nw"], [338, "n"], [
    -90,
    "w",
  ]];
  for (const [degrees, name] of named) assert.equal(geo.compass(Number(degrees)), name, String(degrees));
});

test("a side is the nearest of four", () => {
  const named = [[0, "ahead"], [44, "ahead"], [46, "right"], [180, "behind"], [-44, "ahead"], [-90, "left"], [
    300,
    "left",
  ], [-359, "ahead"]];
  for (const [degrees, name] of named) assert.equal(geo.side(Number(degrees)), name, String(degrees));
});

test("the flat map agrees with the sphere, and back", () => {
  for (const there of [{ lat: 52.52531, lon: 13.39 }, { lat: 52.4, lon: 13.2 }]) {
    const { east, north } = geo.offset(gate, there);
    near(Math.hypot(east, north) / geo.distance(gate, there), 1, 0.01);
    const back = geo.placeAt(gate, { east, north });
    near(back.lat, there.lat, 1e-9);
    near(back.lon, there.lon, 1e-9);
  }
  near(geo.offset({ lat: 0, lon: 179.999 }, { lat: 0, lon: -179.999 }).east, 222.4, 0.1);
  near(geo.placeAt({ lat: 0, lon: 179.999 }, { east: 222.4, north: 0 }).lon, -179.999, 1e-4);
  assert.equal(geo.placeAt({ lat: 89.99999, lon: 0 }, { east: 0, north: 1e6 }).lat, 90);
});

test("rings are 1, 3, 10… within what can be seen", () => {
  assert.deepEqual(geo.rings(1200, 60), [100, 300, 1000]);
  assert.deepEqual(geo.rings(3000, 300), [300, 1000, 3000]);
  assert.deepEqual(geo.rings(50, 60), []);
});

test("distances are said in words of two figures", () => {
  assert.equal(geo.distanceText(3, "en"), "5\u00a0m");
  assert.equal(geo.distanceText(84, "en"), "85\u00a0m");
  assert.equal(geo.distanceText(994, "en"), "990\u00a0m");
  assert.equal(geo.distanceText(996, "en"), "1\u00a0km");
  assert.equal(geo.distanceText(1449, "de"), "1,4\u00a0km");
  assert.equal(geo.distanceText(12_400, "en"), "12\u00a0km");
  assert.equal(geo.milesText(1609, "en"), "1\u00a0mi");
  assert.equal(geo.milesText(80, "en"), "0.05\u00a0mi");
});

test("an age is fresh up to a minute, lost from three (protocol.md §4)", () => {
  const ages = [[0, "fresh"], [60_000, "fresh"], [60_001, "stale"], [179_999, "stale"], [180_000, "lost"]];
  for (const [age, word] of ages) assert.equal(geo.freshness(Number(age)), word);
});

test("what is no place is none", () => {
  assert.ok(geo.isPlace(gate));
  for (const other of [null, undefined, {}, { lat: 91, lon: 0 }, { lat: "1", lon: 2 }, { lat: NaN, lon: 0 }]) {
    assert.ok(!geo.isPlace(other), JSON.stringify(other));
  }
});

test("directions open an app and keep a strange name inside", () => {
  assert.equal(
    geo.directions(gate, "Zoë & (me)").phone,
    "geo:52.51631,13.37770?q=52.51631,13.37770(Zo%C3%AB%20%26%20(me))",
  );
});

test("a place is read from what people paste", () => {
  const texts = [
    "52.5163, 13.3777",
    " 52.5163 13.3777 ",
    "geo:52.5163,13.3777?z=17",
    "https://www.openstreetmap.org/#map=17/52.5163/13.3777",
    "https://www.openstreetmap.org/?mlat=52.5163&mlon=13.3777#map=5/50.1/10.1",
    "https://www.google.com/maps/@52.5163,13.3777,17z",
    "https://www.google.com/maps/place/Gate/@52.5,13.3,17z/data=!3m1!4b1!3d52.5163!4d13.3777",
    "https://maps.apple.com/?ll=52.5163,13.3777&q=Gate",
  ];
  for (const text of texts) assert.deepEqual(geo.readPlace(text), { lat: 52.5163, lon: 13.3777 }, text);
  assert.deepEqual(geo.readPlace("-33.8568, -70.5"), { lat: -33.8568, lon: -70.5 });
  for (const text of ["", "home", "52, 13", "1.5 kg 2.5", "95.1, 13.2", "12.5.2026, 10.30"]) {
    assert.equal(geo.readPlace(text), null, text);
  }
});
