// How each kind of case of tests/fixtures/components.json is computed through the package.

import { Matrix } from "headscope";
import { permutationResidual } from "headscope/analysis";
import {
  addNorm,
  attention,
  encoderLayer,
  feedForward,
  layerNorm,
  multiHeadAttention,
} from "headscope/components";
import { computeHeads, given, headArguments, layerArguments, maskOf } from "./case-arguments.js";
import { matrices, matrix, values } from "./component-fixtures.js";
import { computeLayer, computeStack } from "./encoder-cases.js";
import { computePositions, computeRelative, computeRotary } from "./position-cases.js";

/** @typedef {import("./component-fixtures.js").Fixture} Fixture */
/** @typedef {import("./component-fixtures.js").Tensor} Tensor */
/** @typedef {import("./case-arguments.js").Computed} Computed */
/** @typedef {import("./case-arguments.js").On} On */

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeAttention(fixture, on) {
  const inputs = /** @type {any} */ (
    given(fixture.in, { query: "Q", key: "K", value: "V", bias: "X" })
  );
  if (fixture.id !== "attention/softmax-rows") {
    const value = inputs.value ?? inputs.key;
    return { outputs: await attention({ ...inputs, value, ...maskOf(fixture) }, on) };
  }
  // Scores of 0 and the rows as their bias.
  const [query, key] = [new Matrix(9, 1), new Matrix(7, 1)];
  const { weights } = await attention({ query, key, value: key, bias: inputs.bias }, on);
  return { outputs: { Y: weights } };
}

/**
 * Each sequence of a batch by itself.
 *
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeHeadBatch(fixture, on) {
  const { X, key_valid } = fixture.in;
  const keys = matrix(/** @type {Tensor} */ (key_valid));
  const results = [];
  for (const [i, x] of matrices(/** @type {Tensor} */ (X)).entries()) {
    const mask = maskOf(fixture, { shape: [keys.cols], data: [...keys.row(i)] });
    results.push(await multiHeadAttention({ ...headArguments(fixture), x, ...mask }, on));
  }
  return {
    outputs: {
      weights: results.map(({ weights }) => weights),
      output: results.map(({ output }) => output),
    },
  };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeNorm({ in: inputs, attrs }, on) {
  const args = /** @type {any} */ (
    given(inputs, { x: "x", sublayer: "sub", gamma: "gamma", beta: "beta" })
  );
  const compute = args.sublayer === undefined ? layerNorm : addNorm;
  return { outputs: { y: await compute({ ...args, epsilon: attrs.eps }, on) } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeFeedForward({ id, in: inputs, attrs }, on) {
  const { activation } = attrs;
  if (id.startsWith("ffn/activation-")) {
    const x = [...values(/** @type {Tensor} */ (inputs.x))].map((value) => [value]);
    return { outputs: { y: await feedForward({ x, w1: [[1]], w2: [[1]], activation }, on) } };
  }
  const gate = { w1: "Wu", b1: "bu", w_gate: "Wg", b_gate: "bg" };
  const names = { x: "X", w1: "W1", b1: "b1", w2: "W2", b2: "b2" };
  const args = /** @type {any} */ (given(inputs, attrs.gated ? { ...names, ...gate } : names));
  const word = ["geglu", "swiglu"].includes(attrs.gated) ? attrs.gated : activation;
  return { outputs: { output: await feedForward({ ...args, activation: word }, on) } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computePermutation(fixture, on) {
  const { id, in: inputs } = fixture;
  const order = [...values(/** @type {Tensor} */ (inputs.perm))];
  const isLayer = id.startsWith("permutation/encoder-layer");
  const args = isLayer
    ? layerArguments(fixture)
    : { ...headArguments(fixture), ...maskOf(fixture) };
  if (id === "permutation/mha-causal") args.mask = "causal";
  if (id === "permutation/mha-sinusoidal") args.position = { kind: "sinusoidal" };
  const { residual, rows } = await permutationResidual({ ...args, order }, on);
  const compute = /** @type {any} */ (isLayer ? encoderLayer : multiHeadAttention);
  const Y = (await compute(args, on)).output;
  // rows = f(P x) - P f(x)
  const Y_perm = order.map((place, i) =>
    Array.from(rows.row(i), (value, column) => value + Y.at(place, column)),
  );
  return { outputs: { Y, Y_perm, max_diff: residual } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
export function computeCase(fixture, on) {
  const { id } = fixture;
  switch (fixture.group) {
    case "attention":
      return computeAttention(fixture, on);
    case "mha":
      return id.startsWith("mha/batch-")
        ? computeHeadBatch(fixture, on)
        : computeHeads(fixture, on);
    case "layernorm":
      return computeNorm(fixture, on);
    case "ffn":
      return computeFeedForward(fixture, on);
    case "encoder":
      return /\/(stack|big-pre)-/.test(id) ? computeStack(fixture, on) : computeLayer(fixture, on);
    case "positions":
      return computePositions(fixture, on);
    case "rotary":
      return computeRotary(fixture, on);
    case "relative":
      return computeRelative(fixture, on);
    case "permutation":
      return computePermutation(fixture, on);
    default:
      throw new Error(`no way to compute the group ${fixture.group}`);
  }
}
