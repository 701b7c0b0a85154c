import { aFiniteNumber, recordOf } from "./kinds.js";

/**
 * Milliseconds that the parts of a run took.
 *
 * @typedef {{ tokenize_ms: number, forward_ms: number, copy_ms: number }} Timing
 */

const check = recordOf({
  tokenize_ms: aFiniteNumber,
  forward_ms: aFiniteNumber,
  copy_ms: aFiniteNumber,
});

/**
 * @param {unknown} given some of a timing, or none
 * @param {string} what how a message names it
 * @returns {Timing} 0 for what is left out
 * @throws {import("./error.js").HeadscopeError} `bad-argument`
 */
export function readTiming(given, what) {
  if (given !== undefined) check(given, what);
  const {
    tokenize_ms = 0,
    forward_ms = 0,
    copy_ms = 0,
  } = /** @type {Partial<Timing>} */ (given ?? {});
  return { tokenize_ms, forward_ms, copy_ms };
}
