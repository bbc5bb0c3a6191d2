// A QR code (ISO/IEC 18004) for a link: bytes, error correction M, versions 1 to 6, always the first mask.

import { svg } from "./signal.js";

/** By version: bytes of data, bytes of correction a block, blocks. @type {[number, number, number][]} */
const VERSIONS = [[16, 10, 1], [28, 16, 1], [44, 26, 1], [64, 18, 2], [86, 24, 2], [108, 16, 4]];
/** The format information of level M with mask 0, its correction included. */
const FORMAT = 0b101010000010010;

// Arithmetic of the field with 256 elements, by logarithms.
const EXP = new Uint8Array(510);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = EXP[power + 255] = value;
  LOG[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
/** @param {number} a @param {number} b */
const times = (a, b) => (a && b ? EXP[(LOG[a] ?? 0) + (LOG[b] ?? 0)] ?? 0 : 0);

/** The remainder that corrects a block (Reed and Solomon). @param {Uint8Array} data @param {number} length */
function correction(data, length) {
  let generator = [1];
  for (let power = 0; power < length; power += 1) {
    const root = EXP[power] ?? 0;
    generator = [...generator, 0].map((value, at) => value ^ times(generator[at - 1] ?? 0, root));
  }
  const rest = new Uint8Array(data.length + length);
  rest.set(data);
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at] ?? 0;
    for (let k = 0; k <= length; k += 1) rest[at + k] = (rest[at + k] ?? 0) ^ times(generator[k] ?? 0, factor);
  }
  return rest.slice(data.length);
}

/** The modules of a text, row by row; null if it is too long. @param {string} text @returns {boolean[][] | null} */
export function modules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = VERSIONS.findIndex(([data]) => bytes.length + 2 <= data) + 1;
  const form = VERSIONS[version - 1];
  if (!form) return null;
  const [capacity, fixing, blocks] = form;

  // Mode 4 (bytes), the length, the bytes, a terminator of zeros, then two bytes in turn.
  const data = new Uint8Array(capacity);
  const nibbles = [4, bytes.length >> 4, bytes.length & 15, ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  nibbles.forEach((nibble, at) => data[at >> 1] = (data[at >> 1] ?? 0) | (at % 2 ? nibble : nibble << 4));
  for (let at = bytes.length + 2, turn = 0; at < capacity; at += 1, turn ^= 1) data[at] = turn ? 0x11 : 0xec;

  const size = capacity / blocks;
  const parts = Array.from({ length: blocks }, (_, at) => data.slice(at * size, (at + 1) * size));
  const fixes = parts.map((part) => correction(part, fixing));
  const stream = [
    ...Array.from({ length: size }, (_, at) => parts.map((part) => part[at] ?? 0)).flat(),
    ...Array.from({ length: fixing }, (_, at) => fixes.map((part) => part[at] ?? 0)).flat(),
  ];

  const width = 17 + 4 * version;
  /** @type {(boolean | undefined)[][]} */
  const grid = Array.from({ length: width }, () => Array(width).fill(undefined));
  const put = (/** @type {number} */ row, /** @type {number} */ column, /** @type {boolean} */ isDark) => {
    const line = grid[row];
    if (line && column >= 0 && column < width) line[column] = isDark;
  };
  // The three finders with their white edges.
  for (const [top, start] of [[0, 0], [0, width - 7], [width - 7, 0]]) {
    for (let r = -1; r <= 7; r += 1) {
      for (let c = -1; c <= 7; c += 1) {
        const ring = Math.max(Math.abs(r - 3), Math.abs(c - 3));
        put((top ?? 0) + r, (start ?? 0) + c, ring !== 2 && ring !== 4);
      }
    }
  }
  const middle = 4 * version + 10;
  if (version > 1) {
    for (let r = -2; r <= 2; r += 1) {
      for (let c = -2; c <= 2; c += 1) put(middle + r, middle + c, Math.max(Math.abs(r), Math.abs(c)) !== 1);
    }
  }
  for (let at = 8; at < width - 8; at += 1) {
    put(6, at, at % 2 === 0);
    put(at, 6, at % 2 === 0);
  }
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = Boolean((FORMAT >> bit) & 1);
    // Once around the first finder, once along the two others.
    if (bit < 6) put(bit, 8, isDark);
    else if (bit < 8) put(bit + 1, 8, isDark);
    else if (bit === 8) put(8, 7, isDark);
    else put(8, 14 - bit, isDark);
    if (bit < 8) put(8, width - 1 - bit, isDark);
    else put(width - 15 + bit, 8, isDark);
  }
  put(width - 8, 8, true);

  // Two columns at a time from the end, up and down in turn, over all that is free.
  let bit = 0;
  for (let right = width - 1, goesUp = true; right > 0; right -= 2, goesUp = !goesUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < width; step += 1) {
      const row = goesUp ? width - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (grid[row]?.[column] !== undefined) continue;
        const isSet = Boolean(((stream[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
        put(row, column, isSet !== ((row + column) % 2 === 0));
        bit += 1;
      }
    }
  }
  return grid.map((line) => line.map(Boolean));
}

/** @param {string} text @param {string} label */
export function qr(text, label) {
  const rows = modules(text);
  if (!rows) return null;
  let path = "";
  rows.forEach((line, y) => line.forEach((isDark, x) => isDark && (path += `M${x} ${y}h1v1h-1z`)));
  const edge = rows.length + 8;
  return svg(
    "svg",
    { class: "qr", viewBox: `-4 -4 ${edge} ${edge}`, role: "img", "aria-label": label },
    svg("rect", { x: -4, y: -4, width: edge, height: edge, fill: "#fff" }),
    svg("path", { d: path, fill: "#000", "shape-rendering": "crispEdges" }),
  );
}
