import { compute } from "./compute.js";

/** @typedef {import("../trace/matrix.js").Matrix} Matrix */
/** @typedef {import("../trace/matrix.js").MatrixLike} MatrixLike */
/** @typedef {import("./argument-kinds.js").VectorLike} VectorLike */
/** @typedef {import("./compute.js").ComponentOptions} ComponentOptions */
/** @typedef {import("./mask.js").HeadMaskLike} HeadMaskLike */
/** @typedef {import("./mask.js").MaskLike} MaskLike */
/** @typedef {import("./position.js").PositionLike} PositionLike */

/**
 * Scaled dot-product attention of one head: softmax(scale Q K^T + bias + mask) V (Vaswani et al.
 * 2017, eq. 1). A query with no key to see has weights 0 and output 0.
 *
 * @example
 * const one = await attention({ query: [[0]], key: [[1], [2]], value: [[1, 0], [3, 4]] });
 * one.weights; // -> [[0.5, 0.5]]
 * one.output; // -> [[2, 2]]
 *
 * @param {object} given
 * @param {MatrixLike} given.query [T, K]
 * @param {MatrixLike} given.key [M, K]
 * @param {MatrixLike} given.value [M, V]
 * @param {MaskLike} [given.mask]
 * @param {MatrixLike} [given.bias] [T, M], a part of the scores
 * @param {number} [given.scale] 1 / sqrt(K) by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ scores: Matrix, weights: Matrix, output: Matrix }>} scores [T, M], scaled and
 *   before the mask; weights [T, M], whose rows sum to 1; output [T, V]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function attention(given, options) {
  return compute("attention", given, options);
}

/**
 * The arguments of `multiHeadAttention`. Head h owns the columns from h K of wq and wk, those from
 * h V of wv, and the same rows of wo.
 *
 * @typedef {object} MultiHeadAttentionArguments
 * @property {MatrixLike} x [T, D]
 * @property {MatrixLike} [memory] [M, E], where keys and values come from; x by default
 * @property {number} heads H
 * @property {MatrixLike} wq [D, D'], with D' = H K
 * @property {MatrixLike} wk [E, D']
 * @property {MatrixLike} wv [E, D''], with D'' = H V
 * @property {MatrixLike} wo [D'', O]
 * @property {VectorLike} [bq] [D'], like all biases zeros by default
 * @property {VectorLike} [bk] [D']
 * @property {VectorLike} [bv] [D'']
 * @property {VectorLike} [bo] [O]
 * @property {HeadMaskLike} [mask] one for all heads, or one matrix per head
 * @property {PositionLike} [position] "sinusoidal" is added to x, the others act inside
 * @property {VectorLike} [gates] [H], multiply the heads' contexts before wo; 0 removes a head
 * @property {number} [scale] 1 / sqrt(K) by default
 */

/**
 * Multi-head attention: concat(head_0, .., head_{H-1}) W^O + b^O, where each head attends in its
 * own projections of x (Vaswani et al. 2017, section 3.2.2). Gates as in Michel et al. 2019. A
 * query with no key to see gives the row bo.
 *
 * @example
 * const eye = [[1, 0], [0, 1]];
 * const two = await multiHeadAttention({ x: eye, heads: 2, wq: eye, wk: eye, wv: eye, wo: eye });
 * two.weights[1]; // -> [[0.5, 0.5], [0.26894, 0.73106]]
 * two.concat; // -> [[0.73106, 0.5], [0.5, 0.73106]]
 *
 * @param {MultiHeadAttentionArguments} given
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ query: Matrix, key: Matrix, value: Matrix, scores: Matrix[],
 *   weights: Matrix[], context: Matrix[], concat: Matrix, output: Matrix }>} query [T, D'], key
 *   [M, D'], value [M, D'']; of each head scores [T, M], weights [T, M], context [T, V]; concat
 *   [T, D''], the contexts side by side and gated; output [T, O]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function multiHeadAttention(given, options) {
  return compute("multiHeadAttention", given, options);
}

/**
 * Attention with the relative positions of Shaw et al. 2018 (eq. 3 and 4): row clip + j - i of the
 * tables, with j - i clipped to -clip .. clip, is added to key j and value j as query i sees them.
 *
 * @example
 * const x = [[0], [0]];
 * const tables = { relative_key: [[0], [0], [0]], relative_value: [[1], [2], [3]], clip: 1 };
 * const shaw = await shawAttention({ query: x, key: x, value: x, ...tables });
 * shaw.output; // -> [[2.5], [1.5]]
 *
 * @param {object} given
 * @param {MatrixLike} given.query [T, K]
 * @param {MatrixLike} given.key [M, K]
 * @param {MatrixLike} given.value [M, V]
 * @param {number} given.clip
 * @param {MatrixLike} given.relative_key [2 clip + 1, K]
 * @param {MatrixLike} [given.relative_value] [2 clip + 1, V]
 * @param {MaskLike} [given.mask]
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ scores: Matrix, weights: Matrix, output: Matrix }>} as `attention`
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function shawAttention(given, options) {
  return compute("shawAttention", given, options);
}

/**
 * What one multi-head attention costs. The multiply-adds of Q K^T are T^2 D however many heads
 * share D, but every head holds scores of its own (Vaswani et al. 2017, section 3.2.2).
 *
 * @example
 * const cost = await attentionCost({ length: 10, d_model: 512, heads: 8 });
 * cost.score_operations; // -> 51200
 * cost.score_bytes; // -> 3200
 * cost.per_head; // -> { "score_operations": 6400, "d_head": 64 }
 *
 * @param {object} given
 * @param {number} given.length T
 * @param {number} given.d_model D
 * @param {number} given.heads H, a divisor of D
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ score_operations: number, context_operations: number,
 *   projection_operations: number, score_bytes: number, parameters: number,
 *   per_head: { score_operations: number, d_head: number } }>} multiply-adds of Q K^T (T^2 D), of
 *   weights times values (T^2 D) and of the four projections (4 T D^2); bytes of the scores in
 *   float32 (4 H T^2); weights without biases (4 D^2)
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`
 */
export async function attentionCost(given, options) {
  return compute("attentionCost", given, options);
}
