// The colours of notes and of the board, in the order in which they are offered.

export const NOTE_COLOURS = /** @type {const} */ ([
  "yellow",
  "orange",
  "red",
  "pink",
  "purple",
  "blue",
  "green",
  "grey",
  "white",
]);

/** A tilt of at most 1.2 degrees that is the same for everybody who sees the note. @param {string} id */
export function tilt(id) {
  let sum = 0;
  for (let at = 0; at < id.length; at += 1) sum = (sum * 33 + id.charCodeAt(at)) >>> 0;
  return `${((sum % 25) - 12) / 10}deg`;
}
