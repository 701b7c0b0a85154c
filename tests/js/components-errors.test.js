// Every function of headscope/components with sizes, ranges and words that do not fit, and with more
// than memory holds: the code, what the message names, and that it is right afterwards.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createEngine, Matrix } from "headscope";
import {
  attention,
  encoderLayer,
  feedForward,
  layerNorm,
  sinusoidalPositions,
} from "headscope/components";
import {
  compute,
  engines,
  eye,
  functions,
  infinite,
  isRefused,
  right,
  small,
  wide,
  x,
} from "./component-calls.js";
import { expectRejection } from "./expect-rejection.js";

/** @typedef {import("./component-calls.js").Line} Line */
/** @typedef {import("./component-calls.js").Name} Name */

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
  [{ value: small }, "bad-shape", /^value has shape \[2,2\], expected \[M, V\] = \[3,2\]/],
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
  [{ position: { kind: "t5", table: small } }, "bad-argument", /^position\.table\.rows is 2/],
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
    { position: { kind: "shaw", relative_key: small } },
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
  assert.deepEqual((await layerNorm({ x: small }, { engine: engines[0] })).data.length, 4);
});

test("memory that has gone elsewhere is a shape that does not fit", async () => {
  const moved = new Float32Array(12);
  structuredClone(moved, { transfer: [moved.buffer] });
  const given = { x: { rows: 3, cols: 4, data: moved } };
  await isRefused("layerNorm", given, "bad-shape", "layerNorm: x has 0 values, expected 3 x 4");
});

test("what memory cannot hold is out of memory, and the engine goes on", async () => {
  // With threads the memory ends at 512 MB.
  const threaded = await createEngine({ variant: "simd-threads", threads: 2 });
  const long = new Matrix(11000, 1);
  const calls = [
    () => sinusoidalPositions({ length: 65536, d_model: 4096 }, { engine: threaded }),
    () => attention({ query: long, key: long, value: long }, { engine: threaded }),
  ];
  for (const call of calls) {
    await expectRejection("out-of-memory", /heap cannot grow/, call);
    assert.deepEqual((await layerNorm({ x: [[1, 3]] }, { engine: threaded })).cols, 2);
  }
  await threaded.dispose();
});

test("thousands of calls, right and refused, leave the heap as it is", async () => {
  for (const engine of engines) {
    let after100 = 0;
    for (let i = 0; i < 2000; ++i) {
      await encoderLayer(/** @type {any} */ (right.encoderLayer), { engine });
      // The core refuses this one, not the table.
      const given = { ...right.feedForward, b_gate: [1, 1, 1, 1] };
      await assert.rejects(feedForward(/** @type {any} */ (given), { engine }));
      if (i === 99) after100 = await engine.heapBytes();
    }
    assert.equal(await engine.heapBytes(), after100);
  }
});
