import { flattenData } from "./flat-matrix.js";
import { isRecord, refuse } from "./kinds.js";
import { permute } from "./run-options.js";
import { HeadscopeError } from "./trace/error.js";
import { Matrix, readMatrix } from "./trace/matrix.js";

/** @typedef {import("./flat-matrix.js").FlatMatrix} FlatMatrix */
/** @typedef {import("./trace/matrix.js").MatrixLike} MatrixLike */

/**
 * Which keys a query may see: `"causal"`; one boolean (or 0, 1) per key, true for one that may be
 * seen; a matrix [T, M] that is added to the scores, where -Infinity forbids.
 *
 * @typedef {"causal" | (boolean | 0 | 1)[] | Uint8Array | MatrixLike} SingleMask
 */

/**
 * One mask, or several that apply together.
 *
 * @typedef {SingleMask | SingleMask[]} MaskLike
 */

/**
 * @typedef {{ rows: number, cols: number, heads: number | undefined }} MaskShape `heads` where one
 *   matrix per head may be given
 */

/**
 * @typedef {{ causal: boolean, valid_keys?: Uint8Array, additive: FlatMatrix[] }} FlatMask
 */

const expected = '"causal", one boolean per key, a matrix that is added, or an array of these';

/**
 * Checks a mask and joins its parts.
 *
 * @param {unknown} value a MaskLike; with `heads`, also an array of that many matrices
 * @param {string} what
 * @param {MaskShape} shape
 * @returns {FlatMask} `additive`: none, one for all heads, or one per head
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`
 */
export function readMask(value, what, shape) {
  const mask = new MaskParts(shape);
  mask.add(value, what);
  return mask.flatten();
}

/**
 * Moves the keys of the masks that have one entry per key; the rest of a mask acts on places.
 *
 * @param {unknown} value a MaskLike, or undefined
 * @param {number[]} order a permutation of the keys
 * @returns {unknown}
 */
export function permuteKeys(value, order) {
  if (isFlat(value)) return permute(Array.from(value), order);
  if (!Array.isArray(value) || isMatrixLike(value)) return value;
  return value.map((part) => permuteKeys(part, order));
}

/** What has been read of a mask. */
class MaskParts {
  #shape;
  #causal = false;
  /** @type {Uint8Array | undefined} */
  #validKeys;
  /** @type {Matrix[]} one for all heads, or one per head */
  #added = [];

  /** @param {MaskShape} shape */
  constructor(shape) {
    this.#shape = shape;
  }

  /**
   * @param {unknown} value
   * @param {string} what
   */
  add(value, what) {
    if (value === "causal") this.#causal = true;
    else if (isFlat(value)) this.#addKeys(value, what);
    else if (isMatrixLike(value)) this.#addMatrices([this.#readMatrix(value, what)]);
    else if (!Array.isArray(value)) refuse(what, value, expected);
    else if (value.length === this.#shape.heads && value.every(isMatrixLike)) {
      this.#addMatrices(value.map((matrix, i) => this.#readMatrix(matrix, `${what}[${i}]`)));
    } else {
      for (const [i, part] of value.entries()) this.add(part, `${what}[${i}]`);
    }
  }

  /** @returns {FlatMask} */
  flatten() {
    const valid = this.#validKeys === undefined ? {} : { valid_keys: this.#validKeys };
    return { causal: this.#causal, ...valid, additive: this.#added.map(flattenData) };
  }

  /**
   * @param {ArrayLike<unknown>} keys
   * @param {string} what
   */
  #addKeys(keys, what) {
    const { cols } = this.#shape;
    if (keys.length !== cols) {
      throw new HeadscopeError("bad-shape", `${what} has ${keys.length} keys, expected ${cols}`);
    }
    const valid = this.#validKeys ?? new Uint8Array(cols).fill(1);
    for (const [i, key] of Array.from(keys).entries()) {
      if (key !== true && key !== false && key !== 0 && key !== 1) {
        refuse(`${what}[${i}]`, key, "true, false, 0 or 1");
      }
      if (!key) valid[i] = 0;
    }
    this.#validKeys = valid;
  }

  /**
   * @param {unknown} value
   * @param {string} what
   * @returns {Matrix}
   */
  #readMatrix(value, what) {
    const matrix = readMatrix(value, what);
    const { rows, cols } = this.#shape;
    if (matrix.rows === rows && matrix.cols === cols) return matrix;
    throw new HeadscopeError(
      "bad-shape",
      `${what} has shape [${matrix.rows},${matrix.cols}], expected [${rows},${cols}]`,
    );
  }

  /** @param {Matrix[]} matrices one for all heads, or one per head */
  #addMatrices(matrices) {
    const before = this.#added;
    if (before.length === 0) this.#added = matrices;
    else {
      const count = Math.max(before.length, matrices.length);
      this.#added = Array.from({ length: count }, (_, head) =>
        sum(ofHead(before, head), ofHead(matrices, head)),
      );
    }
  }
}

/**
 * @param {Matrix[]} matrices
 * @param {number} head
 * @returns {Matrix}
 */
function ofHead(matrices, head) {
  return /** @type {Matrix} */ (matrices[matrices.length === 1 ? 0 : head]);
}

/**
 * @param {Matrix} a
 * @param {Matrix} b
 * @returns {Matrix}
 */
function sum(a, b) {
  return new Matrix(
    a.rows,
    a.cols,
    a.data.map((value, i) => value + (b.data[i] ?? 0)),
  );
}

/**
 * @param {unknown} value
 * @returns {value is ArrayLike<unknown>} a row of numbers or booleans
 */
function isFlat(value) {
  if (ArrayBuffer.isView(value)) return !(value instanceof DataView);
  const isPlain = (/** @type {unknown} */ entry) => ["number", "boolean"].includes(typeof entry);
  return Array.isArray(value) && value.length > 0 && isPlain(value[0]);
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isMatrixLike(value) {
  if (isRecord(value)) return "data" in value;
  const isRow = (/** @type {unknown} */ row) => isFlat(row) && typeof row[0] === "number";
  return Array.isArray(value) && value.length > 0 && isRow(value[0]);
}
