// The cases of tests/fixtures/components.json: reading them, and comparing results with them.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Matrix } from "headscope";

/** @typedef {{ shape: number[], data?: (number | null)[], gen?: Generator }} Tensor */
/** @typedef {{ seed: number, scale: number, offset: number }} Generator */

/**
 * One case: sizes and options, inputs, outputs, and an absolute tolerance for each output that is
 * not exact.
 *
 * @typedef {object} Fixture
 * @property {string} id
 * @property {string} group
 * @property {Record<string, any>} attrs
 * @property {Record<string, Tensor>} in
 * @property {Record<string, Tensor | number>} out
 * @property {Record<string, number>} tol
 */

const file = new URL("../fixtures/components.json", import.meta.url);
const { cases, generator } = JSON.parse(await readFile(file, "utf8"));

/** @type {Fixture[]} */
export const fixtures = cases;

/** Values of the generator that must be met exactly. @type {[number, number, number][]} */
export const generatorExamples = generator.examples_seed_i_u;

/**
 * @param {number} x
 * @returns {number}
 */
function mix(x) {
  let y = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  y = Math.imul(y ^ (y >>> 15), 0x846ca68b);
  return (y ^ (y >>> 16)) >>> 0;
}

/**
 * The generator of large tensors.
 *
 * @param {number} seed
 * @param {number} i
 * @returns {number} in [-1, 1)
 */
export function uniform(seed, i) {
  const bits = mix((mix((seed ^ 0x9e3779b9) >>> 0) + mix(i)) >>> 0);
  return ((bits >>> 8) - 8388608) / 8388608;
}

/**
 * @param {Tensor | number} tensor
 * @returns {Float32Array} its values; null stands for -Infinity
 */
export function values(tensor) {
  if (typeof tensor === "number") return Float32Array.of(tensor);
  const { shape, data, gen } = tensor;
  if (data !== undefined) return Float32Array.from(data, (value) => value ?? -Infinity);
  const { seed, scale, offset } = /** @type {Generator} */ (gen);
  const length = shape.reduce((product, size) => product * size, 1);
  return Float32Array.from({ length }, (_, i) => offset + scale * uniform(seed, i));
}

/**
 * @param {Tensor} tensor [rows, cols], or a vector as one row
 * @returns {Matrix}
 */
export function matrix(tensor) {
  const cols = tensor.shape.at(-1) ?? 1;
  const data = values(tensor);
  return new Matrix(data.length / cols, cols, data);
}

/**
 * @param {Tensor} tensor [count, rows, cols]
 * @returns {Matrix[]}
 */
export function matrices({ shape, ...rest }) {
  const [count = 0, rows = 0, cols = 0] = shape;
  const data = values({ shape, ...rest });
  return Array.from({ length: count }, (_, i) => {
    return new Matrix(rows, cols, data.slice(i * rows * cols, (i + 1) * rows * cols));
  });
}

/**
 * All numbers of a result, in order.
 *
 * @param {unknown} result numbers, matrices, and arrays of these
 * @returns {number[]}
 */
export function flat(result) {
  if (typeof result === "number") return [result];
  if (result instanceof Matrix) return [...result.data];
  return Array.from(/** @type {ArrayLike<unknown>} */ (result), flat).flat();
}

/**
 * @param {number[]} got
 * @param {ArrayLike<number>} expected
 * @returns {number} the largest difference; NaN where there is one, or another number of values
 */
export function distance(got, expected) {
  if (got.length !== expected.length) return Number.NaN;
  return got.reduce((worst, value, i) => {
    const wanted = Number(expected[i]);
    return Math.max(worst, value === wanted ? 0 : Math.abs(value - wanted));
  }, 0);
}

/** What torch does where the project does otherwise, and gradients, are no targets. */
const isTarget = (/** @type {string} */ name) => !name.startsWith("torch_") && name !== "dy_dx";

/**
 * Compares the outputs of a case with what was expected, each at its own tolerance; an output
 * without one is exact. An output that is missing fails.
 *
 * @param {Fixture} fixture
 * @param {Record<string, unknown>} outputs
 * @param {Record<string, ArrayLike<number>>} [expected] in place of the case's own
 */
export function checkOutputs(fixture, outputs, expected = {}) {
  for (const name of Object.keys(fixture.out).filter(isTarget)) {
    assert(name in outputs, `${fixture.id}: ${name} was not computed`);
    const wanted = expected[name] ?? values(/** @type {Tensor} */ (fixture.out[name]));
    const off = distance(flat(outputs[name]), wanted);
    const tolerance = fixture.tol[name] ?? 0;
    assert(off <= tolerance, `${fixture.id}: ${name} is off by ${off}, allowed ${tolerance}`);
  }
}
