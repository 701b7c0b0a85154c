// Symmetric 8-bit weights: w is about q * scale with q in -127..127. One scale for everything that one
// output depends on: a column of an [in, out] matrix, a row (token) of the embedding table.

/** @typedef {import("./safetensors.js").Tensor} Tensor */

/**
 * Matrices become NAME (I8) and NAME.scale (F32); vectors stay as they are.
 * @param {Tensor[]} tensors all float32
 * @returns {Tensor[]} the float32 ones first, so that every tensor stays aligned
 */
export function quantize(tensors) {
  /** @type {Tensor[]} */
  const floats = [];
  /** @type {Tensor[]} */
  const bytes = [];
  for (const tensor of tensors) {
    if (tensor.shape.length === 1) {
      floats.push(tensor);
      continue;
    }
    const { values, scale } = quantizeMatrix(tensor, tensor.name === "embeddings.token");
    bytes.push({ ...tensor, data: values });
    floats.push({ name: `${tensor.name}.scale`, shape: [scale.length], data: scale });
  }
  return [...floats, ...bytes];
}

/**
 * @param {Tensor} tensor [R, C]
 * @param {boolean} perRow one scale per row instead of per column
 * @returns {{ values: Int8Array, scale: Float32Array }} values [R, C], scale [R] or [C]
 */
function quantizeMatrix({ shape: [rows, cols], data }, perRow) {
  const scale = new Float32Array(perRow ? rows : cols);
  const group = (/** @type {number} */ i) => (perRow ? Math.floor(i / cols) : i % cols);
  for (let i = 0; i < data.length; ++i)
    scale[group(i)] = Math.max(scale[group(i)], Math.abs(data[i]) / 127);
  const values = new Int8Array(data.length);
  for (let i = 0; i < data.length; ++i) {
    const step = scale[group(i)];
    // The scale was rounded to float32, so a quotient may pass 127 by a hair.
    if (step > 0) values[i] = Math.max(-127, Math.min(127, Math.round(data[i] / step)));
  }
  return { values, scale };
}
