// Every function of headscope/components with arguments of wrong types, without arguments, and with
// some that it does not know: the code, what the message names, and that it is right afterwards.

import assert from "node:assert/strict";
import { test } from "node:test";
import { signatures } from "../../bindings/js/components/signatures.js";
import { compute, functions, isRefused, right, x } from "./component-calls.js";
import { expectRejection } from "./expect-rejection.js";

/** @typedef {import("./component-calls.js").Line} Line */
/** @typedef {import("./component-calls.js").Name} Name */

/** Of an argument of each kind, what it cannot be. @type {Record<string, Line[]>} */
const wrong = {
  matrix: [
    ["x", /is "x" \(string\), expected a matrix \{ rows, cols, data \} or number\[\]\[\]/],
    [null, /is null/],
    [7, /is 7/],
    [Float32Array.of(1, 2), /is Float32Array\(2\)/],
    [[["1"]], /\[0\]\[0\] is "1" \(string\), expected a number/],
    [[[NaN]], /\[0\]\[0\] is NaN/],
    [[[null]], /\[0\]\[0\] is null/],
    [{ rows: 1, cols: "1", data: [1] }, /\.cols is "1"/],
    [{ rows: -1, cols: 1, data: [] }, /\.rows is -1/],
    [{ rows: 1, cols: 1, data: "1" }, /\.data is "1"/],
    [{ rows: 1, cols: 1, data: BigInt64Array.of(1n) }, /\.data is BigInt64Array/],
  ].map(([value, message]) => /** @type {any} */ ([value, "bad-argument", message])),
  vector: [
    ["x", /is "x" \(string\), expected an array of numbers/],
    [1, /is 1/],
    [[1, "2", 3, 4], /\[1\] is "2"/],
    [[1, 2, NaN, 4], /\[2\] is NaN/],
  ].map(([value, message]) => /** @type {any} */ ([value, "bad-argument", message])),
  count: [
    ["3", /is "3" \(string\), expected a/],
    [1.5, /is 1\.5/],
    [NaN, /is NaN/],
    [-1, /is -1/],
    [Infinity, /is Infinity/],
    [2 ** 31, /is 2147483648/],
    [null, /is null/],
    [true, /is true/],
    [[3], /is Array\(1\)/],
  ].map(([value, message]) => /** @type {any} */ ([value, "bad-argument", message])),
  positive: [
    ["1", /is "1" \(string\), expected a positive number/],
    [0, /is 0/],
    [-1, /is -1/],
    [NaN, /is NaN/],
    [Infinity, /is Infinity/],
    [1e-60, /is 1e-60/],
  ].map(([value, message]) => /** @type {any} */ ([value, "bad-argument", message])),
  number: [
    ["1", /is "1" \(string\), expected a (finite|whole) number/],
    [NaN, /is NaN/],
    [Infinity, /is Infinity/],
    [null, /is null/],
  ].map(([value, message]) => /** @type {any} */ ([value, "bad-argument", message])),
  word: [
    [1, /is 1, expected "/],
    ["", /is "" \(string\), expected "/],
    ["Relu", /is "Relu" \(string\), expected "/],
    [null, /is null/],
  ].map(([value, message]) => /** @type {any} */ ([value, "bad-argument", message])),
  flag: [
    [1, /is 1, expected true or false/],
    ["true", /is "true" \(string\)/],
    [null, /is null/],
  ].map(([value, message]) => /** @type {any} */ ([value, "bad-argument", message])),
};

/** The kind of each argument, as the table above has them. @type {Record<string, string>} */
const kinds = {
  ...Object.fromEntries(
    ["query", "key", "value", "x", "memory", "wq", "wk", "wv", "wo", "w1", "w2", "w_gate"]
      .concat(["sublayer", "relative_key", "relative_value", "table", "bias"])
      .map((name) => [name, "matrix"]),
  ),
  ...Object.fromEntries(
    ["bq", "bk", "bv", "bo", "b1", "b2", "b_gate", "gamma", "beta", "gates", "positions"]
      .concat(["norm1_gamma", "norm1_beta", "norm2_gamma", "norm2_beta"])
      .map((name) => [name, "vector"]),
  ),
  ...Object.fromEntries(
    ["heads", "length", "d_model", "buckets", "max_distance", "dims", "clip"].map((name) => [
      name,
      "count",
    ]),
  ),
  epsilon: "positive",
  base: "positive",
  scale: "number",
  offset: "number",
  norm: "word",
  activation: "word",
  layout: "word",
  causal: "flag",
};

test("every function stands in the tables", () => {
  assert.deepEqual(Object.keys(right).sort(), Object.keys(functions).sort());
  assert.deepEqual(Object.keys(right).sort(), Object.keys(signatures).sort());
});

for (const name of /** @type {Name[]} */ (Object.keys(right))) {
  const { takes } = /** @type {any} */ (signatures[name]);

  test(`${name} refuses wrong types of every argument, by name`, async () => {
    const before = await compute(name);
    for (const argument of Object.keys(takes)) {
      const lines = wrong[kinds[argument] ?? ""] ?? [];
      assert(lines.length > 0 || /^(mask|position|parameters)$/.test(argument), argument);
      for (const [value, code, message] of lines) {
        const given = { ...right[name], [argument]: value };
        await isRefused(name, given, code, `${name}: ${argument}`, message);
      }
    }
    assert.deepEqual(await compute(name), before);
  });

  test(`${name} refuses what is missing and what it does not know`, async () => {
    const before = await compute(name);
    for (const argument of Object.keys(right[name])) {
      if (takes[argument].optional) continue;
      const { [argument]: _, ...given } = right[name];
      await isRefused(name, given, "bad-argument", `${name}: ${argument} is missing, expected `);
    }
    const unknown = { ...right[name], colour: 1 };
    await isRefused(name, unknown, "bad-argument", `${name}: unknown "colour", known: `);
    for (const given of [undefined, null, 7, "x", [1], x]) {
      await isRefused(name, /** @type {any} */ (given), "bad-argument", `${name} is `);
    }
    for (const options of [null, 7, { engine: {} }, { engine: "simd" }, { signal: 1 }]) {
      const call = functions[name];
      const message = new RegExp(`^${name}`);
      await expectRejection("bad-argument", message, () => call(right[name], options));
    }
    assert.deepEqual(await compute(name), before);
  });
}
