/**
 * `headscope/components`: each formula of a Transformer encoder by itself, computed by the engine
 * on plain matrices. Rows are tokens, weights are [in, out], and heads, layers and positions count
 * from 0. Letters of shapes: T tokens (queries), M keys, D width of x, E width of a memory, D' width
 * of all queries, D'' of all values, H heads, K width of one head's queries and keys, V of its
 * values, F width of the feed-forward network, O of an output.
 *
 * Each function takes `{ engine }` as a last argument. Arguments are checked by name and never
 * changed; NaN is refused, and so are infinities but for -Infinity in masks and biases.
 *
 * @module
 */
export {
  attention,
  attentionCost,
  multiHeadAttention,
  shawAttention,
} from "./components/attention.js";
export {
  addNorm,
  encoderLayer,
  feedForward,
  layerNorm,
  layerNormSteps,
} from "./components/layers.js";
export {
  alibiBias,
  alibiSlopes,
  positionRotation,
  rotary,
  sinusoidalPositions,
  t5Bias,
  t5Buckets,
} from "./components/positions.js";

/**
 * @typedef {import("./components/argument-kinds.js").VectorLike} VectorLike
 * @typedef {import("./components/attention.js").MultiHeadAttentionArguments
 *   } MultiHeadAttentionArguments
 * @typedef {import("./components/compute.js").ComponentOptions} ComponentOptions
 * @typedef {import("./components/layers.js").Activation} Activation
 * @typedef {import("./components/layers.js").EncoderLayerArguments} EncoderLayerArguments
 * @typedef {import("./components/layers.js").LayerParameters} LayerParameters
 * @typedef {import("./components/mask.js").HeadMaskLike} HeadMaskLike
 * @typedef {import("./components/mask.js").MaskLike} MaskLike
 * @typedef {import("./components/position.js").PositionLike} PositionLike
 */
