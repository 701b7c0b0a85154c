// The inputs of a case of tests/fixtures/components.json as arguments of the package's functions.

import { Matrix } from "headscope";
import { multiHeadAttention } from "headscope/components";
import { flat, matrices, matrix, values } from "./component-fixtures.js";

/** @typedef {import("./component-fixtures.js").Fixture} Fixture */
/** @typedef {import("./component-fixtures.js").Tensor} Tensor */
/** @typedef {{ engine: import("headscope").Engine }} On */

/**
 * What a case gave, by the names of its outputs. `expected` stands for the case's own where an
 * output is compared in parts.
 *
 * @typedef {{ outputs: Record<string, unknown>, expected?: Record<string, number[]> }} Computed
 */

/**
 * @param {Record<string, Tensor>} inputs
 * @param {Record<string, string>} names the fixture's name of each argument
 * @returns {Record<string, Matrix | Float32Array>} the arguments that the case has
 */
export function given(inputs, names) {
  const present = Object.entries(names).filter(([, name]) => inputs[name] !== undefined);
  return Object.fromEntries(
    present.map(([argument, name]) => {
      const tensor = /** @type {Tensor} */ (inputs[name]);
      return [argument, tensor.shape.length === 1 ? values(tensor) : matrix(tensor)];
    }),
  );
}

/**
 * @param {Fixture} fixture
 * @param {Tensor} [keyValid] of one sequence; the case's own by default
 * @returns {{ mask?: any }} nothing where nothing is masked
 */
export function maskOf({ in: inputs, attrs }, keyValid = inputs.key_valid) {
  /** @type {any[]} */
  const parts = attrs.causal ? ["causal"] : [];
  if (keyValid !== undefined) parts.push([...values(keyValid)].map(Boolean));
  if (inputs.allowed !== undefined) {
    const { rows, cols, data } = matrix(inputs.allowed);
    parts.push(
      new Matrix(
        rows,
        cols,
        data.map((allowed) => (allowed ? 0 : -Infinity)),
      ),
    );
  }
  if (inputs.additive?.shape.length === 2) parts.push(matrix(inputs.additive));
  if (inputs.additive?.shape.length === 3) parts.push(matrices(inputs.additive));
  if (parts.length === 0) return {};
  return { mask: parts.length === 1 ? parts[0] : parts };
}

const headNames = Object.fromEntries(
  ["q", "k", "v", "o"].flatMap((letter) => [
    [`w${letter}`, `W${letter}`],
    [`b${letter}`, `b${letter}`],
  ]),
);

/** @type {Record<string, string>} */
const layerNames = {
  ...headNames,
  w1: "W1",
  b1: "b1",
  w2: "W2",
  b2: "b2",
  norm1_gamma: "ln1_g",
  norm1_beta: "ln1_b",
  norm2_gamma: "ln2_g",
  norm2_beta: "ln2_b",
};

/**
 * @param {Fixture} fixture
 * @param {number} layer
 * @returns {Record<string, Matrix | Float32Array>}
 */
export function layerParameters({ in: inputs }, layer) {
  const names = Object.entries(layerNames).map(([own, name]) => [own, `L${layer}.${name}`]);
  return given(inputs, Object.fromEntries(names));
}

/**
 * The arguments of multiHeadAttention, without mask and position.
 *
 * @param {Fixture} fixture
 * @returns {any}
 */
export function headArguments({ in: inputs, attrs }) {
  return {
    ...given(inputs, { x: "X", memory: "M", ...headNames, gates: "gate" }),
    heads: attrs.h,
  };
}

/**
 * @param {Fixture} fixture
 * @returns {any}
 */
export function layerArguments(fixture) {
  const { attrs, in: inputs } = fixture;
  return {
    x: matrix(/** @type {Tensor} */ (inputs.X)),
    heads: attrs.h,
    norm: attrs.placement,
    activation: attrs.activation,
    epsilon: attrs.eps,
    parameters: layerParameters(fixture, 0),
    ...maskOf(fixture),
  };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @param {object} [more] arguments
 * @returns {Promise<Computed>}
 */
export async function computeHeads(fixture, on, more) {
  const args = headArguments(fixture);
  const result = await multiHeadAttention({ ...args, ...maskOf(fixture), ...more }, on);
  // The context as stored is that of each head; the gated one lies side by side.
  const width = result.concat.cols / args.heads;
  const gated_context = result.context.map((_, head) =>
    Array.from({ length: result.concat.rows }, (_, row) =>
      result.concat.row(row).subarray(head * width, (head + 1) * width),
    ),
  );
  return { outputs: { ...result, gated_context } };
}

/**
 * @param {number} length
 * @returns {number[]} 0, 1, .. length - 1
 */
export function range(length) {
  return Array.from({ length }, (_, i) => i);
}

/**
 * @param {Record<string, Tensor>} inputs
 * @returns {[number, number][]}
 */
export function pairs(inputs) {
  const { rows, ...list } = matrix(/** @type {Tensor} */ (inputs.pairs));
  return range(rows).map((i) => [Number(list.data[2 * i]), Number(list.data[2 * i + 1])]);
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @returns {number}
 */
export function dot(a, b) {
  return flat(a).reduce((sum, value, i) => sum + value * Number(b[i]), 0);
}
