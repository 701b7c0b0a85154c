import { flattenArguments } from "./component-arguments.js";
import { defaultEngine } from "./default-engine.js";
import { Engine, inside } from "./engine.js";
import { isRecord, kind, readOptions } from "./kinds.js";
import { HeadscopeError } from "./trace/error.js";
import { Matrix } from "./trace/matrix.js";

/** @typedef {{ engine?: Engine }} ComponentOptions `engine`: the shared one by default */

const optionKinds = { engine: kind("an Engine", (value) => value instanceof Engine) };

/**
 * Computes a component on an engine.
 *
 * @param {string} name a key of `signatures`
 * @param {unknown} given its arguments
 * @param {ComponentOptions | undefined} options
 * @returns {Promise<any>} what the core answers with; the result itself where there is only one
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`
 */
export async function computeComponent(name, given, options) {
  const { engine } = readOptions(options, name, optionKinds);
  const flat = flattenArguments(name, given);
  const home = engine ?? (await defaultEngine());
  try {
    const args = { name, arguments: flat };
    const results = wrapMatrices(await inside(home).connection.call("component", args));
    return isRecord(results) && Object.keys(results).join() === "output" ? results.output : results;
  } catch (error) {
    if (!(error instanceof HeadscopeError) || error.message.startsWith(name)) throw error;
    throw new HeadscopeError(error.code, `${name}: ${error.message}`, { cause: error });
  }
}

/**
 * @param {unknown} result
 * @returns {unknown} the same with every { rows, cols, data } as a Matrix
 */
function wrapMatrices(result) {
  if (Array.isArray(result)) return result.map(wrapMatrices);
  if (!isRecord(result)) return result;
  if (result.data instanceof Float32Array) {
    return new Matrix(Number(result.rows), Number(result.cols), result.data);
  }
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, wrapMatrices(value)]),
  );
}
