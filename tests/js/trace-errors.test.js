// Every public function of headscope/trace with arguments it must refuse: the code, and a message
// that says what, where, expected and got.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as trace from "../../bindings/js/trace/index.js";
import { fails, makeTrace } from "./make-trace.js";

const { groupWords, headRoles, Matrix, mergeWords, rollout, Trace } = trace;

const given = makeTrace({ n_layers: 2, n_heads: 2, length: 3 });
const matrix = new Matrix(2, 3);
const saved = given.toBytes();
const fields = {
  text: "",
  tokens: [],
  config: { n_layers: 1, n_heads: 1 },
  pooled: new Float32Array(0),
  timing: { tokenize_ms: 0, forward_ms: 0, copy_ms: 0 },
  data: new Float32Array(0),
  entries: [],
};

/** @typedef {[args: any[], message: RegExp]} Line */

/** @typedef {[name: string, call: (...args: any[]) => unknown, lines: Line[]]} Table */

/** @type {(call: (trace: any) => unknown, name: string) => Table} */
const notTrace = (call, name) => [
  name,
  call,
  [
    [[], new RegExp(`^${name}: trace is undefined, expected a Trace$`)],
    [[{}], new RegExp(`^${name}: trace is Object, expected a Trace$`)],
    [[null], /is null, expected a Trace/],
    [[[given]], /is Array\(1\), expected a Trace/],
    [[saved], /is Uint8Array/],
  ],
];

/** What is `bad-argument`, by function. @type {Table[]} */
const tables = [
  notTrace(rollout, "rollout"),
  notTrace(mergeWords, "mergeWords"),
  notTrace(groupWords, "groupWords"),
  [
    "headRoles",
    headRoles,
    [
      [[], /^headRoles: traces is undefined, expected an array$/],
      [[given], /^headRoles: traces is Trace, expected an array$/],
      [[[{}]], /^headRoles: traces\[0\] is Object, expected a Trace$/],
      [[[given, null]], /^headRoles: traces\[1\] is null, expected a Trace$/],
      [[Array(1)], /traces\[0\] is undefined/],
      [[[given], null], /^headRoles is null, expected an object$/],
      [[[given], { threshold: 1 }], /unknown "threshold", known: thresholds$/],
      [[[given], { thresholds: null }], /thresholds is null, expected an object/],
      [[[given], { thresholds: { wide: 1 } }], /thresholds: unknown "wide", known: share, broad/],
      [[[given], { thresholds: { share: 2 } }], /share is 2, expected a number from 0 to 1/],
      [[[given], { thresholds: { broad: Number.NaN } }], /thresholds\.broad is NaN/],
      [[[given], { thresholds: { broad: "1" } }], /thresholds\.broad is "1" \(string\)/],
    ],
  ],
  [
    "new Matrix",
    (...args) => new Matrix(.../** @type {[any, any]} */ (args)),
    [
      [[], /^Matrix: rows is undefined, expected a whole number from 0$/],
      [[-1, 2], /^Matrix: rows is -1, expected/],
      [[1.5, 2], /rows is 1\.5/],
      [["1", 2], /rows is "1" \(string\)/],
      [[1], /^Matrix: cols is undefined/],
      [[2, Number.NaN], /cols is NaN/],
      [[1, 2, [1, 2]], /^Matrix: data is Array\(2\), expected a Float32Array$/],
      [[1, 2, null], /data is null/],
    ],
  ],
  [
    "Matrix.at",
    (...args) => matrix.at(.../** @type {[any, any]} */ (args)),
    [[[], /row is undef/]],
  ],
  ["Matrix.row", (...args) => matrix.row(.../** @type {[any]} */ (args)), [[[2], /row is 2/]]],
  [
    "new Trace",
    (...args) => new Trace(.../** @type {[any]} */ (args)),
    [
      [[], /^Trace: fields is undefined, expected an object$/],
      [[{}], /^Trace: text is undefined, expected a string$/],
      [[{ ...fields, data: [] }], /^Trace: data is Array\(0\), expected a Float32Array$/],
      [[{ ...fields, config: null }], /config is null/],
    ],
  ],
  [
    "Trace.from",
    (...args) => Trace.from(.../** @type {[any]} */ (args)),
    [
      [[], /^Trace\.from is undefined, expected an object$/],
      [[null], /is null/],
      [[[]], /is Array\(0\)/],
      [[{}], /^Trace\.from\.tokens is missing$/],
    ],
  ],
  [
    "Trace.fromBytes",
    (...args) => Trace.fromBytes(.../** @type {[any]} */ (args)),
    [
      [[], /^trace: bytes is undefined, expected a Uint8Array or an ArrayBuffer$/],
      [["abc"], /bytes is "abc" \(string\)/],
      [[[1, 2]], /bytes is Array\(2\)/],
      [[new Float32Array(2)], /bytes is Float32Array\(2\)/],
    ],
  ],
  [
    "Trace.toBytes",
    (...args) => given.toBytes(.../** @type {[any]} */ (args)),
    [
      [[null], /^toBytes is null, expected an object$/],
      [["F16"], /^toBytes is "F16" \(string\)/],
      [[{ dtype: "I8" }], /^toBytes\.dtype is "I8" \(string\), expected "F16" or "F32"$/],
      [[{ type: "F16" }], /unknown "type", known: dtype/],
    ],
  ],
  [
    "Trace.get",
    (...args) => given.get(.../** @type {[any]} */ (args)),
    [
      [[], /^trace: name is undefined, expected a string$/],
      [[7], /name is 7/],
      [["hidden"], /layer of "hidden" is undefined, expected 0 to 1/],
    ],
  ],
  ["Trace.has", (...args) => given.has(.../** @type {[any]} */ (args)), [[[null], /name is null/]]],
  ["Trace.layers", (...args) => given.layers(.../** @type {[any]} */ (args)), [[[1], /name is 1/]]],
  [
    "Trace.heads",
    (...args) => given.heads(.../** @type {[any, any]} */ (args)),
    [
      [[1, 0], /name is 1/],
      [["query", "0"], /layer of "query" is "0" \(string\), expected 0 to 1/],
      [["query", 9], /layer of "query" is 9, expected 0 to 1/],
    ],
  ],
  [
    "Trace.attention",
    (...args) => given.attention(.../** @type {[any, any]} */ (args)),
    [
      [[], /layer of "attention" is undefined, expected 0 to 1/],
      [[0, 2], /head of "attention" is 2, expected 0 to 1/],
    ],
  ],
];

for (const [name, call, lines] of tables) {
  test(`${name} refuses what is wrong: what, where, expected and got`, () => {
    for (const [args, message] of lines) fails("bad-argument", message, () => call(...args));
  });
}

test("every public function of headscope/trace is among those that refuse", () => {
  const methods = [
    ...Object.getOwnPropertyNames(Matrix.prototype).map((name) => `Matrix.${name}`),
    ...["from", "fromBytes"].map((name) => `Trace.${name}`),
    ...Object.entries(Object.getOwnPropertyDescriptors(Trace.prototype))
      .filter(([, { value }]) => typeof value === "function")
      .map(([name]) => `Trace.${name}`),
  ].filter((name) => !name.endsWith(".constructor"));
  const functions = Object.entries(trace)
    .filter(([name, value]) => typeof value === "function" && name !== "HeadscopeError")
    .map(([name]) => (/^[A-Z]/.test(name) ? `new ${name}` : name));
  const covered = tables.map(([name]) => name);
  assert.deepEqual(covered.sort(), [...methods, ...functions].sort());
});

test("a matrix that no machine can hold is out of memory", () => {
  fails("out-of-memory", /^Matrix: 1000000000 x 1000000 numbers/, () => new Matrix(1e9, 1e6));
});

test("a trace of another copy of Headscope is one", async () => {
  const built = await import("headscope/trace");
  const foreign = built.Trace.fromBytes(saved);
  assert(!(foreign instanceof Trace));
  assert.deepEqual(rollout(foreign), rollout(given));
});
