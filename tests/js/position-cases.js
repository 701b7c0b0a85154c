// How the cases of positions are computed through the package: sinusoidal, rotary, Shaw, T5, ALiBi.

import { Matrix } from "headscope";
import {
  alibiBias,
  alibiSlopes,
  positionRotation,
  rotary,
  shawAttention,
  sinusoidalPositions,
  t5Bias,
  t5Buckets,
} from "headscope/components";
import { computeHeads, dot, given, pairs, range } from "./case-arguments.js";
import { matrix, values } from "./component-fixtures.js";

/** @typedef {import("./component-fixtures.js").Fixture} Fixture */
/** @typedef {import("./component-fixtures.js").Tensor} Tensor */
/** @typedef {import("./case-arguments.js").Computed} Computed */
/** @typedef {import("./case-arguments.js").On} On */

/** The project's word for each layout of the fixtures. */
const layouts = /** @type {const} */ ({
  interleaved: "interleaved",
  half: "half",
  concat_t2t: "concatenated",
});

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
export async function computePositions({ id, in: inputs, attrs }, on) {
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
export async function computeRotary(fixture, on) {
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
export async function computeRelative(fixture, on) {
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
