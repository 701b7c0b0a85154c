// dtype "int8": the model that ships, against the graph that it was converted from, and what an
// encoder in int8 promises.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { supply } from "#platform";
import { readCheckpoint } from "../../bindings/js/checkpoint.js";
import { openSource } from "../../bindings/js/checkpoint-source.js";
import { carryOut } from "../../bindings/js/commands.js";
import { instantiateModule, unwrap } from "../../bindings/js/module.js";
import { partsOfFiles } from "../../bindings/js/parameter-parts.js";
import { attentionDistance, cosine } from "./fixture-distance.js";
import { floatModelFolder, modelFolder, tinyConfig } from "./tiny-model.js";

/** @typedef {import("../../bindings/js/module.js").Module} Module */
/** @typedef {import("../../bindings/js/protocol.js").LoadResult} LoadResult */
/** @typedef {import("../../bindings/js/protocol.js").RunResult} RunResult */

const fixture = new URL("../fixtures/use-lite.json", import.meta.url);
/** @type {any[]} */
const sentences = JSON.parse(await readFile(fixture, "utf8"));

/**
 * Of the kernels on this model. Wide adds nothing that could be seen to the 8 bits of the file. Dot
 * keeps 7 bits of most weights and 8 of its inputs; the bounds are what was measured, and a third.
 */
const limits = {
  wide: { cosine: 0.999, attention: 0.03 },
  dot: { cosine: 0.998, attention: 0.055 },
};

const engine = await createEngine();
after(() => engine.dispose());

for (const [name, folder] of /** @type {const} */ ([
  ["int8", modelFolder],
  ["float32", floatModelFolder],
])) {
  test(`the model of ${name} weights is close in int8, also as a batch`, async () => {
    const encoder = await Encoder.fromPretrained(folder, { engine, dtype: "int8" });
    assert.equal(encoder.dtype, "int8");
    const limit = limits[/** @type {"wide" | "dot"} */ (encoder.int8Kernel)];
    const traces = await encoder.run(sentences.map(({ sentence }) => sentence));
    for (const [i, { sentence, attention, embedding }] of sentences.entries()) {
      const trace = await encoder.run(sentence);
      assert.deepEqual(traces[i]?.pooled, trace.pooled);
      const off = attentionDistance(trace.attention.bind(trace), attention);
      assert(off <= limit.attention, `attention is off by ${off}`);
      const close = cosine(trace.pooled, embedding);
      assert(close >= limit.cosine, `the cosine is ${close}`);
    }
    encoder.dispose();
  });
}

/**
 * A module that says dot, where WebAssembly has the instruction and it is right.
 *
 * @returns {Promise<Module | undefined>}
 */
async function dotModule() {
  const file = new URL("../../dist/wasm/relaxed.wasm", import.meta.url);
  const bytes = Uint8Array.from(await readFile(file));
  if (!WebAssembly.validate(bytes)) return undefined;
  const { default: factory } = await import("#wasm/relaxed.node.mjs");
  const module = await instantiateModule(factory, await WebAssembly.compile(bytes));
  const { config } = await readCheckpoint(openSource(modelFolder, supply), {});
  const { value: encoder } = module.encoderCreate(config, "dot");
  if (encoder === undefined) return undefined;
  unwrap(module.encoderDispose(encoder));
  return { ...module, int8Kernel: () => ({ value: /** @type {const} */ ("dot") }) };
}

test("the dot kernel is close where its instruction is right, however fast it is", async (t) => {
  const module = await dotModule();
  if (module === undefined) return t.skip("no right relaxed dot product in this engine");
  const { config, files } = await readCheckpoint(openSource(modelFolder, supply), {});
  const nothing = async () => {};
  const { encoder, int8Kernel } = /** @type {LoadResult} */ (
    await carryOut("load", module, { config, dtype: "int8" }, nothing)
  );
  for (const part of partsOfFiles(files)) carryOut("place", module, { encoder, ...part }, nothing);
  carryOut("complete", module, { encoder }, nothing);
  assert.equal(int8Kernel, "dot");
  const worst = { cosine: 1, attention: 0 };
  for (const { ids, attention, embedding } of sentences) {
    const sequences = [{ ids: Int32Array.from(ids) }];
    const request = {
      sequences,
      capture: ["attention"],
      gates: [],
      mask: "model",
      position: "model",
    };
    const result = carryOut("run", module, { encoder, request }, nothing);
    const [sequence] = /** @type {RunResult} */ (await result).sequences;
    assert(sequence);
    const { data, pooled } = sequence;
    const size = ids.length ** 2;
    const off = attentionDistance((layer, head) => {
      const first = (layer * config.n_heads + head) * size;
      return { rows: ids.length, cols: ids.length, data: data.subarray(first, first + size) };
    }, attention);
    worst.attention = Math.max(worst.attention, off);
    worst.cosine = Math.min(worst.cosine, cosine(pooled, embedding));
  }
  t.diagnostic(`worst cosine ${worst.cosine}, attention off by ${worst.attention}`);
  assert(worst.attention <= limits.dot.attention);
  assert(worst.cosine >= limits.dot.cosine);
  return undefined;
});

test("an encoder in float32 says so, and has no int8 kernel", async () => {
  const encoder = await Encoder.fromConfig(tinyConfig, { engine });
  assert.deepEqual([encoder.dtype, encoder.int8Kernel], ["f32", undefined]);
  encoder.dispose();
});

test("fromConfig in int8: the same seed or the same parameters, read as they are computed with", async () => {
  const options = /** @type {const} */ ({ engine, dtype: "int8", seed: 3 });
  const exact = await Encoder.fromConfig(tinyConfig, { engine, seed: 3 });
  const seeded = await Encoder.fromConfig(tinyConfig, options);
  const names = exact.parameterNames;
  const values = await Promise.all(names.map((name) => exact.parameter(name)));
  const parameters = Object.fromEntries(names.map((name, i) => [name, values[i]?.data]));
  const given = await Encoder.fromConfig(tinyConfig, {
    engine,
    dtype: "int8",
    parameters: /** @type {Record<string, Float32Array>} */ (parameters),
  });
  for (const [i, name] of names.entries()) {
    const got = await seeded.parameter(name);
    assert.deepEqual(got, await given.parameter(name));
    const plain = values[i];
    assert(plain);
    const largest = Math.max(...plain.data.map(Math.abs));
    const off = Math.max(...got.data.map((x, j) => Math.abs(x - Number(plain.data[j]))));
    // Half a step of 7 bits.
    assert(off <= (0.501 * largest) / 63, `${name} is off by ${off}`);
    const quantised = /\.w/.test(name);
    assert.equal(off > 0, quantised, name);
  }
  const input = { ids: [1, 2, 3, 4] };
  const { pooled } = await seeded.run(input);
  assert.deepEqual((await given.run(input)).pooled, pooled);
  const expected = (await exact.run(input)).pooled;
  assert.notDeepEqual(pooled, expected);
  assert(cosine(pooled, expected) > 0.99);
  for (const encoder of [exact, seeded, given]) encoder.dispose();
});

test("a capture changes no bit in int8", async () => {
  const encoder = await Encoder.fromConfig(tinyConfig, { engine, dtype: "int8" });
  const input = { ids: [5, 6, 7, 8, 9] };
  const captured = await encoder.run(input, {
    capture: ["attention", "attention_output", "feed_forward", "output"],
  });
  const plain = await encoder.run(input, { capture: ["output"] });
  assert.deepEqual(captured.get("output"), plain.get("output"));
  assert.deepEqual(captured.pooled, plain.pooled);
  encoder.dispose();
});
