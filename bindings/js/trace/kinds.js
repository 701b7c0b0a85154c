import { describeValue, HeadscopeError } from "./error.js";

/**
 * A check of one argument: throws `bad-argument` when a value is not of its kind. `what` names the
 * value in the message, for example "run: gates[0].layer".
 *
 * @typedef {(value: unknown, what: string) => void} Kind
 */

/**
 * @param {string} what
 * @param {unknown} value
 * @param {string} expected
 * @returns {never}
 */
export function refuse(what, value, expected) {
  throw new HeadscopeError(
    "bad-argument",
    `${what} is ${describeValue(value)}, expected ${expected}`,
  );
}

/**
 * @param {string} expected
 * @param {(value: unknown) => boolean} accepts
 * @returns {Kind}
 */
export function kind(expected, accepts) {
  return (value, what) => {
    if (!accepts(value)) refuse(what, value, expected);
  };
}

export const aString = kind("a string", (value) => typeof value === "string");
export const aBoolean = kind("true or false", (value) => typeof value === "boolean");
export const aFunction = kind("a function", (value) => typeof value === "function");
export const aFiniteNumber = kind("a finite number", Number.isFinite);

// The core computes in float32, where a larger number would be an infinity.
export const aFloat32 = kind(
  "a finite number of float32, at most 3.4028235e38 in size",
  fitsFloat32,
);

// The core counts with 32-bit integers: a larger number would wrap around at the border.
export const aWholeNumber = kind(
  "a whole number from 0 to 2147483647",
  (value) => Number.isInteger(value) && 0 <= Number(value) && Number(value) <= 0x7fffffff,
);

export const anInteger = kind(
  "a whole number of 32 bits",
  (value) => Number.isInteger(value) && Math.abs(Number(value)) <= 0x7fffffff,
);

export const anArray = kind("an array", Array.isArray);
export const aRecord = kind("an object", isRecord);

// By its tag: one of another realm is no instance of this one's.
export const aFloat32Array = kind(
  "a Float32Array",
  (value) => Object.prototype.toString.call(value) === "[object Float32Array]",
);

/** For a value that is read, and so checked, elsewhere. @type {Kind} */
export const anything = () => {};

export const aSignal = kind("an AbortSignal", isSignal);

/**
 * @param {readonly string[]} words
 * @returns {Kind}
 */
export function oneOf(words) {
  return kind(words.map((word) => JSON.stringify(word)).join(" or "), (value) =>
    words.includes(/** @type {string} */ (value)),
  );
}

/**
 * @param {Kind} element
 * @returns {Kind}
 */
export function listOf(element) {
  return (value, what) => {
    if (!Array.isArray(value)) refuse(what, value, "an array");
    // Not forEach, which skips the holes of a sparse array.
    for (let i = 0; i < value.length; ++i) element(value[i], `${what}[${i}]`);
  };
}

/**
 * A record with these keys and no others. A key that is `undefined` counts as left out.
 *
 * @param {Record<string, Kind>} kinds
 * @param {{ required?: readonly string[] }} [options] the keys that must be there
 * @returns {Kind}
 */
export function recordOf(kinds, { required = [] } = {}) {
  return (value, what) => {
    if (!isRecord(value)) refuse(what, value, "an object");
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(kinds, key)) {
        const known = Object.keys(kinds).join(", ") || "none";
        throw new HeadscopeError("bad-argument", `${what}: unknown "${key}", known: ${known}`);
      }
      if (value[key] !== undefined) kinds[key]?.(value[key], `${what}.${key}`);
    }
    for (const key of required) {
      if (value[key] === undefined) {
        throw new HeadscopeError("bad-argument", `${what}.${key} is missing`);
      }
    }
  };
}

/**
 * Checks an options argument and gives it back; `undefined` is no options at all.
 *
 * @template {object} T
 * @param {T | undefined} options
 * @param {string} what
 * @param {Record<string, Kind>} kinds
 * @returns {T | Record<string, never>}
 */
export function readOptions(options, what, kinds) {
  if (options === undefined) return {};
  recordOf(kinds)(options, what);
  return options;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isRecord(value) {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value)
  );
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function fitsFloat32(value) {
  return typeof value === "number" && Number.isFinite(Math.fround(value));
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isSignal(value) {
  return (
    isRecord(value) &&
    typeof value.aborted === "boolean" &&
    typeof value.addEventListener === "function"
  );
}
