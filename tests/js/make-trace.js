import assert from "node:assert/strict";
import { captures, HeadscopeError, Trace } from "../../bindings/js/trace/index.js";

/**
 * Numbers in [0, 1) that are the same on every run (mulberry32).
 *
 * @param {number} seed
 * @returns {() => number}
 */
export function seedRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Checks that something throws a HeadscopeError with a code and a message.
 *
 * @param {import("../../bindings/js/trace/error.js").ErrorCode} code
 * @param {RegExp} message
 * @param {() => unknown} act
 */
export function fails(code, message, act) {
  assert.throws(act, (error) => {
    assert(error instanceof HeadscopeError, `expected a HeadscopeError, got ${error}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

/**
 * A trace of random numbers, as the engine would lay it out. Words are `w0 w1 ...`.
 *
 * @param {object} shape
 * @param {number} shape.n_layers
 * @param {number} shape.n_heads
 * @param {number} shape.length of the text, in tokens
 * @param {readonly string[]} [shape.names] what is captured; everything by default
 * @param {number[]} [shape.layers] captured layers; all by default
 * @param {boolean} [shape.narrow] layer 0 has heads of half the width
 * @param {number} [shape.seed]
 * @returns {Trace}
 */
export function makeTrace({
  n_layers,
  n_heads,
  length,
  names = captures,
  layers,
  narrow,
  seed = 1,
}) {
  const random = seedRandom(seed);
  const d_model = n_heads * (narrow ? 4 : 3);
  /** @type {import("../../bindings/js/trace/trace.js").TraceEntry[]} */
  const entries = [];
  let offset = 0;
  /** @type {(name: string, layer: number, head: number, cols: number) => void} */
  const add = (name, layer, head, cols) => {
    entries.push({ name, layer, head, rows: length, cols, offset });
    offset += length * cols;
  };
  const range = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i);
  for (const name of names) {
    if (name === "embeddings") add(name, -1, -1, narrow ? d_model / 2 : 6);
    else if (name === "output") add(name, -1, -1, d_model);
    else {
      for (const layer of layers ?? range(n_layers)) {
        const isSquare = name === "attention" || name === "scores";
        const width = d_model / n_heads / (narrow && layer === 0 ? 2 : 1);
        if (["attention_output", "feed_forward", "hidden"].includes(name))
          add(name, layer, -1, d_model);
        else for (const head of range(n_heads)) add(name, layer, head, isSquare ? length : width);
      }
    }
  }
  const words = range(length).map((i) => `w${i}`);
  let start = -1;
  const tokens = words.map((word, i) => {
    start += 1 + (i > 0 ? (words[i - 1]?.length ?? 0) : 0);
    const end = start + word.length;
    return {
      id: i,
      piece: `▁${word}`,
      text: word,
      start,
      end,
      segment: /** @type {0} */ (0),
      special: false,
    };
  });
  return new Trace({
    text: words.join(" "),
    tokens,
    config: { n_layers, n_heads, d_model },
    pooled: Float32Array.from({ length: d_model }, random),
    timing: { tokenize_ms: 1, forward_ms: 2.5, copy_ms: 0.25 },
    data: Float32Array.from({ length: offset }, random),
    entries,
  });
}
