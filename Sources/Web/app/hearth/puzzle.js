// The proof of work that a server asks strangers for (protocol.md, Proof of work).
//
// It hashes by itself, in short turns: `crypto.subtle` takes ten times as long for so short texts, and a worker would
// need its own permission under Trusted Types.

/** @import { JsonObject } from "./types/library.d.ts" */

/** The greatest number up to which a solution is sought: about 20 s on a slow phone. */
const HARDEST = 10_000_000;
/** Hashes between two looks at what else there is to do: a few ms on a slow phone. */
const TURN = 1000;

/**
 * Solves a puzzle. Resolves with the parameter `puzzle`; null if it has no solution, or asks for too much.
 * @param {JsonObject} puzzle
 * @returns {Promise<string | null>}
 */
export async function solve({ algorithm, challenge, maxnumber, salt, signature }) {
  if (algorithm !== "SHA-256" || !(Number(maxnumber) <= HARDEST) || typeof salt !== "string") return null;
  const limit = Number(maxnumber);
  for (let number = 0; number <= limit; number++) {
    if (sha256(salt + number) === challenge) {
      return btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }));
    }
    if (number % TURN === TURN - 1) await new Promise((resolve) => setTimeout(resolve));
  }
  return null;
}

/** The first 32 bits of the fractional parts of roots of primes (FIPS 180-4 §4.2.2, §5.3.3). */
const { ROUNDS, START } = (() => {
  /** @type {number[]} */ const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  /** @param {number} root */
  const fraction = (root) => (root - Math.floor(root)) * 2 ** 32 | 0;
  return {
    ROUNDS: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    START: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  };
})();

const schedule = new Int32Array(64);

/**
 * SHA-256 of a text, in hexadecimal.
 * @param {string} text
 */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(bytes.length + 72 - (bytes.length + 8) % 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const hash = START.slice();
  for (let block = 0; block < padded.length; block += 64) compress(hash, view, block);
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** @param {Int32Array} hash @param {DataView} view @param {number} block */
function compress(hash, view, block) {
  const w = schedule;
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i++) {
    if (i < 16) w[i] = view.getInt32(block + 4 * i);
    else {
      const x = w[i - 15] ?? 0;
      const y = w[i - 2] ?? 0;
      const s0 = (x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3;
      const s1 = (y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10;
      w[i] = (w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1;
    }
    const s1 = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
    const t1 = h + s1 + (e & f ^ ~e & g) + (ROUNDS[i] ?? 0) + (w[i] ?? 0) | 0;
    const s0 = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
    const t2 = s0 + (a & b ^ a & c ^ b & c) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, d + t1 | 0, c, b, a, t1 + t2 | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] = (hash[i] ?? 0) + word;
}
