import { HeadscopeError } from "../trace/error.js";
import { isRecord, refuse } from "../trace/kinds.js";
import { addend } from "./argument-kinds.js";

/** @typedef {import("../trace/matrix.js").MatrixLike} MatrixLike */
/** @typedef {import("./argument.js").Argument} Argument */
/** @typedef {import("./argument-kinds.js").FlatMatrix} FlatMatrix */
/** @typedef {import("./letters.js").Letters} Letters */

/**
 * Which keys a query may see: `"causal"`, query i sees keys j <= i; a key mask, one boolean (or 0,
 * 1) per key, true for one that may be seen; a matrix [T, M] that is added to the scaled scores,
 * where -Infinity forbids.
 *
 * @typedef {"causal" | ArrayLike<boolean | number> | MatrixLike} SingleMask
 */

/**
 * One mask, or several that apply together. Key masks in an array are best of booleans: rows of
 * numbers that make up a matrix [T, M] are that matrix.
 *
 * @typedef {SingleMask | SingleMask[]} MaskLike
 */

/**
 * A mask of several heads: also one matrix [T, M] for each head, alone or as a part of others.
 *
 * @typedef {SingleMask | MatrixLike[] | (SingleMask | MatrixLike[])[]} HeadMaskLike
 */

/**
 * What all masks are made of. Matrices: one for all heads, or one for each.
 *
 * @typedef {"causal" | Uint8Array | FlatMatrix[]} MaskPart
 */

/**
 * A mask as the core takes it.
 *
 * @typedef {{ causal: boolean, valid_keys?: Uint8Array, additive: FlatMatrix[] }} FlatMask
 */

/**
 * Where a mask is read.
 *
 * @typedef {object} MaskPlace
 * @property {Letters} letters with T, with M or what it is called and, of several heads, with H
 * @property {string} keys the letter of the keys
 * @property {boolean} perHead whether there may be a matrix per head
 */

/**
 * The mask of one head.
 *
 * @param {string} keys the letter of the keys
 * @returns {Argument}
 */
export function mask(keys) {
  return maskArgument({ keys, perHead: false });
}

/**
 * The mask of H heads.
 *
 * @param {string} keys the letter of the keys
 * @returns {Argument}
 */
export function headMask(keys) {
  return maskArgument({ keys, perHead: true });
}

/**
 * @param {Omit<MaskPlace, "letters">} place
 * @returns {Argument}
 */
function maskArgument(place) {
  return {
    form: formOf(place.keys),
    read: (value, what, letters) => joinParts(splitMask(value, what, { ...place, letters })),
  };
}

/**
 * Takes a mask to pieces.
 *
 * @param {unknown} value
 * @param {string} what
 * @param {MaskPlace} place
 * @returns {MaskPart[]}
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`
 */
export function splitMask(value, what, place) {
  const { letters, keys } = place;
  if (value === "causal") return ["causal"];
  if (isRow(value)) return [readKeys(value, what, place)];
  const readAddend = (/** @type {unknown} */ matrix, /** @type {string} */ name) =>
    addend("T", keys).read(matrix, name, letters);
  if (isRecord(value)) return [[readAddend(value, what)]];
  if (!Array.isArray(value)) return refuse(what, value, formOf(keys));
  if (place.perHead && value.length === letters.sizeOf("H") && value.every(isMatrix)) {
    return [value.map((matrix, head) => readAddend(matrix, `${what}[${head}]`))];
  }
  if (isAddend(value, what, place)) return [[readAddend(value, what)]];
  return value.flatMap((part, i) => splitMask(part, `${what}[${i}]`, place));
}

/**
 * Rows of numbers are a matrix, unless each of them can only be a key mask.
 *
 * @param {unknown[]} value
 * @param {string} what
 * @param {MaskPlace} place
 * @returns {boolean}
 */
function isAddend(value, what, { letters, keys }) {
  const count = letters.sizeOf(keys);
  const isWhole = value.length === letters.sizeOf("T");
  if (isWhole && value.length > 1 && value.every(isRowOfBooleans)) {
    throw new HeadscopeError(
      "bad-argument",
      `${what} is a table of booleans, expected numbers to add: 0, and -Infinity to forbid`,
    );
  }
  if (!isMatrix(value)) return false;
  if (isWhole) return true;
  const rows = /** @type {number[][]} */ (value);
  return !rows.every((row) => row.length === count && row.every((key) => key === 0 || key === 1));
}

/**
 * @param {ArrayLike<unknown>} row
 * @param {string} what
 * @param {MaskPlace} place
 * @returns {Uint8Array} 0 for a key that is hidden
 */
function readKeys(row, what, { letters, keys }) {
  letters.agree(what, [row.length], [keys]);
  return Uint8Array.from(row, (key, i) => {
    if (key === true || key === 1) return 1;
    if (key === false || key === 0) return 0;
    return refuse(`${what}[${i}]`, key, "true, false, 0 or 1");
  });
}

/**
 * @param {string} keys
 * @returns {string}
 */
function formOf(keys) {
  return `"causal", one boolean per key, a matrix [T, ${keys}] that is added, or an array of these`;
}

/**
 * @param {MaskPart[]} parts
 * @returns {FlatMask} `additive`: none, one for all heads, or one per head
 */
function joinParts(parts) {
  /** @type {FlatMask} */
  const joined = { causal: false, additive: [] };
  for (const part of parts) {
    if (part === "causal") joined.causal = true;
    else if (part instanceof Uint8Array) {
      const before = joined.valid_keys;
      joined.valid_keys =
        before === undefined ? part : part.map((key, i) => key & Number(before[i]));
    } else joined.additive = addPerHead(joined.additive, part);
  }
  return joined;
}

/**
 * @param {FlatMatrix[]} before
 * @param {FlatMatrix[]} more
 * @returns {FlatMatrix[]}
 */
function addPerHead(before, more) {
  if (before.length === 0) return more;
  const [long, short] = before.length < more.length ? [more, before] : [before, more];
  return long.map(({ rows, cols, data }, head) => {
    const other = /** @type {FlatMatrix} */ (short[short.length === 1 ? 0 : head]);
    return { rows, cols, data: data.map((value, i) => value + Number(other.data[i])) };
  });
}

/**
 * @param {unknown} value
 * @returns {value is ArrayLike<unknown>} numbers or booleans in a row
 */
function isRow(value) {
  if (ArrayBuffer.isView(value)) return !(value instanceof DataView);
  return Array.isArray(value) && ["number", "boolean"].includes(typeof value[0]);
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isRowOfBooleans(value) {
  return Array.isArray(value) && typeof value[0] === "boolean";
}

/**
 * @param {unknown} value
 * @returns {boolean} a matrix, or rows of numbers
 */
function isMatrix(value) {
  if (isRecord(value)) return "data" in value;
  const isNumbers = (/** @type {unknown} */ row) =>
    Array.isArray(row) && typeof row[0] === "number";
  return Array.isArray(value) && value.length > 0 && value.every(isNumbers);
}
