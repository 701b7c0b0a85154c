// The encoders that are measured: the shapes of well-known models, with random weights.

/** @typedef {import("headscope").EncoderConfig} EncoderConfig */

/** Words of the vocabulary of BERT, which both shapes take. */
const vocab_size = 30522;

/** @satisfies {Record<string, { title: string, config: EncoderConfig }>} */
export const shapes = {
  minilm: {
    title: "MiniLM-L6-H384",
    config: {
      n_layers: 6,
      n_heads: 12,
      d_model: 384,
      d_ff: 1536,
      vocab_size,
      max_tokens: 512,
      activation: "gelu",
      norm: "post",
      norm_epsilon: 1e-12,
      final_norm: false,
      position: { kind: "learned" },
      embedding_norm: true,
      token_types: 2,
      pooling: "none",
    },
  },
  base: {
    title: "Transformer base",
    config: {
      n_layers: 6,
      n_heads: 8,
      d_model: 512,
      d_ff: 2048,
      vocab_size,
      max_tokens: 512,
      activation: "relu",
      norm: "post",
      norm_epsilon: 1e-5,
      final_norm: false,
      position: { kind: "sinusoidal", layout: "interleaved" },
      embedding_scale: Math.sqrt(512),
      pooling: "none",
    },
  },
};

/** @typedef {keyof typeof shapes} ShapeName */

export const shapeNames = /** @type {ShapeName[]} */ (Object.keys(shapes));

/**
 * A sentence of random tokens, the same on both sides.
 *
 * @param {number} length
 * @returns {number[]}
 */
export function tokenIds(length) {
  return Array.from({ length }, (_, i) => (i * 7919 + 13) % vocab_size);
}

/**
 * Floating-point operations of one forward pass, a multiply-add as two: the products alone.
 *
 * @param {EncoderConfig} config
 * @param {number} length
 * @returns {number}
 */
export function countOperations({ n_layers, d_model, d_ff }, length) {
  const products = 2 * length * (4 * d_model * d_model + 2 * d_model * d_ff);
  return n_layers * (products + 4 * length * length * d_model);
}
