import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { after, test } from "node:test";
import { createEngine, Encoder, Trace } from "headscope";
import { headImportance } from "headscope/analysis";
import { captures } from "../../bindings/js/trace/capture.js";
import { expectRejection } from "./expect-rejection.js";
import { modelFolder, tinyConfig } from "./tiny-model.js";

const engine = await createEngine({ variant: "simd" });
const inWorker = await createEngine({ variant: "simd", worker: true });
const model = await Encoder.fromPretrained(modelFolder, { engine });
const tiny = await Encoder.fromConfig(tinyConfig, { engine, seed: 3 });
after(() => Promise.all([engine.dispose(), inWorker.dispose()]));

const sentence = "the cat sat on the mat";
const ids = [3, 1, 4, 1, 5, 9];

/**
 * @param {Encoder} encoder
 * @param {import("../../bindings/js/run-options.js").RunOptions} [options]
 * @returns {Promise<Trace>}
 */
async function runIds(encoder, options) {
  return encoder.run({ ids }, options);
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @returns {number} the largest difference
 */
function distance(a, b) {
  assert.equal(a.length, b.length);
  return Math.max(...Array.from(a, (value, i) => Math.abs(value - (b[i] ?? Number.NaN))));
}

test("an encoder tells what it is", () => {
  assert.equal(tiny.engine, engine);
  assert.equal(tiny.vocabularySize, 40);
  assert.equal(tiny.config.d_input, 8, "defaults are filled in");
  assert.equal(tiny.config.bias, true);
  assert(Object.isFrozen(tiny.config));
  assert(tiny.parameterNames.includes("layers.2.attention.wq"));
  assert(tiny.parameterNames.includes("final_norm.gamma"));
});

test("a run captures attention and hidden by default, on the tokens as typed", async () => {
  const trace = await model.run(sentence);
  assert(trace instanceof Trace);
  assert.deepEqual(trace.names.sort(), ["attention", "hidden"]);
  assert.equal(trace.text, sentence);
  for (const { text, start, end } of trace.tokens) assert.equal(sentence.slice(start, end), text);
  const { rows, cols, data } = trace.attention(1, 3);
  assert.deepEqual([rows, cols], [trace.tokens.length, trace.tokens.length]);
  assert(data.buffer instanceof ArrayBuffer, "not shared");
  for (let r = 0; r < rows; ++r) {
    const sum = trace
      .attention(1, 3)
      .row(r)
      .reduce((total, weight) => total + weight, 0);
    assert(Math.abs(sum - 1) < 1e-5);
  }
  const { tokenize_ms, forward_ms, copy_ms } = trace.timing;
  assert(tokenize_ms > 0 && forward_ms > 0 && copy_ms > 0);
});

test("everything can be captured, with the shapes of the documentation", async () => {
  const trace = await runIds(tiny, { capture: [...captures] });
  assert.deepEqual(trace.names, [...captures]);
  const [T, D, K] = [ids.length, 8, 4];
  /** @type {Record<string, [number, number]>} */
  const shapes = { query: [T, K], key: [T, K], value: [T, K], context: [T, K] };
  for (const name of captures) {
    const perHead = ["query", "key", "value", "scores", "attention", "context"].includes(name);
    const layer = ["embeddings", "output"].includes(name) ? undefined : 2;
    const { rows, cols } = trace.get(name, layer, perHead ? 1 : undefined);
    const expected = shapes[name] ?? (perHead ? [T, T] : [T, D]);
    assert.deepEqual([rows, cols], expected, name);
  }
});

test("captured and uncaptured runs are equal to the bit", async () => {
  const nothing = await runIds(tiny, { capture: [] });
  const everything = await runIds(tiny, { capture: [...captures] });
  assert.deepEqual(nothing.names, []);
  assert.deepEqual(nothing.pooled, everything.pooled);
});

test("only the layers that are named are captured", async () => {
  const trace = await runIds(tiny, { capture: ["hidden"], layers: [0, 2] });
  assert.deepEqual([trace.layers("hidden"), trace.names], [[0, 2], ["hidden"]]);
});

test("an array is a batch, whose traces are those of single runs", async () => {
  const texts = [sentence, "", "man bites dog"];
  const traces = await model.run(texts);
  assert.deepEqual(await model.run([]), []);
  for (const [i, text] of texts.entries()) {
    const alone = await model.run(text);
    assert.equal(traces[i]?.tokens.length, alone.tokens.length);
    assert(distance(traces[i]?.pooled ?? [], alone.pooled) <= 1e-6);
    assert(traces[i]?.has("attention"));
  }
});

test("embed gives the pooled vectors, also of more texts than one batch holds", async () => {
  const texts = Array.from({ length: 70 }, (_, i) => `${sentence} ${i}`);
  const vectors = await model.embed(texts);
  assert.equal(vectors.length, 70);
  const { pooled } = await model.run(texts[69] ?? "");
  assert(distance(vectors[69] ?? [], pooled) <= 1e-6);
  assert.deepEqual(await model.embed([]), []);
});

test("ids run as they are, and their tokens are spelled", async () => {
  const typed = await model.run(sentence);
  const numbers = typed.tokens.map(({ id }) => id);
  const trace = await model.run({ ids: numbers });
  assert.deepEqual(trace.pooled, typed.pooled);
  assert.deepEqual(
    trace.tokens.map(({ piece }) => piece),
    typed.tokens.map(({ piece }) => piece),
  );
  assert.equal(trace.text, sentence);
  const list = await model.run({ ids: Int32Array.from(numbers) });
  assert.deepEqual(list.pooled, typed.pooled);
});

test("order moves the tokens before positions are added, and the rows with them", async () => {
  const order = [5, 3, 1, 0, 2, 4];
  const trace = await runIds(tiny, { order });
  const expected = await tiny.run({ ids: order.map((place) => ids[place] ?? -1) });
  assert.deepEqual(trace.get("hidden", 2).data, expected.get("hidden", 2).data);
  assert.deepEqual(
    trace.tokens.map(({ id }) => id),
    order.map((place) => ids[place]),
  );
});

test("a gate of 0 removes a head, and its attention is still there", async () => {
  const capture = /** @type {const} */ (["attention", "context", "attention_output"]);
  const whole = await runIds(tiny, { capture: [...capture] });
  const gates = [{ layer: 1, head: 0, gate: 0 }];
  const gated = await runIds(tiny, { capture: [...capture], gates });
  assert.deepEqual(gated.attention(1, 0).data, whole.attention(1, 0).data);
  assert.deepEqual(gated.get("context", 1, 0).data, whole.get("context", 1, 0).data);
  const change = distance(
    gated.get("attention_output", 1).data,
    whole.get("attention_output", 1).data,
  );
  assert(change > 1e-6);
  const open = await runIds(tiny, { gates: [{ layer: 1, head: 0, gate: 1 }] });
  assert.deepEqual(open.pooled, whole.pooled);
});

test("under a causal mask no token sees a later one", async () => {
  const trace = await runIds(tiny, { mask: "causal" });
  const { rows, cols } = trace.attention(0, 0);
  for (let query = 0; query < rows; ++query) {
    for (let key = query + 1; key < cols; ++key)
      assert.equal(trace.attention(0, 0).at(query, key), 0);
  }
});

test("another position can be asked for, or none", async () => {
  const none = await runIds(tiny, { position: "none" });
  const reversed = await runIds(tiny, { position: "none", order: [5, 4, 3, 2, 1, 0] });
  assert(distance(none.pooled, reversed.pooled) <= 5e-6);
  const own = await runIds(tiny);
  assert(distance(none.pooled, own.pooled) > 1e-4);
  const same = await runIds(tiny, { position: { kind: "sinusoidal", base: 10000 } });
  assert.deepEqual(same.pooled, own.pooled);
});

test("a text is too long for a run, but not for tokenize", async () => {
  const long = Array.from({ length: 200 }, () => "cat").join(" ");
  await expectRejection("too-long", /200 tokens.*128/, model.run(long));
  await expectRejection("too-long", /200/, model.embed([long]));
  // The core is given 32 texts at a time.
  const texts = [...Array.from({ length: 32 }, () => "cat"), long];
  await expectRejection("too-long", /^embed: texts\[32\]\W.*200 tokens/, model.embed(texts));
  await expectRejection("too-long", /^headImportance: texts\[0\]\W.*200 tokens/, () =>
    headImportance(model, [long]),
  );
  await expectRejection("too-long", /^run: input\W.*200 tokens/, model.run(long));
  assert.equal((await model.tokenize(long)).length, 200);
  assert.equal((await model.tokenize(long, { truncate: true })).length, 128);
  assert.equal((await model.run(long, { truncate: true })).tokens.length, 128);
  const numbers = Array.from({ length: 20 }, () => 7);
  assert.equal((await tiny.run({ ids: numbers }, { truncate: true })).tokens.length, 16);
});

test("a pair needs a model with separators", async () => {
  const pair = { text: "a cat", pair: "a mat" };
  await expectRejection("unsupported-model", /separators/, model.tokenize(pair));
  await expectRejection("unsupported-model", /separators/, model.run(pair));
  const alone = await model.run({ text: sentence });
  assert.deepEqual(alone.pooled, (await model.run(sentence)).pooled);
});

test("the same seed makes the same encoder, another one another", async () => {
  const again = await Encoder.fromConfig(tinyConfig, { engine, seed: 3 });
  const other = await Encoder.fromConfig(tinyConfig, { engine, seed: 4 });
  const { pooled } = await runIds(tiny);
  assert.deepEqual((await runIds(again)).pooled, pooled);
  assert.notDeepEqual((await runIds(other)).pooled, pooled);
  again.dispose();
  other.dispose();
});

test("parameters can be read and given, in a worker and without", async () => {
  /** @type {Record<string, Float32Array>} */
  const parameters = {};
  for (const name of tiny.parameterNames) parameters[name] = (await tiny.parameter(name)).data;
  const { rows, cols } = await tiny.parameter("layers.0.feed_forward.w1");
  assert.deepEqual([rows, cols], [8, 12], "[in, out]");
  const { pooled } = await runIds(tiny);
  for (const home of [engine, inWorker]) {
    const copy = await Encoder.fromConfig(tinyConfig, { engine: home, parameters });
    assert.deepEqual((await runIds(copy)).pooled, pooled);
    copy.dispose();
  }
  assert(parameters["embeddings.token"]?.length === 320, "the caller keeps the arrays");
});

test("an encoder without a tokenizer takes ids and no text", async () => {
  await expectRejection("unsupported-model", /without a tokenizer/, tiny.run("a cat"));
  await expectRejection("unsupported-model", /without a tokenizer/, tiny.tokenize("a cat"));
  const { tokens } = await runIds(tiny);
  assert.deepEqual(
    tokens.map(({ id }) => id),
    ids,
  );
});

for (const [where, home] of /** @type {const} */ ([
  ["on the calling thread", engine],
  ["in a worker", inWorker],
])) {
  test(`an abort rejects at once, ${where}, and the encoder goes on`, async () => {
    const encoder = await Encoder.fromConfig(tinyConfig, { engine: home, seed: 3 });
    const { pooled } = await runIds(encoder);
    const controller = new AbortController();
    const { signal } = controller;
    const first = runIds(encoder);
    const aborted = runIds(encoder, { signal });
    const last = runIds(encoder);
    assert.equal(getEventListeners(signal, "abort").length, 1);
    let settled = false;
    const rejection = expectRejection("aborted", /run/, aborted).then(() => {
      settled = true;
    });
    controller.abort(new Error("enough"));
    for (let turn = 0; turn < 10; ++turn) await Promise.resolve();
    assert(settled, "before anything else was computed");
    await rejection;
    await assert.rejects(aborted, (/** @type {Error} */ error) => {
      assert.equal(/** @type {Error} */ (error.cause).message, "enough");
      return true;
    });
    assert.deepEqual((await first).pooled, pooled);
    assert.deepEqual((await last).pooled, pooled);
    assert.equal(getEventListeners(signal, "abort").length, 0);
    await expectRejection("aborted", /run/, runIds(encoder, { signal }));
    const fresh = new AbortController();
    await runIds(encoder, { signal: fresh.signal });
    assert.equal(getEventListeners(fresh.signal, "abort").length, 0, "after a run that ended");
    encoder.dispose();
  });

  test(`disposing rejects what is pending, ${where}, and twice is fine`, async () => {
    const encoder = await Encoder.fromConfig(tinyConfig, { engine: home });
    const other = await Encoder.fromConfig(tinyConfig, { engine: home });
    const pending = [runIds(encoder), encoder.parameter("embeddings.token")];
    const survives = runIds(other);
    encoder.dispose();
    encoder.dispose();
    for (const call of pending) await expectRejection("disposed", /encoder/, call);
    await expectRejection("disposed", /encoder/, runIds(encoder));
    await expectRejection("disposed", /encoder/, encoder.embed([]));
    await expectRejection("disposed", /encoder/, encoder.tokenize("a"));
    await expectRejection("disposed", /encoder/, encoder.parameter("embeddings.token"));
    assert.equal((await survives).tokens.length, ids.length);
    other.dispose();
  });
}

test("what a call was given may be changed while it waits", async () => {
  for (const home of [engine, inWorker]) {
    const encoder = await Encoder.fromConfig(tinyConfig, { engine: home, seed: 3 });
    const makeOptions = () => ({
      capture: /** @type {("hidden" | "query")[]} */ (["hidden"]),
      layers: [1],
      gates: [{ layer: 0, head: 1, gate: 0.5 }],
      position: { kind: /** @type {const} */ ("rotary"), base: 100 },
      order: [1, 0, 2, 3, 4, 5],
    });
    const expected = await runIds(encoder, makeOptions());
    const options = makeOptions();
    const given = [...ids];
    const blocked = runIds(encoder);
    const pending = encoder.run({ ids: given }, options);
    given.fill(0);
    options.capture.push("query");
    options.layers.push(2);
    for (const gate of options.gates) gate.gate = 0;
    options.gates.length = 0;
    options.position.base = 7;
    options.order.sort();
    const trace = await pending;
    await blocked;
    assert.deepEqual(trace.names, ["hidden"]);
    assert.deepEqual(trace.layers("hidden"), [1]);
    assert.deepEqual(trace.tokens, expected.tokens);
    assert.deepEqual(trace.pooled, expected.pooled);
    encoder.dispose();
  }
});

test("a config may be changed after the call that it was given to", async () => {
  const config = { ...tinyConfig, position: { kind: /** @type {const} */ ("rotary"), base: 100 } };
  const pending = Encoder.fromConfig(config, { engine, seed: 3 });
  config.position.base = 7;
  config.n_layers = 1;
  const encoder = await pending;
  assert.equal(encoder.config.n_layers, 3);
  assert.deepEqual(/** @type {any} */ (encoder.config.position).base, 100);
  encoder.dispose();
});

test("nobody can change the config of an encoder, at any depth, or of its traces", async () => {
  const encoder = await Encoder.fromConfig(tinyConfig, { engine, seed: 3 });
  const trace = await runIds(encoder);
  for (const config of /** @type {any[]} */ ([encoder.config, trace.config])) {
    assert.throws(() => {
      config.n_layers = 1;
    }, TypeError);
    assert.throws(() => {
      config.position.kind = "none";
    }, TypeError);
  }
  assert.deepEqual(trace.config, encoder.config);
  encoder.dispose();
});

test("an abort takes hold between the layers of a long run", async () => {
  const deep = { ...tinyConfig, n_layers: 40, d_model: 128, d_ff: 512, max_tokens: 512 };
  const encoder = await Encoder.fromConfig(deep, { engine: inWorker });
  const long = { ids: Array.from({ length: 512 }, (_, i) => i % 40) };
  const controller = new AbortController();
  const start_ms = performance.now();
  await encoder.run(long, { capture: [] });
  const whole_ms = performance.now() - start_ms;
  const run = encoder.run(long, { capture: [], signal: controller.signal });
  setTimeout(() => controller.abort(), whole_ms / 8);
  await expectRejection("aborted", /run/, run);
  const aborted_ms = performance.now();
  await encoder.parameter("final_norm.gamma");
  const rest_ms = performance.now() - aborted_ms;
  assert(rest_ms < whole_ms / 2, `the worker computed on for ${rest_ms} of ${whole_ms} ms`);
  encoder.dispose();
});

test("the tokenizer of fromConfig is a parsed tokenizer.json", async () => {
  const { readFile } = await import("node:fs/promises");
  const json = JSON.parse(await readFile(new URL("tokenizer.json", modelFolder), "utf8"));
  const config = { ...tinyConfig, vocab_size: 8002 };
  const encoder = await Encoder.fromConfig(config, { engine, tokenizer: json });
  const { tokens } = await encoder.run(sentence);
  assert.deepEqual(
    tokens.map(({ id }) => id),
    (await model.tokenize(sentence)).map(({ id }) => id),
  );
  encoder.dispose();
});
