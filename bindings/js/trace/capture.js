/**
 * What a run can capture, in the order of the computation, and which axes lead its matrices.
 * T tokens, K head width, D d_model, D_in the width of layer 0's input.
 *
 * - `embeddings` [T, D_in]: the input of layer 0
 * - `query`, `key`, `value` [T, K], per layer and head
 * - `scores` [T, T], per layer and head: scaled, with position bias, before the mask
 * - `attention` [T, T], per layer and head: rows are queries and sum to 1
 * - `context` [T, K], per layer and head: weights times values, before the gate
 * - `attention_output`, `feed_forward` [T, D], per layer: before the residual is added
 * - `hidden` [T, D], per layer: after the layer, before any final norm
 * - `output` [T, D]: after the final norm
 */
const axes = /** @type {const} */ ({
  embeddings: [],
  query: ["layer", "head"],
  key: ["layer", "head"],
  value: ["layer", "head"],
  scores: ["layer", "head"],
  attention: ["layer", "head"],
  context: ["layer", "head"],
  attention_output: ["layer"],
  feed_forward: ["layer"],
  hidden: ["layer"],
  output: [],
});

/** @typedef {keyof typeof axes} CaptureName */

/** The names, in the order of the computation. */
export const captures = Object.freeze(/** @type {CaptureName[]} */ (Object.keys(axes)));

/**
 * @param {string} name
 * @returns {name is CaptureName}
 */
export function isCapture(name) {
  return Object.hasOwn(axes, name);
}

/**
 * How many axes lead the matrices of a name: 2 (layers, heads), 1 (layers) or 0.
 *
 * @param {CaptureName} name
 * @returns {number}
 */
export function countAxes(name) {
  return axes[name].length;
}
