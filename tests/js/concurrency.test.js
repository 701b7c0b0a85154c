// Many calls at once: each gets its own result or its own error, whatever happens to the others.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { headImportance } from "headscope/analysis";
import { attention } from "headscope/components";
import { expectRejection } from "./expect-rejection.js";
import { seedRandom } from "./make-trace.js";
import { makeCheckpoint, tinyConfig } from "./tiny-model.js";

const kinds = /** @type {const} */ ([
  { variant: "simd" },
  { variant: "simd", worker: true },
  { variant: "simd-threads", threads: 2 },
  { variant: "simd-threads", threads: 2, worker: true },
]);

const inputs = [{ ids: [3, 1, 4] }, { ids: [1, 5, 9, 2, 6, 5] }, { ids: [35] }];
const tokenizer = { model: { type: "WordPiece", unk_token: "a", vocab: { a: 0, cat: 1 } } };

/** @param {number} time_ms */
function wait(time_ms) {
  return new Promise((resolve) => setTimeout(resolve, time_ms));
}

for (const options of kinds) {
  const name = JSON.stringify(options);

  test(`calls of two encoders at once do not meet: ${name}`, async () => {
    const engine = await createEngine(options);
    const encoders = await Promise.all(
      [1, 2].map((seed) => Encoder.fromConfig(tinyConfig, { engine, seed, tokenizer })),
    );
    /** @type {unknown[][]} */
    const expected = [];
    for (const encoder of encoders) expected.push((await encoder.run(inputs)).map(keep));
    assert.notDeepEqual(expected[0], expected[1]);
    const calls = Array.from({ length: 60 }, async (_, i) => {
      const which = i % 2;
      const encoder = /** @type {Encoder} */ (encoders[which]);
      const place = i % inputs.length;
      if (i % 5 === 0) {
        assert.deepEqual((await encoder.run(inputs)).map(keep), expected[which]);
      } else {
        const trace = await encoder.run(/** @type {{ ids: number[] }} */ (inputs[place]));
        assert.deepEqual(keep(trace), expected[which]?.[place]);
      }
    });
    const { output } = await attention({ query: [[1]], key: [[1]], value: [[7]] }, { engine });
    assert.equal(output.at(0, 0), 7);
    await Promise.all(calls);
    await engine.dispose();
  });

  test(`aborts in the middle of many calls end those calls alone: ${name}`, async () => {
    const engine = await createEngine(options);
    const deep = { ...tinyConfig, n_layers: 30, d_model: 32, n_heads: 4, d_ff: 64 };
    const encoder = await Encoder.fromConfig(deep, { engine, seed: 3, tokenizer });
    const whole = (await encoder.run(inputs)).map(keep);
    const [vector] = await encoder.embed(["cat"]);
    const random = seedRandom(5);
    for (let round = 0; round < 6; ++round) {
      const controllers = Array.from({ length: 12 }, () => new AbortController());
      const calls = controllers.map(async ({ signal }, i) => {
        if (i % 4 === 0) {
          assert.deepEqual((await encoder.run(inputs, { signal })).map(keep), whole);
        } else if (i % 4 === 1) {
          assert.deepEqual((await encoder.embed(["cat"], { signal }))[0], vector);
        } else if (i % 4 === 2) {
          await headImportance(encoder, ["cat", "a"], { signal });
        } else {
          const place = i % inputs.length;
          const input = /** @type {{ ids: number[] }} */ (inputs[place]);
          assert.deepEqual(keep(await encoder.run(input, { signal })), whole[place]);
        }
        return "done";
      });
      const outcomes = Promise.allSettled(calls);
      const wanted = controllers.map(() => random() < 0.5);
      // Those before the first wait are aborted before anything can have been computed.
      let begun = false;
      const atOnce = new Set();
      for (const [i, controller] of controllers.entries()) {
        if (!wanted[i]) continue;
        const waits = random() < 0.5;
        if (waits) await wait(random() * 4);
        begun ||= waits;
        if (!begun) atOnce.add(i);
        controller.abort();
      }
      for (const [i, outcome] of (await outcomes).entries()) {
        if (atOnce.has(i)) assert.equal(outcome.status, "rejected");
        if (outcome.status === "rejected") {
          assert.equal(outcome.reason.code, "aborted", outcome.reason.message);
          assert(wanted[i], "nobody aborted this one");
        }
      }
      for (const { signal } of controllers) {
        assert.equal(getEventListeners(signal, "abort").length, 0);
      }
    }
    assert.deepEqual((await encoder.run(inputs)).map(keep), whole);
    await engine.dispose();
  });

  test(`the latest call wins, and the one before says that it was aborted: ${name}`, async () => {
    const engine = await createEngine(options);
    const encoder = await Encoder.fromConfig(tinyConfig, { engine, seed: 3 });
    const expected = (await encoder.run(inputs)).map(keep);
    /** What a page would show: only what was not superseded. @type {unknown} */
    let shown;
    /** @type {AbortController | undefined} */
    let current;
    const type = async (/** @type {number} */ place) => {
      current?.abort();
      current = new AbortController();
      const { signal } = current;
      const input = /** @type {{ ids: number[] }} */ (inputs[place]);
      try {
        shown = keep(await encoder.run(input, { signal }));
        return "shown";
      } catch (error) {
        return /** @type {import("headscope").HeadscopeError} */ (error).code;
      }
    };
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => type(i % 3)));
    assert.deepEqual(outcomes, [...Array(19).fill("aborted"), "shown"]);
    assert.deepEqual(shown, expected[19 % 3]);
    await engine.dispose();
  });

  test(`an abort before, during and after loading leaves an engine that loads: ${name}`, async () => {
    const engine = await createEngine(options);
    const files = await makeCheckpoint(engine);
    const ended = AbortSignal.abort();
    await expectRejection(
      "aborted",
      /^fromPretrained/,
      Encoder.fromPretrained(files, { engine, signal: ended }),
    );
    await expectRejection(
      "aborted",
      /^fromConfig/,
      Encoder.fromConfig(tinyConfig, { engine, signal: ended }),
    );
    const first = await Encoder.fromPretrained(files, { engine });
    const expected = keep(await first.run(inputs[1] ?? { ids: [] }));
    const before = await engine.heapBytes();
    for (let i = 0; i < 30; ++i) {
      const controller = new AbortController();
      const { signal } = controller;
      const loading =
        i % 2 === 0
          ? Encoder.fromPretrained(files, { engine, signal })
          : Encoder.fromConfig(tinyConfig, { engine, signal });
      const outcome = loading.then(
        (encoder) => encoder.dispose(),
        ({ code }) => assert.equal(code, "aborted"),
      );
      if (i % 3 > 0) await wait((i % 5) / 2);
      controller.abort();
      await outcome;
    }
    const again = await Encoder.fromPretrained(files, { engine });
    assert.deepEqual(keep(await again.run(inputs[1] ?? { ids: [] })), expected);
    assert.equal(await engine.heapBytes(), before);
    await engine.dispose();
  });
}

/** @param {import("headscope").Trace} trace @returns {unknown[]} its numbers */
function keep(trace) {
  return [trace.pooled, trace.attention(0, 1).data, trace.get("hidden", 2).data];
}
