/**
 * `headscope/components`: each formula of a Transformer encoder by itself, computed by the engine
 * on plain matrices. Rows are tokens and weights are [in, out]. What a shape's letters mean stands
 * in signatures.js. Each function takes `{ engine }` as a last argument, and throws `bad-argument`
 * or `bad-shape` with the argument's name.
 *
 * @module
 */
import { computeComponent } from "./component.js";

/**
 * @typedef {import("./component.js").ComponentOptions} ComponentOptions
 * @typedef {import("./config.js").EncoderConfig} EncoderConfig
 * @typedef {import("./config.js").PositionOptions} PositionOptions
 * @typedef {import("./mask-argument.js").MaskLike} MaskLike
 * @typedef {import("./trace/matrix.js").Matrix} Matrix
 * @typedef {import("./trace/matrix.js").MatrixLike} MatrixLike
 * @typedef {Float32Array | number[]} VectorLike
 * @typedef {"interleaved" | "concatenated"} SinusoidalLayout
 */

/**
 * A position for a component: as in a config, and with the tables that are parameters there.
 *
 * @typedef {PositionOptions
 *   | { kind: "t5", buckets?: number, max_distance?: number, table: MatrixLike }
 *   | { kind: "shaw", clip?: number, relative_key: MatrixLike, relative_value?: MatrixLike }
 * } PositionArgument
 */

/**
 * Scaled dot-product attention of one head: softmax(Q K^T / sqrt(K) + mask) V (Vaswani et al.
 * 2017, eq. 1). A row whose keys are all forbidden has weights 0 and output 0.
 *
 * @example
 * const one = await attention({ query: [[0]], key: [[1], [2]], value: [[1, 0], [3, 4]] });
 * one.weights; // -> [[0.5, 0.5]]
 * one.output; // -> [[2, 2]]
 *
 * @param {object} given
 * @param {MatrixLike} given.query [T, K]
 * @param {MatrixLike} given.key [M, K]
 * @param {MatrixLike} given.value [M, C]
 * @param {MaskLike} [given.mask]
 * @param {MatrixLike} [given.bias] [T, M], part of the scores
 * @param {number} [given.scale] 1 / sqrt(K) by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ scores: Matrix, weights: Matrix, output: Matrix }>} scores [T, M] before the
 *   mask, weights [T, M], output [T, C]
 */
export async function attention(given, options) {
  return computeComponent("attention", given, options);
}

/**
 * Multi-head attention: every head has its own columns of W_q, W_k, W_v, and W_o mixes their
 * contexts (Vaswani et al. 2017, section 3.2.2). With a memory, keys and values come from there.
 *
 * @example
 * const eye = [[1, 0], [0, 1]];
 * const two = await multiHeadAttention({ x: eye, heads: 2, wq: eye, wk: eye, wv: eye, wo: eye });
 * two.weights[1]; // -> [[0.5, 0.5], [0.26894, 0.73106]]
 * two.concat; // -> [[0.73106, 0.5], [0.5, 0.73106]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {MatrixLike} [given.memory] [M, E]
 * @param {number} given.heads H
 * @param {MatrixLike} given.wq [D, K H]
 * @param {MatrixLike} given.wk [E, K H]
 * @param {MatrixLike} given.wv [E, C]
 * @param {MatrixLike} given.wo [C, O]
 * @param {VectorLike} [given.bq]
 * @param {VectorLike} [given.bk]
 * @param {VectorLike} [given.bv]
 * @param {VectorLike} [given.bo]
 * @param {MaskLike | MatrixLike[]} [given.mask] or one matrix per head
 * @param {PositionArgument} [given.position] "sinusoidal" is added to x
 * @param {VectorLike} [given.gates] [H], each multiplies a head's context before W_o (Michel et
 *   al. 2019)
 * @param {number} [given.scale] 1 / sqrt(K) by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ query: Matrix, key: Matrix, value: Matrix, concat: Matrix, scores: Matrix[],
 *   weights: Matrix[], context: Matrix[], output: Matrix }>} concat is gated, context is not
 */
export async function multiHeadAttention(given, options) {
  return computeComponent("multiHeadAttention", given, options);
}

/**
 * Layer norm of every row: gamma (x - mean) / sqrt(variance + epsilon) + beta, with the variance
 * divided by the width (Ba et al. 2016).
 *
 * @example
 * await layerNorm({ x: [[1, 3]] }); // -> [[-1, 1]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {VectorLike} [given.gamma] [D], ones by default
 * @param {VectorLike} [given.beta] [D], zeros by default
 * @param {number} [given.epsilon] 1e-5 by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, D]
 */
export async function layerNorm(given, options) {
  return computeComponent("layerNorm", given, options);
}

/**
 * Add & Norm: layerNorm(x + sublayer), as every sublayer of the original Transformer is wrapped
 * (Vaswani et al. 2017, section 3.1).
 *
 * @example
 * await addNorm({ x: [[10, 0]], sublayer: [[3, 1]] }); // -> [[1, -1]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {MatrixLike} given.sublayer [T, D]
 * @param {VectorLike} [given.gamma] [D]
 * @param {VectorLike} [given.beta] [D]
 * @param {number} [given.epsilon] 1e-5 by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, D]
 */
export async function addNorm(given, options) {
  return computeComponent("addNorm", given, options);
}

/**
 * Layer norm of x, or of x + sublayer, step by step.
 *
 * @example
 * const steps = await layerNormSteps({ x: [[10, 1]], sublayer: [[3, 2]] });
 * steps.sum; // -> [[13, 3]]
 * steps.mean; // -> [8]
 * steps.variance; // -> [25]
 * steps.normalized; // -> [[1, -1]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {MatrixLike} [given.sublayer] [T, D]
 * @param {VectorLike} [given.gamma] [D]
 * @param {VectorLike} [given.beta] [D]
 * @param {number} [given.epsilon] 1e-5 by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ sum: Matrix, mean: Float32Array, variance: Float32Array,
 *   normalized: Matrix, output: Matrix }>} mean and variance [T]; normalized is before gamma, beta
 */
export async function layerNormSteps(given, options) {
  return computeComponent("layerNormSteps", given, options);
}

/**
 * The position-wise feed-forward network: act(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2), or
 * gated: (act(x W_gate + b_gate) * (x W1 + b1)) W2 + b2 (Shazeer 2020).
 *
 * @example
 * const w1 = [[1, -1]];
 * await feedForward({ x: [[2]], w1, w2: [[3], [5]], activation: "relu" }); // -> [[6]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {MatrixLike} given.w1 [D, F]
 * @param {VectorLike} [given.b1] [F]
 * @param {MatrixLike} given.w2 [F, O]
 * @param {VectorLike} [given.b2] [O]
 * @param {EncoderConfig["activation"]} given.activation
 * @param {MatrixLike} [given.w_gate] [D, F], for the gated activations
 * @param {VectorLike} [given.b_gate] [F]
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, O]
 */
export async function feedForward(given, options) {
  return computeComponent("feedForward", given, options);
}

/**
 * One encoder layer, with layer norm after each sum (post, Vaswani et al. 2017) or before each
 * sublayer (pre, Xiong et al. 2020).
 *
 * @example
 * const zero = [[0, 0], [0, 0]];
 * const parameters = { wq: zero, wk: zero, wv: zero, wo: zero, w1: zero, w2: zero };
 * const given = { x: [[1, 3]], heads: 1, activation: "relu", parameters };
 * (await encoderLayer({ ...given, norm: "pre" })).output; // -> [[1, 3]]
 * (await encoderLayer({ ...given, norm: "post" })).output; // -> [[-1, 1]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {number} given.heads
 * @param {"pre" | "post"} given.norm
 * @param {EncoderConfig["activation"]} given.activation
 * @param {number} [given.epsilon] 1e-5 by default
 * @param {LayerParameters} given.parameters
 * @param {MaskLike | MatrixLike[]} [given.mask] or one matrix per head
 * @param {PositionArgument} [given.position] "sinusoidal" is added to x
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ normed1?: Matrix, attention_output: Matrix, after_attention: Matrix,
 *   normed2?: Matrix, feed_forward: Matrix, output: Matrix, weights: Matrix[],
 *   context: Matrix[], hidden: Matrix }>} normed1 and normed2 under "pre" only
 */
export async function encoderLayer(given, options) {
  return computeComponent("encoderLayer", given, options);
}

/**
 * Parameters of one layer, [in, out]. Biases and betas are zeros by default, gammas ones.
 *
 * @typedef {{ wq: MatrixLike, bq?: VectorLike, wk: MatrixLike, bk?: VectorLike, wv: MatrixLike,
 *   bv?: VectorLike, wo: MatrixLike, bo?: VectorLike, norm1_gamma?: VectorLike,
 *   norm1_beta?: VectorLike, w1: MatrixLike, b1?: VectorLike, w2: MatrixLike, b2?: VectorLike,
 *   norm2_gamma?: VectorLike, norm2_beta?: VectorLike, w_gate?: MatrixLike, b_gate?: VectorLike
 * }} LayerParameters
 */

/**
 * Sinusoidal positions (Vaswani et al. 2017, section 3.5). "interleaved": even columns
 * sin(p / base^(2i / D)), odd columns the cosine; "concatenated", as in tensor2tensor: sines
 * before cosines, with exponents k / (D / 2 - 1).
 *
 * @example
 * const codes = await sinusoidalPositions({ length: 2, d_model: 4 });
 * codes.row(1); // -> [0.84147, 0.5403, 0.01, 0.99995]
 *
 * @param {object} given
 * @param {number} given.length T
 * @param {number} given.d_model D
 * @param {number} [given.base] 10000 by default
 * @param {SinusoidalLayout} [given.layout] "interleaved" by default
 * @param {number} [given.offset] of the first row; 0 by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, D]
 */
export async function sinusoidalPositions(given, options) {
  return computeComponent("sinusoidalPositions", given, options);
}

/**
 * The matrix R that moves sinusoidal positions: PE(p + offset) = R PE(p) for every p, with PE as a
 * column. It turns each pair of sine and cosine by offset times its frequency.
 *
 * @example
 * await positionRotation({ d_model: 2, offset: 1 }); // -> [[0.5403, 0.84147], [-0.84147, 0.5403]]
 *
 * @param {object} given
 * @param {number} given.d_model D, even
 * @param {number} given.offset may be negative
 * @param {number} [given.base] 10000 by default
 * @param {SinusoidalLayout} [given.layout] "interleaved" by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [D, D]
 */
export async function positionRotation(given, options) {
  return computeComponent("positionRotation", given, options);
}

/**
 * Rotary positions: each pair of columns of row t is turned by positions[t] base^(-2i / dims)
 * (Su et al. 2021, eq. 34). Pairs are neighbours ("interleaved") or half the width apart ("half").
 *
 * @example
 * await rotary({ x: [[1, 0], [1, 0]] }); // -> [[1, 0], [0.5403, 0.84147]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D], of one head
 * @param {VectorLike} [given.positions] [T]; 0, 1, .. by default
 * @param {number} [given.base] 10000 by default
 * @param {"interleaved" | "half"} [given.layout] "interleaved" by default
 * @param {number} [given.dims] columns that are turned; all by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, D]
 */
export async function rotary(given, options) {
  return computeComponent("rotary", given, options);
}

/**
 * The slopes of ALiBi: 2^(-8 (h + 1) / H) where H is a power of two (Press et al. 2022).
 *
 * @example
 * await alibiSlopes({ heads: 4 }); // -> [0.25, 0.0625, 0.015625, 0.00390625]
 *
 * @param {object} given
 * @param {number} given.heads H
 * @param {ComponentOptions} [options]
 * @returns {Promise<Float32Array>} [H]
 */
export async function alibiSlopes(given, options) {
  return computeComponent("alibiSlopes", given, options);
}

/**
 * What ALiBi adds to the scores: -slope |i - j|; causal: -Infinity where the key comes later.
 *
 * @example
 * await alibiBias({ heads: 1, length: 2 }); // -> [[[0, -0.00390625], [-0.00390625, 0]]]
 *
 * @param {object} given
 * @param {number} given.heads H
 * @param {number} given.length T
 * @param {boolean} [given.causal] false by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix[]>} [T, T] per head
 */
export async function alibiBias(given, options) {
  return computeComponent("alibiBias", given, options);
}

/**
 * The bucket of each offset key - query in T5's relative positions: exact for small distances,
 * logarithmic up to max_distance (Raffel et al. 2020).
 *
 * @example
 * await t5Buckets({ length: 3, buckets: 4, max_distance: 8 }); // -> [[0, 3, 3], [1, 0, 3], [1, 1, 0]]
 *
 * @param {object} given
 * @param {number} given.length T
 * @param {number} [given.buckets] 32 by default
 * @param {number} [given.max_distance] 128 by default
 * @param {boolean} [given.causal] false by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, T]
 */
export async function t5Buckets(given, options) {
  return computeComponent("t5Buckets", given, options);
}

/**
 * What T5 adds to the scores: table[bucket(key - query)][head] (Raffel et al. 2020).
 *
 * @example
 * const table = [[1], [2], [3], [4]];
 * await t5Bias({ table, length: 2, max_distance: 8 }); // -> [[[1, 4], [2, 1]]]
 *
 * @param {object} given
 * @param {MatrixLike} given.table [buckets, H]
 * @param {number} given.length T
 * @param {number} [given.max_distance] 128 by default
 * @param {boolean} [given.causal] false by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix[]>} [T, T] per head
 */
export async function t5Bias(given, options) {
  return computeComponent("t5Bias", given, options);
}

/**
 * Attention with the relative positions of Shaw et al. 2018 (eq. 3 and 4): the key and the value
 * of each offset, clipped to -clip .. clip, are added to those of the tokens.
 *
 * @example
 * const x = [[0], [0]];
 * const relative_value = [[1], [2], [3]];
 * const shaw = { query: x, key: x, value: x, relative_key: [[0], [0], [0]], relative_value, clip: 1 };
 * (await shawAttention(shaw)).output; // -> [[2.5], [1.5]]
 *
 * @param {object} given
 * @param {MatrixLike} given.query [T, K]
 * @param {MatrixLike} given.key [M, K]
 * @param {MatrixLike} given.value [M, C]
 * @param {MatrixLike} given.relative_key [2 clip + 1, K]
 * @param {MatrixLike} [given.relative_value] [2 clip + 1, C]
 * @param {number} given.clip
 * @param {MaskLike} [given.mask]
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ scores: Matrix, weights: Matrix, output: Matrix }>}
 */
export async function shawAttention(given, options) {
  return computeComponent("shawAttention", given, options);
}

/**
 * What multi-head attention costs: the multiply-adds of Q K^T are T^2 D, however many heads share
 * D; but each head holds its own scores, 4 H T^2 bytes.
 *
 * @example
 * const cost = await attentionCost({ length: 10, d_model: 512, heads: 8 });
 * cost.score_operations; // -> 51200
 * cost.score_bytes; // -> 3200
 * cost.per_head; // -> { score_operations: 6400, d_head: 64 }
 *
 * @param {object} given
 * @param {number} given.length T
 * @param {number} given.d_model D
 * @param {number} given.heads H
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ score_operations: number, context_operations: number,
 *   projection_operations: number, score_bytes: number, parameters: number,
 *   per_head: { score_operations: number, d_head: number } }>}
 */
export async function attentionCost(given, options) {
  return computeComponent("attentionCost", given, options);
}
