import { compute } from "./compute.js";

/** @typedef {import("../trace/matrix.js").Matrix} Matrix */
/** @typedef {import("../trace/matrix.js").MatrixLike} MatrixLike */
/** @typedef {import("./argument-kinds.js").VectorLike} VectorLike */
/** @typedef {import("./compute.js").ComponentOptions} ComponentOptions */

/**
 * Sinusoidal positions, PE. "interleaved" (Vaswani et al. 2017, section 3.5): column 2i is
 * sin(p / base^(2i / D)), column 2i + 1 the cosine of the same. "concatenated" (tensor2tensor):
 * all sines, then all cosines, of p / base^(k / (D / 2 - 1)). Angles are in radians, in double.
 *
 * @example
 * const codes = await sinusoidalPositions({ length: 2, d_model: 4 });
 * codes.row(1); // -> [0.84147, 0.5403, 0.01, 0.99995]
 *
 * @param {object} given
 * @param {number} given.length T
 * @param {number} given.d_model D
 * @param {number} [given.base] 10000 by default
 * @param {"interleaved" | "concatenated"} [given.layout] "interleaved" by default
 * @param {number} [given.offset] the position p of row 0; 0 by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, D]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `out-of-memory`
 */
export async function sinusoidalPositions(given, options) {
  return compute("sinusoidalPositions", given, options);
}

/**
 * The matrix R that moves sinusoidal positions: PE(p + offset) = R PE(p) for every p, with PE(p) as
 * a column. It turns each pair of sine and cosine by offset times its frequency. As W_q [in, out]
 * of a head with W_k = I it makes the head look `offset` tokens back.
 *
 * @example
 * await positionRotation({ d_model: 2, offset: 1 }); // -> [[0.5403, 0.84147], [-0.84147, 0.5403]]
 *
 * @param {object} given
 * @param {number} given.d_model D, even: every sine needs its cosine
 * @param {number} given.offset may be negative
 * @param {number} [given.base] 10000 by default
 * @param {"interleaved" | "concatenated"} [given.layout] "interleaved" by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [D, D]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`
 */
export async function positionRotation(given, options) {
  return compute("positionRotation", given, options);
}

/**
 * Rotary positions of the queries or keys of one head: pair i of row t is turned by the angle
 * positions[t] base^(-2i / dims), in radians (Su et al. 2021, eq. 34). Pairs are neighbours
 * ("interleaved") or dims / 2 columns apart ("half", as in GPT-NeoX).
 *
 * @example
 * await rotary({ x: [[1, 0], [1, 0]] }); // -> [[1, 0], [0.5403, 0.84147]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, K]
 * @param {VectorLike | Float64Array} [given.positions] [T]; 0, 1, .. by default
 * @param {number} [given.base] 10000 by default
 * @param {"interleaved" | "half"} [given.layout] "interleaved" by default
 * @param {number} [given.dims] how many columns are turned, the first ones; K by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, K]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function rotary(given, options) {
  return compute("rotary", given, options);
}

/**
 * The slopes of ALiBi (Press et al. 2022): 2^(-8 (h + 1) / H) where H is a power of two; else those
 * of the power of two below, then every other one of those for twice as many heads.
 *
 * @example
 * await alibiSlopes({ heads: 4 }); // -> [0.25, 0.0625, 0.015625, 0.00390625]
 *
 * @param {object} given
 * @param {number} given.heads H
 * @param {ComponentOptions} [options]
 * @returns {Promise<Float32Array>} [H]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`
 */
export async function alibiSlopes(given, options) {
  return compute("alibiSlopes", given, options);
}

/**
 * What ALiBi adds to the scaled scores: -slope |i - j|, and with `causal` -Infinity where the key j
 * comes after the query i (Press et al. 2022; the symmetric form is the authors' own extension).
 *
 * @example
 * await alibiBias({ heads: 1, length: 2 }); // -> [[[0, -0.00390625], [-0.00390625, 0]]]
 *
 * @param {object} given
 * @param {number} given.heads H
 * @param {number} given.length T
 * @param {boolean} [given.causal] false by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix[]>} [T, T] of each head
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `out-of-memory`
 */
export async function alibiBias(given, options) {
  return compute("alibiBias", given, options);
}

/**
 * T5's bucket of each offset key - query: one each for small distances, then logarithmic up to
 * max_distance; half of them for keys behind the query, or all with `causal` (Raffel et al. 2020,
 * section 2.1, as in Mesh TensorFlow).
 *
 * @example
 * const buckets = await t5Buckets({ length: 3, buckets: 4, max_distance: 8 });
 * buckets; // -> [[0, 3, 3], [1, 0, 3], [1, 1, 0]]
 *
 * @param {object} given
 * @param {number} given.length T
 * @param {number} [given.buckets] even, 32 by default
 * @param {number} [given.max_distance] over buckets / 2, 128 by default
 * @param {boolean} [given.causal] false by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, T]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `out-of-memory`
 */
export async function t5Buckets(given, options) {
  return compute("t5Buckets", given, options);
}

/**
 * What T5 adds to the scores, which it does not scale: table[bucket(key - query)][head] (Raffel et
 * al. 2020, section 2.1).
 *
 * @example
 * const table = [[1], [2], [3], [4]];
 * await t5Bias({ table, length: 2, max_distance: 8 }); // -> [[[1, 4], [2, 1]]]
 *
 * @param {object} given
 * @param {MatrixLike} given.table [B, H], a row for each bucket
 * @param {number} given.length T
 * @param {number} [given.max_distance] over B / 2, 128 by default
 * @param {boolean} [given.causal] false by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix[]>} [T, T] of each head
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`, `out-of-memory`
 */
export async function t5Bias(given, options) {
  return compute("t5Bias", given, options);
}
