import { readFileSync } from "node:fs";

/**
 * What the model's own authors' code gives.
 *
 * @typedef {{ sentence: string, ids: number[], attention: number[][][][] }} Reference
 */

/** @type {Reference[]} */
const references = JSON.parse(
  readFileSync(new URL("../fixtures/use-lite.json", import.meta.url), "utf8"),
);

/** How far weights stored in int8 may move an attention weight. */
export const tolerance = 0.03;

/**
 * @param {string} sentence
 * @returns {Reference}
 */
export function referenceOf(sentence) {
  const found = references.find((each) => each.sentence === sentence);
  if (found === undefined) throw new Error(`no reference for "${sentence}"`);
  return found;
}

/**
 * @param {number[][][][]} one [layer][head][query][key]
 * @param {number[][][][]} other of the same shape
 * @returns {number} the largest absolute difference; Infinity where the shapes differ
 */
export function largestDifference(one, other) {
  const [a, b] = [one.flat(3), other.flat(3)];
  if (a.length !== b.length || a.length === 0) return Number.POSITIVE_INFINITY;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - Number(b[i]))), 0);
}
