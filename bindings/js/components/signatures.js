import { optional, record } from "./argument.js";
import {
  addend,
  bucketedDistance,
  bucketTable,
  clipCount,
  columnPairs,
  count,
  doubles,
  flag,
  headCount,
  integer,
  matrix,
  number,
  positive,
  realNumber,
  vector,
  word,
} from "./argument-kinds.js";
import { headMask, mask } from "./mask.js";
import { position } from "./position.js";

/** @typedef {import("./argument.js").Argument} Argument */

/**
 * What a component takes, in the order in which letters get their sizes, and the shape of what it
 * gives: of one result, or of each by name; none where numbers come.
 *
 * @typedef {object} Signature
 * @property {Record<string, Argument>} takes
 * @property {string | Record<string, string>} gives
 */

/** Where positions may begin: the last of them is still a whole number of 32 bits. */
const largestOffset = 2 ** 30;
const base = optional(positive, 10000);
const sinusoidalLayout = optional(word("interleaved", "concatenated"), "interleaved");
const width = count({ letter: "D", from: 1, to: 65536 });
const length = count({ letter: "T" });
const causal = optional(flag, false);
const max_distance = optional(bucketedDistance(), 128);

const epsilon = optional(positive, 1e-5);
const normalization = { gamma: optional(vector("D")), beta: optional(vector("D")), epsilon };

const activation = word("relu", "gelu", "gelu_tanh", "silu", "sigmoid", "geglu", "swiglu");

const feedForwardWeights = {
  w1: matrix("D", "F"),
  b1: optional(vector("F")),
  w_gate: optional(matrix("D", "F")),
  b_gate: optional(vector("F")),
};

const layerParameters = {
  wq: matrix("D", "D"),
  bq: optional(vector("D")),
  wk: matrix("D", "D"),
  bk: optional(vector("D")),
  wv: matrix("D", "D"),
  bv: optional(vector("D")),
  wo: matrix("D", "D"),
  bo: optional(vector("D")),
  norm1_gamma: optional(vector("D")),
  norm1_beta: optional(vector("D")),
  ...feedForwardWeights,
  w2: matrix("F", "D"),
  b2: optional(vector("D")),
  norm2_gamma: optional(vector("D")),
  norm2_beta: optional(vector("D")),
};

/** Without a memory the keys are x itself. */
const memory = {
  ...optional(matrix("M", "E")),
  absent: (/** @type {string} */ _, /** @type {import("./letters.js").Letters} */ letters) => {
    letters.share("M", "T");
    letters.share("E", "D");
  },
};

/**
 * The arguments of every component: by this table they are checked, turned into what the core
 * takes, and documented. T tokens (queries), M keys, D width of x, E width of a memory, D' width
 * of all queries, D'' of all values, H heads, K width of one head's queries and keys, V of its
 * values, F width of the feed-forward network, O of an output, B buckets.
 *
 * @type {Readonly<Record<string, Signature>>}
 */
export const signatures = Object.freeze({
  attention: {
    takes: {
      query: matrix("T", "K"),
      key: matrix("M", "K"),
      value: matrix("M", "V"),
      mask: optional(mask("M")),
      bias: optional(addend("T", "M")),
      scale: optional(number),
    },
    gives: { scores: "T M", weights: "T M", output: "T V" },
  },
  multiHeadAttention: {
    takes: {
      x: matrix("T", "D"),
      memory,
      wq: matrix("D", "D'"),
      bq: optional(vector("D'")),
      wk: matrix("E", "D'"),
      bk: optional(vector("D'")),
      wv: matrix("E", "D''"),
      bv: optional(vector("D''")),
      wo: matrix("D''", "O"),
      bo: optional(vector("O")),
      heads: headCount({ K: "D'", V: "D''" }),
      mask: optional(headMask("M")),
      position: optional(position),
      gates: optional(vector("H")),
      scale: optional(number),
    },
    gives: {
      query: "T D'",
      key: "M D'",
      value: "M D''",
      scores: "H T M",
      weights: "H T M",
      context: "H T V",
      concat: "T D''",
      output: "T O",
    },
  },
  layerNorm: { takes: { x: matrix("T", "D"), ...normalization }, gives: "T D" },
  addNorm: {
    takes: { x: matrix("T", "D"), sublayer: matrix("T", "D"), ...normalization },
    gives: "T D",
  },
  layerNormSteps: {
    takes: { x: matrix("T", "D"), sublayer: optional(matrix("T", "D")), ...normalization },
    gives: { sum: "T D", mean: "T", variance: "T", normalized: "T D", output: "T D" },
  },
  feedForward: {
    takes: {
      x: matrix("T", "D"),
      ...feedForwardWeights,
      w2: matrix("F", "O"),
      b2: optional(vector("O")),
      activation,
    },
    gives: "T O",
  },
  encoderLayer: {
    takes: {
      x: matrix("T", "D"),
      heads: headCount({ K: "D", V: "D" }),
      norm: word("pre", "post"),
      activation,
      epsilon,
      parameters: record(layerParameters),
      mask: optional(headMask("T")),
      position: optional(position),
    },
    gives: {
      normed1: "T D",
      weights: "H T T",
      context: "H T K",
      attention_output: "T D",
      after_attention: "T D",
      normed2: "T D",
      hidden: "T F",
      feed_forward: "T D",
      output: "T D",
    },
  },
  sinusoidalPositions: {
    takes: {
      length,
      d_model: width,
      base,
      layout: sinusoidalLayout,
      offset: optional(integer(largestOffset), 0),
    },
    gives: "T D",
  },
  positionRotation: {
    takes: {
      d_model: count({ letter: "D", from: 2, to: 65536, even: true }),
      offset: realNumber,
      base,
      layout: sinusoidalLayout,
    },
    gives: "D D",
  },
  rotary: {
    takes: {
      x: matrix("T", "K"),
      positions: optional(doubles("T")),
      base,
      layout: optional(word("interleaved", "half"), "interleaved"),
      dims: optional(columnPairs("K")),
    },
    gives: "T K",
  },
  alibiSlopes: { takes: { heads: headCount({}) }, gives: "H" },
  alibiBias: {
    takes: { heads: headCount({}), length, causal },
    gives: "H T T",
  },
  t5Buckets: {
    takes: {
      length,
      buckets: optional(count({ letter: "B", from: 4, to: 65536, even: true }), 32),
      max_distance,
      causal,
    },
    gives: "T T",
  },
  t5Bias: {
    takes: {
      table: bucketTable(),
      length,
      max_distance,
      causal,
    },
    gives: "H T T",
  },
  shawAttention: {
    takes: {
      query: matrix("T", "K"),
      key: matrix("M", "K"),
      value: matrix("M", "V"),
      clip: clipCount(),
      relative_key: matrix("2 clip + 1", "K"),
      relative_value: optional(matrix("2 clip + 1", "V")),
      mask: optional(mask("M")),
    },
    gives: { scores: "T M", weights: "T M", output: "T V" },
  },
  attentionCost: {
    takes: {
      length: count(),
      d_model: count({ letter: "D", from: 1 }),
      heads: headCount({ K: "D" }),
    },
    gives: {},
  },
});
