/** @typedef {import("./trace/matrix.js").Matrix} Matrix */

/**
 * A matrix as the core takes it.
 *
 * @typedef {{ rows: number, cols: number, data: Float32Array }} FlatMatrix
 */

/**
 * @param {Matrix} matrix
 * @returns {FlatMatrix}
 */
export function flattenData({ rows, cols, data }) {
  return { rows, cols, data: compact(data) };
}

/**
 * Numbers without the rest of the memory that they lie in, which a message to a worker would copy
 * as a whole.
 *
 * @param {Float32Array} data
 * @returns {Float32Array}
 */
export function compact(data) {
  return data.byteLength === data.buffer.byteLength ? data : data.slice();
}
