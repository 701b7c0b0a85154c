import { aString, aWholeNumber, isRecord, recordOf, refuse } from "./trace/kinds.js";

/**
 * One thing to run: a text, a pair of texts, or token ids as they are, with no special tokens
 * added.
 *
 * @typedef {string | { text: string, pair?: string } | { ids: ArrayLike<number> }} Input
 */

/** @typedef {{ text: string, pair?: string }} TextInput */
/** @typedef {{ ids: number[] }} IdInput */

const aText = recordOf({ text: aString, pair: aString }, { required: ["text"] });
const ids = recordOf({ ids: anIdList }, { required: ["ids"] });

/**
 * @param {unknown} value
 * @param {string} what
 */
function anIdList(value, what) {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!isList || value instanceof DataView) refuse(what, value, "an array of token ids");
  const list = /** @type {ArrayLike<unknown>} */ (value);
  for (let i = 0; i < list.length; ++i) aWholeNumber(list[i], `${what}[${i}]`);
}

/**
 * Checks one input. Which ids there are, the core says.
 *
 * @param {unknown} input
 * @param {string} what
 * @returns {TextInput | IdInput}
 * @throws {import("./trace/error.js").HeadscopeError} `bad-argument`
 */
export function readInput(input, what) {
  if (isRecord(input) && "ids" in input) {
    ids(input, what);
    return { ids: Array.from(/** @type {number[]} */ (input.ids)) };
  }
  return readText(input, what);
}

/**
 * Checks a text, alone or with its pair.
 *
 * @param {unknown} input
 * @param {string} what
 * @returns {TextInput}
 * @throws {import("./trace/error.js").HeadscopeError} `bad-argument`
 */
export function readText(input, what) {
  if (typeof input === "string") return { text: input };
  if (!isRecord(input)) refuse(what, input, "a string, { text, pair } or { ids }");
  aText(input, what);
  const { text, pair } = /** @type {TextInput} */ (input);
  return pair === undefined ? { text } : { text, pair };
}
