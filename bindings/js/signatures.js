/**
 * The arguments of every component: kind, `?` where it may be left out, and shape. Shapes are in
 * letters: the first argument that has a letter gives it its size, and all others agree. T tokens
 * (queries), M keys, D width of x, E width of the memory, K width of queries and keys, C width of
 * values, H heads, F width of the feed-forward network, O width of the output, R = 2 clip + 1.
 *
 * JavaScript checks the arguments by this table, and hands them to the core as numbers. What a
 * number or a word may be, the core says.
 *
 * @typedef {{ [argument: string]: string | Signature }} Signature
 */

/** @type {Signature} */
const layerParameters = {
  wq: "matrix D D",
  bq: "vector? D",
  wk: "matrix D D",
  bk: "vector? D",
  wv: "matrix D D",
  bv: "vector? D",
  wo: "matrix D D",
  bo: "vector? D",
  norm1_gamma: "vector? D",
  norm1_beta: "vector? D",
  w1: "matrix D F",
  b1: "vector? F",
  w2: "matrix F D",
  b2: "vector? D",
  norm2_gamma: "vector? D",
  norm2_beta: "vector? D",
  w_gate: "matrix? D F",
  b_gate: "vector? F",
};

const normalization = {
  x: "matrix T D",
  sublayer: "matrix? T D",
  gamma: "vector? D",
  beta: "vector? D",
  epsilon: "number?",
};

/** @type {Readonly<Record<string, Signature>>} */
export const signatures = Object.freeze({
  attention: {
    query: "matrix T K",
    key: "matrix M K",
    value: "matrix M C",
    mask: "mask? T M",
    bias: "matrix? T M",
    scale: "number?",
  },
  multiHeadAttention: {
    heads: "count H",
    x: "matrix T D",
    memory: "memory? M E",
    wq: "matrix D K",
    wk: "matrix E K",
    wv: "matrix E C",
    wo: "matrix C O",
    bq: "vector? K",
    bk: "vector? K",
    bv: "vector? C",
    bo: "vector? O",
    mask: "mask? T M H",
    position: "position?",
    gates: "vector? H",
    scale: "number?",
  },
  layerNorm: { x: "matrix T D", gamma: "vector? D", beta: "vector? D", epsilon: "number?" },
  addNorm: { ...normalization, sublayer: "matrix T D" },
  layerNormSteps: normalization,
  feedForward: {
    x: "matrix T D",
    w1: "matrix D F",
    b1: "vector? F",
    w2: "matrix F O",
    b2: "vector? O",
    activation: "word",
    w_gate: "matrix? D F",
    b_gate: "vector? F",
  },
  encoderLayer: {
    heads: "count H",
    x: "matrix T D",
    norm: "word",
    activation: "word",
    epsilon: "number?",
    parameters: layerParameters,
    mask: "mask? T T H",
    position: "position?",
  },
  sinusoidalPositions: {
    length: "count",
    d_model: "count",
    base: "number?",
    layout: "word?",
    offset: "integer?",
  },
  positionRotation: { d_model: "count", offset: "integer", base: "number?", layout: "word?" },
  rotary: {
    x: "matrix T D",
    positions: "vector? T",
    base: "number?",
    layout: "word?",
    dims: "count?",
  },
  alibiSlopes: { heads: "count" },
  alibiBias: { heads: "count", length: "count", causal: "flag?" },
  t5Buckets: { length: "count", buckets: "count?", max_distance: "count?", causal: "flag?" },
  t5Bias: { table: "matrix B H", length: "count", max_distance: "count?", causal: "flag?" },
  shawAttention: {
    clip: "clip R",
    query: "matrix T K",
    key: "matrix M K",
    value: "matrix M C",
    relative_key: "matrix R K",
    relative_value: "matrix? R C",
    mask: "mask? T M",
  },
  attentionCost: { length: "count", d_model: "count", heads: "count" },
});
