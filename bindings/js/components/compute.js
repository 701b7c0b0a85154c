import { nameCaller } from "../core-error.js";
import { defaultEngine } from "../default-engine.js";
import { Engine, inside } from "../engine.js";
import { transferables } from "../protocol.js";
import { HeadscopeError } from "../trace/error.js";
import { isRecord, kind, readOptions } from "../trace/kinds.js";
import { Matrix } from "../trace/matrix.js";
import { readRecord } from "./argument.js";
import { Letters } from "./letters.js";
import { signatures } from "./signatures.js";

/** @typedef {import("./signatures.js").Signature} Signature */

/** @typedef {{ engine?: Engine }} ComponentOptions `engine`: the shared one by default */

const optionKinds = { engine: kind("an Engine", (value) => value instanceof Engine) };

/** An answer of a gigabyte and more is refused before anything is computed. */
const largestAnswer = 2 ** 28;

/**
 * Computes a component on an engine.
 *
 * @param {string} name a key of `signatures`
 * @param {unknown} given its arguments
 * @param {ComponentOptions | undefined} options
 * @param {string} [caller] how messages begin
 * @returns {Promise<any>} results by name; the result itself where there is only one
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`, `out-of-memory`, `disposed`
 */
export async function compute(name, given, options, caller = name) {
  const { engine } = readOptions(options, caller, optionKinds);
  const { takes, gives } = /** @type {Signature} */ (signatures[name]);
  const letters = new Letters();
  const args = readRecord(given, caller, `${caller}: `, { takes, letters });
  checkAnswer(gives, letters, caller);
  const { connection } = inside(engine ?? (await defaultEngine()));
  try {
    const transfer = transferables({ id: 0, result: args });
    const component = { name, arguments: args };
    const answer = await connection.call("component", component, { caller, transfer });
    const results = /** @type {Record<string, unknown>} */ (wrapMatrices(answer));
    return typeof gives === "string" ? results.output : results;
  } catch (error) {
    throw nameCaller(error, caller);
  }
}

/**
 * @param {Signature["gives"]} gives
 * @param {Letters} letters
 * @param {string} caller
 */
function checkAnswer(gives, letters, caller) {
  const shapes = typeof gives === "string" ? [gives] : Object.values(gives);
  const values = shapes.reduce((sum, shape) => {
    const sizes = shape.split(" ").map((letter) => Number(letters.sizeOf(letter)));
    return sum + sizes.reduce((product, size) => product * size, 1);
  }, 0);
  if (values <= largestAnswer) return;
  throw new HeadscopeError(
    "out-of-memory",
    `${caller}: the answer would hold ${values} numbers, at most ${largestAnswer} are possible`,
  );
}

/**
 * @param {unknown} result
 * @returns {unknown} the same with every { rows, cols, data } as a Matrix
 */
function wrapMatrices(result) {
  if (Array.isArray(result)) return result.map(wrapMatrices);
  if (!isRecord(result)) return result;
  const { rows, cols, data } = result;
  if (data instanceof Float32Array) return new Matrix(Number(rows), Number(cols), data);
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, wrapMatrices(value)]),
  );
}
