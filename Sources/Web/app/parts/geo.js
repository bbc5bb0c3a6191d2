// Distances, directions and ages of positions; pure. Degrees and metres, no document, no clock.
//
// Distances agree with the server's to the metre (`shares.distance`): the same formula on the same sphere.

/** @typedef {{ lat: number, lon: number }} Place in degrees */
/** @typedef {{ east: number, north: number }} Offset in metres */

/** Metres, mean radius of the Earth (IUGG). */
export const RADIUS = 6_371_008.8;
/** Metres of an international mile. */
const MILE = 1609.344;

/** @param {number} degrees */
const radians = (degrees) => degrees * Math.PI / 180;

/** Degrees from -180 up to 180, so that two places at the date line are neighbours. @param {number} degrees */
function wrapped(degrees) {
  return ((degrees + 180) % 360 + 360) % 360 - 180;
}

/** Metres along a great circle, by the haversine formula. @param {Place} a @param {Place} b */
export function distance(a, b) {
  const lat = Math.sin(radians((b.lat - a.lat) / 2));
  const lon = Math.sin(radians((b.lon - a.lon) / 2));
  const haversine = lat * lat + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * lon * lon;
  return 2 * RADIUS * Math.asin(Math.sqrt(Math.min(1, haversine)));
}

/** Where to turn to from `a` to see `b`, in degrees clockwise from north. @param {Place} a @param {Place} b */
export function bearing(a, b) {
  const lon = radians(b.lon - a.lon);
  const [from, to] = [radians(a.lat), radians(b.lat)];
  const east = Math.sin(lon) * Math.cos(to);
  const north = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(lon);
  return (Math.atan2(east, north) * 180 / Math.PI + 360) % 360;
}

/** The names of eight directions, in the order of `compass`. */
const DIRECTIONS = /** @type {const} */ (["n", "ne", "e", "se", "s", "sw", "w", "nw"]);

/** The nearest of eight directions. @param {number} degrees */
export function compass(degrees) {
  const index = Math.round(((degrees % 360) + 360) % 360 / 45) % 8;
  return DIRECTIONS[index] ?? "n";
}

const SIDES = /** @type {const} */ (["ahead", "right", "behind", "left"]);

/** On which side somebody has what is so many degrees to the right of where they look. @param {number} degrees */
export function side(degrees) {
  return SIDES[((Math.round(degrees / 90) % 4) + 4) % 4] ?? "ahead";
}

/**
 * How far `place` is east and north of `origin`: a flat map, true to shape near the origin, and good to 1 % over the
 * hundred kilometres that a way home may have.
 * @param {Place} origin @param {Place} place @returns {Offset}
 */
export function offset(origin, place) {
  const metresPerDegree = radians(1) * RADIUS;
  return {
    east: wrapped(place.lon - origin.lon) * metresPerDegree * Math.cos(radians(origin.lat)),
    north: (place.lat - origin.lat) * metresPerDegree,
  };
}

/** The place that `offset` puts there. @param {Place} origin @param {Offset} metres @returns {Place} */
export function placeAt(origin, { east, north }) {
  const metresPerDegree = radians(1) * RADIUS;
  const parallel = Math.max(Math.cos(radians(origin.lat)), 1e-9);
  return {
    lat: Math.max(-90, Math.min(90, origin.lat + north / metresPerDegree)),
    lon: wrapped(origin.lon + east / metresPerDegree / parallel),
  };
}

/**
 * Radii of rings that help to judge a map on which `reach` metres are in sight and `least` metres can be told apart:
 * 100, 300, 1,000, 3,000 and so on.
 * @param {number} reach @param {number} least @returns {number[]}
 */
export function rings(reach, least) {
  const radii = [];
  for (let power = 10; power <= 1e7; power *= 10) {
    for (const radius of [power, power * 3]) if (radius >= least && radius <= reach) radii.push(radius);
  }
  return radii;
}

/**
 * Metres as people say them: two figures are enough for a way that somebody walks.
 * @param {number} metres @returns {{ value: number, unit: "meter" | "kilometer" }}
 */
export function spoken(metres) {
  if (metres < 995) {
    const step = metres < 100 ? 5 : 10;
    return { value: Math.round(metres / step) * step, unit: "meter" };
  }
  const kilometres = metres / 1000;
  return { value: kilometres < 9.95 ? Math.round(kilometres * 10) / 10 : Math.round(kilometres), unit: "kilometer" };
}

/** Metres in miles, as people say them. @param {number} metres */
function miles(metres) {
  const all = metres / MILE;
  if (all < 0.095) return Math.round(all * 100) / 100;
  return all < 9.95 ? Math.round(all * 10) / 10 : Math.round(all);
}

/** @param {number} metres @param {string} [locale] such as "1.2 km" */
export function distanceText(metres, locale) {
  const { value, unit } = spoken(metres);
  return measureText(value, unit, locale);
}

/** @param {number} metres @param {string} [locale] such as "0.7 mi" */
export function milesText(metres, locale) {
  return measureText(miles(metres), "mile", locale);
}

/** No line ends between a number and its unit. @param {number} value @param {string} unit @param {string} [locale] */
function measureText(value, unit, locale) {
  const format = new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" });
  return format.format(value).replaceAll(" ", "\u00a0");
}

/** Milliseconds from which a position is no longer fresh, and then lost (protocol.md §4). */
const STALE_AFTER = 60_000;
const LOST_AFTER = 180_000;

/**
 * How far a position may be believed, by its age.
 * @param {number} age milliseconds @returns {"fresh" | "stale" | "lost"}
 */
export function freshness(age) {
  return age <= STALE_AFTER ? "fresh" : age < LOST_AFTER ? "stale" : "lost";
}

/** Whether something from elsewhere is a place. @template T @param {T} value @returns {value is T & Place} */
export function isPlace(value) {
  const place = /** @type {Partial<Place> | null | undefined} */ (value);
  return Number.isFinite(place?.lat) && Number.isFinite(place?.lon) &&
    Math.abs(Number(place?.lat)) <= 90 && Math.abs(Number(place?.lon)) <= 180;
}

/**
 * Addresses that open a way to `place` in an app of the phone, or on the web. `geo:` leaves the choice to Android.
 * @param {Place} place @param {string} label
 */
export function directions({ lat, lon }, label) {
  const at = `${lat.toFixed(5)},${lon.toFixed(5)}`;
  return {
    phone: `geo:${at}?q=${at}(${encodeURIComponent(label)})`,
    apple: `maps://?daddr=${at}&dirflg=d`,
    google: `comgooglemaps://?daddr=${at}`,
    osm: `https://www.openstreetmap.org/directions?to=${at}#map=15/${at.replace(",", "/")}`,
  };
}

/**
 * The place in what somebody pastes: "52.5163, 13.3777", a `geo:` address, or the address of a map on the web.
 * @param {string} text @returns {Place | null}
 */
export function readPlace(text) {
  const number = String.raw`(-?\d{1,3}\.\d+)`;
  const found = new RegExp(`!3d${number}!4d${number}`).exec(text) ??
    new RegExp(`[?&]mlat=${number}&mlon=${number}`).exec(text) ??
    new RegExp(`#map=[\\d.]+/${number}/${number}`).exec(text) ??
    new RegExp(`(?:^\\s*|@|geo:|[?&](?:q|ll|daddr|query|destination)=)${number}\\s*(?:,|%2C|\\s)\\s*${number}`, "i")
      .exec(text);
  const place = { lat: Number(found?.[1] ?? NaN), lon: Number(found?.[2] ?? NaN) };
  return isPlace(place) ? place : null;
}
