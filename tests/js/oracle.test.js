// The model that ships, against the graph that it was converted from. The fixtures were made by
// running that graph in TensorFlow.js (CPU backend, seven significant digits).

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { attentionDistance, cosine, distance } from "./fixture-distance.js";
import { floatModelFolder } from "./tiny-model.js";

const fixtures = new URL("../fixtures/", import.meta.url);
/** @type {any[]} */
const sentences = JSON.parse(await readFile(new URL("use-lite.json", fixtures), "utf8"));
/** @type {any[]} */
const edges = JSON.parse(await readFile(new URL("use-lite-edge.json", fixtures), "utf8"));

// Twice the largest difference that was seen between float32 implementations of this model; a
// wrong epsilon, exponent or residual is at least twice as far off.
const limits = { attention: 1e-5, embedding: 2e-6, hidden: 5e-4 };
/** Of weights that were int8 in the file, with one scale per output column. */
const int8Limits = { cosine: 0.999, attention: 0.03 };

const engine = await createEngine();
const model = await Encoder.fromPretrained(floatModelFolder, { engine });
const int8 = await Encoder.fromPretrained(undefined, { engine });
after(() => engine.dispose());

/**
 * The captured matrix behind each entry of a fixture's `hidden`: the first 8 values of each row.
 *
 * @param {import("headscope").Trace} trace
 * @returns {Record<string, import("headscope").Matrix>}
 */
function hiddenStates(trace) {
  return {
    input: trace.get("embeddings"),
    l0_output: trace.get("hidden", 0),
    l1_output: trace.get("hidden", 1),
  };
}

for (const { sentence, ids, attention, hidden, embedding } of sentences) {
  test(`float32 agrees on "${sentence.slice(0, 60)}"`, async () => {
    const trace = await model.run(sentence, { capture: ["embeddings", "attention", "hidden"] });
    assert.deepEqual(
      trace.tokens.map(({ id }) => id),
      ids,
    );
    assert(attentionDistance(trace.attention.bind(trace), attention) <= limits.attention);
    assert(distance(trace.pooled, embedding) <= limits.embedding);
    for (const [name, matrix] of Object.entries(hiddenStates(trace))) {
      assert.equal(matrix.rows, ids.length);
      const got = Array.from({ length: matrix.rows }, (_, i) => [...matrix.row(i).subarray(0, 8)]);
      const off = distance(got.flat(), hidden[name].flat());
      assert(off <= limits.hidden, `${name} differs by ${off}`);
    }
  });

  test(`int8 weights are close on "${sentence.slice(0, 60)}"`, async () => {
    const trace = await int8.run(sentence);
    assert(attentionDistance(trace.attention.bind(trace), attention) <= int8Limits.attention);
    assert(cosine(trace.pooled, embedding) >= int8Limits.cosine);
  });
}

for (const { name, sentence, ids, embedding } of edges) {
  test(`float32 agrees on ${name}`, async () => {
    const cut = await model.run(sentence ?? { ids }, { truncate: true });
    assert.deepEqual(
      cut.tokens.map(({ id }) => id),
      ids.slice(0, model.config.max_tokens),
    );
    assert(distance(cut.pooled, embedding) <= limits.embedding);
  });
}

test("all sentences at once give what each gives alone", async () => {
  const texts = sentences.map(({ sentence }) => sentence);
  const traces = await model.run(texts);
  const vectors = await model.embed(texts);
  sentences.forEach(({ attention, embedding }, i) => {
    const trace = /** @type {import("headscope").Trace} */ (traces[i]);
    assert(attentionDistance(trace.attention.bind(trace), attention) <= limits.attention);
    assert(distance(trace.pooled, embedding) <= limits.embedding);
    assert.deepEqual(vectors[i], trace.pooled);
  });
});

test("the order of the words matters: dog bites man, man bites dog", async () => {
  const [one, other] = await model.embed(["dog bites man", "man bites dog"]);
  assert(one && other);
  assert(Math.abs(cosine(one, other) - 0.852) < 5e-4);
});

test("without positions it does not: the same tokens give the same vector", async () => {
  const texts = ["dog bites man", "man bites dog"];
  const [one, other] = await model.run(texts, { position: "none" });
  assert(one && other);
  assert(distance(one.pooled, [...other.pooled]) <= 1e-6);
});
