// Calls of every function of headscope/components that are right, and how a wrong one is refused: on
// this thread and in a worker.

import assert from "node:assert/strict";
import { after } from "node:test";
import { createEngine, Matrix } from "headscope";
import * as components from "headscope/components";

/** Here, and in a worker. */
export const engines = [
  await createEngine({ variant: "simd" }),
  await createEngine({ variant: "simd", worker: true }),
];
after(() => Promise.all(engines.map((engine) => engine.dispose())));

/** @typedef {import("../../bindings/js/trace/error.js").ErrorCode} Code */
/** @typedef {keyof typeof components} Name */

/** @type {Record<Name, (given: any, options: any) => Promise<unknown>>} */
export const functions = { ...components };

/**
 * One line of a table: what is different from arguments that are right, the code, what the message
 * says behind the name of the function.
 *
 * @typedef {[changes: Record<string, unknown>, code: Code, message: RegExp]} Line
 */

export const small = [
  [3, 0],
  [0, 3],
];
export const eye = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
];
export const x = [
  [1, 2, 3, 4],
  [0, -1, 0.5, 2],
  [2, 2, 1, 0],
];
export const wide = new Matrix(3, 5);
export const infinite = [
  [1, 2, 3, 4],
  [1, Infinity, 3, 4],
  [1, 2, 3, 4],
];

/** Functions with arguments that are right. */
export const right = /** @type {Record<Name, Record<string, any>>} */ ({
  attention: { query: x, key: x, value: x },
  multiHeadAttention: { x, heads: 2, wq: eye, wk: eye, wv: eye, wo: eye },
  shawAttention: { query: x, key: x, value: x, relative_key: x, clip: 1 },
  attentionCost: { length: 10, d_model: 8, heads: 2 },
  layerNorm: { x },
  addNorm: { x, sublayer: x },
  layerNormSteps: { x, sublayer: x },
  feedForward: { x, w1: eye, w2: eye, activation: "relu" },
  encoderLayer: {
    x,
    heads: 2,
    norm: "pre",
    activation: "gelu",
    parameters: { wq: eye, wk: eye, wv: eye, wo: eye, w1: eye, w2: eye },
  },
  sinusoidalPositions: { length: 3, d_model: 4 },
  positionRotation: { d_model: 4, offset: 1 },
  rotary: { x },
  alibiSlopes: { heads: 4 },
  alibiBias: { heads: 2, length: 3 },
  t5Buckets: { length: 3 },
  t5Bias: { table: eye, length: 3, max_distance: 8 },
});

/**
 * @param {Name} name
 * @param {Record<string, unknown>} given
 * @param {Code} code
 * @param {string} message how it begins
 * @param {RegExp} [rest]
 */
export async function isRefused(name, given, code, message, rest = /^/) {
  const call = functions[name];
  for (const engine of engines) {
    await assert.rejects(call(given, { engine }), (/** @type {any} */ error) => {
      assert.equal(error.name, "HeadscopeError", String(error));
      assert.equal(error.code, code, error.message);
      assert(error.message.startsWith(message), `"${error.message}", expected "${message} .."`);
      assert.match(error.message.slice(message.length), rest);
      return true;
    });
  }
}

/**
 * @param {Name} name
 * @returns {Promise<unknown[]>} what it gives for arguments that are right, of each engine
 */
export function compute(name) {
  const call = functions[name];
  return Promise.all(engines.map((engine) => call(right[name], { engine })));
}
