import { aPosition } from "./config.js";
import { compact, flattenData } from "./flat-matrix.js";
import {
  aBoolean,
  aFiniteNumber,
  anInteger,
  aString,
  aWholeNumber,
  isRecord,
  refuse,
} from "./kinds.js";
import { readMask } from "./mask-argument.js";
import { signatures } from "./signatures.js";
import { HeadscopeError } from "./trace/error.js";
import { readMatrix, readVector } from "./trace/matrix.js";

/** @typedef {import("./flat-matrix.js").FlatMatrix} FlatMatrix */
/** @typedef {import("./signatures.js").Signature} Signature */

/** The sizes that letters have so far. @typedef {Map<string, number>} Letters */

/**
 * Checks the arguments of a component by its signature, and turns them into what the core takes:
 * matrices { rows, cols, data }, Float32Arrays, numbers, words and flags.
 *
 * @param {string} component
 * @param {unknown} given
 * @returns {Record<string, unknown>}
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`
 */
export function flattenArguments(component, given) {
  return flattenRecord(
    component,
    /** @type {Signature} */ (signatures[component]),
    given,
    new Map(),
  );
}

/**
 * @param {string} what
 * @param {Signature} signature
 * @param {unknown} given
 * @param {Letters} letters
 * @returns {Record<string, unknown>}
 */
function flattenRecord(what, signature, given, letters) {
  if (!isRecord(given)) refuse(what, given, "an object");
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(signature, name));
  if (unknown !== undefined) {
    const known = Object.keys(signature).join(", ");
    throw new HeadscopeError("bad-argument", `${what}: unknown "${unknown}", known: ${known}`);
  }
  /** @type {Record<string, unknown>} */
  const flat = {};
  for (const [name, form] of Object.entries(signature)) {
    const flattened = flatten(`${what}: ${name}`, form, given[name], letters);
    if (flattened !== undefined) flat[name] = flattened;
  }
  return flat;
}

/**
 * @param {string} what
 * @param {string | Signature} form
 * @param {unknown} value
 * @param {Letters} letters
 * @returns {unknown} undefined for what was left out
 */
function flatten(what, form, value, letters) {
  if (typeof form !== "string") return flattenRecord(what, form, value, letters);
  const [word = "", ...shape] = form.split(" ");
  const kind = word.replace("?", "");
  if (value === undefined) {
    if (kind === "memory") shareLetters(shape, letters);
    if (word.endsWith("?")) return undefined;
    throw new HeadscopeError("bad-argument", `${what} is missing`);
  }
  return readers[kind]?.(value, what, shape, letters);
}

/**
 * Without a memory its letters are those of x.
 *
 * @param {string[]} shape
 * @param {Letters} letters
 */
function shareLetters([rows = "", cols = ""], letters) {
  letters.set(rows, letters.get("T") ?? 0).set(cols, letters.get("D") ?? 0);
}

/**
 * @type {Record<string, (value: unknown, what: string, shape: string[], letters: Letters) =>
 *   unknown>}
 */
const readers = {
  matrix: flattenMatrix,
  memory: flattenMatrix,
  vector: (value, what, shape, letters) => {
    const data = readVector(value, what);
    agree(what, [data.length], shape, letters);
    return compact(data);
  },
  count: (value, what, [letter], letters) => {
    aWholeNumber(value, what);
    if (letter !== undefined) letters.set(letter, Number(value));
    return value;
  },
  clip: (value, what, [letter = ""], letters) => {
    aWholeNumber(value, what);
    letters.set(letter, 2 * Number(value) + 1);
    return value;
  },
  integer: checked(anInteger),
  number: checked(aFiniteNumber),
  word: checked(aString),
  flag: checked(aBoolean),
  mask: (value, what, shape, letters) => {
    const [rows = 0, cols = 0, heads] = shape.map((letter) => letters.get(letter));
    return readMask(value, what, { rows, cols, heads });
  },
  position: (value, what) => flattenPosition(value, what),
};

/**
 * @param {import("./kinds.js").Kind} kind
 * @returns {(value: unknown, what: string) => unknown}
 */
function checked(kind) {
  return (value, what) => {
    kind(value, what);
    return value;
  };
}

/**
 * @param {unknown} value
 * @param {string} what
 * @param {string[]} shape
 * @param {Letters} letters
 * @returns {FlatMatrix}
 */
function flattenMatrix(value, what, shape, letters) {
  const matrix = readMatrix(value, what);
  agree(what, [matrix.rows, matrix.cols], shape, letters);
  return flattenData(matrix);
}

/**
 * @param {string} what
 * @param {number[]} sizes
 * @param {string[]} shape
 * @param {Letters} letters given a size where they have none
 */
function agree(what, sizes, shape, letters) {
  const expected = shape.map((letter) => letters.get(letter) ?? letter);
  sizes.forEach((size, i) => {
    const letter = shape[i] ?? "";
    if (!letters.has(letter)) letters.set(letter, size);
  });
  if (sizes.every((size, i) => letters.get(shape[i] ?? "") === size)) return;
  throw new HeadscopeError("bad-shape", `${what} has shape [${sizes}], expected [${expected}]`);
}

/** The tables that a kind of position may bring, and the setting that their rows imply. */
const positionTables = /** @type {const} */ ({
  t5: { names: ["table"], setting: "buckets", fromRows: (/** @type {number} */ rows) => rows },
  shaw: {
    names: ["relative_key", "relative_value"],
    setting: "clip",
    fromRows: (/** @type {number} */ rows) => (rows - 1) / 2,
  },
});

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {Record<string, unknown>}
 */
function flattenPosition(value, what) {
  if (!isRecord(value)) return refuse(what, value, "an object with a kind");
  const { kind } = value;
  const tables = kind === "t5" || kind === "shaw" ? positionTables[kind] : undefined;
  const settings = { ...value };
  /** @type {Record<string, FlatMatrix>} */
  const matrices = {};
  for (const name of tables?.names ?? []) {
    delete settings[name];
    if (value[name] !== undefined)
      matrices[name] = flattenData(readMatrix(value[name], `${what}.${name}`));
  }
  aPosition(settings, what);
  const [first] = Object.values(matrices);
  if (tables === undefined || first === undefined) return settings;
  const implied = Math.floor(tables.fromRows(first.rows));
  return { [tables.setting]: implied, ...settings, ...matrices };
}
