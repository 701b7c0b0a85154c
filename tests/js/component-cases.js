// How each kind of case of tests/fixtures/components.json is computed through the package.

import { Encoder, Matrix } from "headscope";
import { permutationResidual } from "headscope/analysis";
import {
  addNorm,
  alibiBias,
  alibiSlopes,
  attention,
  encoderLayer,
  feedForward,
  layerNorm,
  multiHeadAttention,
  positionRotation,
  rotary,
  shawAttention,
  sinusoidalPositions,
  t5Bias,
  t5Buckets,
} from "headscope/components";
import { flat, matrices, matrix, values } from "./component-fixtures.js";

/** @typedef {import("./component-fixtures.js").Fixture} Fixture */
/** @typedef {import("./component-fixtures.js").Tensor} Tensor */
/** @typedef {{ engine: import("headscope").Engine }} On */

/**
 * What a case gave, by the names of its outputs. `expected` stands for the case's own where an
 * output is compared in parts.
 *
 * @typedef {{ outputs: Record<string, unknown>, expected?: Record<string, number[]> }} Computed
 */

/** The project's word for each layout of the fixtures. */
const layouts = /** @type {const} */ ({
  interleaved: "interleaved",
  half: "half",
  concat_t2t: "concatenated",
});

/**
 * @param {Record<string, Tensor>} inputs
 * @param {Record<string, string>} names the fixture's name of each argument
 * @returns {Record<string, Matrix | Float32Array>} the arguments that the case has
 */
function given(inputs, names) {
  const present = Object.entries(names).filter(([, name]) => inputs[name] !== undefined);
  return Object.fromEntries(
    present.map(([argument, name]) => {
      const tensor = /** @type {Tensor} */ (inputs[name]);
      return [argument, tensor.shape.length === 1 ? values(tensor) : matrix(tensor)];
    }),
  );
}

/**
 * @param {Fixture} fixture
 * @param {Tensor} [keyValid] of one sequence; the case's own by default
 * @returns {{ mask?: any }} nothing where nothing is masked
 */
function maskOf({ in: inputs, attrs }, keyValid = inputs.key_valid) {
  /** @type {any[]} */
  const parts = attrs.causal ? ["causal"] : [];
  if (keyValid !== undefined) parts.push([...values(keyValid)].map(Boolean));
  if (inputs.allowed !== undefined) {
    const { rows, cols, data } = matrix(inputs.allowed);
    parts.push(
      new Matrix(
        rows,
        cols,
        data.map((allowed) => (allowed ? 0 : -Infinity)),
      ),
    );
  }
  if (inputs.additive?.shape.length === 2) parts.push(matrix(inputs.additive));
  if (inputs.additive?.shape.length === 3) parts.push(matrices(inputs.additive));
  if (parts.length === 0) return {};
  return { mask: parts.length === 1 ? parts[0] : parts };
}

const headNames = Object.fromEntries(
  ["q", "k", "v", "o"].flatMap((letter) => [
    [`w${letter}`, `W${letter}`],
    [`b${letter}`, `b${letter}`],
  ]),
);

/** @type {Record<string, string>} */
const layerNames = {
  ...headNames,
  w1: "W1",
  b1: "b1",
  w2: "W2",
  b2: "b2",
  norm1_gamma: "ln1_g",
  norm1_beta: "ln1_b",
  norm2_gamma: "ln2_g",
  norm2_beta: "ln2_b",
};

/**
 * @param {Fixture} fixture
 * @param {number} layer
 * @returns {Record<string, Matrix | Float32Array>}
 */
function layerParameters({ in: inputs }, layer) {
  const names = Object.entries(layerNames).map(([own, name]) => [own, `L${layer}.${name}`]);
  return given(inputs, Object.fromEntries(names));
}

/**
 * The arguments of multiHeadAttention, without mask and position.
 *
 * @param {Fixture} fixture
 * @returns {any}
 */
function headArguments({ in: inputs, attrs }) {
  return {
    ...given(inputs, { x: "X", memory: "M", ...headNames, gates: "gate" }),
    heads: attrs.h,
  };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeAttention(fixture, on) {
  const inputs = /** @type {any} */ (
    given(fixture.in, { query: "Q", key: "K", value: "V", bias: "X" })
  );
  if (fixture.id !== "attention/softmax-rows") {
    const value = inputs.value ?? inputs.key;
    return { outputs: await attention({ ...inputs, value, ...maskOf(fixture) }, on) };
  }
  // Scores of 0 and the rows as their bias.
  const [query, key] = [new Matrix(9, 1), new Matrix(7, 1)];
  const { weights } = await attention({ query, key, value: key, bias: inputs.bias }, on);
  return { outputs: { Y: weights } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @param {object} [more] arguments
 * @returns {Promise<Computed>}
 */
async function computeHeads(fixture, on, more) {
  const args = headArguments(fixture);
  const result = await multiHeadAttention({ ...args, ...maskOf(fixture), ...more }, on);
  // The context as stored is that of each head; the gated one lies side by side.
  const width = result.concat.cols / args.heads;
  const gated_context = result.context.map((_, head) =>
    Array.from({ length: result.concat.rows }, (_, row) =>
      result.concat.row(row).subarray(head * width, (head + 1) * width),
    ),
  );
  return { outputs: { ...result, gated_context } };
}

/**
 * Each sequence of a batch by itself.
 *
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeHeadBatch(fixture, on) {
  const { X, key_valid } = fixture.in;
  const keys = matrix(/** @type {Tensor} */ (key_valid));
  const results = [];
  for (const [i, x] of matrices(/** @type {Tensor} */ (X)).entries()) {
    const mask = maskOf(fixture, { shape: [keys.cols], data: [...keys.row(i)] });
    results.push(await multiHeadAttention({ ...headArguments(fixture), x, ...mask }, on));
  }
  return {
    outputs: {
      weights: results.map(({ weights }) => weights),
      output: results.map(({ output }) => output),
    },
  };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeNorm({ in: inputs, attrs }, on) {
  const args = /** @type {any} */ (
    given(inputs, { x: "x", sublayer: "sub", gamma: "gamma", beta: "beta" })
  );
  const compute = args.sublayer === undefined ? layerNorm : addNorm;
  return { outputs: { y: await compute({ ...args, epsilon: attrs.eps }, on) } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeFeedForward({ id, in: inputs, attrs }, on) {
  const { activation } = attrs;
  if (id.startsWith("ffn/activation-")) {
    const x = [...values(/** @type {Tensor} */ (inputs.x))].map((value) => [value]);
    return { outputs: { y: await feedForward({ x, w1: [[1]], w2: [[1]], activation }, on) } };
  }
  const gate = { w1: "Wu", b1: "bu", w_gate: "Wg", b_gate: "bg" };
  const names = { x: "X", w1: "W1", b1: "b1", w2: "W2", b2: "b2" };
  const args = /** @type {any} */ (given(inputs, attrs.gated ? { ...names, ...gate } : names));
  const word = ["geglu", "swiglu"].includes(attrs.gated) ? attrs.gated : activation;
  return { outputs: { output: await feedForward({ ...args, activation: word }, on) } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeLayer(fixture, on) {
  const result = await encoderLayer(layerArguments(fixture), on);
  const { output, weights } = result;
  return { outputs: { output, hidden: output, attention: weights } };
}

/**
 * @param {Fixture} fixture
 * @returns {any}
 */
function layerArguments(fixture) {
  const { attrs, in: inputs } = fixture;
  return {
    x: matrix(/** @type {Tensor} */ (inputs.X)),
    heads: attrs.h,
    norm: attrs.placement,
    activation: attrs.activation,
    epsilon: attrs.eps,
    parameters: layerParameters(fixture, 0),
    ...maskOf(fixture),
  };
}

/**
 * A stack of layers as an encoder whose token embeddings are the rows of X. Padding is left away,
 * as in batches of different lengths: real rows are compared, at real keys.
 *
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeStack(fixture, on) {
  const { attrs, in: inputs, out } = fixture;
  const batch = attrs.B ?? 1;
  const encoder = await makeStack(fixture, on);
  const valid = inputs.key_valid === undefined ? undefined : values(inputs.key_valid);
  const ids = Array.from({ length: batch }, (_, b) =>
    range(attrs.n).flatMap((i) => (valid?.[b * attrs.n + i] === 0 ? [] : [b * attrs.n + i])),
  );
  const capture = /** @type {const} */ (["attention", "hidden", "output"]);
  const traces = await encoder.run(
    ids.map((list) => ({ ids: list })),
    { capture: [...capture] },
  );
  encoder.dispose();
  const places = ids.map((list) => list.map((id) => id % attrs.n));
  const layers = range(attrs.L);
  const heads = range(attrs.h);
  const hidden = layers.map((layer) => traces.map((trace) => trace.get("hidden", layer)));
  const attention = layers.map((layer) =>
    traces.map((trace) => heads.map((head) => trace.attention(layer, head))),
  );
  const parts = { places, n: attrs.n, d: attrs.d, heads: attrs.h, layers: attrs.L };
  /** @type {Record<string, number[]>} */
  const expected = {};
  for (const name of Object.keys(out)) {
    expected[name] = realPart(name, values(/** @type {Tensor} */ (out[name])), parts);
  }
  const output = traces.map((trace) => trace.get("output"));
  return { outputs: { hidden, attention, output }, expected };
}

/**
 * The values at real tokens, of a tensor whose last axes are [B, n, d], or [B, h, n, n] for
 * attention.
 *
 * @param {string} name
 * @param {Float32Array} data
 * @param {{ places: number[][], n: number, d: number, heads: number, layers: number }} parts
 * @returns {number[]}
 */
function realPart(name, data, { places, n, d, heads, layers }) {
  const blocks = name === "attention" ? heads : 1;
  const width = name === "attention" ? n : d;
  return range(name === "output" ? 1 : layers).flatMap((layer) =>
    places.flatMap((rows, b) =>
      range(blocks).flatMap((block) =>
        rows.flatMap((row) => {
          const start = (((layer * places.length + b) * blocks + block) * n + row) * width;
          const columns = name === "attention" ? rows : range(width);
          return columns.map((column) => Number(data[start + column]));
        }),
      ),
    ),
  );
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Encoder>}
 */
async function makeStack(fixture, on) {
  const { attrs, in: inputs } = fixture;
  const embeddings = values(/** @type {Tensor} */ (inputs.X));
  /** @type {Record<string, Float32Array>} */
  const parameters = { "embeddings.token": embeddings };
  for (const layer of range(attrs.L)) {
    for (const [name, value] of Object.entries(layerParameters(fixture, layer))) {
      const room = /^norm/.test(name) ? "" : /^.[12]$/.test(name) ? "feed_forward." : "attention.";
      const key = `layers.${layer}.${room}${name.replace("_", ".")}`;
      parameters[key] = value instanceof Matrix ? value.data : value;
    }
  }
  if (attrs.final_norm) {
    parameters["final_norm.gamma"] = values(/** @type {Tensor} */ (inputs.final_g));
    parameters["final_norm.beta"] = values(/** @type {Tensor} */ (inputs.final_b));
  }
  /** @type {import("../../bindings/js/config.js").EncoderConfig} */
  const config = {
    n_layers: attrs.L,
    n_heads: attrs.h,
    d_model: attrs.d,
    d_ff: attrs.ff,
    vocab_size: embeddings.length / attrs.d,
    max_tokens: attrs.n,
    activation: attrs.activation,
    norm: attrs.placement,
    norm_epsilon: attrs.eps,
    final_norm: attrs.final_norm,
    position: { kind: "none" },
    pooling: "none",
    mask: attrs.causal ? "causal" : "bidirectional",
  };
  return Encoder.fromConfig(config, { ...on, parameters });
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computePositions({ id, in: inputs, attrs }, on) {
  const row = codes(attrs, on);
  if (id.startsWith("positions/rotation-")) {
    const options = { d_model: attrs.d, base: attrs.base, layout: layoutOf(attrs) };
    const offsets = [...values(/** @type {Tensor} */ (inputs.k))];
    const R = offsets.map((offset) => positionRotation({ ...options, offset }, on));
    return { outputs: { R: await Promise.all(R) } };
  }
  if (id.startsWith("positions/dot-")) {
    const dots = pairs(inputs).map(async ([p, q]) => dot(await row(p), await row(q)));
    return { outputs: { dot: await Promise.all(dots) } };
  }
  const positions = [...values(/** @type {Tensor} */ (inputs.positions))];
  return { outputs: { PE: await Promise.all(positions.map(row)) } };
}

/**
 * @param {Record<string, any>} attrs
 * @param {On} on
 * @returns {(position: number) => Promise<Float32Array>} the code of one position
 */
function codes(attrs, on) {
  return async (position) => {
    const options = { length: 1, d_model: attrs.d, base: attrs.base, offset: position };
    const code = await sinusoidalPositions({ ...options, layout: layoutOf(attrs) }, on);
    if (attrs.layout !== "concat_2i_over_d") return code.row(0);
    // The paper's columns in another order: all sines, then all cosines.
    const [even, odd] = [0, 1].map((parity) => code.row(0).filter((_, i) => i % 2 === parity));
    return Float32Array.of(...(even ?? []), ...(odd ?? []));
  };
}

/**
 * @param {Record<string, any>} attrs
 * @returns {any}
 */
function layoutOf(attrs) {
  return layouts[/** @type {keyof typeof layouts} */ (attrs.layout)] ?? "interleaved";
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeRotary(fixture, on) {
  const { id, in: inputs, attrs } = fixture;
  const options = { base: attrs.base, layout: layoutOf(attrs), dims: attrs.rotary_dims };
  if (id.startsWith("rotary/mha-")) {
    const position = { kind: "rotary", ...options, offset: attrs.offset };
    return computeHeads(fixture, on, { position });
  }
  if (id.startsWith("rotary/scores-")) {
    const turn = async (/** @type {Tensor} */ vector, /** @type {number} */ position) =>
      (await rotary({ x: matrix(vector), positions: [position], ...options }, on)).data;
    const { q, k } = /** @type {Record<string, Tensor>} */ (inputs);
    const score = pairs(inputs).map(async ([m, n]) =>
      dot(await turn(/** @type {Tensor} */ (q), m), await turn(/** @type {Tensor} */ (k), n)),
    );
    return { outputs: { score: await Promise.all(score) } };
  }
  const { x, positions } = /** @type {any} */ (given(inputs, { x: "x", positions: "positions" }));
  const y = await rotary({ x, positions, ...options }, on);
  return { outputs: { y, inv_freq: await frequencies(x.cols, options, on) } };
}

/**
 * The angle by which each pair is turned at position 1, read from a turned unit vector.
 *
 * @param {number} width
 * @param {{ base: number, layout: any, dims: number }} options
 * @param {On} on
 * @returns {Promise<number[]>}
 */
async function frequencies(width, options, on) {
  const count = options.dims / 2;
  const [first, second] =
    options.layout === "half"
      ? [(/** @type {number} */ i) => i, (/** @type {number} */ i) => i + count]
      : [(/** @type {number} */ i) => 2 * i, (/** @type {number} */ i) => 2 * i + 1];
  const x = range(count).map((i) => range(width).map((column) => Number(column === first(i))));
  const positions = range(count).map(() => 1);
  const turned = await rotary({ x, positions, ...options }, on);
  return range(count).map((i) => Math.atan2(turned.at(i, second(i)), turned.at(i, first(i))));
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeRelative(fixture, on) {
  const kind = fixture.id.split("/")[1] ?? "";
  if (kind.startsWith("shaw")) return computeShaw(fixture, on);
  if (kind.startsWith("t5")) return computeT5(fixture, on);
  const { attrs } = fixture;
  if (kind.startsWith("alibi-slopes")) {
    return { outputs: { slopes: await alibiSlopes({ heads: attrs.h }, on) } };
  }
  if (kind.startsWith("alibi-bias")) {
    const options = { heads: attrs.h, length: attrs.n, causal: attrs.causal };
    return { outputs: { bias: await alibiBias(options, on) } };
  }
  return computeHeads(fixture, on, { position: { kind: "alibi" } });
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeShaw(fixture, on) {
  const { id, in: inputs, attrs } = fixture;
  const { clip } = attrs;
  const tables = /** @type {any} */ (given(inputs, { relative_key: "aK", relative_value: "aV" }));
  if (id.startsWith("relative/shaw-mha")) {
    return computeHeads(fixture, on, { position: { kind: "shaw", clip, ...tables } });
  }
  const heads = /** @type {any} */ (given(inputs, { query: "Q", key: "K", value: "V" }));
  const result = await shawAttention({ ...heads, ...tables, clip }, on);
  // With a query of 1, keys of 0 and row r of the table holding r, the scores are the rows.
  const query = new Matrix(attrs.n, 1, new Float32Array(attrs.n).fill(1));
  const key = new Matrix(attrs.n, 1);
  const relative_key = range(2 * clip + 1).map((row) => [row]);
  const rows = await shawAttention({ query, key, value: key, relative_key, clip }, on);
  return { outputs: { ...result, index: rows.scores } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computeT5(fixture, on) {
  const { id, in: inputs, attrs } = fixture;
  const { num_buckets: buckets, max_distance } = attrs;
  const table = inputs.table && matrix(inputs.table);
  if (id.startsWith("relative/t5-mha")) {
    const position = { kind: "t5", buckets, max_distance, table };
    return computeHeads(fixture, on, { position, scale: attrs.score_scale });
  }
  const causal = attrs.bidirectional === false;
  if (id.startsWith("relative/t5-buckets")) {
    const distances = [...values(/** @type {Tensor} */ (inputs.distance))];
    const length = Math.max(...distances.map(Math.abs)) + 1;
    const all = await t5Buckets({ length, buckets, max_distance, causal }, on);
    const bucket = distances.map((distance) =>
      all.at(Math.max(0, -distance), Math.max(0, distance)),
    );
    return { outputs: { bucket } };
  }
  const [queries = [], keys = []] = ["q_pos", "k_pos"].map((name) => [
    ...values(/** @type {Tensor} */ (inputs[name])),
  ]);
  const length = Math.max(...queries, ...keys) + 1;
  const pick = (/** @type {Matrix} */ all) => queries.map((i) => keys.map((j) => all.at(i, j)));
  const bias = await t5Bias({ table: /** @type {Matrix} */ (table), length, max_distance }, on);
  const bucket = await t5Buckets({ length, buckets, max_distance }, on);
  return { outputs: { bias: bias.map(pick), bucket: pick(bucket) } };
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
async function computePermutation(fixture, on) {
  const { id, in: inputs } = fixture;
  const order = [...values(/** @type {Tensor} */ (inputs.perm))];
  const isLayer = id.startsWith("permutation/encoder-layer");
  const args = isLayer
    ? layerArguments(fixture)
    : { ...headArguments(fixture), ...maskOf(fixture) };
  if (id === "permutation/mha-causal") args.mask = "causal";
  if (id === "permutation/mha-sinusoidal") args.position = { kind: "sinusoidal" };
  const { residual, rows } = await permutationResidual({ ...args, order }, on);
  const compute = /** @type {any} */ (isLayer ? encoderLayer : multiHeadAttention);
  const Y = (await compute(args, on)).output;
  // rows = f(P x) - P f(x)
  const Y_perm = order.map((place, i) =>
    Array.from(rows.row(i), (value, column) => value + Y.at(place, column)),
  );
  return { outputs: { Y, Y_perm, max_diff: residual } };
}

/**
 * @param {number} length
 * @returns {number[]} 0, 1, .. length - 1
 */
function range(length) {
  return Array.from({ length }, (_, i) => i);
}

/**
 * @param {Record<string, Tensor>} inputs
 * @returns {[number, number][]}
 */
function pairs(inputs) {
  const { rows, ...list } = matrix(/** @type {Tensor} */ (inputs.pairs));
  return range(rows).map((i) => [Number(list.data[2 * i]), Number(list.data[2 * i + 1])]);
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @returns {number}
 */
function dot(a, b) {
  return flat(a).reduce((sum, value, i) => sum + value * Number(b[i]), 0);
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
export function computeCase(fixture, on) {
  const { id } = fixture;
  switch (fixture.group) {
    case "attention":
      return computeAttention(fixture, on);
    case "mha":
      return id.startsWith("mha/batch-")
        ? computeHeadBatch(fixture, on)
        : computeHeads(fixture, on);
    case "layernorm":
      return computeNorm(fixture, on);
    case "ffn":
      return computeFeedForward(fixture, on);
    case "encoder":
      return /\/(stack|big-pre)-/.test(id) ? computeStack(fixture, on) : computeLayer(fixture, on);
    case "positions":
      return computePositions(fixture, on);
    case "rotary":
      return computeRotary(fixture, on);
    case "relative":
      return computeRelative(fixture, on);
    case "permutation":
      return computePermutation(fixture, on);
    default:
      throw new Error(`no way to compute the group ${fixture.group}`);
  }
}
