import { HeadscopeError } from "../trace/error.js";
import { aBoolean, aFiniteNumber, aFloat32, kind, oneOf, refuse } from "../trace/kinds.js";
import { readMatrix, readVector } from "../trace/matrix.js";

/** @typedef {import("./argument.js").Argument} Argument */
/** @typedef {import("./letters.js").Letters} Letters */

/** A vector as an argument. @typedef {Float32Array | number[]} VectorLike */

/**
 * A matrix as the core takes it. Its memory is its own: a caller may change what it gave, and a
 * worker may be given the memory itself.
 *
 * @typedef {{ rows: number, cols: number, data: Float32Array }} FlatMatrix
 */

/**
 * Finite numbers [rows, cols].
 *
 * @param {...string} shape two letters
 * @returns {Argument}
 */
export function matrix(...shape) {
  return {
    form: formOf(shape),
    read: (value, what, letters) => {
      const { rows, cols, data } = readMatrix(value, what);
      letters.agree(what, [rows, cols], shape);
      requireBelowInfinity(data.map(Math.abs), what);
      return { rows, cols, data: data.slice() };
    },
  };
}

/**
 * Numbers [rows, cols] that are added to scores: -Infinity forbids.
 *
 * @param {...string} shape two letters
 * @returns {{ form: string,
 *   read: (value: unknown, what: string, letters: Letters) => FlatMatrix }}
 */
export function addend(...shape) {
  return {
    form: formOf(shape),
    read: (value, what, letters) => {
      const { rows, cols, data } = readMatrix(value, what);
      letters.agree(what, [rows, cols], shape);
      requireBelowInfinity(data, what);
      return { rows, cols, data: data.slice() };
    },
  };
}

/**
 * @param {string} letter
 * @returns {Argument} finite numbers [letter]
 */
export function vector(letter) {
  return {
    form: formOf([letter]),
    read: (value, what, letters) => {
      const data = readVector(value, what);
      letters.agree(what, [data.length], [letter]);
      requireBelowInfinity(data.map(Math.abs), what);
      return data.slice();
    },
  };
}

/**
 * @param {string} letter
 * @returns {Argument} finite numbers [letter] whose every digit counts
 */
export function doubles(letter) {
  return {
    form: formOf([letter]),
    read: (value, what, letters) => {
      letters.agree(what, [readVector(value, what).length], [letter]);
      const data = Float64Array.from(/** @type {ArrayLike<number>} */ (value));
      for (const [i, entry] of data.entries()) aFiniteNumber(entry, `${what}[${i}]`);
      return data;
    },
  };
}

/**
 * A whole number, which may be the size of a letter.
 *
 * @param {{ letter?: string, from?: number, to?: number, even?: boolean }} [options]
 * @returns {Argument}
 */
export function count({ letter, from = 0, to = 0x7fffffff, even = false } = {}) {
  const form = `${even ? "an even" : "a whole"} number from ${from} to ${to}`;
  const check = kind(form, (value) => {
    const number = Number(value);
    return Number.isInteger(value) && from <= number && number <= to && !(even && number % 2);
  });
  return {
    form,
    read: (value, what, letters) => {
      check(value, what);
      if (letter !== undefined) letters.set(letter, Number(value));
      return value;
    },
  };
}

/**
 * A number of heads H, which divides widths.
 *
 * @param {Record<string, string>} widths the letter of each head's part -> that of the whole
 * @returns {Argument}
 */
export function headCount(widths) {
  const { form, read } = count({ letter: "H", from: 1, to: 65536 });
  return {
    form,
    read: (value, what, letters) => {
      read(value, what, letters);
      for (const [part, whole] of Object.entries(widths)) {
        const width = Number(letters.sizeOf(whole));
        if (width % Number(value) !== 0) {
          refuse(what, value, `a divisor of ${whole} = ${width}`);
        }
        letters.set(part, width / Number(value));
      }
      return value;
    },
  };
}

/**
 * A number of clipped offsets to each side, whose tables have 2 clip + 1 rows.
 *
 * @returns {Argument}
 */
export function clipCount() {
  const { form, read } = count({ to: 65536 });
  return {
    form,
    read: (value, what, letters) => {
      read(value, what, letters);
      letters.set("2 clip + 1", 2 * Number(value) + 1);
      return value;
    },
  };
}

/**
 * An even number of columns, all by default, of which there must be an even number then.
 *
 * @param {string} letter the number of columns
 * @returns {Argument}
 */
export function columnPairs(letter) {
  const check = (
    /** @type {unknown} */ value,
    /** @type {string} */ what,
    /** @type {Letters} */ l,
  ) => count({ from: 2, to: Number(l.sizeOf(letter)), even: true }).read(value, what, l);
  return {
    form: `an even number up to ${letter}`,
    read: check,
    absent: (what, letters) => {
      check(letters.sizeOf(letter), `${what} is left out, so that it`, letters);
    },
  };
}

/**
 * The largest distance that T5's buckets tell apart: more than those that have a bucket each.
 *
 * @returns {Argument}
 */
export function bucketedDistance() {
  return {
    form: "a whole number over B / 2",
    read: (value, what, letters) => {
      const from = Number(letters.sizeOf("B")) / 2 + 1;
      return count({ from, to: 10000000 }).read(value, what, letters);
    },
  };
}

/**
 * T5's table [B, H].
 *
 * @returns {Argument}
 */
export function bucketTable() {
  const { form, read } = matrix("B", "H");
  return {
    form,
    read: (value, what, letters) => {
      const table = read(value, what, letters);
      count({ from: 4, to: 65536, even: true }).read(letters.sizeOf("B"), `${what}.rows`, letters);
      return table;
    },
  };
}

/** A number that float32 can hold. @type {Argument} */
export const number = { form: "a finite number", read: keep(aFloat32) };

/** A number over 0, in float32 too. @type {Argument} */
export const positive = checked("a positive number that float32 can hold", (value) => {
  const rounded = Math.fround(Number(value));
  return Number.isFinite(rounded) && rounded > 0;
});

/**
 * @param {number} [limit]
 * @returns {Argument} a whole number from -limit to limit
 */
export function integer(limit = 0x7fffffff) {
  return count({ from: -limit, to: limit });
}

/** @type {Argument} */
export const realNumber = { form: "a finite number", read: keep(aFiniteNumber) };
/** @type {Argument} */
export const flag = { form: "true or false", read: keep(aBoolean) };

/**
 * @param {...string} words
 * @returns {Argument}
 */
export function word(...words) {
  return { form: words.join(" or "), read: keep(oneOf(words)) };
}

/**
 * @param {string} form
 * @param {(value: unknown) => boolean} accepts of numbers
 * @returns {Argument}
 */
function checked(form, accepts) {
  const check = kind(form, (value) => typeof value === "number" && accepts(value));
  return { form, read: keep(check) };
}

/**
 * @param {import("../trace/kinds.js").Kind} check
 * @returns {Argument["read"]} the value itself
 */
function keep(check) {
  return (value, what) => {
    check(value, what);
    return value;
  };
}

/**
 * @param {readonly string[]} shape
 * @returns {string}
 */
function formOf(shape) {
  return `[${shape.join(", ")}]`;
}

/**
 * @param {Float32Array} data
 * @param {string} what
 */
function requireBelowInfinity(data, what) {
  const at = data.indexOf(Number.POSITIVE_INFINITY);
  if (at === -1) return;
  throw new HeadscopeError(
    "bad-argument",
    `${what} holds an infinity as number ${at}, expected finite numbers`,
  );
}
