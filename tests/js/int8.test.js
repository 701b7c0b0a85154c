// dtype "int8": the model that ships, against the graph that it was converted from, and what an
// encoder in int8 promises.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { attentionDistance, cosine } from "./fixture-distance.js";
import { int8Limits } from "./int8-limits.js";
import { floatModelFolder, modelFolder, tinyConfig } from "./tiny-model.js";

const fixture = new URL("../fixtures/use-lite.json", import.meta.url);
/** @type {any[]} */
const sentences = JSON.parse(await readFile(fixture, "utf8"));

const engine = await createEngine();
after(() => engine.dispose());

for (const [name, folder] of /** @type {const} */ ([
  ["int8", modelFolder],
  ["float32", floatModelFolder],
])) {
  test(`the model of ${name} weights is close in int8, also as a batch`, async () => {
    const encoder = await Encoder.fromPretrained(folder, { engine, dtype: "int8" });
    assert.equal(encoder.dtype, "int8");
    const limit = int8Limits[/** @type {"wide" | "dot"} */ (encoder.int8Kernel)];
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
    // Half a step of 8 bits.
    assert(off <= (0.501 * largest) / 127, `${name} is off by ${off}`);
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
