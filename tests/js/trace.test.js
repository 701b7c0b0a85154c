import assert from "node:assert/strict";
import { test } from "node:test";
import { captures, HeadscopeError, Matrix, Trace } from "../../bindings/js/trace/index.js";
import { readMatrix } from "../../bindings/js/trace/matrix.js";
import { readSafetensorsHeader, writeSafetensors } from "../../bindings/js/trace/safetensors.js";
import { fails, makeTrace } from "./make-trace.js";

test("HeadscopeError is an Error with a code", () => {
  const error = new HeadscopeError("too-long", "text: 154 tokens", { cause: 1 });
  assert(error instanceof Error);
  assert.equal(error.name, "HeadscopeError");
  assert.equal(error.code, "too-long");
  assert.equal(error.message, "text: 154 tokens");
  assert.equal(error.cause, 1);
  assert.match(String(error.stack), /HeadscopeError: text/);
});

test("a matrix gives values and rows, and refuses indices outside", () => {
  const matrix = new Matrix(2, 3, Float32Array.of(0, 1, 2, 3, 4, 5));
  assert.equal(matrix.at(1, 2), 5);
  assert.deepEqual([...matrix.row(1)], [3, 4, 5]);
  assert.equal(matrix.row(1).buffer, matrix.data.buffer);
  assert.deepEqual([...new Matrix(1, 2).data], [0, 0]);
  for (const wrong of [-1, 2, 0.5, NaN, "0", undefined]) {
    fails("bad-argument", /row.*expected 0 to 1/, () => matrix.at(/** @type {any} */ (wrong), 0));
    fails("bad-argument", /row.*expected 0 to 1/, () => matrix.row(/** @type {any} */ (wrong)));
  }
  fails("bad-argument", /column is 3, expected 0 to 2/, () => matrix.at(0, 3));
  fails("bad-argument", /there is none/, () => new Matrix(0, 0).at(0, 0));
  fails("bad-shape", /5 values, expected 2 x 3 = 6/, () => new Matrix(2, 3, new Float32Array(5)));
});

test("a matrix is read from rows of numbers, from its fields, or as it is", () => {
  assert.deepEqual(
    [
      ...readMatrix(
        [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
        "x",
      ).data,
    ],
    [1, 2, 3, 4, 5, 6],
  );
  const own = new Matrix(1, 2);
  assert.equal(readMatrix(own, "x"), own);
  const data = Float32Array.of(1, 2);
  assert.equal(readMatrix({ rows: 2, cols: 1, data }, "x").data, data);
  assert.deepEqual(
    [...readMatrix({ rows: 1, cols: 2, data: [-Infinity, 3] }, "x").data],
    [-Infinity, 3],
  );
  assert.deepEqual(
    [...readMatrix({ rows: 1, cols: 1, data: Float64Array.of(0.5) }, "x").data],
    [0.5],
  );
  assert.deepEqual({ ...readMatrix([], "x") }, { rows: 0, cols: 0, data: new Float32Array(0) });
});

test("what is no matrix is refused with its name and place", () => {
  /** @type {[unknown, string, RegExp][]} */
  const table = [
    [undefined, "bad-argument", /^query is undefined, expected a matrix/],
    [null, "bad-argument", /^query is null/],
    ["12", "bad-argument", /^query is "12" \(string\)/],
    [new Float32Array(4), "bad-argument", /^query is Float32Array\(4\)/],
    [[1, 2], "bad-argument", /^query\[0\] is 1, expected an array/],
    [[[1], "2"], "bad-argument", /^query\[1\] is "2" \(string\)/],
    [[[1], ["2"]], "bad-argument", /^query\[1\]\[0\] is "2" \(string\), expected a number/],
    [[[1, NaN]], "bad-argument", /^query\[0\]\[1\] is NaN/],
    [[[1, 2], [3]], "bad-shape", /^query\[1\] has 1 values, expected 2/],
    [{ rows: 1.5, cols: 1, data: [1] }, "bad-argument", /^query\.rows is 1\.5/],
    [{ rows: -1, cols: 1, data: [] }, "bad-argument", /^query\.rows is -1/],
    [{ rows: 1, cols: "1", data: [1] }, "bad-argument", /^query\.cols is "1"/],
    [{ rows: 1, cols: 1, data: {} }, "bad-argument", /^query\.data is Object/],
    [{ rows: 1, cols: 1, data: BigInt64Array.of(1n) }, "bad-argument", /^query\.data is BigInt64/],
    [{ rows: 1, cols: 1, data: [null] }, "bad-argument", /^query\.data\[0\] is null/],
    [{ rows: 2, cols: 2, data: [1, 2, 3] }, "bad-shape", /3 values, expected 2 x 2 = 4/],
  ];
  for (const [value, code, message] of table) {
    fails(/** @type {any} */ (code), message, () => readMatrix(value, "query"));
  }
});

test("a trace hands out views of its own buffer", () => {
  const trace = makeTrace({ n_layers: 2, n_heads: 3, length: 4 });
  const matrix = trace.attention(1, 2);
  assert.equal(matrix, trace.get("attention", 1, 2));
  assert.equal(matrix.data.buffer, trace.attention(0, 0).data.buffer);
  assert.deepEqual([matrix.rows, matrix.cols], [4, 4]);
  assert.deepEqual([trace.get("embeddings").rows, trace.get("embeddings").cols], [4, 6]);
  assert.deepEqual(trace.names, captures);
  assert(trace.has("hidden") && !trace.has("nothing"));
  assert.deepEqual(trace.layers("hidden"), [0, 1]);
  assert.deepEqual(trace.heads("query", 1), [0, 1, 2]);
  assert.deepEqual(trace.layers("output"), []);
  assert.deepEqual(trace.heads("hidden", 0), []);
});

test("a trace says what is out of range and what was not captured", () => {
  const trace = makeTrace({
    n_layers: 3,
    n_heads: 2,
    length: 2,
    names: ["attention", "hidden", "output"],
    layers: [1],
  });
  const any = /** @type {any} */ (trace);
  fails("not-found", /"query" was not captured \(captured: attention, hidden, output\)/, () =>
    trace.get("query", 1, 0),
  );
  fails("not-found", /"attention" of layer 0 was not captured, only 1/, () =>
    trace.attention(0, 0),
  );
  fails("bad-argument", /layer of "attention" is 3, expected 0 to 2/, () => trace.attention(3, 0));
  fails("bad-argument", /layer of "attention" is -1/, () => trace.attention(-1, 0));
  fails("bad-argument", /layer of "attention" is "1"/, () => any.attention("1", 0));
  fails("bad-argument", /head of "attention" is 2, expected 0 to 1/, () => trace.attention(1, 2));
  fails("bad-argument", /head of "attention" is undefined/, () => any.attention(1));
  fails("bad-argument", /layer of "hidden" is undefined/, () => trace.get("hidden"));
  fails("bad-argument", /head of "hidden" is 0, expected none/, () => trace.get("hidden", 1, 0));
  fails("bad-argument", /layer of "output" is 0, expected none/, () => trace.get("output", 0));
  fails("not-found", /"constructor" was not captured/, () => trace.get("constructor"));
  assert.equal(trace.attention(1, 1).rows, 2);
});

/**
 * @param {Trace} a
 * @param {Trace} b
 */
function assertSameTrace(a, b) {
  const fields = (/** @type {Trace} */ { text, pair, tokens, config, pooled, timing }) => ({
    text,
    pair,
    tokens,
    config,
    pooled,
    timing,
  });
  assert.deepEqual(fields(a), fields(b));
  assert.deepEqual(a.names, b.names);
  for (const name of a.names) {
    assert.deepEqual(a.layers(name), b.layers(name));
    for (const layer of a.layers(name).length > 0 ? a.layers(name) : [undefined]) {
      const heads = layer === undefined ? [] : a.heads(name, layer);
      assert.deepEqual(heads, layer === undefined ? [] : b.heads(name, layer));
      for (const head of heads.length > 0 ? heads : [undefined]) {
        assert.deepEqual(a.get(name, layer, head), b.get(name, layer, head));
      }
    }
  }
}

test("a trace comes back from its bytes as it was", () => {
  for (const shape of [
    { n_layers: 2, n_heads: 3, length: 5 },
    { n_layers: 2, n_heads: 2, length: 3, narrow: true },
    { n_layers: 4, n_heads: 1, length: 2, layers: [1, 3] },
    { n_layers: 1, n_heads: 1, length: 1, names: ["output"] },
    { n_layers: 2, n_heads: 2, length: 0 },
    { n_layers: 2, n_heads: 2, length: 3, names: [] },
  ]) {
    const trace = makeTrace(shape);
    assertSameTrace(Trace.fromBytes(trace.toBytes()), trace);
    const narrow = Trace.fromBytes(trace.toBytes({ dtype: "F16" }));
    assertSameTrace(Trace.fromBytes(narrow.toBytes({ dtype: "F16" })), narrow);
  }
});

test("layers lie in one tensor where all are there with one shape, else in one each", () => {
  /** @param {Trace} trace */
  const list = (trace) =>
    Object.fromEntries(
      readSafetensorsHeader(trace.toBytes()).tensors.map(({ name, shape }) => [name, shape]),
    );
  assert.deepEqual(list(makeTrace({ n_layers: 2, n_heads: 3, length: 5, narrow: true })), {
    embeddings: [5, 6],
    "query.0": [3, 5, 2],
    "query.1": [3, 5, 4],
    "key.0": [3, 5, 2],
    "key.1": [3, 5, 4],
    "value.0": [3, 5, 2],
    "value.1": [3, 5, 4],
    scores: [2, 3, 5, 5],
    attention: [2, 3, 5, 5],
    "context.0": [3, 5, 2],
    "context.1": [3, 5, 4],
    attention_output: [2, 5, 12],
    feed_forward: [2, 5, 12],
    hidden: [2, 5, 12],
    output: [5, 12],
    pooled: [12],
  });
  const some = makeTrace({ n_layers: 3, n_heads: 1, length: 2, layers: [2], names: ["hidden"] });
  assert.deepEqual(list(some), { "hidden.2": [2, 3], pooled: [3] });
});

test("the metadata of a saved trace is JSON: text, pair, tokens, config, timing", () => {
  const trace = makeTrace({ n_layers: 1, n_heads: 1, length: 2, names: ["attention"] });
  const { metadata } = readSafetensorsHeader(trace.toBytes());
  assert.deepEqual(JSON.parse(metadata.text ?? ""), trace.text);
  assert.deepEqual(JSON.parse(metadata.tokens ?? ""), trace.tokens);
  assert.deepEqual(JSON.parse(metadata.config ?? ""), trace.config);
  assert.deepEqual(Object.keys(metadata), ["text", "tokens", "config", "timing"]);
  const odd = new Trace({ ...fieldsOf(trace), text: 'lone \ud800 "quoted"\n', pair: "" });
  const back = Trace.fromBytes(odd.toBytes());
  assert.equal(back.text, odd.text);
  assert.equal(back.pair, "");
});

/**
 * @param {Trace} trace with attention of one layer and head
 * @returns {import("../../bindings/js/trace/trace.js").TraceFields}
 */
function fieldsOf(trace) {
  const { text, tokens, config, pooled, timing } = trace;
  const { rows, cols, data } = trace.attention(0, 0);
  const entries = [{ name: "attention", layer: 0, head: 0, rows, cols, offset: 0 }];
  return { text, tokens, config, pooled, timing, data, entries };
}

test("half precision keeps attention to 2^-11 and leaves large values in float32", () => {
  const trace = makeTrace({ n_layers: 1, n_heads: 1, length: 3, names: ["attention", "hidden"] });
  trace.get("hidden", 0).data[0] = 70000;
  const bytes = trace.toBytes({ dtype: "F16" });
  const dtypes = readSafetensorsHeader(bytes).tensors.map(({ name, dtype }) => [name, dtype]);
  assert.deepEqual(dtypes, [
    ["hidden", "F32"],
    ["attention", "F16"],
    ["pooled", "F16"],
  ]);
  const back = Trace.fromBytes(bytes);
  assert.deepEqual(back.get("hidden", 0).data, trace.get("hidden", 0).data);
  trace.attention(0, 0).data.forEach((weight, i) => {
    // Rounding to 11 significant bits: at most half a unit in the last place.
    assert(Math.abs((back.attention(0, 0).data[i] ?? NaN) - weight) <= weight * 2 ** -11);
  });
  const any = /** @type {any} */ (trace);
  fails("bad-argument", /dtype is "F64"/, () => any.toBytes({ dtype: "F64" }));
  fails("bad-argument", /toBytes: unknown "type", known: dtype/, () =>
    any.toBytes({ type: "F16" }),
  );
});

test("a file of another tool needs no more than attention", () => {
  const attention = Float32Array.from({ length: 2 * 3 * 2 * 2 }, (_, i) => i);
  const tensor = { name: "attention", shape: [2, 3, 2, 2], values: attention };
  const bare = Trace.fromBytes(writeSafetensors([tensor]).buffer);
  assert.deepEqual(bare.config, { n_layers: 2, n_heads: 3 });
  assert.deepEqual(
    bare.tokens.map(({ piece }) => piece),
    ["0", "1"],
  );
  assert.deepEqual([...bare.attention(1, 2).data], [20, 21, 22, 23]);

  const named = Trace.fromBytes(
    writeSafetensors([tensor, { name: "other", shape: [1], values: new Float32Array(1) }], {
      metadata: { text: "hello world", tokens: '["▁hello","▁world"]', model: "mine" },
    }),
  );
  assert.equal(named.text, "hello world");
  assert.deepEqual(
    named.tokens.map(({ text, start }) => [text, start]),
    [
      ["hello", 0],
      ["world", 6],
    ],
  );
});

test("a file that is no trace is refused, naming the tensor", () => {
  /**
   * @param {Record<string, number[]>} shapes
   * @param {Record<string, string>} [metadata]
   */
  const file = (shapes, metadata = {}) =>
    writeSafetensors(
      Object.entries(shapes).map(([name, shape]) => ({
        name,
        shape,
        values: new Float32Array(shape.reduce((a, b) => a * b, 1)),
      })),
      { metadata },
    );
  /** @type {[Uint8Array, RegExp][]} */
  const table = [
    [file({ attention: [1, 2, 1, 3, 3] }), /"attention" has shape \[1,2,1,3,3\], expected \[L, H/],
    [
      file({ attention: [1, 2, 3, 4] }),
      /"attention" of layer 0 has shape \[3,4\], expected 3 rows and/,
    ],
    [file({ attention: [1, 2, 3, 3], hidden: [1, 2, 8] }), /"hidden" of layer 0 has shape \[2,8\]/],
    [
      file({ attention: [1, 1, 2, 2], "attention.0": [1, 2, 2] }),
      /"attention" of layer 0 is there twice/,
    ],
    [
      file({ "output.0": [2, 2], "hidden.0": [2] }),
      /"hidden.0" has shape \[2\], expected \[rows, cols\]/,
    ],
    [file({ attention: [70000, 1, 0, 0] }), /"attention" has 70000 matrices/],
    [file({ attention: [1, 1, 2, 2] }, { tokens: '["a"]' }), /expected 1 rows and columns/],
    [file({ attention: [1, 1, 1, 1] }, { tokens: "[1]" }), /tokens\[0\] is 1, expected a Token/],
    [file({ attention: [1, 1, 1, 1] }, { tokens: "[" }), /metadata "tokens" is no JSON/],
    [file({ attention: [1, 1, 1, 1] }, { config: "[]" }), /metadata "config" is no JSON object/],
    [
      file({ attention: [2, 1, 1, 1] }, { config: '{"n_layers":1}' }),
      /layer 1 is there, but the config has 1/,
    ],
    [file({ attention: [1, 2, 1, 1] }, { config: '{"n_heads":1}' }), /head 1, the config 1/],
    [file({ attention: [1, 1, 1, 1] }, { config: '{"n_heads":"1"}' }), /config.n_heads is "1"/],
    [new Uint8Array(3), /trace has 3 bytes/],
  ];
  for (const [bytes, message] of table) {
    fails("bad-checkpoint", message, () => Trace.fromBytes(bytes));
  }
  fails("bad-argument", /Uint8Array/, () => Trace.fromBytes(/** @type {any} */ ("x")));
});

test("a trace is made from nested or flat attention", () => {
  const nested = [
    [
      [
        [0.5, 0.5],
        [0.25, 0.75],
      ],
      [
        [1, 0],
        [0, 1],
      ],
    ],
  ];
  const a = Trace.from({ tokens: ["the", "cat"], attention: nested });
  const b = Trace.from({
    tokens: a.tokens,
    text: a.text,
    attention: Float32Array.from(nested.flat(3)),
    n_layers: 1,
    n_heads: 2,
  });
  assertSameTrace(a, b);
  assert.equal(a.text, "the cat");
  assert.deepEqual(a.config, { n_layers: 1, n_heads: 2 });
  assert.deepEqual([...a.attention(0, 1).data], [1, 0, 0, 1]);
  assert.equal(a.pooled.length, 0);
  assert.deepEqual(a.tokens[1], {
    id: -1,
    piece: "cat",
    text: "cat",
    start: 4,
    end: 7,
    segment: 0,
    special: false,
  });
});

test("string tokens spell their text by the marks of their vocabulary", () => {
  const square = (/** @type {number} */ n) => [
    [Array.from({ length: n }, () => Array(n).fill(1 / n))],
  ];
  /** @type {[string[], string, string[]][]} */
  const table = [
    [
      ["▁un", "believ", "able", "▁cat", "."],
      "unbelievable cat.",
      ["un", "believ", "able", "cat", "."],
    ],
    [["▁", "é", "▁", "▁x"], "é  x", ["", "é", " ", "x"]],
    [["[CLS]", "un", "##able", "cat", "[SEP]"], "unable cat", ["", "un", "able", "cat", ""]],
    [["Hello", "Ġworld", "!"], "Hello world!", ["Hello", "world", "!"]],
    [["Hello", ",", "world"], "Hello , world", ["Hello", ",", "world"]],
    [[], "", []],
  ];
  for (const [tokens, text, texts] of table) {
    const attention = tokens.length === 0 ? [[[]]] : square(tokens.length);
    const trace = Trace.from({ tokens, attention });
    assert.equal(trace.text, text);
    assert.deepEqual(
      trace.tokens.map((token) => token.text),
      texts,
    );
    for (const token of trace.tokens) {
      assert.equal(token.text, text.slice(token.start, token.end));
    }
  }
  const placed = Trace.from({
    tokens: ["[CLS]", "the", "cat"],
    text: "The  Cat",
    attention: square(3),
  });
  assert.deepEqual(
    placed.tokens.map(({ text, special }) => [text, special]),
    [
      ["", true],
      ["The", false],
      ["Cat", false],
    ],
  );
  fails("bad-argument", /tokens\[1\] "dog" is not in the text after index 3/, () =>
    Trace.from({ tokens: ["the", "dog"], text: "the cat", attention: square(2) }),
  );
});

test("attention that does not fit is refused", () => {
  const token = { id: 1, piece: "a", text: "a", start: 0, end: 1, segment: 0, special: false };
  /** @type {[any, string, RegExp][]} */
  const table = [
    [undefined, "bad-argument", /Trace\.from is undefined, expected an object/],
    [{ attention: [[[[1]]]] }, "bad-argument", /tokens is missing/],
    [{ tokens: [3], attention: [[[[1]]]] }, "bad-argument", /tokens\[0\] is 3/],
    [
      { tokens: [{ ...token, segment: 2 }], attention: [[[[1]]]] },
      "bad-argument",
      /segment is 2, expected 0 or 1/,
    ],
    [
      { tokens: [{ ...token, end: -1 }], attention: [[[[1]]]] },
      "bad-argument",
      /end is -1, expected a whole number from 0/,
    ],
    [
      { tokens: [{ ...token, start: 2 }], attention: [[[[1]]]] },
      "bad-argument",
      /end is 1, expected 2/,
    ],
    [
      { tokens: [{ ...token, piece: 4 }], attention: [[[[1]]]] },
      "bad-argument",
      /piece is 4, expected a string/,
    ],
    [{ tokens: ["a"] }, "bad-argument", /attention is missing/],
    [{ tokens: ["a"], attention: [1], n_layers: 1 }, "bad-argument", /n_heads is undefined/],
    [{ tokens: ["a"], attention: [1], n_layers: 0, n_heads: 1 }, "bad-argument", /n_layers is 0/],
    [
      { tokens: ["a"], attention: ["1"], n_layers: 1, n_heads: 1 },
      "bad-argument",
      /attention\[0\]/,
    ],
    [
      { tokens: ["a"], attention: "1", n_layers: 1, n_heads: 1 },
      "bad-argument",
      /attention is "1"/,
    ],
    [
      { tokens: ["a"], attention: [1, 2], n_layers: 1, n_heads: 1 },
      "bad-shape",
      /2 values, expected \[1,1,1,1\]/,
    ],
    [
      { tokens: ["a"], attention: [[[[1]]]], n_layers: 2 },
      "bad-shape",
      /1 for n_layers, expected 2/,
    ],
    [
      { tokens: ["a"], attention: [[[[1]]], []] },
      "bad-shape",
      /attention\[1\] has 0 entries, expected 1/,
    ],
    [
      { tokens: ["a"], attention: [[[[NaN]]]] },
      "bad-argument",
      /attention\[0\]\[0\]\[0\]\[0\] is NaN/,
    ],
    [{ tokens: ["a"], attention: [[[1]]] }, "bad-argument", /attention\[0\]\[0\]\[0\] is 1/],
    [{ tokens: ["a"], attention: [[[[1]]]], text: 3 }, "bad-argument", /text is 3/],
    [{ tokens: ["a"], attention: [[[[1]]]], pair: 3 }, "bad-argument", /pair is 3/],
    [
      { tokens: ["a"], attention: [[[[1]]]], config: 3 },
      "bad-argument",
      /config is 3, expected an/,
    ],
    [
      { tokens: ["a"], attention: [[[[1]]]], timing: 7 },
      "bad-argument",
      /timing is 7, expected an/,
    ],
    [
      { tokens: ["a"], attention: [[[[1]]]], timing: { forward_ms: "2" } },
      "bad-argument",
      /timing\.forward_ms is "2" \(string\), expected a finite number/,
    ],
    [
      { tokens: ["a"], attention: [[[[1]]]], pooled: 3 },
      "bad-argument",
      /pooled is 3, expected an/,
    ],
    [{ tokens: ["a"], attention: [[[[1]]]], nonsense: 1 }, "bad-argument", /unknown "nonsense"/],
  ];
  for (const [given, code, message] of table) {
    fails(/** @type {any} */ (code), message, () => Trace.from(given));
  }
});
