import { compute } from "./components/compute.js";
import { Letters } from "./components/letters.js";
import { splitMask } from "./components/mask.js";
import { checkPermutation } from "./run-options.js";
import { HeadscopeError } from "./trace/error.js";
import { aWholeNumber, isRecord, listOf, refuse } from "./trace/kinds.js";
import { Matrix, readMatrix } from "./trace/matrix.js";

/** @typedef {import("./components.js").ComponentOptions} ComponentOptions */
/** @typedef {import("./components.js").EncoderLayerArguments} EncoderLayerArguments */
/** @typedef {import("./components.js").MultiHeadAttentionArguments} MultiHeadAttentionArguments */

/** How messages begin. */
const what = "permutationResidual";

/**
 * How far attention, or a whole encoder layer, is from permutation equivariance: the largest
 * |f(P x) - P f(x)|, where order[i] is the token at place i of P x. Without positions it is 0 up to
 * rounding, since attention has no term for an index: (P Q)(P K)^T = P Q K^T P^T, and softmax acts
 * by rows (Vaswani et al. 2017, section 3.5, adds positions for that reason; Lee et al. 2019, "Set
 * Transformer", property 1).
 *
 * Key masks travel with their tokens. `position`, causal masks and masks that are added act on
 * places, after the permutation; a memory stays as it is, and so do key masks then.
 *
 * @example
 * const eye = [[1, 0], [0, 1]];
 * const given = { x: [[0, 1], [1, 0]], heads: 1, wq: eye, wk: eye, wv: eye, wo: eye };
 * const without = await permutationResidual({ ...given, order: [1, 0] });
 * without.residual; // -> 0
 * const causal = await permutationResidual({ ...given, mask: "causal", order: [1, 0] });
 * causal.rows; // -> [[0.33024, -0.33024], [0.33024, -0.33024]]
 *
 * @param {(MultiHeadAttentionArguments | EncoderLayerArguments) & { order: number[] }} given the
 *   arguments of `multiHeadAttention`, or of `encoderLayer` where `parameters` is among them
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ residual: number, rows: Matrix }>} `rows`: f(P x) - P f(x), [T, O]
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function permutationResidual(given, options) {
  if (!isRecord(given)) return refuse(what, given, "an object { order, x, .. }");
  const { order: listed, ...args } = given;
  listOf(aWholeNumber)(listed, `${what}: order`);
  // The caller may change its array while the engine computes.
  const order = [.../** @type {number[]} */ (listed)];
  checkPermutation(order, `${what}: order`);
  const x = readMatrix(args.x, `${what}: x`);
  if (x.rows !== order.length) {
    throw new HeadscopeError(
      "bad-shape",
      `${what}: order has ${order.length} entries, expected ${x.rows} as x has rows`,
    );
  }
  const permuted = { ...args, x: permuteRows(x, order), ...permuteMask(args, x, order) };
  const [plain, moved] = await Promise.all([apply(args, options), apply(permuted, options)]);
  const expected = permuteRows(plain, order);
  const difference = moved.data.map((value, i) => value - Number(expected.data[i]));
  const residual = difference.reduce((worst, value) => Math.max(worst, Math.abs(value)), 0);
  return { residual, rows: new Matrix(moved.rows, moved.cols, difference) };
}

/**
 * @param {Record<string, unknown>} args
 * @param {ComponentOptions | undefined} options
 * @returns {Promise<Matrix>}
 */
async function apply(args, options) {
  const name = args.parameters === undefined ? "multiHeadAttention" : "encoderLayer";
  return (await compute(name, args, options, what)).output;
}

/**
 * @param {Matrix} matrix
 * @param {number[]} order
 * @returns {Matrix}
 */
function permuteRows({ rows, cols, data }, order) {
  const moved = new Matrix(rows, cols);
  for (const [place, row] of order.entries()) {
    moved.data.set(data.subarray(row * cols, (row + 1) * cols), place * cols);
  }
  return moved;
}

/**
 * The mask after the permutation: what is said of a key goes where the key goes.
 *
 * @param {Record<string, unknown>} args
 * @param {Matrix} x
 * @param {number[]} order
 * @returns {{ mask?: unknown }} nothing where it stays as it is
 */
function permuteMask({ mask, memory, heads }, x, order) {
  if (mask === undefined || memory !== undefined) return {};
  const letters = new Letters();
  letters.set("T", x.rows);
  letters.set("H", Number(heads));
  const place = { letters, keys: "T", perHead: true };
  const parts = splitMask(mask, `${what}: mask`, place).map((part) =>
    part instanceof Uint8Array ? part.map((_, place) => Number(part[Number(order[place])])) : part,
  );
  return { mask: parts };
}
