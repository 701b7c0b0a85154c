import { Engine, inside } from "./engine.js";
import { HeadscopeError } from "./trace/error.js";
import {
  aFunction,
  aSignal,
  aWholeNumber,
  isRecord,
  kind,
  oneOf,
  readOptions,
  refuse,
} from "./trace/kinds.js";

/** @typedef {import("./checkpoint-source.js").Progress} Progress */

/**
 * @typedef {object} LoadingOptions
 * @property {Engine} [engine] the shared one by default
 * @property {"f32" | "int8"} [dtype] what weights are kept and multiplied in: "f32" by default;
 *   "int8" takes a quarter of the memory, is faster and less exact
 * @property {AbortSignal} [signal] an abort rejects at once
 * @property {(progress: Progress) => void} [onProgress] told of each file as it comes in
 */

/**
 * @typedef {object} OwnParameters
 * @property {number} [seed] of the random parameters where none are given; 0 by default
 * @property {Record<string, Float32Array>} [parameters] all of them, by name; [in, out]; not to be
 *   changed before the encoder is there
 * @property {unknown} [tokenizer] the contents of a tokenizer.json, parsed; not to be changed before
 *   the encoder is there. Without it an encoder takes ids alone
 */

const loadingKinds = {
  engine: kind("an Engine", (value) => value instanceof Engine),
  dtype: oneOf(["f32", "int8"]),
  signal: aSignal,
  onProgress: aFunction,
};

const ownKinds = {
  ...loadingKinds,
  seed: aWholeNumber,
  parameters: aParameterRecord,
  tokenizer: kind("the parsed contents of a tokenizer.json", isRecord),
};

/**
 * @param {unknown} value
 * @param {string} what
 */
function aParameterRecord(value, what) {
  if (!isRecord(value)) refuse(what, value, "an object of parameters by name");
  for (const [name, values] of Object.entries(value)) {
    if (!(values instanceof Float32Array)) refuse(`${what}["${name}"]`, values, "a Float32Array");
  }
}

/**
 * Checks the options of `fromPretrained`.
 *
 * @param {LoadingOptions | undefined} options
 * @returns {LoadingOptions}
 */
export function readLoadingOptions(options) {
  /** @type {LoadingOptions} */
  const read = readOptions(options, "fromPretrained", loadingKinds);
  throwIfEnded(read);
  return read;
}

/**
 * Checks the options of `fromConfig`.
 *
 * @param {LoadingOptions & OwnParameters | undefined} options
 * @returns {LoadingOptions & OwnParameters}
 */
export function readOwnOptions(options) {
  /** @type {LoadingOptions & OwnParameters} */
  const read = readOptions(options, "fromConfig", ownKinds);
  throwIfEnded(read);
  return read;
}

/** @param {LoadingOptions} options */
function throwIfEnded({ engine }) {
  if (engine !== undefined && inside(engine).connection.ended) {
    throw new HeadscopeError("disposed", "engine: it was disposed");
  }
}
