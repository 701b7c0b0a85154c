import { readFile } from "node:fs/promises";
import { makeTrace } from "../js/make-trace.js";
import { makeCheckpoint, tinyConfig } from "../js/tiny-model.js";

/** @typedef {Record<string, Uint8Array<ArrayBuffer>>} Files */

/**
 * What is valid, and what everything hostile is made of.
 *
 * @typedef {{ checkpoints: Files[], tokenizers: Uint8Array<ArrayBuffer>[],
 *   traces: Uint8Array<ArrayBuffer>[] }} Seeds
 */

/** Rows for every id of the tokenizers among the fixtures. */
const common = { vocab_size: 300, max_tokens: 64 };

/** @type {Parameters<typeof makeCheckpoint>[1][]} */
const models = [
  { config: common },
  {
    dtype: "BF16",
    config: {
      ...common,
      position: { kind: "learned" },
      token_types: 2,
      embedding_norm: true,
      norm: "post",
      activation: "gelu",
      pooling: "first",
      pooler: "tanh",
      final_norm: false,
    },
  },
  {
    dtype: "F16",
    config: { ...common, position: { kind: "t5" }, activation: "geglu", bias: false },
    shards: 2,
  },
  { dtype: "I8", config: { ...common, position: { kind: "shaw", clip: 3 }, d_input: 4 } },
  {
    dtype: "F64",
    config: {
      ...common,
      position: { kind: "rotary", layout: "half", dims: 2 },
      activation: "swiglu",
      mask: "causal",
      normalize: true,
      attention_scale: 1,
    },
    shards: 3,
  },
  {
    config: {
      ...common,
      n_layers: 1,
      position: { kind: "alibi" },
      pooling: "none",
      activation: "silu",
    },
  },
];

const tokenizers = ["byte-fallback", "byte-level", "metaspace", "wordpiece"];

/** Steps that the fixtures have not. */
const otherSteps = {
  normalizer: {
    type: "Sequence",
    normalizers: [
      { type: "Replace", pattern: { Regex: "\\s+" }, content: " " },
      { type: "Replace", pattern: { String: "``" }, content: '"' },
      { type: "Strip", strip_left: true, strip_right: true },
      { type: "NFKC" },
      { type: "StripAccents" },
      { type: "Lowercase" },
    ],
  },
  pre_tokenizer: {
    type: "Sequence",
    pretokenizers: [
      { type: "Split", pattern: { Regex: "\\p{L}+|\\p{N}{1,3}" }, behavior: "Isolated" },
      { type: "Punctuation" },
      { type: "Digits", individual_digits: true },
      { type: "FixedLength", length: 5 },
      { type: "Split", pattern: { String: "-" }, behavior: "Removed", invert: false },
    ],
  },
  post_processor: {
    type: "Sequence",
    processors: [{ type: "BertProcessing", sep: ["[SEP]", 2], cls: ["[CLS]", 1] }],
  },
  added_tokens: [{ id: 4, content: "[MASK]", special: true, lstrip: true, rstrip: true }],
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: { "[UNK]": 0, "[CLS]": 1, "[SEP]": 2, a: 3, cat: 5, "##a": 6 },
  },
};

/**
 * @param {import("headscope").Engine} engine
 * @returns {Promise<Seeds>}
 */
export async function makeSeeds(engine) {
  const folder = new URL("../fixtures/tokenizers/", import.meta.url);
  const read = await Promise.all(
    tokenizers.map(async (name) => new Uint8Array(await readFile(new URL(`${name}.json`, folder)))),
  );
  const checkpoints = await Promise.all(models.map((model) => makeCheckpoint(engine, model)));
  return {
    checkpoints,
    tokenizers: [...read, new TextEncoder().encode(JSON.stringify(otherSteps))],
    traces: [
      makeTrace({ n_layers: 2, n_heads: 2, length: 3 }).toBytes(),
      makeTrace({ n_layers: 1, n_heads: 1, length: 1, names: ["attention"] }).toBytes(),
      makeTrace({ n_layers: 3, n_heads: 2, length: 4, layers: [0, 2], narrow: true }).toBytes({
        dtype: "F16",
      }),
    ],
  };
}

/** The config that the checkpoints of `fromConfig` begin with. */
export const baseConfig = { ...tinyConfig, ...common };
