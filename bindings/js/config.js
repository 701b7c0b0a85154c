import {
  aBoolean,
  aFiniteNumber,
  aFloat32,
  anInteger,
  aString,
  aWholeNumber,
  oneOf,
  recordOf,
  refuse,
} from "./trace/kinds.js";

/**
 * A positional encoding and its settings. `"concatenated"` sinusoids are
 * [sin .. sin, cos .. cos] with exponent k / (D/2 - 1), as tensor2tensor makes them.
 *
 * @typedef {{ kind: "none" }
 *   | { kind: "sinusoidal", base?: number, layout?: "interleaved" | "concatenated" }
 *   | { kind: "learned" }
 *   | { kind: "rotary", base?: number, layout?: "interleaved" | "half", dims?: number,
 *       offset?: number }
 *   | { kind: "alibi" }
 *   | { kind: "t5", buckets?: number, max_distance?: number }
 *   | { kind: "shaw", clip?: number }} PositionOptions
 */

/**
 * What an encoder is made of. d_head is d_model / n_heads.
 *
 * @typedef {object} EncoderConfig
 * @property {number} n_layers
 * @property {number} n_heads
 * @property {number} d_model
 * @property {number} d_ff
 * @property {number} vocab_size rows of the token embeddings
 * @property {number} max_tokens longest sequence
 * @property {"relu" | "gelu" | "gelu_tanh" | "silu" | "geglu" | "swiglu"} activation
 * @property {"pre" | "post"} norm where layer norm stands: before each sublayer, or after its sum
 * @property {number} norm_epsilon
 * @property {boolean} final_norm a layer norm after the last layer
 * @property {PositionOptions} position
 * @property {"mean" | "first" | "none"} pooling of the tokens into the sentence vector
 * @property {number} [embedding_scale] 1 by default
 * @property {boolean} [embedding_norm] false by default
 * @property {number} [d_input] width of layer 0's input; d_model by default
 * @property {number} [token_types] 0 by default
 * @property {"none" | "tanh"} [pooler] "none" by default
 * @property {boolean} [normalize] the sentence vector to length 1; false by default
 * @property {"bidirectional" | "causal"} [mask] "bidirectional" by default
 * @property {boolean} [bias] true by default
 * @property {number} [attention_scale] 1 / sqrt(d_head) by default; 1 for T5
 */

/** The settings of each kind of position. Which words and ranges are right, the core says. */
const positionKinds = {
  none: {},
  sinusoidal: { base: aFiniteNumber, layout: aString },
  learned: {},
  rotary: { base: aFiniteNumber, layout: aString, dims: aWholeNumber, offset: anInteger },
  alibi: {},
  t5: { buckets: aWholeNumber, max_distance: aWholeNumber },
  shaw: { clip: aWholeNumber },
};

const kindOfPosition = oneOf(Object.keys(positionKinds));

const requiredKinds = {
  n_layers: aWholeNumber,
  n_heads: aWholeNumber,
  d_model: aWholeNumber,
  d_ff: aWholeNumber,
  vocab_size: aWholeNumber,
  max_tokens: aWholeNumber,
  activation: aString,
  norm: aString,
  norm_epsilon: aFloat32,
  final_norm: aBoolean,
  position: aPosition,
  pooling: aString,
};

const configKinds = {
  ...requiredKinds,
  embedding_scale: aFloat32,
  embedding_norm: aBoolean,
  d_input: aWholeNumber,
  token_types: aWholeNumber,
  pooler: aString,
  normalize: aBoolean,
  mask: aString,
  bias: aBoolean,
  attention_scale: aFloat32,
};

/** Checks the types and the keys of a config. @type {import("./trace/kinds.js").Kind} */
export const aConfig = recordOf(configKinds, { required: Object.keys(requiredKinds) });

/**
 * @param {EncoderConfig} config
 * @returns {EncoderConfig} that shares no object with it
 */
export function copyConfig(config) {
  return { ...config, position: { ...config.position } };
}

/**
 * @param {EncoderConfig} config
 * @returns {Readonly<EncoderConfig>} the same, which nobody can change any more
 */
export function freezeConfig(config) {
  Object.freeze(config.position);
  return Object.freeze(config);
}

/**
 * Checks the types and the keys of a position. @type {import("./trace/kinds.js").Kind}
 *
 * @param {unknown} value
 * @param {string} what
 */
export function aPosition(value, what) {
  if (typeof value !== "object" || value === null) refuse(what, value, "an object with a kind");
  const { kind, ...settings } = /** @type {Record<string, unknown>} */ (value);
  kindOfPosition(kind, `${what}.kind`);
  recordOf(positionKinds[/** @type {keyof typeof positionKinds} */ (kind)])(settings, what);
}
