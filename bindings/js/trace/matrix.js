import { describeValue, HeadscopeError } from "./error.js";
import { aFloat32Array } from "./kinds.js";

/**
 * A matrix as an argument: one of Headscope's own, any object of that shape, or rows of numbers.
 *
 * @typedef {{ rows: number, cols: number, data: ArrayLike<number> } | number[][]} MatrixLike
 */

/** A dense row-major matrix [rows, cols] of float32. */
export class Matrix {
  /**
   * @param {number} rows
   * @param {number} cols
   * @param {Float32Array} [data] rows * cols values, kept and not copied; zeros by default
   * @throws {HeadscopeError} `bad-argument`, `bad-shape`; `out-of-memory`: so many zeros
   */
  constructor(rows, cols, data = makeZeros(rows, cols)) {
    checkSize("Matrix: rows", rows);
    checkSize("Matrix: cols", cols);
    aFloat32Array(data, "Matrix: data");
    if (data.length !== rows * cols) {
      throw new HeadscopeError(
        "bad-shape",
        `Matrix: data has ${data.length} values, expected ${rows} x ${cols} = ${rows * cols}`,
      );
    }
    /** @readonly */
    this.rows = rows;
    /** @readonly */
    this.cols = cols;
    /**
     * In a trace this is a view of the trace's own buffer: `slice()` it to keep or transfer it.
     * @readonly
     */
    this.data = data;
  }

  /**
   * One value. Throws `bad-argument` outside the matrix.
   *
   * @param {number} r row, from 0
   * @param {number} c column, from 0
   * @returns {number}
   */
  at(r, c) {
    checkIndex("matrix: row", r, this.rows);
    checkIndex("matrix: column", c, this.cols);
    return /** @type {number} */ (this.data[r * this.cols + c]);
  }

  /**
   * One row, as a view [cols] of the same memory. Throws `bad-argument` outside the matrix.
   *
   * @param {number} r from 0
   * @returns {Float32Array}
   */
  row(r) {
    checkIndex("matrix: row", r, this.rows);
    return this.data.subarray(r * this.cols, (r + 1) * this.cols);
  }
}

/**
 * @param {number} rows
 * @param {number} cols
 * @returns {Float32Array}
 */
function makeZeros(rows, cols) {
  checkSize("Matrix: rows", rows);
  checkSize("Matrix: cols", cols);
  try {
    return new Float32Array(rows * cols);
  } catch (error) {
    const message = `Matrix: ${rows} x ${cols} numbers are more than this machine can hold`;
    throw new HeadscopeError("out-of-memory", message, { cause: error });
  }
}

/**
 * Checks that an index is a whole number in [0, count), and throws `bad-argument` with the range.
 *
 * @param {string} what how the message names it
 * @param {unknown} index
 * @param {number} count
 * @returns {number} the index
 */
export function checkIndex(what, index, count) {
  if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index < count) {
    return index;
  }
  const range = count === 0 ? "there is none" : `expected 0 to ${count - 1}`;
  throw new HeadscopeError("bad-argument", `${what} is ${describeValue(index)}, ${range}`);
}

/**
 * Reads a matrix that a caller gave. A Float32Array inside is used as it is, without a copy.
 * NaN is refused; infinities pass, since an added mask may hold -Infinity.
 *
 * @param {unknown} value a MatrixLike
 * @param {string} what how a message names it, for example "attention: query"
 * @returns {Matrix}
 * @throws {HeadscopeError} `bad-argument` (type, NaN) or `bad-shape` (sizes that disagree)
 */
export function readMatrix(value, what) {
  if (Array.isArray(value)) return readRows(value, what);
  if (typeof value !== "object" || value === null || !("data" in value)) {
    throw new HeadscopeError(
      "bad-argument",
      `${what} is ${describeValue(value)}, expected a matrix { rows, cols, data } or number[][]`,
    );
  }
  const { rows, cols, data } = /** @type {Record<string, unknown>} */ (value);
  const height = checkSize(`${what}.rows`, rows);
  const width = checkSize(`${what}.cols`, cols);
  const values = readVector(data, `${what}.data`);
  if (values.length !== height * width) {
    throw new HeadscopeError(
      "bad-shape",
      `${what} has ${values.length} values, expected ${height} x ${width} = ${height * width}`,
    );
  }
  return value instanceof Matrix && value.data === values
    ? value
    : new Matrix(height, width, values);
}

/**
 * Reads a vector that a caller gave. A Float32Array is returned as it is, without a copy.
 *
 * @param {unknown} value a Float32Array, another array of numbers, or number[]
 * @param {string} what how a message names it
 * @returns {Float32Array}
 * @throws {HeadscopeError} `bad-argument` (type, NaN)
 */
export function readVector(value, what) {
  if (!isArrayOfNumbers(value)) {
    throw new HeadscopeError(
      "bad-argument",
      `${what} is ${describeValue(value)}, expected an array of numbers`,
    );
  }
  for (let i = 0; i < value.length; ++i) {
    const entry = /** @type {unknown} */ (value[i]);
    if (typeof entry !== "number" || Number.isNaN(entry)) {
      throw new HeadscopeError(
        "bad-argument",
        `${what}[${i}] is ${describeValue(entry)}, expected a number`,
      );
    }
  }
  return value instanceof Float32Array ? value : Float32Array.from(value);
}

/**
 * @param {unknown[]} rows
 * @param {string} what
 * @returns {Matrix}
 */
function readRows(rows, what) {
  const first = rows[0];
  const cols = isArrayOfNumbers(first) ? first.length : 0;
  const matrix = new Matrix(rows.length, cols);
  rows.forEach((row, r) => {
    const values = readVector(row, `${what}[${r}]`);
    if (values.length !== cols) {
      throw new HeadscopeError(
        "bad-shape",
        `${what}[${r}] has ${values.length} values, expected ${cols} as in the first row`,
      );
    }
    matrix.data.set(values, r * cols);
  });
  return matrix;
}

/**
 * @param {string} what
 * @param {unknown} size
 * @returns {number}
 */
function checkSize(what, size) {
  if (typeof size === "number" && Number.isSafeInteger(size) && size >= 0) return size;
  throw new HeadscopeError(
    "bad-argument",
    `${what} is ${describeValue(size)}, expected a whole number from 0`,
  );
}

/**
 * @param {unknown} value
 * @returns {value is ArrayLike<number>}
 */
function isArrayOfNumbers(value) {
  if (Array.isArray(value)) return true;
  return ArrayBuffer.isView(value) && !(value instanceof DataView) && !holdsBigInts(value);
}

/**
 * @param {ArrayBufferView} view
 * @returns {boolean}
 */
function holdsBigInts(view) {
  return view instanceof BigInt64Array || view instanceof BigUint64Array;
}
