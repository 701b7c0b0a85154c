// Tables of positions grow with the longest run. Where memory ends in the middle of that, a table is
// the old one or the new one, whole.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { instantiateModule, unwrap } from "../../bindings/js/module.js";
import { tinyConfig } from "./tiny-model.js";

/** @typedef {import("../../bindings/js/config.js").PositionOptions} PositionOptions */
/** @typedef {import("../../bindings/js/module.js").Module} Module */

const file = new URL("../../dist/wasm/simd-threads.wasm", import.meta.url);
const compiled = await WebAssembly.compile(Uint8Array.from(await readFile(file)));
const { default: factory } = await import("#wasm/simd-threads.node.mjs");

/** Tokens beyond what memory holds. */
const most = 1_000_000;

/** @returns {Promise<Module>} of 512 MB, most of them taken */
async function makeModule() {
  const module = await instantiateModule(factory, compiled);
  unwrap(module.startThreads(1));
  load(module, { kind: "none" }, { vocab_size: 5_000_000, d_model: 16 });
  return module;
}

/**
 * @param {Module} module
 * @param {PositionOptions} position
 * @param {Partial<typeof tinyConfig>} [change]
 * @returns {number} an encoder
 */
function load(module, position, change = {}) {
  const config = { ...tinyConfig, n_layers: 1, max_tokens: most, ...change, position };
  const encoder = unwrap(module.encoderCreate(config, "f32"));
  unwrap(module.encoderInitialise(encoder, 1));
  return encoder;
}

/**
 * @param {number} length
 * @returns {import("../../bindings/js/module.js").RunRequest}
 */
function requestOf(length) {
  const ids = Int32Array.from({ length }, (_, i) => i % 40);
  const capture = ["embeddings", "scores"];
  return {
    sequences: [{ ids }],
    capture: length > 1000 ? [] : capture,
    gates: [],
    mask: "model",
    position: "model",
  };
}

/**
 * Whether a run of this length can begin. It computes no layer.
 *
 * @param {Module} module
 * @param {number} encoder
 * @param {number} length
 * @returns {boolean}
 */
function begins(module, encoder, length) {
  const { value, error } = module.runBegin(encoder, requestOf(length));
  if (value !== undefined) unwrap(module.runDrop(value));
  else assert.equal(error?.code, "out-of-memory", error?.message);
  return value !== undefined;
}

/**
 * @param {Module} module
 * @param {number} encoder
 * @param {number} length
 * @returns {Float32Array | undefined} everything captured
 */
function run(module, encoder, length) {
  const id = unwrap(module.runBegin(encoder, requestOf(length)));
  assert.equal(unwrap(module.runStep(id)), false, "there is one layer");
  return unwrap(module.runFinish(id))[0]?.data;
}

/**
 * @param {Module} module
 * @param {PositionOptions} position
 * @returns {number} the shortest run, to a hundredth, that does not begin on a new encoder
 */
function findLimit(module, position) {
  let [fits, fails] = [1000, most];
  while (fails - fits > fits / 100) {
    const middle = Math.floor((fits + fails) / 2);
    const encoder = load(module, position);
    if (begins(module, encoder, middle)) fits = middle;
    else fails = middle;
    unwrap(module.encoderDispose(encoder));
  }
  return fails;
}

for (const position of /** @type {PositionOptions[]} */ ([
  { kind: "sinusoidal" },
  { kind: "rotary" },
  { kind: "t5" },
])) {
  test(`a table of ${position.kind} positions that memory has no room for stays whole`, async () => {
    const module = await makeModule();
    const without = load(module, { kind: "none" });
    const limit = findLimit(module, position);
    assert(begins(module, without, limit), "it is the table that there is no room for");
    const encoder = load(module, position);
    const short = run(module, encoder, 10);
    assert.equal(begins(module, encoder, limit), false);
    assert.deepEqual(run(module, encoder, 10), short);
    const other = load(module, position);
    assert.deepEqual(run(module, encoder, 300), run(module, other, 300));
  });
}
