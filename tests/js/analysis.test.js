// headscope/analysis: importance and pruning of the default model's heads against the reference,
// permutation residuals, and what each function refuses.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { createEngine, Encoder, Matrix } from "headscope";
import {
  headImportance,
  headRoles,
  mergeWords,
  permutationResidual,
  pruneCurve,
  rollout,
} from "headscope/analysis";
import * as traces from "headscope/trace";
import { expectRejection } from "./expect-rejection.js";
import { floatModelFolder, modelFolder, tinyConfig } from "./tiny-model.js";

/** Fifty sentences; importances and prune curve in float64. */
const file = new URL("../fixtures/use-lite-roles.json", import.meta.url);
const reference = JSON.parse(await readFile(file, "utf8"));
/** @type {string[]} */
const sentences = reference.sentences.map((/** @type {any} */ { sentence }) => sentence);

const engine = await createEngine();
const inWorker = await createEngine({ variant: "simd", worker: true });
const model = await Encoder.fromPretrained(floatModelFolder, { engine });
const int8 = await Encoder.fromPretrained(modelFolder, { engine: inWorker });
after(() => Promise.all([engine.dispose(), inWorker.dispose()]));

/** Of the fixtures: for float32, and for int8 weights. */
const tolerances = /** @type {const} */ ([
  [model, 1e-4],
  [int8, 0.02],
]);

test("importances of the default model's heads are those of the reference", async () => {
  for (const [encoder, tolerance] of tolerances) {
    const heads = await headImportance(encoder, sentences, { method: "ablation" });
    assert.equal(heads.length, reference.importance.length);
    for (const [i, { layer, head, importance }] of heads.entries()) {
      const expected = reference.importance[i];
      assert.deepEqual([layer, head], [expected.layer, expected.head]);
      const off = Math.abs(importance - expected.importance);
      assert(off <= tolerance, `layer ${layer}, head ${head} is off by ${off}`);
    }
  }
});

test("heads are removed least important first, with the reference's similarities", async () => {
  const curve = await pruneCurve(model, sentences);
  assert.equal(curve.length, reference.prune.length);
  for (const [removed, { similarity, ...rest }] of curve.entries()) {
    const { similarity: expected, ...head } = reference.prune[removed];
    assert.deepEqual(rest, head);
    assert(Math.abs(similarity - expected) <= 1e-4, `${removed} removed: ${similarity}`);
  }
});

test("a given order is followed, also the ranking as headImportance gives it", async () => {
  const order = [
    { layer: 1, head: 1 },
    { layer: 0, head: 3 },
  ];
  const curve = await pruneCurve(model, sentences.slice(0, 5), { order });
  assert.deepEqual(
    curve.map(({ similarity: _, ...rest }) => rest),
    [{ removed: 0 }, { removed: 1, layer: 1, head: 1 }, { removed: 2, layer: 0, head: 3 }],
  );
  const ranked = await headImportance(model, sentences.slice(0, 5));
  const first = ranked.filter(({ layer, head }) => layer === 1 && head === 1);
  const [, one] = await pruneCurve(model, sentences.slice(0, 5), { order: first });
  assert.equal(one?.similarity, curve[1]?.similarity);
  assert(Math.abs(1 - Number(one?.similarity) - Number(first[0]?.importance)) < 1e-12);
});

test("texts longer than the model are too long, or cut where truncate says so", async () => {
  const long = "word ".repeat(200);
  await expectRejection("too-long", /at most 128/, () => headImportance(model, [long]));
  const cut = await headImportance(model, [long], { truncate: true });
  assert.equal(cut.length, 8);
  const curve = await pruneCurve(model, ["dog bites man", long], { truncate: true });
  assert.equal(curve.length, 9);
});

test("an abort rejects at once, and takes hold between two ways of gating", async () => {
  const many = Array(40).fill(sentences).flat();
  for (const encoder of [model, int8]) {
    const controller = new AbortController();
    const start_ms = performance.now();
    const pending = pruneCurve(encoder, many, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expectRejection("aborted", /aborted/, pending);
    // What was aborted does not go on: it would have taken minutes, in which no other has its turn.
    await headImportance(encoder, ["dog bites man"]);
    assert(performance.now() - start_ms < 30000);
    await expectRejection("aborted", /headImportance: aborted/, () =>
      headImportance(encoder, sentences, { signal: AbortSignal.abort() }),
    );
  }
});

test("roles, rollout and words are those of headscope/trace", () => {
  assert.equal(headRoles, traces.headRoles);
  assert.equal(rollout, traces.rollout);
  assert.equal(mergeWords, traces.mergeWords);
});

test("headImportance and pruneCurve refuse what is wrong, by name", async () => {
  const unpooled = await Encoder.fromConfig({ ...tinyConfig, pooling: "none" }, { engine });
  const mute = await Encoder.fromConfig(tinyConfig, { engine });
  const gone = await Encoder.fromConfig(tinyConfig, { engine });
  gone.dispose();
  const before = await headImportance(int8, ["dog bites man"]);
  const calls = /** @type {Record<string, any>} */ ({ headImportance, pruneCurve });
  for (const [name, call] of Object.entries(calls)) {
    /** @type {[any[], import("../../bindings/js/trace/error.js").ErrorCode, string][]} */
    const lines = [
      [[], "bad-argument", "encoder is undefined, expected an Encoder"],
      [[engine, ["a"]], "bad-argument", "encoder is .*, expected an Encoder"],
      [[{ config: {} }, ["a"]], "bad-argument", "encoder is Object"],
      [[model], "bad-argument", "texts is undefined, expected an array"],
      [[model, "a"], "bad-argument", 'texts is "a" \\(string\\), expected an array'],
      [[model, ["a", 1]], "bad-argument", "texts\\[1\\] is 1, expected a string"],
      [[model, Array(1)], "bad-argument", "texts\\[0\\] is undefined"],
      [[model, []], "bad-argument", "texts is empty, expected at least one text"],
      [[model, ["a"], null], "bad-argument", "is null, expected an object"],
      [[model, ["a"], { colour: 1 }], "bad-argument", 'unknown "colour", known: truncate, signal'],
      [[model, ["a"], { truncate: 1 }], "bad-argument", "truncate is 1, expected true or false"],
      [[model, ["a"], { signal: 1 }], "bad-argument", "signal is 1, expected an AbortSignal"],
      [[unpooled, ["a"]], "unsupported-model", 'has no sentence vector: its pooling is "none"'],
    ];
    for (const [args, code, message] of lines) {
      await expectRejection(code, new RegExp(`^${name}.*${message}`), () => call(...args));
    }
    await expectRejection("unsupported-model", /without a tokenizer/, () => call(mute, ["a"]));
    await expectRejection("disposed", /encoder: it was disposed/, () => call(gone, ["a"]));
  }
  await expectRejection("bad-argument", /^headImportance\.method is "gradient"/, () =>
    headImportance(model, ["a"], /** @type {any} */ ({ method: "gradient" })),
  );
  assert.deepEqual(await headImportance(int8, ["dog bites man"]), before);
});

test("pruneCurve refuses an order of heads that are missing or come twice", async () => {
  /** @type {[any, RegExp][]} */
  const lines = [
    [1, /^pruneCurve\.order is 1, expected an array/],
    [[1], /order\[0\] is 1, expected an object/],
    [[{ layer: 0 }], /order\[0\]\.head is missing/],
    [[{ layer: "0", head: 0 }], /order\[0\]\.layer is "0"/],
    [
      [{ layer: 0, head: 0, gate: 0 }],
      /order\[0\]: unknown "gate", known: layer, head, importance/,
    ],
    [[{ layer: 2, head: 0 }], /order\[0\]\.layer is 2, expected 0 to 1/],
    [[{ layer: 0, head: 4 }], /order\[0\]\.head is 4, expected 0 to 3/],
    [[{ layer: 0, head: NaN }], /order\[0\]\.head is NaN/],
    [
      [
        { layer: 0, head: 1 },
        { layer: 0, head: 1 },
      ],
      /order\[1\] is layer 0, head 1 again, expected each head once/,
    ],
  ];
  for (const [order, message] of lines) {
    await expectRejection("bad-argument", message, () => pruneCurve(int8, ["a"], { order }));
  }
  assert.equal((await pruneCurve(int8, ["a"])).length, 9);
});

const eye = [
  [1, 0],
  [0, 1],
];
const x = [
  [1, 2],
  [3, -1],
  [0, 1],
];
const heads = { x, heads: 2, wq: eye, wk: eye, wv: eye, wo: eye };
const order = [2, 0, 1];

test("key masks travel with their tokens; what is added and what is causal stays", async () => {
  const rounding = 1e-6;
  const residual = async (/** @type {any} */ mask) =>
    (await permutationResidual({ ...heads, order, mask }, { engine })).residual;
  assert((await residual([true, false, true])) <= rounding);
  assert((await residual(Uint8Array.of(1, 0, 1))) <= rounding);
  assert((await residual([[1, 0, 1]])) <= rounding, "a key mask in an array");
  assert(
    (await residual([
      [true, true, false],
      [0, 1, 1],
    ])) <= rounding,
    "two of them",
  );
  const added = new Matrix(3, 3, Float32Array.of(0, 3, 0, -1, 0, 0, 0, 0, 2));
  assert((await residual(added)) > 0.1);
  assert((await residual(["causal", [true, false, true]])) > 0.1);
  assert((await residual([new Matrix(3, 3), added])) > 0.1, "one for each head");
});

test("a memory and its key masks stay where they are", async () => {
  const given = { ...heads, memory: [...x, [2, 2]], mask: [true, false, true, true], order };
  assert((await permutationResidual(given, { engine })).residual <= 1e-6);
});

test("permutationResidual refuses what is wrong, by name", async () => {
  const before = await permutationResidual({ ...heads, order }, { engine });
  /** @type {[any, import("../../bindings/js/trace/error.js").ErrorCode, string][]} */
  const lines = [
    [undefined, "bad-argument", " is undefined, expected an object \\{ order, x"],
    [{ ...heads }, "bad-argument", ": order is undefined, expected an array"],
    [{ ...heads, order: [0, 1, "2"] }, "bad-argument", ': order\\[2\\] is "2"'],
    [{ ...heads, order: [0, 1, 1] }, "bad-argument", ": order is .0,1,1., .* 0 to 2 once"],
    [{ ...heads, order: [0, 1, 3] }, "bad-argument", ": order is .0,1,3."],
    [{ ...heads, order: [0, 1] }, "bad-shape", ": order has 2 entries, expected 3"],
    [{ ...heads, order, x: "x" }, "bad-argument", ': x is "x"'],
    [{ ...heads, order, x: [[NaN]] }, "bad-argument", ": x\\[0\\]\\[0\\] is NaN"],
    [{ ...heads, order, wk: x }, "bad-shape", ": wk has shape .3,2., expected .D, D'. = .2,2."],
    [{ ...heads, order, colour: 1 }, "bad-argument", ': unknown "colour", known: x, memory'],
    [{ ...heads, order, mask: "future" }, "bad-argument", ': mask is "future"'],
    [{ ...heads, order, mask: [true] }, "bad-shape", ": mask has shape .1., expected .T. = .3."],
    [{ ...heads, order, heads: "2" }, "bad-argument", ': heads is "2"'],
    [{ ...heads, order, position: "learned" }, "bad-argument", ': position.kind is "learned"'],
    [{ x, order, heads: 1, parameters: {} }, "bad-argument", ": norm is missing"],
    [{ ...heads, order, gates: [1] }, "bad-shape", ": gates has shape .1., expected .H. = .2."],
  ];
  for (const [given, code, message] of lines) {
    const expected = new RegExp(`^permutationResidual${message}`);
    await expectRejection(code, expected, () => permutationResidual(given, { engine }));
  }
  await expectRejection("bad-argument", /^permutationResidual\.engine is 1/, () =>
    permutationResidual({ ...heads, order }, /** @type {any} */ ({ engine: 1 })),
  );
  assert.deepEqual(await permutationResidual({ ...heads, order }, { engine }), before);
});
