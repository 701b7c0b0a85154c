// What dispose leaves: nothing that runs, and objects that say so. The components on an engine that is
// gone are in components-errors.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createEngine, Encoder, Engine } from "headscope";
import { headImportance, pruneCurve } from "headscope/analysis";
import { expectRejection } from "./expect-rejection.js";
import { makeCheckpoint, tinyConfig } from "./tiny-model.js";

const ids = [3, 1, 4, 1, 5];

/** The engines that differ in what they hold: a worker, threads, neither, both. */
const kinds = /** @type {const} */ ([
  { variant: "simd" },
  { variant: "simd", worker: true },
  { variant: "simd-threads", threads: 2 },
  { variant: "simd-threads", threads: 2, worker: true },
]);

/** @type {Record<string, (it: Encoder) => Promise<unknown>>} */
const encoderCalls = {
  tokenize: (it) => it.tokenize("a"),
  run: (it) => it.run({ ids }),
  embed: (it) => it.embed([]),
  parameter: (it) => it.parameter("embeddings.token"),
};

/** What takes an encoder. @type {((it: Encoder) => Promise<unknown>)[]} */
const analyses = [(it) => headImportance(it, ["a"]), (it) => pruneCurve(it, ["a"])];

/** @type {Record<string, (engine: Engine) => Promise<unknown>>} */
const engineCalls = { heapBytes: (it) => it.heapBytes() };

/** What takes an engine. @type {((engine: Engine) => Promise<unknown>)[]} */
const loadings = [
  (engine) => Encoder.fromConfig(tinyConfig, { engine }),
  (engine) => Encoder.fromPretrained({}, { engine }),
];

/** @param {Function} type @returns {string[]} its methods, but for those that dispose */
function methodsOf({ prototype }) {
  const names = Object.getOwnPropertyNames(prototype);
  return names.filter((name) => !["constructor", "dispose"].includes(name)).sort();
}

test("the calls below are all that there are", () => {
  assert.deepEqual(Object.keys(encoderCalls).sort(), methodsOf(Encoder));
  assert.deepEqual(Object.keys(engineCalls).sort(), methodsOf(Engine));
});

for (const options of kinds) {
  const name = JSON.stringify(options);

  test(`whatever is asked of a disposed encoder is disposed: ${name}`, async () => {
    const engine = await createEngine(options);
    const [gone, stays] = await Promise.all(
      [1, 1].map((seed) => Encoder.fromConfig(tinyConfig, { engine, seed })),
    );
    assert(gone && stays);
    gone.dispose();
    gone.dispose();
    gone[Symbol.dispose]();
    for (const call of [...Object.values(encoderCalls), ...analyses]) {
      await expectRejection("disposed", /^encoder: it was disposed$/, () => call(gone));
    }
    assert.equal(gone.config.n_layers, 3, "what it knows by itself it still tells");
    assert.equal(gone.parameterNames.length, stays.parameterNames.length);
    assert.equal((await stays.run({ ids })).tokens.length, ids.length);
    await engine.dispose();
  });

  test(`whatever is asked of a disposed engine is disposed: ${name}`, async () => {
    const engine = await createEngine(options);
    const encoder = await Encoder.fromConfig(tinyConfig, { engine });
    const { info } = engine;
    await engine.dispose();
    await engine.dispose();
    engine[Symbol.dispose]();
    for (const call of [...Object.values(engineCalls), ...loadings]) {
      await expectRejection("disposed", /^engine: it was disposed$/, () => call(engine));
    }
    const { tokenize: _, embed, ...inEngine } = encoderCalls;
    for (const call of Object.values(inEngine)) {
      await expectRejection("disposed", /^engine: it was disposed$/, () => call(encoder));
    }
    assert.deepEqual(await embed?.(encoder), [], "nothing to be computed");
    assert.equal(engine.info, info);
    encoder.dispose();
    encoder.dispose();
    await expectRejection("disposed", /^encoder: it was disposed$/, encoder.run({ ids }));
  });

  test(`an engine that is disposed while it loads rejects the loading: ${name}`, async () => {
    const files = await withEngine({ variant: "simd" }, (engine) => makeCheckpoint(engine));
    for (const wait of [0, 1, 2, 5]) {
      const engine = await createEngine(options);
      const loading = [
        Encoder.fromPretrained(files, { engine }),
        Encoder.fromConfig(tinyConfig, { engine }),
      ];
      const outcomes = Promise.allSettled(loading);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      await engine.dispose();
      for (const outcome of await outcomes) {
        // The one that was faster is there, and gone with its engine.
        if (outcome.status === "fulfilled") {
          await expectRejection("disposed", /engine/, outcome.value.run({ ids }));
        } else assert.equal(outcome.reason.code, "disposed", outcome.reason.message);
      }
    }
  });

  test(`a run whose encoder or engine is disposed ends, in whatever state it is: ${name}`, async () => {
    const deep = { ...tinyConfig, n_layers: 40, d_model: 64, d_ff: 64, max_tokens: 64 };
    const long = { ids: Array.from({ length: 64 }, (_, i) => i % 40) };
    for (const wait of [0, 1, 2, 4, 8]) {
      for (const which of /** @type {const} */ (["encoder", "engine"])) {
        const engine = await createEngine(options);
        const encoder = await Encoder.fromConfig(deep, { engine });
        const runs = [encoder.run(long), encoder.run([long, long, { ids }]), encoder.run({ ids })];
        const outcomes = Promise.allSettled(runs);
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        if (which === "encoder") encoder.dispose();
        else await engine.dispose();
        for (const outcome of await outcomes) {
          if (outcome.status === "rejected") assert.equal(outcome.reason.code, "disposed");
          // Nothing can have been computed yet.
          else assert(wait > 0);
        }
        if (which === "encoder") await engine.heapBytes();
        await engine.dispose();
      }
    }
  });
}

/**
 * @template T
 * @param {Parameters<typeof createEngine>[0]} options
 * @param {(engine: Engine) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withEngine(options, work) {
  const engine = await createEngine(options);
  try {
    return await work(engine);
  } finally {
    await engine.dispose();
  }
}

test("engines that come and go leave no worker, no listener and no handle", async () => {
  /** @type {import("node:worker_threads").Worker[]} */
  const workers = [];
  const listen = (/** @type {import("node:worker_threads").Worker} */ worker) =>
    workers.push(worker);
  process.on("worker", listen);
  const count = () => {
    const names = process.eventNames();
    return names.reduce((sum, name) => sum + process.listenerCount(name), 0);
  };
  const listeners = count();
  const handles = process.getActiveResourcesInfo().length;
  for (let i = 0; i < 52; ++i) {
    const engine = await createEngine(kinds[i % kinds.length]);
    const encoder = await Encoder.fromConfig(tinyConfig, { engine });
    await encoder.run({ ids });
    await engine.dispose();
  }
  assert(workers.length >= 39, `${workers.length} workers came`);
  const deadline_ms = performance.now() + 5000;
  while (workers.some(({ threadId }) => threadId !== -1)) {
    assert(performance.now() < deadline_ms, "a worker is still there");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  process.off("worker", listen);
  assert.equal(count(), listeners - 1, "but for the one above");
  assert(process.getActiveResourcesInfo().length <= handles);
});
