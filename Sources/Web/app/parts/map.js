// A map without tiles: rings in metres, people, the way behind them and the place where they are going. North is up.
//
// Nothing is fetched, so nobody else learns where somebody walks (LOC-23). Only if the house names a tile server of its
// own are there pictures below. The arithmetic stands first and is pure; `createMap` draws it.

import { distanceText, offset, placeAt, rings } from "./geo.js";
import { svg } from "./signal.js";

/** @import { Offset, Place } from "./geo.js" */

/**
 * @typedef {object} Figure a person on the map
 * @property {string} id
 * @property {Place} place
 * @property {number | undefined} [accuracy] metres
 * @property {string} initial one or two letters in the disc
 * @property {string} label the words below it, such as the age
 * @property {"fresh" | "stale" | "lost"} state
 * @property {string} [colour]
 *
 * @typedef {object} Scene
 * @property {{ place: Place, accuracy?: number | undefined } | null} [me]
 * @property {Figure[]} people
 * @property {{ place: Place, radius: number, label: string } | null} [goal]
 * @property {Place[]} [trail] from the oldest to the newest
 * @property {string} description what the map shows, for people who do not see it
 *
 * @typedef {{ x: number, y: number }} Pixel
 * @typedef {{ width: number, height: number }} Size
 * @typedef {{ origin: Place, centre: Offset, scale: number }} View `scale` is in pixels a metre
 */

/** The shortest way that a whole map shows: closer in, a position is less exact than the map. */
const LEAST_METRES = 120;
/** Room at the edges for a disc and the words below it; at the right for the buttons, too. */
const EDGE = { left: 44, right: 76, top: 44, bottom: 56 };
/** The buttons in the corner, with the room around them; a disc's radius; a letter's width; the room beside labels. */
const [BUTTONS, DISC, LETTER, GAP] = [{ width: 56, height: 180 }, 18, 7.5, 4];

/**
 * The view that has everything in it.
 * @param {Place} origin @param {{ place: Place, radius?: number }[]} things @param {Size} size @returns {View}
 */
export function fit(origin, things, { width, height }) {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { place, radius = 0 } of things) {
    const at = offset(origin, place);
    [west, east] = [Math.min(west, at.east - radius), Math.max(east, at.east + radius)];
    [south, north] = [Math.min(south, at.north - radius), Math.max(north, at.north + radius)];
  }
  if (west > east) [west, east, south, north] = [0, 0, 0, 0];
  const [right, down] = [Math.max(width - EDGE.left - EDGE.right, 1), Math.max(height - EDGE.top - EDGE.bottom, 1)];
  const scale = Math.min(
    right / Math.max(east - west, 1),
    down / Math.max(north - south, 1),
    Math.min(right, down) / LEAST_METRES,
  );
  const centre = {
    east: (west + east) / 2 + (EDGE.right - EDGE.left) / 2 / scale,
    north: (south + north) / 2 - (EDGE.bottom - EDGE.top) / 2 / scale,
  };
  return { origin, centre, scale };
}

/**
 * How far below its place a label stands: elsewhere than usual, if a disc with a label of its own is there, too.
 * @param {Pixel | undefined} at @param {Pixel[]} discs @param {number} usual @param {number} otherwise
 */
export const labelY = (at, discs, usual, otherwise) =>
  at && discs.some(({ x, y }) => Math.hypot(x - at.x, y - at.y) < 2 * DISC) ? otherwise : usual;

/**
 * The pixels by which a label moves to a side of its disc, so that neither an edge nor the buttons hide it.
 * @param {Pixel} disc @param {string} text @param {Size} size
 */
export function labelShift({ x, y }, text, { width, height }) {
  const half = text.length * LETTER / 2;
  const right = width - (y > height - BUTTONS.height ? BUTTONS.width : 0);
  const wanted = Math.min(Math.max(x, half + GAP), right - half - GAP) - x;
  // A part of the label stays below the disc.
  const most = Math.max(half - DISC, 0);
  return Math.min(Math.max(wanted, -most), most);
}

/** Where a place is in the picture. @param {View} view @param {Size} size @param {Place} place */
export function toScreen(view, size, place) {
  const at = offset(view.origin, place);
  return {
    x: size.width / 2 + (at.east - view.centre.east) * view.scale,
    y: size.height / 2 - (at.north - view.centre.north) * view.scale,
  };
}

/**
 * The place at a point of the picture. @param {View} view @param {Size} size @param {Pixel} point
 */
export function toPlace(view, size, { x, y }) {
  return placeAt(view.origin, {
    east: view.centre.east + (x - size.width / 2) / view.scale,
    north: view.centre.north - (y - size.height / 2) / view.scale,
  });
}

/**
 * Zooms by `factor` and keeps what is under `point` there.
 * @param {View} view @param {Size} size @param {number} factor @param {Pixel} point @returns {View}
 */
export function zoomed(view, size, factor, point) {
  // From a house number to a country.
  const scale = Math.max(0.0005, Math.min(4, view.scale * factor));
  const [right, up] = [point.x - size.width / 2, size.height / 2 - point.y];
  const centre = {
    east: view.centre.east + right / view.scale - right / scale,
    north: view.centre.north + up / view.scale - up / scale,
  };
  return { ...view, centre, scale };
}

/** @param {View} view @param {number} right @param {number} down pixels by which the picture moves @returns {View} */
export function moved(view, right, down) {
  const centre = { east: view.centre.east - right / view.scale, north: view.centre.north + down / view.scale };
  return { ...view, centre };
}

/**
 * Where on a ring its length can be read: inside the picture, away from people; north if that is possible.
 * @param {Pixel} centre @param {number} radius @param {Size} size
 * @param {Pixel[]} taken @returns {Pixel | null}
 */
function ringLabel(centre, radius, { width, height }, taken) {
  let best = null;
  let most = 0;
  for (let step = 0; step < 16; step++) {
    // 0, then to both sides in turn, further and further from north.
    const angle = (step % 2 ? 1 : -1) * Math.ceil(step / 2) * Math.PI / 8;
    const x = centre.x + radius * Math.sin(angle);
    const y = centre.y - radius * Math.cos(angle);
    const room = Math.min(x - 28, width - 28 - x, y - 14, height - 14 - y);
    const apart = Math.min(64, ...taken.map((other) => Math.hypot(other.x - x, other.y + 8 - y)));
    // The buttons and the sign for north stand in two corners.
    const isCovered = (x > width - 84 && y > height - 180) || (x < 64 && y < 80);
    const score = room < 0 || apart < 40 || isCovered ? 0 : apart;
    if (score > most) [best, most] = [{ x, y }, score];
    if (most === 64) break;
  }
  return best;
}

const TILE = 256;

/**
 * The pictures that cover a view, for a server of Web Mercator tiles. Few enough to ask for at once.
 * @param {View} view @param {Size} size @param {string} template with {z}, {x} and {y}
 * @returns {{ url: string, x: number, y: number, width: number, height: number }[]}
 */
export function tiles(view, size, template) {
  const corner = toPlace(view, size, { x: 0, y: 0 });
  const opposite = toPlace(view, size, { x: size.width, y: size.height });
  const metresPerPixel = 1 / view.scale;
  const equator = 40_075_016.7 * Math.cos(view.origin.lat * Math.PI / 180);
  const z = Math.max(1, Math.min(19, Math.round(Math.log2(equator / TILE / metresPerPixel))));
  const count = 2 ** z;
  /** @param {number} lon */
  const column = (lon) => (lon + 180) / 360 * count;
  /** @param {number} lat */
  const row = (lat) => (1 - Math.asinh(Math.tan(lat * Math.PI / 180)) / Math.PI) / 2 * count;
  /** @param {number} x @param {number} y @returns {Place} */
  const place = (x, y) => ({
    lat: Math.atan(Math.sinh(Math.PI * (1 - 2 * y / count))) * 180 / Math.PI,
    lon: x / count * 360 - 180,
  });
  const found = [];
  for (let y = Math.floor(row(corner.lat)); y <= row(opposite.lat) && y < count; y++) {
    for (let x = Math.floor(column(corner.lon)); x <= column(opposite.lon) && x < count; x++) {
      if (x < 0 || y < 0 || found.length >= 48) continue;
      const from = toScreen(view, size, place(x, y));
      const to = toScreen(view, size, place(x + 1, y + 1));
      const url = template.replace("{z}", String(z)).replace("{x}", String(x)).replace("{y}", String(y));
      found.push({ url, x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y });
    }
  }
  return found;
}

// MARK: drawing

let count = 0;

/** A button's sign. @param {string} path */
function sign(path) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
}

/**
 * A map that draws scenes. It shows everything in them until somebody moves or zooms it, and again after "fit".
 * @param {{ closer: string, wider: string, fit: string, north: string, me: string }} words
 * @param {{ locale?: string, tiles?: string }} [options]
 */
export function createMap(words, { locale, tiles: template } = {}) {
  // Nothing for readers of the screen until there is something in it.
  const picture = svg("svg", { class: "map-picture", role: "img", "aria-hidden": "true" });
  const layers = {
    tiles: svg("g", { class: "map-tiles" }),
    rings: svg("g", { class: "map-rings" }),
    way: svg("g", { class: "map-way" }),
    people: svg("g", { class: "map-people" }),
  };
  const shade = `map-shade-${++count}`;
  const stops = [[0, 0.9], [1, 0]].map(([offset, opacity]) => svg("stop", { offset, "stop-opacity": opacity }));
  const light = { id: shade, gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r: 52 };
  picture.append(svg("defs", null, svg("radialGradient", light, stops)), ...Object.values(layers));
  const compass = svg(
    "svg",
    { class: "map-north", viewBox: "0 0 24 36", role: "img", "aria-label": words.north },
    svg("path", { d: "M12 2 19 20 12 16 5 20Z" }),
    svg("text", { x: 12, y: 34, "text-anchor": "middle" }, "N"),
  );
  const element = document.createElement("div");
  element.className = "map";
  const buttons = document.createElement("div");
  buttons.className = "map-buttons";
  element.append(picture, compass, buttons);

  /** @type {Scene | null} */ let scene = null;
  /** @type {View | null} */ let view = null;
  /** Whether somebody has chosen the view: it is then not taken from under their finger. */
  let isChosen = false;
  /** @type {Size} */ let size = { width: 0, height: 0 };
  /** @type {Map<string, SVGElement>} */ const figures = new Map();
  // The cone shows the heading. It turns without a redraw of the map, since headings change many times a second.
  const cone = svg("path", { class: "map-cone", d: "M0 0L-26 -45A52 52 0 0 1 26 -45Z", fill: `url(#${shade})` });
  cone.toggleAttribute("hidden", true);

  /** @param {string} label @param {string} path @param {() => void} action */
  function button(label, path, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.title = label;
    made.append(sign(path));
    made.addEventListener("click", action);
    buttons.append(made);
  }
  const middle = () => ({ x: size.width / 2, y: size.height / 2 });
  button(words.closer, "M12 5v14M5 12h14", () => choose(view && zoomed(view, size, 2, middle())));
  button(words.wider, "M5 12h14", () => choose(view && zoomed(view, size, 0.5, middle())));
  button(words.fit, "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", () => {
    isChosen = false;
    draw();
  });

  /** @param {View | null} next */
  function choose(next) {
    if (!next) return;
    view = next;
    isChosen = true;
    draw();
  }

  /** Everything that must be in sight. @param {Scene} shown */
  function things({ me, people, goal, trail = [] }) {
    /** @type {{ place: Place, radius?: number }[]} */
    const all = people.map(({ place, accuracy = 0 }) => ({ place, radius: Math.min(accuracy, 2000) }));
    if (me) all.push({ place: me.place });
    if (goal) all.push({ place: goal.place, radius: goal.radius });
    return [...all, ...trail.map((place) => ({ place }))];
  }

  function draw() {
    if (!scene || !size.width) return;
    // Rings tell how far something is from me, if I am on the map; otherwise from where they are going.
    const centre = scene.me?.place ?? scene.goal?.place ?? scene.people[0]?.place;
    if (!centre) return;
    if (!view || !isChosen) view = fit(centre, things(scene), size);
    picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    picture.setAttribute("aria-label", scene.description);
    picture.removeAttribute("aria-hidden");
    if (template) drawTiles(view, template);
    drawRings(view, centre);
    drawWay(view, scene);
    drawPeople(view, scene);
  }

  /** @param {View} shown @param {string} server */
  function drawTiles(shown, server) {
    layers.tiles.replaceChildren(
      ...tiles(shown, size, server).map(({ url, ...place }) => svg("image", { href: url, ...place })),
    );
  }

  /** @param {View} shown @param {Place} centre */
  function drawRings(shown, centre) {
    const { x, y } = toScreen(shown, size, centre);
    const reach = Math.hypot(Math.max(x, size.width - x), Math.max(y, size.height - y)) / shown.scale;
    const things = [...scene?.people ?? [], ...scene?.goal ? [scene.goal] : []];
    const taken = things.map(({ place }) => toScreen(shown, size, place));
    /** @type {Node[]} */ const parts = [];
    // The largest first: a smaller one lies on it.
    for (const metres of rings(reach, 36 / shown.scale).reverse()) {
      const radius = metres * shown.scale;
      parts.push(svg("circle", { cx: x, cy: y, r: radius }));
      const at = ringLabel({ x, y }, radius, size, taken);
      if (at) parts.push(svg("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, distanceText(metres, locale)));
    }
    layers.rings.replaceChildren(...parts);
  }

  /** @param {View} shown @param {Scene} now */
  function drawWay(shown, { goal, trail = [], me, people }) {
    const parts = [];
    if (goal) {
      const { x, y } = toScreen(shown, size, goal.place);
      const discs = [...people, ...me ? [me] : []].map(({ place }) => toScreen(shown, size, place));
      parts.push(
        svg("circle", { class: "map-goal", cx: x, cy: y, r: Math.max(goal.radius * shown.scale, 10) }),
        svg("path", { class: "map-flag", d: `M${x - 8} ${y + 7}v-7l8-7 8 7v7z` }),
        svg("text", { x, y: y + labelY({ x, y }, discs, 24, 48), "text-anchor": "middle" }, goal.label),
      );
    }
    const one = people.length === 1 ? people[0] : undefined;
    if (me && one) {
      const [from, to] = [toScreen(shown, size, me.place), toScreen(shown, size, one.place)];
      parts.push(svg("line", { class: "map-sight", x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
    }
    const way = one ? [...trail, one.place] : trail;
    if (way.length > 1) {
      const points = way.map((place) => toScreen(shown, size, place));
      // Each stretch is more solid than the one before: the way fades behind the person.
      for (const [index, to] of points.entries()) {
        const from = points[index - 1];
        if (!from) continue;
        const stretch = svg("line", { class: "map-trail", x1: from.x, y1: from.y, x2: to.x, y2: to.y });
        stretch.style.opacity = String(0.25 + 0.75 * index / points.length);
        parts.push(stretch);
      }
    }
    layers.way.replaceChildren(...parts);
  }

  /** People keep their element, so that they glide to where they are now. @param {View} shown @param {Scene} now */
  function drawPeople(shown, { me, people }) {
    /** @type {Set<string>} */ const seen = new Set();
    for (const person of people) {
      seen.add(person.id);
      put(shown, person.id, person.place, person.accuracy, `map-person ${person.state}`, [
        svg("circle", { class: "map-disc", r: DISC }),
        svg("text", { class: "map-initial", y: 5, "text-anchor": "middle" }, person.initial),
        label(shown, person.place, brief(person.label), 34),
      ], person.colour);
    }
    if (me) {
      seen.add("me");
      const [at, ...discs] = [me, ...people].map(({ place }) => toScreen(shown, size, place));
      put(shown, "me", me.place, me.accuracy, "map-me", [
        cone,
        svg("circle", { class: "map-dot", r: 7 }),
        label(shown, me.place, words.me, labelY(at, discs, 24, -27)),
      ]);
    }
    for (const [id, figure] of figures) {
      if (seen.has(id)) continue;
      figure.remove();
      figures.delete(id);
    }
  }

  /** @param {View} shown @param {Place} place @param {string} text @param {number} below the middle of its disc */
  const label = (shown, place, text, below) =>
    svg("text", {
      class: "map-label",
      x: labelShift(toScreen(shown, size, place), text, size),
      y: below,
      "text-anchor": "middle",
    }, text);

  /**
   * @param {View} shown @param {string} id @param {Place} place @param {number | undefined} accuracy
   * @param {string} name @param {SVGElement[]} parts @param {string} [colour]
   */
  function put(shown, id, place, accuracy, name, parts, colour) {
    let figure = figures.get(id);
    if (!figure) {
      figure = svg("g");
      figures.set(id, figure);
      layers.people.append(figure);
    }
    figure.setAttribute("class", name);
    if (colour) figure.style.setProperty("--person", colour);
    const circle = accuracy && accuracy * shown.scale > 18
      ? [svg("circle", { class: "map-accuracy", r: accuracy * shown.scale })]
      : [];
    figure.replaceChildren(...circle, ...parts);
    const { x, y } = toScreen(shown, size, place);
    figure.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }

  handle(picture, () => ({ view, size }), choose);
  const observer = new ResizeObserver(([entry]) => {
    if (!entry) return;
    const { width, height } = entry.contentRect;
    if (width === size.width && height === size.height) return;
    size = { width, height };
    draw();
  });
  observer.observe(picture);

  return {
    element,
    /** @param {Scene} next */
    show(next) {
      scene = next;
      draw();
    },
    /** @param {number | null} heading of the phone that the map is on, in degrees; null if it is not known */
    turn(heading) {
      cone.toggleAttribute("hidden", heading === null);
      if (heading !== null) cone.setAttribute("transform", `rotate(${heading.toFixed(1)})`);
    },
    /** Looks at one place. @param {Place} place */
    look(place) {
      if (!view) return;
      choose({ ...view, centre: offset(view.origin, place), scale: Math.max(view.scale, size.width / 1000) });
    },
    close() {
      observer.disconnect();
    },
  };
}

/**
 * Moving by one finger or the mouse, zooming by two fingers or the wheel. The buttons do the same.
 * @param {SVGElement} picture @param {() => { view: View | null, size: Size }} current
 * @param {(view: View) => void} choose
 */
function handle(picture, current, choose) {
  /** @type {Map<number, Pixel>} */ const fingers = new Map();
  /** @param {PointerEvent | WheelEvent} event */
  const point = (event) => {
    const { left, top } = picture.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return a && b
      ? { length: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
      : { length: 0, x: a?.x ?? 0, y: a?.y ?? 0 };
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, point(event));
  });
  picture.addEventListener("pointermove", (event) => {
    const { view, size } = current();
    if (!view || !fingers.has(event.pointerId)) return;
    const before = spread();
    fingers.set(event.pointerId, point(event));
    const after = spread();
    const shifted = moved(view, after.x - before.x, after.y - before.y);
    choose(before.length && after.length ? zoomed(shifted, size, after.length / before.length, after) : shifted);
  });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
    picture.addEventListener(end, (event) => void fingers.delete(event.pointerId));
  }
  picture.addEventListener("wheel", (event) => {
    const { view, size } = current();
    if (!view) return;
    event.preventDefault();
    choose(zoomed(view, size, Math.exp(-event.deltaY / 400), point(event)));
  }, { passive: false });
}

/** A long name leaves the map; the list below has all of it. @param {string} label */
function brief(label) {
  const [name = "", ...age] = label.split(" · ");
  return [name.length > 14 ? `${name.slice(0, 13).trimEnd()}…` : name, ...age].join(" · ");
}
