import { compute } from "./compute.js";

/** @typedef {import("../trace/matrix.js").Matrix} Matrix */
/** @typedef {import("../trace/matrix.js").MatrixLike} MatrixLike */
/** @typedef {import("./argument-kinds.js").VectorLike} VectorLike */
/** @typedef {import("./compute.js").ComponentOptions} ComponentOptions */
/** @typedef {import("./mask.js").HeadMaskLike} HeadMaskLike */
/** @typedef {import("./position.js").PositionLike} PositionLike */

/**
 * With a gate, `"relu"`, `"gelu_tanh"` and `"sigmoid"` make the networks that are known as ReGLU,
 * GEGLU (tanh) and GLU; `"geglu"` and `"swiglu"` are `"gelu"` and `"silu"` that must have a gate.
 *
 * @typedef {"relu" | "gelu" | "gelu_tanh" | "silu" | "sigmoid" | "geglu" | "swiglu"} Activation
 */

/**
 * Layer norm of every row: gamma (x - mean) / sqrt(variance + epsilon) + beta, with the variance
 * divided by the width D (Ba, Kiros, Hinton 2016).
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
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function layerNorm(given, options) {
  return compute("layerNorm", given, options);
}

/**
 * Add & Norm: LayerNorm(x + sublayer), which wraps every sublayer of the original Transformer
 * (Vaswani et al. 2017, section 3.1).
 *
 * @example
 * await addNorm({ x: [[10, 0]], sublayer: [[3, 1]] }); // -> [[1, -1]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {MatrixLike} given.sublayer [T, D]
 * @param {VectorLike} [given.gamma] [D], ones by default
 * @param {VectorLike} [given.beta] [D], zeros by default
 * @param {number} [given.epsilon] 1e-5 by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, D]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function addNorm(given, options) {
  return compute("addNorm", given, options);
}

/**
 * Layer norm of x, or of x + sublayer, step by step (Ba, Kiros, Hinton 2016).
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
 * @param {VectorLike} [given.gamma] [D], ones by default
 * @param {VectorLike} [given.beta] [D], zeros by default
 * @param {number} [given.epsilon] 1e-5 by default
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ sum: Matrix, mean: Float32Array, variance: Float32Array, normalized: Matrix,
 *   output: Matrix }>} sum, normalized (before gamma and beta) and output [T, D]; mean and
 *   variance [T]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function layerNormSteps(given, options) {
  return compute("layerNormSteps", given, options);
}

/**
 * The position-wise feed-forward network: act(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2); with
 * w_gate (act(x W_gate + b_gate) * (x W1 + b1)) W2 + b2 (Shazeer 2020, eq. 5 and 6). GELU is
 * x / 2 (1 + erf(x / sqrt 2)) (Hendrycks & Gimpel 2016), "gelu_tanh" its approximation.
 *
 * @example
 * const w1 = [[1, -1]];
 * await feedForward({ x: [[2]], w1, w2: [[3], [5]], activation: "relu" }); // -> [[6]]
 *
 * @param {object} given
 * @param {MatrixLike} given.x [T, D]
 * @param {MatrixLike} given.w1 [D, F]
 * @param {VectorLike} [given.b1] [F], like all biases zeros by default
 * @param {MatrixLike} given.w2 [F, O]
 * @param {VectorLike} [given.b2] [O]
 * @param {Activation} given.activation
 * @param {MatrixLike} [given.w_gate] [D, F]
 * @param {VectorLike} [given.b_gate] [F]
 * @param {ComponentOptions} [options]
 * @returns {Promise<Matrix>} [T, O]
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function feedForward(given, options) {
  return compute("feedForward", given, options);
}

/**
 * The parameters of one layer, [in, out]. Biases and betas are zeros by default, gammas ones.
 * norm1 goes with the attention, norm2 with the feed-forward network.
 *
 * @typedef {object} LayerParameters
 * @property {MatrixLike} wq [D, D]
 * @property {VectorLike} [bq] [D]
 * @property {MatrixLike} wk [D, D]
 * @property {VectorLike} [bk] [D]
 * @property {MatrixLike} wv [D, D]
 * @property {VectorLike} [bv] [D]
 * @property {MatrixLike} wo [D, D]
 * @property {VectorLike} [bo] [D]
 * @property {VectorLike} [norm1_gamma] [D]
 * @property {VectorLike} [norm1_beta] [D]
 * @property {MatrixLike} w1 [D, F]
 * @property {VectorLike} [b1] [F]
 * @property {MatrixLike} w2 [F, D]
 * @property {VectorLike} [b2] [D]
 * @property {VectorLike} [norm2_gamma] [D]
 * @property {VectorLike} [norm2_beta] [D]
 * @property {MatrixLike} [w_gate] [D, F]
 * @property {VectorLike} [b_gate] [F]
 */

/**
 * @typedef {object} EncoderLayerArguments
 * @property {MatrixLike} x [T, D]
 * @property {number} heads H, a divisor of D
 * @property {"pre" | "post"} norm
 * @property {Activation} activation
 * @property {number} [epsilon] 1e-5 by default
 * @property {LayerParameters} parameters
 * @property {HeadMaskLike} [mask] one for all heads, or one matrix per head
 * @property {PositionLike} [position] "sinusoidal" is added to x, the others act in the attention
 */

/**
 * One encoder layer. "post": a = LN1(x + MHA(x)), output = LN2(a + FFN(a)) (Vaswani et al. 2017).
 * "pre": a = x + MHA(LN1(x)), output = a + FFN(LN2(a)) (Xiong et al. 2020).
 *
 * @example
 * const zero = [[0, 0], [0, 0]];
 * const parameters = { wq: zero, wk: zero, wv: zero, wo: zero, w1: zero, w2: zero };
 * const given = { x: [[1, 3]], heads: 1, activation: "relu", parameters };
 * (await encoderLayer({ ...given, norm: "pre" })).output; // -> [[1, 3]]
 * (await encoderLayer({ ...given, norm: "post" })).output; // -> [[-1, 1]]
 *
 * @param {EncoderLayerArguments} given
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ normed1?: Matrix, weights: Matrix[], context: Matrix[],
 *   attention_output: Matrix, after_attention: Matrix, normed2?: Matrix, hidden: Matrix,
 *   feed_forward: Matrix, output: Matrix }>} [T, D] each but weights [T, T] and context [T, K] of
 *   each head, and hidden [T, F]. attention_output and feed_forward are before the residual is
 *   added, after_attention is a above; normed1 and normed2 are the inputs of "pre" sublayers
 * @throws {import("../trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function encoderLayer(given, options) {
  return compute("encoderLayer", given, options);
}
