// Where Universal Sentence Encoder Lite keeps its weights, and what they are called here.

/** @typedef {import("./safetensors.js").Tensor} Tensor */

export const config = {
  n_layers: 2,
  n_heads: 4,
  d_model: 512,
  d_input: 256,
  d_ff: 1536,
  vocab_size: 8002,
  max_tokens: 128,
  activation: "relu",
  norm: "pre",
  norm_epsilon: 1e-6,
  final_norm: false,
  position: { kind: "sinusoidal", layout: "concatenated" },
  pooling: "mean",
  pooler: "tanh",
  normalize: true,
  // The published graph adds the embedding to itself and the position: 2 e + PE.
  embedding_scale: 2,
};

/**
 * Byte offset and shape of each tensor in the concatenated shards. Kernels are [in, out] there as here.
 * @type {[name: string, offset: number, ...shape: number[]][]}
 */
const WHOLE = [
  ["embeddings.token", 18132056, 8002, 256],
  ["layers.0.attention.wo", 17605720, 256, 512],
  ["layers.0.attention.bo", 18130008, 512],
  ["layers.0.attention.w_residual", 26326616, 256, 512],
  ["layers.0.attention.b_residual", 26850904, 512],
  ["layers.0.norm1.gamma", 16814124, 256],
  ["layers.0.norm1.beta", 16815152, 256],
  ["layers.0.feed_forward.w1", 13656088, 512, 1536],
  ["layers.0.feed_forward.b1", 16805916, 1536],
  ["layers.0.feed_forward.w2", 10510360, 1536, 512],
  ["layers.0.feed_forward.b2", 16812064, 512],
  ["layers.0.norm2.gamma", 16801816, 512],
  ["layers.0.norm2.beta", 16803864, 512],
  ["layers.1.attention.wo", 9459736, 512, 512],
  ["layers.1.attention.bo", 10508312, 512],
  ["layers.1.norm1.gamma", 6303748, 512],
  ["layers.1.norm1.beta", 6305796, 512],
  ["layers.1.feed_forward.w1", 3145728, 512, 1536],
  ["layers.1.feed_forward.b1", 6295552, 1536],
  ["layers.1.feed_forward.w2", 0, 1536, 512],
  ["layers.1.feed_forward.b2", 6301696, 512],
  ["layers.1.norm2.gamma", 6291456, 512],
  ["layers.1.norm2.beta", 6293504, 512],
  ["pooler.w", 26853024, 512, 512],
  ["pooler.b", 27901600, 512],
];

/** Query, key and value share one kernel, side by side. */
const JOINED = [
  { layer: 0, width: 256, kernel: 16816176, bias: 17602608 },
  { layer: 1, width: 512, kernel: 6307844, bias: 9453572 },
];

/**
 * @param {Uint8Array} shards all shards, one after another
 * @returns {Tensor[]} every parameter, float32
 */
export function readWeights(shards) {
  const floats = (/** @type {number} */ offset, /** @type {number} */ count) =>
    // A copy of plain bytes: a Buffer's own slice would share all of its memory.
    new Float32Array(new Uint8Array(shards.subarray(offset, offset + 4 * count)).buffer);
  const whole = WHOLE.map(([name, offset, ...shape]) => ({
    name,
    shape,
    data: floats(
      offset,
      shape.reduce((product, size) => product * size),
    ),
  }));
  const parts = JOINED.flatMap(({ layer, width, kernel, bias }) => {
    const joinedKernel = floats(kernel, 3 * width * width);
    const joinedBias = floats(bias, 3 * width);
    return ["q", "k", "v"].flatMap((letter, part) => [
      {
        name: `layers.${layer}.attention.w${letter}`,
        shape: [width, width],
        data: columnsOf(joinedKernel, width, part),
      },
      {
        name: `layers.${layer}.attention.b${letter}`,
        shape: [width],
        data: joinedBias.slice(part * width, (part + 1) * width),
      },
    ]);
  });
  return [...whole, ...parts];
}

/** Columns part * width ... of a [width, 3 width] matrix. @param {Float32Array} joined @param {number} width @param {number} part */
function columnsOf(joined, width, part) {
  const columns = new Float32Array(width * width);
  for (let row = 0; row < width; ++row) {
    const begin = (3 * row + part) * width;
    columns.set(joined.subarray(begin, begin + width), row * width);
  }
  return columns;
}
