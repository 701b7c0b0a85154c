// What holds for every size: random shapes and values, from seeds.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createEngine, Matrix } from "headscope";
import { permutationResidual } from "headscope/analysis";
import {
  attention,
  encoderLayer,
  layerNorm,
  layerNormSteps,
  multiHeadAttention,
  positionRotation,
  rotary,
  sinusoidalPositions,
} from "headscope/components";
import { distance } from "./component-fixtures.js";
import { seedRandom } from "./make-trace.js";

const engine = await createEngine();
after(() => engine.dispose());

const seeds = Array.from({ length: 12 }, (_, i) => i + 1);
const layouts = /** @type {const} */ (["interleaved", "concatenated"]);

/** Random numbers, sizes and matrices, the same for a seed on every run. */
class Random {
  #next;

  /** @param {number} seed */
  constructor(seed) {
    this.#next = seedRandom(seed);
  }

  /**
   * @param {number} from
   * @param {number} to
   * @returns {number} a whole number
   */
  whole(from, to) {
    return from + Math.floor(this.#next() * (to - from + 1));
  }

  /**
   * @param {number} rows
   * @param {number} cols
   * @param {number} [scale] of a uniform distribution around 0
   * @returns {Matrix}
   */
  matrix(rows, cols, scale = 1) {
    return new Matrix(rows, cols, this.vector(rows * cols, scale));
  }

  /**
   * @param {number} length
   * @param {number} [scale]
   * @returns {Float32Array}
   */
  vector(length, scale = 1) {
    return Float32Array.from({ length }, () => scale * (2 * this.#next() - 1));
  }

  /**
   * @param {number} length
   * @returns {number[]} a permutation that moves something
   */
  order(length) {
    const order = Array.from({ length }, (_, i) => i);
    for (let i = length - 1; i > 0; --i) {
      const j = this.whole(0, i - 1);
      [order[i], order[j]] = [Number(order[j]), Number(order[i])];
    }
    return order;
  }

  /**
   * @param {number} length
   * @returns {boolean[]} a key mask with at least one key to see
   */
  keys(length) {
    const seen = this.whole(0, length - 1);
    return Array.from({ length }, (_, i) => i === seen || this.#next() < 0.7);
  }

  /**
   * Weights of such a size that scores are about 1.
   *
   * @param {number} heads
   * @param {number} width
   */
  attentionWeights(heads, width) {
    const scale = Math.sqrt(3 / width);
    const weight = () => this.matrix(width, width, scale);
    const bias = () => this.vector(width, 0.1);
    const weights = { wq: weight(), wk: weight(), wv: weight(), wo: weight() };
    return { heads, ...weights, bq: bias(), bk: bias(), bv: bias(), bo: bias() };
  }

  /** Arguments of a whole encoder layer, without x. @param {number} heads @param {number} width */
  layer(heads, width) {
    const { heads: _, ...attention } = this.attentionWeights(heads, width);
    const hidden = this.whole(1, 20);
    const parameters = {
      ...attention,
      w1: this.matrix(width, hidden, Math.sqrt(3 / width)),
      b1: this.vector(hidden, 0.1),
      w2: this.matrix(hidden, width, Math.sqrt(3 / hidden)),
      b2: this.vector(width, 0.1),
      norm1_gamma: this.vector(width),
      norm2_beta: this.vector(width),
    };
    const norm = /** @type {const} */ (["pre", "post"])[this.whole(0, 1)];
    return { heads, parameters, norm: norm ?? "pre", activation: /** @type {const} */ ("gelu") };
  }

  /** @returns {{ length: number, heads: number, width: number, headWidth: number }} odd ones too */
  sizes() {
    const heads = this.whole(1, 4);
    const headWidth = 2 * this.whole(1, 6);
    return { length: this.whole(3, 17), heads, width: heads * headWidth, headWidth };
  }
}

/**
 * @param {string} promise
 * @param {(random: Random) => Promise<void>} check
 */
function holds(promise, check) {
  test(promise, async () => {
    for (const seed of seeds) await check(new Random(seed));
  });
}

/**
 * @param {Matrix} scores [T, T]
 * @returns {number} the largest difference between scores of the same offset
 */
function spreadByOffset(scores) {
  let worst = 0;
  for (let i = 1; i < scores.rows; ++i) {
    for (let j = 1; j < scores.cols; ++j) {
      worst = Math.max(worst, Math.abs(scores.at(i, j) - scores.at(i - 1, j - 1)));
    }
  }
  return worst;
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @returns {number}
 */
function dot(a, b) {
  return Array.from(a).reduce((sum, value, i) => sum + value * Number(b[i]), 0);
}

/** Sums of float32 values of size 1. */
const rounding = 5e-6;

holds("rows of weights sum to 1, whatever is masked", async (random) => {
  const { length, heads, width } = random.sizes();
  const x = random.matrix(length, width);
  const added = Array.from({ length: heads }, () => random.matrix(length, length, 3));
  const mask = ["causal", added, [true, ...random.keys(length).slice(1)]];
  const given = { x, ...random.attentionWeights(heads, width), mask: /** @type {any} */ (mask) };
  for (const { data } of (await multiHeadAttention(given, { engine })).weights) {
    assert(data.every((weight) => weight >= 0 && weight <= 1));
    for (let row = 0; row < length; ++row) {
      const sum = data.subarray(row * length, (row + 1) * length).reduce((a, b) => a + b, 0);
      assert(Math.abs(sum - 1) <= rounding, `row ${row} sums to ${sum}`);
    }
  }
});

holds(
  "a query whose keys are all hidden has weights 0, and its output is the bias",
  async (random) => {
    const { length, heads, width } = random.sizes();
    const x = random.matrix(length, width);
    const weights = random.attentionWeights(heads, width);
    const hidden = random.whole(0, length - 1);
    const mask = new Matrix(length, length);
    mask.row(hidden).fill(-Infinity);
    const result = await multiHeadAttention({ x, ...weights, mask }, { engine });
    for (const head of [...result.weights, ...result.context]) {
      assert(head.row(hidden).every((value) => value === 0));
    }
    assert.deepEqual(result.output.row(hidden), weights.bo);
  },
);

holds("hidden keys get exactly 0, and the rest is as without them", async (random) => {
  const { length, heads, width } = random.sizes();
  const real = random.whole(1, length);
  const x = random.matrix(length, width);
  const short = new Matrix(real, width, x.data.slice(0, real * width));
  const weights = random.attentionWeights(heads, width);
  const mask = Array.from({ length }, (_, key) => key < real);
  const padded = await multiHeadAttention({ x, ...weights, mask }, { engine });
  const alone = await multiHeadAttention({ x: short, ...weights }, { engine });
  for (const matrix of padded.weights) {
    for (let row = 0; row < length; ++row)
      assert(
        matrix
          .row(row)
          .subarray(real)
          .every((w) => w === 0),
      );
  }
  const rows = [...padded.output.data.subarray(0, real * width)];
  assert(distance(rows, alone.output.data) <= rounding);
});

holds("without positions attention is equivariant, also with key masks", async (random) => {
  const { length, heads, width } = random.sizes();
  const x = random.matrix(length, width);
  const order = random.order(length);
  const mask = random.keys(length);
  const heads_ = { x, ...random.attentionWeights(heads, width), order, mask };
  assert((await permutationResidual(heads_, { engine })).residual <= rounding);
  const layer = { x, ...random.layer(heads, width), order, mask: ["causal", mask].slice(1) };
  assert((await permutationResidual(/** @type {any} */ (layer), { engine })).residual <= rounding);
});

holds("with positions, or under a causal mask, it is clearly not", async (random) => {
  const { length, heads, width } = random.sizes();
  const x = random.matrix(length, width);
  const given = { x, ...random.attentionWeights(heads, width), order: random.order(length) };
  const breaking = [
    { position: "sinusoidal" },
    { position: { kind: "rotary", base: 10 } },
    { position: "alibi" },
    { mask: "causal" },
    { mask: random.matrix(length, length, 3) },
  ];
  for (const more of breaking) {
    const both = /** @type {any} */ ({ ...given, ...more });
    const { residual } = await permutationResidual(both, { engine });
    assert(residual > 1e-3, `${JSON.stringify(more.position ?? "mask")}: only ${residual}`);
  }
});

holds("rotary, Shaw, T5 and ALiBi scores depend on offsets only", async (random) => {
  const { length, heads, width, headWidth } = random.sizes();
  // The same content everywhere: what differs between scores is position alone.
  const content = random.vector(width);
  const x = Array.from({ length }, () => [...content]);
  const clip = random.whole(0, length);
  const rotated = { kind: "rotary", layout: "half", dims: 2 * random.whole(1, headWidth / 2) };
  const positions = [
    { kind: "rotary" },
    rotated,
    { kind: "shaw", relative_key: random.matrix(2 * clip + 1, headWidth) },
    { kind: "t5", table: random.matrix(8, heads), max_distance: 12 },
    { kind: "alibi" },
  ];
  const given = { x, ...random.attentionWeights(heads, width) };
  for (const position of /** @type {any[]} */ (positions)) {
    const { scores } = await multiHeadAttention({ ...given, position }, { engine });
    for (const matrix of scores) {
      const spread = spreadByOffset(matrix);
      assert(spread <= rounding, `${position.kind}: scores of one offset differ by ${spread}`);
    }
  }
  const moved = { ...rotated, offset: random.whole(-500, 500) };
  const both = [rotated, moved].map((position) =>
    multiHeadAttention({ ...given, position: /** @type {any} */ (position) }, { engine }),
  );
  const [here, there] = (await Promise.all(both)).map(({ output }) => [...output.data]);
  assert(distance(here ?? [], there ?? []) <= rounding, "the first position does not matter");
});

holds("rotation keeps the length of every row", async (random) => {
  const { length, headWidth } = random.sizes();
  const x = random.matrix(length, headWidth);
  const positions = [...random.vector(length, 5000)].map(Math.round);
  const turned = await rotary({ x, positions }, { engine });
  for (let row = 0; row < length; ++row) {
    const [before, now] = [x, turned].map((matrix) => dot(matrix.row(row), matrix.row(row)));
    assert(Math.abs(Number(before) - Number(now)) <= rounding * headWidth);
  }
});

holds(
  "sinusoidal positions are bounded by 1, and their products depend on p - q only",
  async (random) => {
    const d_model = 2 * random.whole(1, 40);
    const length = random.whole(2, 40);
    const offset = random.whole(0, 3000);
    const base = random.whole(2, 20000);
    for (const layout of layouts) {
      const here = await sinusoidalPositions({ length, d_model, base, layout }, { engine });
      const there = await sinusoidalPositions(
        { length, d_model, base, layout, offset },
        { engine },
      );
      assert(there.data.every((value) => Math.abs(value) <= 1));
      for (let p = 0; p < length; ++p) {
        const [one, other] = [here, there].map((codes) => dot(codes.row(0), codes.row(p)));
        assert(Math.abs(Number(one) - Number(other)) <= 1e-6 * Math.max(1, d_model / 2));
      }
    }
  },
);

holds("R_k moves every position by k: PE(p + k) = R_k PE(p)", async (random) => {
  const d_model = 2 * random.whole(1, 20);
  const [length, k] = [random.whole(1, 20), random.whole(-60, 60)];
  for (const layout of layouts) {
    const options = { d_model, layout };
    const from = await sinusoidalPositions({ ...options, length, offset: 100 }, { engine });
    const to = await sinusoidalPositions({ ...options, length, offset: 100 + k }, { engine });
    const rotation = await positionRotation({ ...options, offset: k }, { engine });
    for (let p = 0; p < length; ++p) {
      const moved = Array.from({ length: d_model }, (_, i) => dot(rotation.row(i), from.row(p)));
      assert(distance(moved, to.row(p)) <= 1e-6);
    }
  }
});

test("a head with W_q = R_k and W_k = I looks exactly k back", async () => {
  const [length, d_model] = [40, 64];
  const x = await sinusoidalPositions({ length, d_model }, { engine });
  const eye = new Matrix(d_model, d_model);
  for (let i = 0; i < d_model; ++i) eye.data[i * d_model + i] = 1;
  for (const k of [0, 1, 2, 5, 11, -1, -7]) {
    const wq = await positionRotation({ d_model, offset: k }, { engine });
    const given = { x, heads: 1, wq, wk: eye, wv: eye, wo: eye, scale: 10 };
    const { weights, output } = await multiHeadAttention(given, { engine });
    for (let row = Math.max(0, k); row < length + Math.min(0, k); ++row) {
      const weight = Number(weights[0]?.at(row, row - k));
      assert(weight > 0.999, `k = ${k}, row ${row}: ${weight}`);
      assert(distance([...output.row(row)], x.row(row - k)) < 1e-2, "its output is that row");
    }
  }
});

holds("layer norm is what its steps lead to, and each token is by itself", async (random) => {
  const [length, width] = [random.whole(1, 9), random.whole(2, 70)];
  const x = random.matrix(length, width, 5);
  const [gamma, beta] = [random.vector(width), random.vector(width)];
  const steps = await layerNormSteps({ x, gamma, beta }, { engine });
  const output = await layerNorm({ x, gamma, beta }, { engine });
  assert.deepEqual(steps.output.data, output.data);
  for (let row = 0; row < length; ++row) {
    const normalized = steps.normalized.row(row);
    assert(
      Math.abs(
        dot(
          normalized,
          normalized.map(() => 1 / width),
        ),
      ) <= rounding,
    );
    const variance = dot(normalized, normalized) / width;
    const expected = Number(steps.variance[row]) / (Number(steps.variance[row]) + 1e-5);
    assert(Math.abs(variance - expected) <= rounding);
  }
  const changed = new Matrix(length, width, x.data.slice());
  changed.row(0).fill(9, 0, 1);
  const again = await layerNorm({ x: changed, gamma, beta }, { engine });
  assert.deepEqual(again.data.subarray(width), output.data.subarray(width));
});

holds("gates scale what their heads add, and nothing else", async (random) => {
  const { length, heads, width } = random.sizes();
  const given = { x: random.matrix(length, width), ...random.attentionWeights(heads, width) };
  const gates = random.vector(heads, 2);
  const gated = await multiHeadAttention({ ...given, gates }, { engine });
  const open = await multiHeadAttention(given, { engine });
  assert.deepEqual(gated.weights, open.weights);
  assert.deepEqual(gated.context, open.context);
  const scaled = gated.concat.data.map((_, i) => {
    const head = Math.floor(((i % width) * heads) / width);
    return Number(open.concat.data[i]) * Number(gates[head]);
  });
  assert(distance([...gated.concat.data], scaled) <= 1e-6);
});

test("there may be no tokens, and no keys", async () => {
  const none = { rows: 0, cols: 4, data: [] };
  const three = new Matrix(3, 4);
  const noQueries = await attention({ query: none, key: three, value: three }, { engine });
  assert.deepEqual([noQueries.weights.rows, noQueries.weights.cols], [0, 3]);
  const noKeys = await attention({ query: three, key: none, value: none }, { engine });
  assert.deepEqual([noKeys.weights.rows, noKeys.weights.cols], [3, 0]);
  assert.deepEqual(noKeys.output.data, new Float32Array(12));
  const layer = { ...new Random(1).layer(2, 4), x: none, position: /** @type {any} */ ("alibi") };
  assert.equal((await encoderLayer(layer, { engine })).output.rows, 0);
  assert.equal((await sinusoidalPositions({ length: 0, d_model: 4 }, { engine })).rows, 0);
});

test("one thread and many give the same to the bit, in a worker too", async () => {
  const others = await Promise.all([
    createEngine({ variant: "simd", worker: true }),
    createEngine({ variant: "simd-threads", threads: 3 }),
  ]);
  const single = await createEngine({ variant: "simd" });
  for (const seed of seeds) {
    const random = new Random(seed);
    const { length, heads, width } = random.sizes();
    const given = { x: random.matrix(5 * length, width), ...random.layer(heads, width) };
    const alone = await encoderLayer(given, { engine: single });
    for (const other of others) {
      assert.deepEqual(await encoderLayer(given, { engine: other }), alone);
    }
  }
  await Promise.all([single, ...others].map((each) => each.dispose()));
});

test("what was given is not changed, and may be changed while a component computes", async () => {
  for (const worker of [false, true]) {
    const own = await createEngine({ variant: "simd", worker });
    const random = new Random(7);
    const x = random.matrix(4, 6);
    const before = x.data.slice();
    const weights = random.attentionWeights(2, 6);
    const given = { x, ...weights, position: /** @type {const} */ ("sinusoidal") };
    const expected = await multiHeadAttention(given, { engine: own });
    assert.deepEqual(x.data, before);
    const pending = multiHeadAttention(given, { engine: own });
    x.data.fill(0);
    weights.wq.data.fill(0);
    assert.deepEqual(await pending, expected);
    assert.equal(weights.wv.data.length, 36, "its memory is still its own");
    await own.dispose();
  }
});
