// A saved trace as a hostile file: what takes no bytes may still ask for all of memory.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HeadscopeError, Trace } from "../../bindings/js/trace/index.js";
import { fails } from "./make-trace.js";
import { joinFile } from "./weight-file.js";

const attention = { dtype: "F32", shape: [1, 1, 2, 2], data_offsets: [0, 16] };

/**
 * @param {Record<string, string>} metadata
 * @param {object} [tensors]
 * @param {number} [length] of the data
 */
function makeTraceFile(metadata, tensors = { attention }, length = 16) {
  return joinFile({ __metadata__: metadata, ...tensors }, new Uint8Array(length));
}

/** @param {number} depth */
function nest(depth) {
  return `${"[".repeat(depth)}${"]".repeat(depth)}`;
}

test("metadata that nests without end is refused by its key, at any depth", () => {
  for (const depth of [65, 1000, 100_000]) {
    for (const key of ["config", "tokens", "timing"]) {
      const json = `{"a":${nest(depth)}}`;
      fails(
        "bad-checkpoint",
        new RegExp(`^trace: metadata "${key}" has more than 64 brackets inside each other$`),
        () => Trace.fromBytes(makeTraceFile({ [key]: json })),
      );
    }
  }
  const kept = Trace.fromBytes(
    makeTraceFile({ config: `{"n_layers":1,"n_heads":1,"a":${nest(60)}}` }),
  );
  assert.deepEqual(Trace.fromBytes(kept.toBytes()).config, kept.config);
});

test("a key that stands twice in the metadata is refused: two readers would see two traces", () => {
  const config = '{"n_layers":1,"n_heads":1,"n_layers":2}';
  fails("bad-checkpoint", /^trace: metadata "config" has the key "n_layers" twice$/, () =>
    Trace.fromBytes(makeTraceFile({ config })),
  );
});

test("a matrix without columns names no more tokens than a text has", () => {
  const hidden = (/** @type {number} */ rows) => ({
    hidden: { dtype: "F32", shape: [1, rows, 0], data_offsets: [0, 0] },
  });
  for (const rows of [2 ** 20 + 1, 2 ** 31, 2 ** 52]) {
    fails("bad-checkpoint", /^trace: "hidden" has \d+ rows, expected at most 1048576$/, () =>
      Trace.fromBytes(makeTraceFile({}, hidden(rows), 0)),
    );
  }
  assert.equal(Trace.fromBytes(makeTraceFile({}, hidden(3), 0)).tokens.length, 3);
});

test("a config names no more layers and heads than can be shown", () => {
  const wrong = /** @type {[object, RegExp][]} */ ([
    [{ n_layers: 2 ** 53 - 1 }, /9007199254740991 layers of 1 heads, expected at most 65536/],
    [{ n_layers: 70_000, n_heads: 0 }, /expected at most 65536/],
    [{ n_layers: 300, n_heads: 300 }, /300 layers of 300 heads/],
    [{ n_layers: [[[1]]] }, /config\.n_layers is Array\(1\), expected a whole number/],
    [{ n_heads: "1" }, /config\.n_heads is "1" \(string\)/],
    [{ n_heads: -1 }, /config\.n_heads is -1/],
  ]);
  for (const [config, message] of wrong) {
    const metadata = { config: JSON.stringify(config) };
    fails("bad-checkpoint", message, () => Trace.fromBytes(makeTraceFile(metadata)));
  }
});

test("millions of escapes in one string are read like any other", () => {
  const long = "\n".repeat(3_000_000);
  const tokens = JSON.stringify([long, "b"]);
  const trace = Trace.fromBytes(makeTraceFile({ tokens }));
  assert.equal(trace.tokens[0]?.piece, long);
});

test("however long a name in a file is, a message can be read", () => {
  const name = "x".repeat(3_000_000);
  const files = [
    joinFile({ [name]: { dtype: "F33", shape: [1], data_offsets: [0, 1] } }, new Uint8Array(1)),
    joinFile({ a: { dtype: name, shape: [1], data_offsets: [0, 1] } }, new Uint8Array(1)),
    joinFile(
      { a: { dtype: "U8", shape: Array(1e6).fill(1), data_offsets: [0, 2] } },
      new Uint8Array(2),
    ),
    joinFile(`{"${name}":{},"${name}":{}}`),
  ];
  for (const bytes of files) {
    assert.throws(
      () => Trace.fromBytes(bytes),
      (error) => {
        assert(error instanceof HeadscopeError);
        assert.equal(error.code, "bad-checkpoint");
        assert(error.message.length <= 1000, `${error.message.length} letters`);
        assert.match(error.message, /^trace/);
        return true;
      },
    );
  }
});
