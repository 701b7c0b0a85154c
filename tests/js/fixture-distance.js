import assert from "node:assert/strict";

/** @typedef {{ rows: number, cols: number, data: Float32Array }} Rows */

/**
 * @param {ArrayLike<number>} got
 * @param {number[]} expected
 * @returns {number} the largest difference
 */
export function distance(got, expected) {
  return Math.max(0, ...expected.map((value, i) => Math.abs(value - (got[i] ?? Number.NaN))));
}

/**
 * @param {(layer: number, head: number) => Rows} attention
 * @param {number[][][][]} expected [layer][head][query][key]
 * @returns {number} the largest difference
 */
export function attentionDistance(attention, expected) {
  let worst = 0;
  expected.forEach((heads, layer) => {
    heads.forEach((rows, head) => {
      const got = attention(layer, head);
      assert.deepEqual([got.rows, got.cols], [rows.length, rows.length]);
      worst = Math.max(worst, distance(got.data, rows.flat()));
    });
  });
  return worst;
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @returns {number}
 */
export function cosine(a, b) {
  const dot = (/** @type {ArrayLike<number>} */ x, /** @type {ArrayLike<number>} */ y) =>
    Array.from(x).reduce((sum, value, i) => sum + value * (y[i] ?? Number.NaN), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
