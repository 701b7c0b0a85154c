// Every public function with arguments it must refuse: the code, what the message names, and that
// the object is still right afterwards.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createEngine, Encoder, HeadscopeError } from "headscope";
import { headImportance, pruneCurve } from "headscope/analysis";
import { expectRejection } from "./expect-rejection.js";
import { modelFolder, tinyConfig } from "./tiny-model.js";

const engine = await createEngine({ variant: "simd" });
const inWorker = await createEngine({ variant: "simd", worker: true });
const model = await Encoder.fromPretrained(modelFolder, { engine });
const tiny = await Encoder.fromConfig(tinyConfig, { engine, seed: 3 });
const distant = await Encoder.fromConfig(tinyConfig, { engine: inWorker, seed: 3 });
after(() => Promise.all([engine.dispose(), inWorker.dispose()]));

const ids = [3, 1, 4];
const { pooled } = await tiny.run({ ids });

/** @typedef {HeadscopeError["code"]} Code */

/**
 * One line of a table: the arguments, the code, what the message says.
 *
 * @typedef {[args: any[], code: Code, message: RegExp]} Line
 */

/**
 * @param {string} name
 * @param {(...args: any[]) => Promise<unknown>} call
 * @param {Line[]} lines
 */
function refuses(name, call, lines) {
  test(`${name} refuses what is wrong, by name`, async () => {
    for (const [args, code, message] of lines) {
      await expectRejection(code, message, () => call(...args));
    }
    assert.deepEqual((await tiny.run({ ids })).pooled, pooled, "still right afterwards");
    assert.deepEqual((await distant.run({ ids })).pooled, pooled, "in the worker too");
  });
}

refuses("createEngine", (options) => createEngine(options), [
  [[null], "bad-argument", /createEngine is null, expected an object/],
  [["simd"], "bad-argument", /createEngine is "simd"/],
  [[[]], "bad-argument", /Array\(0\)/],
  [[{ variant: "sse" }], "bad-argument", /variant is "sse".*"relaxed-threads"/],
  [[{ variant: 1 }], "bad-argument", /variant is 1/],
  [[{ threads: 0 }], "bad-argument", /threads is 0, expected a whole number from 1/],
  [[{ threads: "2" }], "bad-argument", /threads is "2"/],
  [[{ threads: 1.5 }], "bad-argument", /threads is 1\.5/],
  [[{ threads: Number.NaN }], "bad-argument", /threads is NaN/],
  [[{ threads: 2, variant: "simd" }], "bad-argument", /threads is 2, expected 1/],
  [[{ worker: "yes" }], "bad-argument", /worker is "yes"/],
  [[{ worker: 1 }], "bad-argument", /worker is 1/],
  [[{ wasm: 7 }], "bad-argument", /wasm is 7/],
  [[{ wasm: "" }], "bad-argument", /wasm is ""/],
  [[{ wasm: [0, 97] }], "bad-argument", /wasm is Array/],
  [[{ wasm: new Float32Array(4) }], "bad-argument", /wasm is Float32Array/],
  [[{ treads: 2 }], "bad-argument", /unknown "treads", known: variant, threads, worker, wasm/],
]);

refuses("fromPretrained", (...args) => Encoder.fromPretrained(...args), [
  [[null], "bad-argument", /source is null/],
  [[3], "bad-argument", /source is 3/],
  [[""], "bad-argument", /source is ""/],
  [["nope"], "not-found", /"nope"/],
  [["__proto__"], "not-found", /"__proto__"/],
  [[["config.json"]], "bad-argument", /source\[0\] is "config\.json".*a File/],
  [[{ "config.json": "{}" }], "bad-argument", /"config\.json" is "\{\}"/],
  [[new Uint8Array(3)], "bad-argument", /source is Uint8Array\(3\)/],
  [[undefined, null], "bad-argument", /fromPretrained is null/],
  [[undefined, { engine: {} }], "bad-argument", /engine is Object, expected an Engine/],
  [[undefined, { dtype: "f16" }], "bad-argument", /dtype is "f16"/],
  [[undefined, { signal: {} }], "bad-argument", /signal is Object, expected an AbortSignal/],
  [[undefined, { onProgress: 1 }], "bad-argument", /onProgress is 1/],
  [[undefined, { seed: 1 }], "bad-argument", /unknown "seed"/],
  [[undefined, { signal: AbortSignal.abort() }], "aborted", /fromPretrained/],
]);

const positions = { kind: "rotary", base: 10000 };
/** @type {(change: Record<string, unknown>) => any[]} */
const changed = (change) => [{ ...tinyConfig, ...change }, { engine }];
refuses("fromConfig", (...args) => Encoder.fromConfig(.../** @type {[any, any]} */ (args)), [
  [[], "bad-argument", /config is undefined, expected an object/],
  [["config"], "bad-argument", /config is "config"/],
  [[{}], "bad-argument", /config\.n_layers is missing/],
  [changed({ n_layers: 0 }), "bad-argument", /n_layers is 0, expected 1/],
  [changed({ n_layers: "3" }), "bad-argument", /n_layers is "3"/],
  [changed({ n_layers: Number.NaN }), "bad-argument", /n_layers is NaN/],
  [changed({ n_layers: 2.5 }), "bad-argument", /n_layers is 2\.5/],
  [changed({ n_layers: 2 ** 32 + 1 }), "bad-argument", /n_layers is 4294967297/],
  [changed({ n_heads: 3 }), "bad-argument", /d_model is 8.*n_heads = 3/],
  [changed({ d_model: -8 }), "bad-argument", /d_model is -8/],
  [changed({ d_input: 7 }), "bad-argument", /d_input is 7/],
  [changed({ vocab_size: null }), "bad-argument", /vocab_size is null/],
  [changed({ activation: "tanh" }), "bad-argument", /activation is 'tanh'.*'relu'/],
  [changed({ activation: 1 }), "bad-argument", /activation is 1/],
  [changed({ norm: "both" }), "bad-argument", /norm is 'both'/],
  [changed({ norm_epsilon: 0 }), "bad-argument", /norm_epsilon/],
  [changed({ embedding_scale: 1e39 }), "bad-argument", /embedding_scale is 1e\+39.*float32/],
  [changed({ norm_epsilon: Number.NaN }), "bad-argument", /norm_epsilon is NaN/],
  [changed({ norm_epsilon: Number.POSITIVE_INFINITY }), "bad-argument", /norm_epsilon is Infinity/],
  [changed({ final_norm: 1 }), "bad-argument", /final_norm is 1/],
  [changed({ pooling: "max" }), "bad-argument", /pooling is 'max'/],
  [changed({ pooling: "none", pooler: "tanh" }), "bad-argument", /pooler/],
  [changed({ mask: "left" }), "bad-argument", /mask is 'left'/],
  [changed({ bias: "yes" }), "bad-argument", /bias is "yes"/],
  [changed({ attention_scale: -1 }), "bad-argument", /attention_scale/],
  [changed({ dropout: 0.1 }), "bad-argument", /unknown "dropout"/],
  [
    changed({ position: "rotary" }),
    "bad-argument",
    /position is "rotary" \(string\), expected an object/,
  ],
  [changed({ position: null }), "bad-argument", /position is null/],
  [changed({ position: {} }), "bad-argument", /position\.kind is undefined.*"sinusoidal"/],
  [changed({ position: { kind: "spiral" } }), "bad-argument", /kind is "spiral"/],
  [changed({ position: { kind: "alibi", base: 3 } }), "bad-argument", /position: unknown "base"/],
  [changed({ position: { ...positions, base: -1 } }), "bad-argument", /base is -1/],
  [changed({ position: { ...positions, base: "1" } }), "bad-argument", /base is "1"/],
  [changed({ position: { ...positions, dims: 3 } }), "bad-argument", /dims/],
  [changed({ position: { ...positions, layout: "concatenated" } }), "bad-argument", /layout/],
  [[tinyConfig, { engine, seed: -1 }], "bad-argument", /seed is -1/],
  [[tinyConfig, { engine, seed: Number.NaN }], "bad-argument", /seed is NaN/],
  [[tinyConfig, { engine, parameters: [] }], "bad-argument", /parameters is Array/],
  [
    [tinyConfig, { engine, parameters: {} }],
    "bad-argument",
    /"embeddings\.token" \[40,8\] is missing/,
  ],
  [[tinyConfig, { engine, parameters: { w: [1] } }], "bad-argument", /parameters\["w"\] is Array/],
  [
    [tinyConfig, { engine, parameters: { w: new Float32Array(1) } }],
    "bad-argument",
    /"w" is none of this model's/,
  ],
  [
    [tinyConfig, { engine, parameters: { "embeddings.token": new Float32Array(7) } }],
    "bad-shape",
    /"embeddings\.token" has 7 values, expected \[40,8\] = 320/,
  ],
  [[tinyConfig, { engine, tokenizer: "tokenizer.json" }], "bad-argument", /tokenizer is "tok/],
  [[tinyConfig, { engine, tokenizer: {} }], "bad-checkpoint", /tokenizer/],
  [[tinyConfig, { engine, signal: AbortSignal.abort() }], "aborted", /fromConfig/],
]);

/** @type {Line[]} */
const runLines = [
  [[], "bad-argument", /input is undefined, expected a string, \{ text, pair \} or \{ ids \}/],
  [[null], "bad-argument", /input is null/],
  [[7], "bad-argument", /input is 7/],
  [[{}], "bad-argument", /input\.text is missing/],
  [[{ text: 1 }], "bad-argument", /input\.text is 1/],
  [[{ text: "a", pair: 1 }], "bad-argument", /input\.pair is 1/],
  [[{ text: "a", texts: [] }], "bad-argument", /input: unknown "texts"/],
  [[{ ids, text: "a" }], "bad-argument", /input: unknown "text", known: ids/],
  [[{ ids: 3 }], "bad-argument", /ids is 3, expected an array/],
  [[{ ids: ["3"] }], "bad-argument", /ids\[0\] is "3"/],
  [[{ ids: [Number.NaN] }], "bad-argument", /ids\[0\] is NaN/],
  [[{ ids: [1.5] }], "bad-argument", /ids\[0\] is 1\.5/],
  [[{ ids: [-1] }], "bad-argument", /ids\[0\] is -1/],
  [[{ ids: Array(2) }], "bad-argument", /ids\[0\] is undefined/],
  [[{ ids: [2 ** 32] }], "bad-argument", /ids\[0\] is 4294967296/],
  [[{ ids: [3, 40] }], "bad-argument", /ids\[1\] is 40, expected 0 to 39/],
  [[{ ids: Array(17).fill(1) }], "too-long", /17 tokens.*16/],
  [[[{ ids }, 7]], "bad-argument", /input\[1\] is 7/],
  [[[{ ids }, { ids: [40] }]], "bad-argument", /40, expected 0 to 39/],
  [[[[{ ids }]]], "bad-argument", /input\[0\] is Array/],
  [[{ ids }, null], "bad-argument", /run is null/],
  [[{ ids }, "fast"], "bad-argument", /run is "fast"/],
  [[{ ids }, { captures: [] }], "bad-argument", /unknown "captures", known: capture, layers/],
  [
    [{ ids }, { capture: "attention" }],
    "bad-argument",
    /capture is "attention" \(string\), expected an array/,
  ],
  [
    [{ ids }, { capture: ["attentions"] }],
    "bad-argument",
    /capture\[0\] is "attentions".*"attention"/,
  ],
  [[{ ids }, { capture: [1] }], "bad-argument", /capture\[0\] is 1/],
  [[{ ids }, { layers: 1 }], "bad-argument", /layers is 1/],
  [[{ ids }, { layers: [3] }], "bad-argument", /run: layers\[0\] is 3, expected 0 to 2/],
  [[{ ids }, { layers: [-1] }], "bad-argument", /layers\[0\] is -1/],
  [[{ ids }, { layers: [0.5] }], "bad-argument", /layers\[0\] is 0\.5/],
  [[{ ids }, { gates: {} }], "bad-argument", /gates is Object/],
  [[{ ids }, { gates: [{ layer: 0, head: 0 }] }], "bad-argument", /gates\[0\]\.gate is missing/],
  [
    [{ ids }, { gates: [{ layer: 0, head: 2, gate: 0 }] }],
    "bad-argument",
    /gates\[0\]\.head is 2, expected 0 to 1/,
  ],
  [
    [{ ids }, { gates: [{ layer: 9, head: 0, gate: 0 }] }],
    "bad-argument",
    /layer is 9, expected 0 to 2/,
  ],
  [[{ ids }, { gates: [{ layer: 0, head: 0, gate: Number.NaN }] }], "bad-argument", /gate is NaN/],
  [
    [{ ids }, { gates: [{ layer: 0, head: 0, gate: 1e39 }] }],
    "bad-argument",
    /gates\[0\]\.gate is 1e\+39, expected a finite number of float32, at most 3\.4028235e38/,
  ],
  [[{ ids }, { gates: [{ layer: 0, head: 0, gate: "0" }] }], "bad-argument", /gate is "0"/],
  [[{ ids }, { gates: [{ layer: 0, head: 0, gate: 0, x: 1 }] }], "bad-argument", /unknown "x"/],
  [[{ ids }, { mask: "none" }], "bad-argument", /mask is "none".*"causal"/],
  [
    [{ ids }, { position: "rotary" }],
    "bad-argument",
    /position is "rotary" \(string\), expected "model" or "none"/,
  ],
  [[{ ids }, { position: 1 }], "bad-argument", /position is 1/],
  [[{ ids }, { position: { kind: "learned" } }], "bad-argument", /parameters of its own/],
  [[{ ids }, { position: { kind: "rotary", layout: "odd" } }], "bad-argument", /layout is 'odd'/],
  [[{ ids }, { position: { kind: "rotary", offset: 0.5 } }], "bad-argument", /offset is 0\.5/],
  [[{ ids }, { order: [0, 1] }], "bad-shape", /order has 2 entries, expected 3/],
  [[{ ids }, { order: [0, 1, 1] }], "bad-argument", /order is \[0,1,1\]/],
  [[{ ids }, { order: [1, 2, 3] }], "bad-argument", /order is \[1,2,3\]/],
  [[{ ids }, { order: [0, 1, "2"] }], "bad-argument", /order\[2\] is "2"/],
  [[{ ids }, { truncate: 1 }], "bad-argument", /truncate is 1/],
  [[{ ids }, { signal: 1 }], "bad-argument", /signal is 1/],
  [[{ ids }, { signal: AbortSignal.abort() }], "aborted", /run/],
];
refuses("run", (...args) => tiny.run(.../** @type {[any, any]} */ (args)), runLines);
refuses("run in a worker", (...args) => distant.run(.../** @type {[any, any]} */ (args)), runLines);

refuses("tokenize", (...args) => model.tokenize(.../** @type {[any, any]} */ (args)), [
  [[], "bad-argument", /text is undefined/],
  [[["a"]], "bad-argument", /text is Array/],
  [[{ ids }], "bad-argument", /unknown "ids"/],
  [["a", { truncate: "yes" }], "bad-argument", /truncate is "yes"/],
  [["a", { signal: new AbortController().signal }], "bad-argument", /unknown "signal"/],
  [[{ text: "a", pair: "b" }], "unsupported-model", /separators/],
]);

const { pooling: _, ...unpooledConfig } = tinyConfig;
const unpooled = await Encoder.fromConfig({ ...unpooledConfig, pooling: "none" }, { engine });
refuses("embed", (...args) => model.embed(.../** @type {[any, any]} */ (args)), [
  [[], "bad-argument", /texts is undefined, expected an array/],
  [["a cat"], "bad-argument", /texts is "a cat"/],
  [[["a", 1]], "bad-argument", /texts\[1\] is 1/],
  [[["a"], { capture: [] }], "bad-argument", /unknown "capture", known: truncate, signal/],
  [[["a"], { signal: AbortSignal.abort() }], "aborted", /embed/],
]);

test("a model without a sentence vector embeds nothing, and its pooled is empty", async () => {
  await expectRejection("unsupported-model", /pooling is "none"/, unpooled.embed(["a"]));
  assert.equal((await unpooled.run({ ids })).pooled.length, 0);
});

refuses("parameter", (...args) => tiny.parameter(.../** @type {[any]} */ (args)), [
  [[], "bad-argument", /name is undefined/],
  [[1], "bad-argument", /name is 1/],
  [["layers.9.attention.wq"], "not-found", /layers\.9\.attention\.wq/],
  [["__proto__"], "not-found", /__proto__/],
]);

test("what a trace does not have is said by name", async () => {
  const trace = await tiny.run({ ids });
  const cases = /** @type {[() => unknown, Code, RegExp][]} */ ([
    [() => trace.get("query", 0, 0), "not-found", /"query" was not captured/],
    [() => trace.attention(3, 0), "bad-argument", /layer.*3, expected 0 to 2/],
    [() => trace.attention(0, 2), "bad-argument", /head.*2, expected 0 to 1/],
    [() => trace.attention(0, Number.NaN), "bad-argument", /head.*NaN/],
    [() => trace.attention(0, 0).at(0, 3), "bad-argument", /column is 3/],
  ]);
  for (const [act, code, message] of cases)
    assert.throws(act, { name: "HeadscopeError", code, message });
});

test("an abort is said of the function that was called", async () => {
  const texts = ["a", "b"];
  for (const home of [engine, inWorker]) {
    const encoder = await Encoder.fromPretrained(modelFolder, { engine: home });
    const calls = /** @type {[string, (signal: AbortSignal) => Promise<unknown>][]} */ ([
      ["run", (signal) => encoder.run("a", { signal })],
      ["embed", (signal) => encoder.embed(texts, { signal })],
      ["headImportance", (signal) => headImportance(encoder, texts, { signal })],
      ["pruneCurve", (signal) => pruneCurve(encoder, texts, { signal })],
      ["fromConfig", (signal) => Encoder.fromConfig(tinyConfig, { engine: home, signal })],
      ["fromPretrained", (signal) => Encoder.fromPretrained(modelFolder, { engine: home, signal })],
    ]);
    for (const [name, call] of calls) {
      const controller = new AbortController();
      const pending = call(controller.signal);
      controller.abort();
      await expectRejection("aborted", new RegExp(`^${name}: aborted by its signal$`), pending);
    }
    encoder.dispose();
  }
});

test("an abort while the parameters are placed is said of fromConfig", async () => {
  const controller = new AbortController();
  const config = { ...tinyConfig, vocab_size: 100_000 };
  const { signal } = controller;
  const pending = Encoder.fromConfig(config, { engine: inWorker, signal });
  await new Promise((resolve) => setTimeout(resolve, 1));
  controller.abort();
  await expectRejection("aborted", /^fromConfig: aborted by its signal$/, pending);
});
