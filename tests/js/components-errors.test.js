// Every function of headscope/components with arguments it must refuse: the code, what the message
// names, and that the same function is right afterwards, on this thread and in a worker.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createEngine, Matrix } from "headscope";
import * as components from "headscope/components";
import { signatures } from "../../bindings/js/components/signatures.js";
import { expectRejection } from "./expect-rejection.js";

const engines = [
  await createEngine({ variant: "simd" }),
  await createEngine({ variant: "simd", worker: true }),
];
after(() => Promise.all(engines.map((engine) => engine.dispose())));

/** @typedef {import("../../bindings/js/trace/error.js").ErrorCode} Code */
/** @typedef {keyof typeof components} Name */

/** @type {Record<Name, (given: any, options: any) => Promise<unknown>>} */
const functions = { ...components };

/**
 * One line of a table: what is different from arguments that are right, the code, what the message
 * says behind the name of the function.
 *
 * @typedef {[changes: Record<string, unknown>, code: Code, message: RegExp]} Line
 */

const [zero, one, three] = [0, 1, 3].map((value) => [
  [value, 0],
  [0, value],
]);
const eye = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
];
const x = [
  [1, 2, 3, 4],
  [0, -1, 0.5, 2],
  [2, 2, 1, 0],
];
const wide = new Matrix(3, 5);
const infinite = [
  [1, 2, 3, 4],
  [1, Infinity, 3, 4],
  [1, 2, 3, 4],
];

/** Functions with arguments that are right. */
const right = /** @type {Record<Name, Record<string, any>>} */ ({
  attention: { query: x, key: x, value: x },
  multiHeadAttention: { x, heads: 2, wq: eye, wk: eye, wv: eye, wo: eye },
  shawAttention: { query: x, key: x, value: x, relative_key: x, clip: 1 },
  attentionCost: { length: 10, d_model: 8, heads: 2 },
  layerNorm: { x },
  addNorm: { x, sublayer: x },
  layerNormSteps: { x, sublayer: x },
  feedForward: { x, w1: eye, w2: eye, activation: "relu" },
  encoderLayer: {
    x,
    heads: 2,
    norm: "pre",
    activation: "gelu",
    parameters: { wq: eye, wk: eye, wv: eye, wo: eye, w1: eye, w2: eye },
  },
  sinusoidalPositions: { length: 3, d_model: 4 },
  positionRotation: { d_model: 4, offset: 1 },
  rotary: { x },
  alibiSlopes: { heads: 4 },
  alibiBias: { heads: 2, length: 3 },
  t5Buckets: { length: 3 },
  t5Bias: { table: eye, length: 3, max_distance: 8 },
});

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

/**
 * @param {Name} name
 * @param {Record<string, unknown>} given
 * @param {Code} code
 * @param {string} message how it begins
 * @param {RegExp} [rest]
 */
async function isRefused(name, given, code, message, rest = /^/) {
  const call = functions[name];
  for (const engine of engines) {
    await assert.rejects(call(given, { engine }), (/** @type {any} */ error) => {
      assert.equal(error.name, "HeadscopeError", String(error));
      assert.equal(error.code, code, error.message);
      assert(error.message.startsWith(message), `"${error.message}", expected "${message} .."`);
      assert.match(error.message.slice(message.length), rest);
      return true;
    });
  }
}

/**
 * @param {Name} name
 * @returns {Promise<unknown[]>} what it gives for arguments that are right, of each engine
 */
function compute(name) {
  const call = functions[name];
  return Promise.all(engines.map((engine) => call(right[name], { engine })));
}

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

/**
 * @param {Name} name
 * @param {Line[]} lines
 */
function refuses(name, lines) {
  test(`${name} refuses sizes, ranges and words that do not fit`, async () => {
    const before = await compute(name);
    for (const [changes, code, message] of lines) {
      await isRefused(name, { ...right[name], ...changes }, code, `${name}: `, message);
    }
    assert.deepEqual(await compute(name), before);
  });
}

/** @type {Line[]} */
const maskLines = [
  [{ mask: "Causal" }, "bad-argument", /^mask is "Causal" \(string\), expected "causal", one bool/],
  [{ mask: 1 }, "bad-argument", /^mask is 1/],
  [{ mask: null }, "bad-argument", /^mask is null/],
  [{ mask: { keys: [1] } }, "bad-argument", /^mask is Object, expected a matrix/],
  [{ mask: [true, false] }, "bad-shape", /^mask has shape \[2\], expected \[\w\] = \[3\]/],
  [{ mask: [1, 0, 2] }, "bad-argument", /^mask\[2\] is 2, expected true, false, 0 or 1/],
  [{ mask: [1, 0, NaN] }, "bad-argument", /^mask\[2\] is NaN/],
  [{ mask: [true, "no", true] }, "bad-argument", /^mask\[1\] is "no"/],
  [{ mask: wide }, "bad-shape", /^mask has shape \[3,5\], expected \[T, \w\] = \[3,3\]/],
  [
    {
      mask: [
        [0, 0, 0],
        [0, 0],
      ],
    },
    "bad-shape",
    /^mask\[1\] has 2 values, expected 3/,
  ],
  [
    {
      mask: [
        [0, 0],
        [0, 0],
      ],
    },
    "bad-shape",
    /^mask has shape \[2,2\]/,
  ],
  [
    {
      mask: [
        [0, NaN, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
    },
    "bad-argument",
    /^mask\[0\]\[1\] is NaN/,
  ],
  [
    {
      mask: [
        [0, Infinity, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
    },
    "bad-argument",
    /^mask holds an infinity/,
  ],
  [{ mask: Array(3).fill([true, true, false]) }, "bad-argument", /^mask is a table of booleans/],
  [{ mask: ["causal", "padding"] }, "bad-argument", /^mask\[1\] is "padding"/],
  [{ mask: ["causal", [true]] }, "bad-shape", /^mask\[1\] has shape \[1\]/],
  [{ mask: [new Matrix(3, 3), wide] }, "bad-shape", /^mask\[1\] has shape \[3,5\]/],
];

refuses("attention", [
  ...maskLines,
  [{ key: wide }, "bad-shape", /^key has shape \[3,5\], expected \[M, K\] = \[3,4\]/],
  [{ value: one }, "bad-shape", /^value has shape \[2,2\], expected \[M, V\] = \[3,2\]/],
  [{ query: new Matrix(3, 0) }, "bad-shape", /^query has shape \[3,0\], expected .* K at least 1/],
  [{ query: infinite }, "bad-argument", /^query holds an infinity as number 5/],
  [{ value: [[1], [2], [1e39]] }, "bad-argument", /^value holds an infinity/],
  [{ bias: wide }, "bad-shape", /^bias has shape \[3,5\], expected \[T, M\] = \[3,3\]/],
  [
    {
      bias: [
        [0, 0, Infinity],
        [0, 0, 0],
        [0, 0, 0],
      ],
    },
    "bad-argument",
    /^bias holds an infinity/,
  ],
  [{ scale: 1e39 }, "bad-argument", /^scale is 1e\+39/],
]);

/** @type {Line[]} */
const positionLines = [
  [{ position: 1 }, "bad-argument", /^position is 1, expected an object with a kind/],
  [{ position: {} }, "bad-argument", /^position\.kind is undefined, expected "none" or/],
  [{ position: "cosine" }, "bad-argument", /^position\.kind is "cosine"/],
  [{ position: { kind: "learned" } }, "bad-argument", /^position\.kind is "learned"/],
  [
    { position: { kind: "alibi", base: 1 } },
    "bad-argument",
    /^position: unknown "base", known: no/,
  ],
  [{ position: { kind: "sinusoidal", layout: "half" } }, "bad-argument", /^position\.layout is "h/],
  [
    { position: { kind: "rotary", layout: "concatenated" } },
    "bad-argument",
    /^position\.layout is/,
  ],
  [{ position: { kind: "rotary", dims: 4 } }, "bad-argument", /^position\.dims is 4, .* 2 to 2/],
  [{ position: { kind: "rotary", base: 0 } }, "bad-argument", /^position\.base is 0/],
  [{ position: { kind: "rotary", offset: 1e8 } }, "bad-argument", /^position\.offset is 100000000/],
  [{ position: { kind: "t5" } }, "bad-argument", /^position\.table is missing, expected \[B, H\]/],
  [{ position: { kind: "t5", table: x } }, "bad-shape", /^position\.table .* \[B, H\] = \[3,2\]/],
  [{ position: { kind: "t5", table: three } }, "bad-argument", /^position\.table\.rows is 2/],
  [
    { position: { kind: "t5", table: Array(8).fill([1, 2]), buckets: 32 } },
    "bad-shape",
    /^position\.table has shape \[8,2\], expected \[B, H\] = \[32,2\]/,
  ],
  [
    { position: { kind: "t5", table: Array(8).fill([1, 2]), max_distance: 4 } },
    "bad-argument",
    /^position\.max_distance is 4, expected a whole number from 5/,
  ],
  [{ position: { kind: "shaw" } }, "bad-argument", /^position\.relative_key .* missing/],
  [
    { position: { kind: "shaw", relative_key: three } },
    "bad-shape",
    /^position: its tables have 2 rows, expected 2 clip \+ 1/,
  ],
  [
    { position: { kind: "shaw", relative_key: [[1, 2]], clip: 1 } },
    "bad-shape",
    /^position\.relative_key has shape \[1,2\], expected \[2 clip \+ 1, K\] = \[3,2\]/,
  ],
  [
    { position: { kind: "shaw", relative_key: [[1, 2]], relative_value: [[1]] } },
    "bad-shape",
    /^position\.relative_value has shape \[1,1\], expected \[2 clip \+ 1, V\] = \[1,2\]/,
  ],
];

refuses("multiHeadAttention", [
  ...maskLines,
  ...positionLines,
  [{ wq: wide }, "bad-shape", /^wq has shape \[3,5\], expected \[D, D'\] = \[4,5\]/],
  [
    { wk: Array(4).fill([1, 2]) },
    "bad-shape",
    /^wk has shape \[4,2\], expected \[D, D'\] = \[4,4\]/,
  ],
  [{ wo: wide }, "bad-shape", /^wo has shape \[3,5\], expected \[D'', O\] = \[4,5\]/],
  [{ memory: wide }, "bad-shape", /^wk has shape \[4,4\], expected \[E, D'\] = \[5,4\]/],
  [{ bk: [1, 2] }, "bad-shape", /^bk has shape \[2\], expected \[D'\] = \[4\]/],
  [{ heads: 3 }, "bad-argument", /^heads is 3, expected a divisor of D' = 4/],
  [{ heads: 0 }, "bad-argument", /^heads is 0, expected a whole number from 1/],
  [{ wv: Array(4).fill([1]), wo: [[1]] }, "bad-argument", /^heads is 2, .* divisor of D'' = 1/],
  [{ gates: [1] }, "bad-shape", /^gates has shape \[1\], expected \[H\] = \[2\]/],
  [{ gates: [1, 1, 0] }, "bad-shape", /^gates has shape \[3\], expected \[H\] = \[2\]/],
  [{ mask: [new Matrix(3, 3), [[0]]] }, "bad-shape", /^mask\[1\] has shape \[1,1\]/],
]);

refuses("encoderLayer", [
  ...maskLines,
  ...positionLines,
  [{ heads: 3 }, "bad-argument", /^heads is 3, expected a divisor of D = 4/],
  [{ norm: "both" }, "bad-argument", /^norm is "both" \(string\), expected "pre" or "post"/],
  [{ parameters: null }, "bad-argument", /^parameters is null, expected an object \{ wq, bq/],
  [{ parameters: {} }, "bad-argument", /^parameters\.wq is missing, expected \[D, D\]/],
  [changed({ wk: wide }), "bad-shape", /^parameters\.wk has shape \[3,5\], .* \[D, D\] = \[4,4\]/],
  [changed({ w2: wide }), "bad-shape", /^parameters\.w2 has shape \[3,5\], .* \[F, D\] = \[4,4\]/],
  [changed({ b1: [1] }), "bad-shape", /^parameters\.b1 has shape \[1\], expected \[F\] = \[4\]/],
  [changed({ wx: eye }), "bad-argument", /^parameters: unknown "wx", known: wq/],
  [changed({ wq: [[NaN]] }), "bad-argument", /^parameters\.wq\[0\]\[0\] is NaN/],
  [changed({ norm1_gamma: ["1"] }), "bad-argument", /^parameters\.norm1_gamma\[0\] is "1"/],
  [changed({ b_gate: [1, 1, 1, 1] }), "bad-argument", /^b_gate needs w_gate/],
  [{ activation: "swiglu" }, "bad-argument", /^a gated activation needs w_gate/],
  [
    { mask: [wide, wide] },
    "bad-shape",
    /^mask\[0\] has shape \[3,5\], expected \[T, T\] = \[3,3\]/,
  ],
]);

/** @param {Record<string, unknown>} parameters @returns {Record<string, unknown>} */
function changed(parameters) {
  return { parameters: { ...right.encoderLayer.parameters, ...parameters } };
}

refuses("feedForward", [
  [{ w1: wide }, "bad-shape", /^w1 has shape \[3,5\], expected \[D, F\] = \[4,5\]/],
  [{ w2: wide }, "bad-shape", /^w2 has shape \[3,5\], expected \[F, O\] = \[4,5\]/],
  [{ b2: [1] }, "bad-shape", /^b2 has shape \[1\], expected \[O\] = \[4\]/],
  [{ activation: "tanh" }, "bad-argument", /^activation is "tanh" .* expected "relu" or "gelu"/],
  [{ activation: "geglu" }, "bad-argument", /^a gated activation needs w_gate/],
  [{ b_gate: [1, 1, 1, 1] }, "bad-argument", /^b_gate needs w_gate/],
  [{ w_gate: wide }, "bad-shape", /^w_gate has shape \[3,5\], expected \[D, F\] = \[4,4\]/],
]);

for (const name of /** @type {const} */ (["layerNorm", "addNorm", "layerNormSteps"])) {
  refuses(name, [
    [{ gamma: [1] }, "bad-shape", /^gamma has shape \[1\], expected \[D\] = \[4\]/],
    [{ beta: [1, 2, 3, 4, 5] }, "bad-shape", /^beta has shape \[5\], expected \[D\] = \[4\]/],
    [{ x: infinite }, "bad-argument", /^x holds an infinity as number 5/],
    [{ gamma: [1, 2, 3, -Infinity] }, "bad-argument", /^gamma holds an infinity as number 3/],
    [{ beta: [1, 1e39, 3, 4] }, "bad-argument", /^beta holds an infinity as number 1/],
    [{ x: new Matrix(3, 0) }, "bad-shape", /^x has shape \[3,0\].* D at least 1/],
  ]);
}
for (const name of /** @type {const} */ (["addNorm", "layerNormSteps"])) {
  refuses(name, [
    [{ sublayer: wide }, "bad-shape", /^sublayer has shape \[3,5\], expected \[T, D\] = \[3,4\]/],
  ]);
}

refuses("shawAttention", [
  ...maskLines,
  [{ clip: 2 }, "bad-shape", /^relative_key .*, expected \[2 clip \+ 1, K\] = \[5,4\]/],
  [{ clip: 1e6 }, "bad-argument", /^clip is 1000000, expected a whole number from 0 to 65536/],
  [{ relative_value: wide }, "bad-shape", /^relative_value .* \[2 clip \+ 1, V\] = \[3,4\]/],
]);

refuses("attentionCost", [
  [{ heads: 3 }, "bad-argument", /^heads is 3, expected a divisor of D = 8/],
  [{ d_model: 0 }, "bad-argument", /^d_model is 0, expected a whole number from 1/],
]);

/** More than memory holds, in several ways. @type {Line[]} */
const tooLong = [
  [{ length: 2 ** 31 - 1 }, "out-of-memory", /^the answer would hold \S+ numbers, at most/],
  [{ length: 70000 }, "out-of-memory", /^the answer would hold/],
];

refuses("sinusoidalPositions", [
  [{ length: 2 ** 31 - 1 }, "out-of-memory", /^the answer would hold 8589934588 numbers/],
  [{ d_model: 0 }, "bad-argument", /^d_model is 0, expected a whole number from 1 to 65536/],
  [{ d_model: 70000 }, "bad-argument", /^d_model is 70000/],
  [{ layout: "half" }, "bad-argument", /^layout is "half" .* "interleaved" or "concatenated"/],
  [{ offset: 2 ** 31 - 1 }, "bad-argument", /^offset is 2147483647/],
  [{ offset: 0.5 }, "bad-argument", /^offset is 0\.5, expected a whole number/],
]);

refuses("positionRotation", [
  [{ d_model: 5 }, "bad-argument", /^d_model is 5, expected an even number from 2 to 65536/],
  [{ d_model: 40000 }, "out-of-memory", /^the answer would hold 1600000000 numbers/],
]);

refuses("rotary", [
  [{ dims: 3 }, "bad-argument", /^dims is 3, expected an even number from 2 to 4/],
  [{ dims: 6 }, "bad-argument", /^dims is 6, expected an even number from 2 to 4/],
  [{ dims: 0 }, "bad-argument", /^dims is 0/],
  [{ x: wide }, "bad-argument", /^dims is left out, so that it is 5, expected an even number/],
  [{ positions: [0, 1, Infinity] }, "bad-argument", /^positions\[2\] is Infinity/],
  [{ positions: [0, 1] }, "bad-shape", /^positions has shape \[2\], expected \[T\] = \[3\]/],
  [{ layout: "concatenated" }, "bad-argument", /^layout is "concatenated"/],
]);

refuses("alibiSlopes", [
  [{ heads: 0 }, "bad-argument", /^heads is 0, expected a whole number from 1 to 65536/],
  [{ heads: 1e9 }, "bad-argument", /^heads is 1000000000/],
]);
refuses("alibiBias", [...tooLong, [{ heads: 60000, length: 100 }, "out-of-memory", /600000000/]]);
refuses("t5Buckets", [
  ...tooLong,
  [{ buckets: 2 }, "bad-argument", /^buckets is 2, expected an even number from 4 to 65536/],
  [{ buckets: 7 }, "bad-argument", /^buckets is 7/],
  [{ max_distance: 16 }, "bad-argument", /^max_distance is 16, expected a whole number from 17/],
]);
refuses("t5Bias", [
  ...tooLong,
  [{ table: x }, "bad-argument", /^table\.rows is 3, expected an even number from 4/],
  [{ max_distance: 2 }, "bad-argument", /^max_distance is 2, expected a whole number from 3/],
]);

test("a disposed engine says so, and the others go on", async () => {
  const gone = await createEngine({ variant: "simd" });
  await gone.dispose();
  for (const name of /** @type {Name[]} */ (Object.keys(right))) {
    const call = functions[name];
    await expectRejection("disposed", /engine: it was disposed/, () =>
      call(right[name], { engine: gone }),
    );
  }
  assert.deepEqual(
    (await components.layerNorm({ x: zero }, { engine: engines[0] })).data.length,
    4,
  );
});

test("memory that has gone elsewhere is a shape that does not fit", async () => {
  const moved = new Float32Array(12);
  structuredClone(moved, { transfer: [moved.buffer] });
  const given = { x: { rows: 3, cols: 4, data: moved } };
  await isRefused("layerNorm", given, "bad-shape", "layerNorm: x has 0 values, expected 3 x 4");
});
