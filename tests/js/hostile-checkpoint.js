// What the tests of hostile checkpoints share: files with one thing changed, and that they are
// refused, whole, in an engine that goes on as before.

import assert from "node:assert/strict";
import { after } from "node:test";
import { createEngine, Encoder } from "headscope";
import { readSafetensorsHeader } from "../../bindings/js/trace/safetensors.js";
import { expectRejection } from "./expect-rejection.js";
import { makeCheckpoint } from "./tiny-model.js";
import { joinTensors } from "./weight-file.js";

/** @typedef {import("./weight-file.js").EncodedTensor} EncodedTensor */
/** @typedef {Record<string, Uint8Array<ArrayBuffer>>} Files */
/** @typedef {import("headscope").HeadscopeError["code"]} Code */

/**
 * What is wrong, the files, the code, what the message says.
 *
 * @typedef {[what: string, files: Files, code: Code, message: RegExp]} Line
 */

export const engine = await createEngine({ variant: "simd" });
export const inWorker = await createEngine({ variant: "simd", worker: true });
after(() => Promise.all([engine.dispose(), inWorker.dispose()]));

export const weights = "model.safetensors";
/** A checkpoint that is fine. */
export const whole = await makeCheckpoint(engine);
export const ids = [3, 1, 4, 1, 5];

/** It, on each engine. */
export const models = await Promise.all(
  [engine, inWorker].map((home) => Encoder.fromPretrained(whole, { engine: home })),
);
const { pooled } = await /** @type {Encoder} */ (models[0]).run({ ids });

/**
 * @param {Files} files
 * @param {string} [name]
 * @returns {EncodedTensor[]} what a file of weights holds
 */
export function tensorsOf(files, name = weights) {
  const { tensors, data } = readSafetensorsHeader(/** @type {Uint8Array} */ (files[name]));
  return tensors.map(({ begin, end, ...rest }) => ({ ...rest, bytes: data.slice(begin, end) }));
}

/**
 * @param {Files} files
 * @param {string} tensor
 * @param {Partial<EncodedTensor>} others
 * @returns {Files} with that tensor changed
 */
export function withTensor(files, tensor, others) {
  const tensors = tensorsOf(files).map((each) =>
    each.name === tensor ? { ...each, ...others } : each,
  );
  return { ...files, [weights]: joinTensors(tensors) };
}

/** @param {Files} files @param {string} tensor @returns {Files} */
export function withoutTensor(files, tensor) {
  return {
    ...files,
    [weights]: joinTensors(tensorsOf(files).filter(({ name }) => name !== tensor)),
  };
}

/** @param {Float32Array | Int8Array} values @returns {Uint8Array} */
export function bytesOf({ buffer }) {
  return new Uint8Array(buffer);
}

/** @param {unknown} value */
export function json(value) {
  return new TextEncoder().encode(JSON.stringify(value));
}

/**
 * Checks that each of several checkpoints is refused, with nothing left of it.
 *
 * @param {Line[]} lines
 */
export async function areRefused(lines) {
  for (const [i, home] of [engine, inWorker].entries()) {
    const before = await home.heapBytes();
    for (const [what, files, code, message] of lines) {
      for (const dtype of /** @type {const} */ (["f32", "int8"])) {
        const loading = Encoder.fromPretrained(files, { engine: home, dtype });
        await expectRejection(code, message, loading).catch((error) => {
          throw new Error(`${what}: ${error.message}`, { cause: error });
        });
      }
    }
    assert.equal(await home.heapBytes(), before, "nothing is left of what was refused");
    const model = /** @type {Encoder} */ (models[i]);
    assert.deepEqual((await model.run({ ids })).pooled, pooled, "the model before still works");
  }
}
