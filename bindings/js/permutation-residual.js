import { encoderLayer, multiHeadAttention } from "./components.js";
import { aWholeNumber, isRecord, listOf, refuse } from "./kinds.js";
import { permuteKeys } from "./mask-argument.js";
import { checkPermutation, permute } from "./run-options.js";
import { Matrix, readMatrix } from "./trace/matrix.js";

/** @typedef {import("./components.js").ComponentOptions} ComponentOptions */
/** @typedef {Parameters<typeof encoderLayer>[0]} LayerArguments */
/** @typedef {Parameters<typeof multiHeadAttention>[0]} HeadArguments */

/**
 * How far a layer is from permutation equivariance: max |f(P x) - P f(x)|, where order[i] is the
 * token at place i of P x. Without positions and causal mask it is 0 up to rounding: attention has
 * no term for an index. Key masks travel with their tokens; `position` acts after the permutation.
 *
 * @example
 * const eye = [[1, 0], [0, 1]];
 * const given = { x: [[1, 2], [3, 4]], heads: 1, wq: eye, wk: eye, wv: eye, wo: eye };
 * (await permutationResidual({ ...given, order: [1, 0] })).residual; // -> 0
 *
 * @param {(HeadArguments | LayerArguments) & { order: number[] }} given the arguments of
 *   `multiHeadAttention`, or of `encoderLayer` where `parameters` is among them
 * @param {ComponentOptions} [options]
 * @returns {Promise<{ residual: number, rows: Matrix }>} `rows`: f(P x) - P f(x), [T, D]
 * @throws {import("./trace/error.js").HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function permutationResidual(given, options) {
  if (!isRecord(given)) return refuse("permutationResidual", given, "an object");
  const { order, ...args } = given;
  listOf(aWholeNumber)(order, "permutationResidual: order");
  checkPermutation(order, "permutationResidual: order");
  const x = readMatrix(args.x, "permutationResidual: x");
  /** @type {Record<string, unknown>} */
  const moved = { ...args, x: permuteRows(x, order) };
  // The keys of a memory stay where they are.
  if (!("memory" in args)) moved.mask = permuteKeys(args.mask, order);
  const [plain, permuted] = await Promise.all([apply(args, options), apply(moved, options)]);
  const expected = permuteRows(plain, order);
  const difference = permuted.data.map((value, i) => value - (expected.data[i] ?? Number.NaN));
  const residual = difference.reduce((worst, value) => Math.max(worst, Math.abs(value)), 0);
  return { residual, rows: new Matrix(permuted.rows, permuted.cols, difference) };
}

/**
 * @param {Record<string, unknown>} args
 * @param {ComponentOptions | undefined} options
 * @returns {Promise<Matrix>}
 */
async function apply(args, options) {
  const unchecked = /** @type {any} */ (args);
  const compute = "parameters" in args ? encoderLayer : multiHeadAttention;
  return (await compute(unchecked, options)).output;
}

/**
 * @param {Matrix} matrix
 * @param {number[]} order
 * @returns {Matrix}
 */
function permuteRows(matrix, order) {
  const rows = permute(
    Array.from({ length: matrix.rows }, (_, row) => row),
    order,
  );
  const moved = new Matrix(matrix.rows, matrix.cols);
  for (const [place, row] of rows.entries()) moved.data.set(matrix.row(row), place * matrix.cols);
  return moved;
}
