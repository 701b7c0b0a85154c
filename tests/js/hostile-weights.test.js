// Weights that are wrong in each of the ways that a tensor can be: refused by its name.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Encoder } from "headscope";
import { expectRejection } from "./expect-rejection.js";
import {
  areRefused,
  bytesOf,
  engine,
  ids,
  inWorker,
  models,
  tensorsOf,
  weights,
  whole,
  withoutTensor,
  withTensor,
} from "./hostile-checkpoint.js";
import { makeCheckpoint } from "./tiny-model.js";
import { encodeTensor, joinTensors } from "./weight-file.js";

/** @typedef {import("./hostile-checkpoint.js").Line} Line */
/** @typedef {import("./weight-file.js").EncodedTensor} EncodedTensor */
/** @typedef {import("./weight-file.js").WeightType} WeightType */

const narrow = await makeCheckpoint(engine, { dtype: "I8" });
const wq = "layers.0.attention.wq";
const token = "embeddings.token";
const gamma = "final_norm.gamma";

test("a tensor that does not fit the model is refused by its name", async () => {
  const eight = new Float32Array(8);
  await areRefused([
    [
      "gone",
      withoutTensor(whole, wq),
      "bad-checkpoint",
      /"layers\.0\.attention\.wq" is missing, expected shape \[8,8\]/,
    ],
    [
      "renamed",
      withTensor(whole, wq, { name: "wq" }),
      "bad-checkpoint",
      /"wq" is not a parameter of this model/,
    ],
    [
      "turned",
      withTensor(whole, token, { shape: [8, 40] }),
      "bad-checkpoint",
      /"embeddings\.token" has shape \[8,40\], expected \[40,8\]/,
    ],
    [
      "a matrix",
      withTensor(whole, gamma, { shape: [1, 8] }),
      "bad-checkpoint",
      /"final_norm\.gamma" has shape \[1,8\], expected \[8\]/,
    ],
    [
      "a list",
      withTensor(whole, wq, { shape: [64] }),
      "bad-checkpoint",
      /wq" has shape \[64\], expected \[8,8\]/,
    ],
    [
      "a scalar",
      withTensor(whole, gamma, { shape: [], bytes: bytesOf(eight.slice(0, 1)) }),
      "bad-checkpoint",
      /gamma" has shape \[\], expected \[8\]/,
    ],
    [
      "of integers",
      withTensor(whole, gamma, { dtype: "I32" }),
      "bad-checkpoint",
      /gamma" has dtype I32, expected F64, F32, F16, BF16 or I8/,
    ],
    [
      "of 8 bits of float",
      withTensor(whole, gamma, { dtype: "F8_E4M3", bytes: new Uint8Array(8) }),
      "bad-checkpoint",
      /gamma" has dtype F8_E4M3/,
    ],
    [
      "of booleans",
      withTensor(whole, gamma, { dtype: "BOOL", bytes: new Uint8Array(8) }),
      "bad-checkpoint",
      /gamma" has dtype BOOL/,
    ],
    [
      "more",
      {
        ...whole,
        [weights]: joinTensors([
          ...tensorsOf(whole),
          { name: "__proto__", dtype: "U8", shape: [0], bytes: new Uint8Array() },
        ]),
      },
      "bad-checkpoint",
      /"__proto__" is not a parameter/,
    ],
    [
      "the scale of nothing",
      {
        ...whole,
        [weights]: joinTensors([
          ...tensorsOf(whole),
          { name: ".scale", dtype: "F32", shape: [1], bytes: new Uint8Array(4) },
        ]),
      },
      "bad-checkpoint",
      /"\.scale" is not the scale of a parameter/,
    ],
  ]);
});

test("int8 without the scales that belong to it is refused by the scale's name", async () => {
  const scale = `${wq}.scale`;
  const one = Float32Array.of(1);
  const eight = new Float32Array(8).fill(1);
  await areRefused([
    [
      "no scale",
      withoutTensor(narrow, scale),
      "bad-checkpoint",
      /"layers\.0\.attention\.wq\.scale" is missing, and layers\.0\.attention\.wq is I8/,
    ],
    [
      "one for all",
      withTensor(narrow, scale, { shape: [1], bytes: bytesOf(one) }),
      "bad-checkpoint",
      /wq\.scale" has shape \[1\], expected \[8\]/,
    ],
    [
      "as a row",
      withTensor(narrow, scale, { shape: [1, 8] }),
      "bad-checkpoint",
      /wq\.scale" has shape \[1,8\], expected \[8\]/,
    ],
    [
      "per column of a table",
      withTensor(narrow, `${token}.scale`, { shape: [8], bytes: bytesOf(eight) }),
      "bad-checkpoint",
      /token\.scale" has shape \[8\], expected \[40\]/,
    ],
    [
      "of floats",
      withTensor(narrow, wq, { dtype: "F32", bytes: new Uint8Array(256) }),
      "bad-checkpoint",
      /wq\.scale" is there, but layers\.0\.attention\.wq is not I8/,
    ],
    [
      "a vector in int8",
      withTensor(narrow, gamma, { dtype: "I8", bytes: new Uint8Array(8) }),
      "bad-checkpoint",
      /gamma\.scale" is missing/,
    ],
    [
      "a scale of a scale",
      withTensor(narrow, scale, { name: `${scale}.scale` }),
      "bad-checkpoint",
      /wq\.scale\.scale" is not the scale of a parameter/,
    ],
    [
      "in integers",
      withTensor(narrow, scale, { dtype: "I16", bytes: new Uint8Array(16) }),
      "bad-checkpoint",
      /wq\.scale" has dtype I16/,
    ],
  ]);
});

test("a number that is none is refused with its place, in each type", async () => {
  const lines = /** @type {Line[]} */ ([]);
  for (const [value, word] of /** @type {const} */ ([
    [Number.NaN, "NaN"],
    [Infinity, "Infinity"],
    [-Infinity, "-Infinity"],
  ])) {
    const values = new Float32Array(64);
    values[9] = value;
    for (const dtype of /** @type {WeightType[]} */ (["F32", "F64", "F16", "BF16"])) {
      const [tensor] = encodeTensor({ name: wq, shape: [8, 8], values }, dtype);
      const message = new RegExp(`wq" has ${word} at index 9, expected finite numbers`);
      lines.push([
        dtype,
        withTensor(whole, wq, /** @type {EncodedTensor} */ (tensor)),
        "bad-checkpoint",
        message,
      ]);
    }
    const scales = new Float32Array(8).fill(0.5);
    scales[2] = value;
    const message = new RegExp(`wq\\.scale" has ${word} at index 2`);
    lines.push([
      "a scale",
      withTensor(narrow, `${wq}.scale`, { bytes: bytesOf(scales) }),
      "bad-checkpoint",
      message,
    ]);
  }
  const wide = bytesOf(/** @type {any} */ (new Float64Array(64).fill(1e300)));
  lines.push([
    "beyond float32",
    withTensor(whole, wq, { dtype: "F64", bytes: wide }),
    "bad-checkpoint",
    /wq" has Infinity at index 0/,
  ]);
  const large = bytesOf(new Float32Array(8).fill(3e38));
  lines.push([
    "a product beyond float32",
    withTensor(narrow, `${wq}.scale`, { bytes: large }),
    "bad-checkpoint",
    /wq" has -?Infinity at index \d+/,
  ]);
  await areRefused(lines);
});

test("a number that is none is no parameter of fromConfig", async () => {
  const model = /** @type {Encoder} */ (models[0]);
  const parameters = Object.fromEntries(
    await Promise.all(
      model.parameterNames.map(async (name) => [name, (await model.parameter(name)).data]),
    ),
  );
  parameters[gamma] = Float32Array.of(1, 1, 1, Number.NaN, 1, 1, 1, 1);
  const { config } = model;
  await expectRejection(
    "bad-argument",
    /^fromConfig: parameters: "final_norm\.gamma" has NaN at index 3, expected finite numbers$/,
    Encoder.fromConfig(config, { engine, parameters }),
  );
});

test("every type of weight gives the numbers that its bytes say", async () => {
  const values = Float32Array.of(1, -2, 0.5, -0, 2 ** -14, 1.5, -0.25, 96);
  /** What each of the types holds exactly: all of these. @type {WeightType[]} */
  const dtypes = ["F32", "F64", "F16", "BF16"];
  for (const dtype of dtypes) {
    const [tensor] = encodeTensor({ name: gamma, shape: [8], values }, dtype);
    const files = withTensor(whole, gamma, /** @type {EncodedTensor} */ (tensor));
    for (const home of [engine, inWorker]) {
      const encoder = await Encoder.fromPretrained(files, { engine: home });
      const { data } = await encoder.parameter(gamma);
      assert.deepEqual(
        [...data].map((value, i) => Object.is(value, values[i])),
        Array(8).fill(true),
        dtype,
      );
      encoder.dispose();
    }
  }
  const steps = Int8Array.from({ length: 64 }, (_, i) => 4 * i - 128);
  const scales = Float32Array.from({ length: 8 }, (_, i) => 2 ** (i - 4));
  const scaled = withTensor(narrow, `${wq}.scale`, { bytes: bytesOf(scales) });
  const files = withTensor(scaled, wq, { bytes: bytesOf(steps) });
  const encoder = await Encoder.fromPretrained(files, { engine });
  const { data } = await encoder.parameter(wq);
  assert.deepEqual(
    data,
    Float32Array.from(steps, (step, i) => step * Number(scales[i % 8])),
  );
  encoder.dispose();
});

test("a checkpoint is the same in one file or in several, in every type", async () => {
  for (const dtype of /** @type {WeightType[]} */ (["F32", "F64", "F16", "BF16", "I8"])) {
    const one = await Encoder.fromPretrained(await makeCheckpoint(engine, { dtype }), { engine });
    const expected = await one.run({ ids });
    for (const shards of [2, 3]) {
      const files = await makeCheckpoint(engine, { dtype, shards });
      const encoder = await Encoder.fromPretrained(files, { engine });
      assert.deepEqual((await encoder.run({ ids })).pooled, expected.pooled);
      encoder.dispose();
    }
    one.dispose();
  }
});
