import assert from "node:assert/strict";
import { test } from "node:test";
import { SetupError } from "../../tools/shell.js";
import { compareOutputs } from "../bench/agreement.js";
import { judge } from "../bench/contest-report.js";
import { readOptions } from "../bench/options.js";
import { chains, pairs } from "../bench/pairs.js";
import { summarise } from "../bench/ratios.js";

const timing = { tokenize_ms: 1, forward_ms: 6, copy_ms: 2 };

/** Every contender takes 10 ms, and `slow` of them more. @param {Record<string, number>} slow */
function makeRound(slow) {
  return chains.map((chain) =>
    chain.map((name) => ({ name, times_ms: [slow[name] ?? 10], timings: [timing] })),
  );
}

test("the benchmark's ratios are of neighbouring turns, whichever way a chain was run", () => {
  const forwards = makeRound({ ort: 30, "ort-maps": 20, "ort-int8": 40 });
  const backwards = forwards.map((turns) => [...turns].reverse());
  const rows = summarise([...forwards, ...backwards], { length: 16, shape: "minilm" });
  const found = Object.fromEntries(rows.map(({ pair, ratio }) => [pair, ratio.median]));
  assert.deepEqual(found, { f32: 3, maps: 2, simd: 3, int8: 3, int8_int8: 4 });
  for (const { samples, parts_ms } of rows) {
    assert.equal(samples.length, 2);
    assert.deepEqual(parts_ms, { tokenize: 1, forward: 6, copy: 2, rest: 1 });
  }
});

test("the two of every pair that the benchmark judges are neighbours in a chain", () => {
  for (const { headscope, ort } of Object.values(pairs)) {
    const met = chains.some(
      (chain) => Math.abs(chain.indexOf(headscope) - chain.indexOf(ort)) === 1,
    );
    assert(met, `${headscope} and ${ort}`);
  }
});

test("a ratio under its limit at one length is short of it, whatever the mean", () => {
  const rows = [14, 30].flatMap((ort, i) =>
    summarise(makeRound({ ort, "ort-maps": ort }), { length: 16 * (i + 1), shape: "base" }),
  );
  const verdicts = Object.fromEntries(judge(rows).map((verdict) => [verdict.pair, verdict]));
  assert(verdicts.f32.mean > pairs.f32.better);
  assert.equal(verdicts.f32.lowest, 1.4);
  assert.equal(verdicts.f32.reached, false);
  assert.equal(verdicts.simd.better, true);
});

/** @param {Partial<Record<string, number>>} moved by how much one of the contenders is off */
function makeOutputs(moved) {
  const names = ["ort", "ort-maps", "ort-int8", "f32", "maps", "simd", "int8"];
  return new Map(
    names.map((name) => {
      const hidden = Float32Array.of(0.5 + (moved[name] ?? 0), -0.25, 1, 2);
      const maps = () =>
        Float32Array.of(0.75 + (moved.attention ?? 0) * Number(name === "maps"), 0.25);
      return [name, { hidden, maps }];
    }),
  );
}

test("the benchmark refuses to time two sides that compute different things", () => {
  const size = { length: 2, layers: 1 };
  assert.equal(compareOutputs(makeOutputs({ f32: 1e-5 }), size).f32 < 2e-5, true);
  for (const [name, by] of Object.entries({
    f32: 1e-3,
    simd: 1e-3,
    maps: 1e-3,
    "ort-maps": 1e-3,
  })) {
    assert.throws(() => compareOutputs(makeOutputs({ [name]: by }), size), new RegExp(name));
  }
  assert.throws(() => compareOutputs(makeOutputs({ attention: 1e-3 }), size), /attention/);
  assert.throws(() => compareOutputs(makeOutputs({ int8: -1 }), size), /"int8" has a cosine/);
  const cut = makeOutputs({}).set("f32", {
    hidden: Float32Array.of(0.5),
    maps: () => new Float32Array(),
  });
  assert.throws(() => compareOutputs(cut, size), /f32/);
});

test("npm run bench says what it does not know", () => {
  assert.deepEqual(readOptions(["--n", "64,16", "--threads", "1"]).lengths, [16, 64]);
  for (const args of [
    ["--n", "0"],
    ["--n", "x"],
    ["--n", "1000"],
    ["--only", "x"],
    ["--x"],
    ["x"],
  ]) {
    assert.throws(() => readOptions(args), SetupError);
  }
});
