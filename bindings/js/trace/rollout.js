import { Matrix } from "./matrix.js";
import { aTrace } from "./trace.js";

/**
 * Attention rollout: how much of each input token reaches each token of the last layer if
 * attention were all that mixed them. Each layer's attention is the mean over its heads, half of
 * it replaced by the identity for the residual connection, A' = 0.5 A + 0.5 I; the layers are
 * multiplied, the last one leftmost (Abnar & Zuidema 2020, "Quantifying Attention Flow in
 * Transformers", section 3).
 *
 * @example
 * const trace = Trace.from({
 *   tokens: ["a", "b"],
 *   attention: [[[[0, 1], [0, 1]]], [[[1, 0], [1, 0]]]],
 * });
 * rollout(trace); // -> [[0.5, 0.5], [0.25, 0.75]]
 *
 * @param {import("./trace.js").Trace} trace with attention of every layer
 * @returns {Matrix} [T, T]; rows are tokens of the last layer and sum to 1, columns are inputs
 * @throws {import("./error.js").HeadscopeError} `not-found`: a layer was not captured;
 *   `bad-argument`: no Trace
 */
export function rollout(trace) {
  aTrace(trace, "rollout: trace");
  const size = trace.tokens.length;
  /** @type {Float64Array} */
  let flow = Float64Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 1 : 0));
  for (let layer = 0; layer < trace.config.n_layers; ++layer) {
    flow = multiply(mixHeads(trace, layer), flow, size);
  }
  return new Matrix(size, size, Float32Array.from(flow));
}

/**
 * @param {import("./trace.js").Trace} trace
 * @param {number} layer
 * @returns {Float64Array} 0.5 A + 0.5 I
 */
function mixHeads(trace, layer) {
  const size = trace.tokens.length;
  const { n_heads } = trace.config;
  const mixed = new Float64Array(size * size);
  for (let head = 0; head < n_heads; ++head) {
    trace.attention(layer, head).data.forEach((weight, i) => {
      mixed[i] = (mixed[i] ?? 0) + (0.5 * weight) / n_heads;
    });
  }
  for (let i = 0; i < mixed.length; i += size + 1) mixed[i] = (mixed[i] ?? 0) + 0.5;
  return mixed;
}

/**
 * @param {Float64Array} a [size, size]
 * @param {Float64Array} b [size, size]
 * @param {number} size
 * @returns {Float64Array} the product
 */
function multiply(a, b, size) {
  const product = new Float64Array(size * size);
  for (let r = 0; r < size; ++r) {
    for (let k = 0; k < size; ++k) {
      const factor = a[r * size + k] ?? 0;
      for (let c = 0; c < size; ++c) product[r * size + c] += factor * (b[k * size + c] ?? 0);
    }
  }
  return product;
}
