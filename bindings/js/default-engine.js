import { supply } from "#platform";
import { sharedEngine, startEngine } from "./engine.js";

/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./engine.js").EngineOptions} EngineOptions */

/**
 * Makes an engine: the best variant that runs here, or the one named. Where threads cannot start
 * it takes one thread without an error, and where no worker can start it computes on the calling
 * thread; `engine.info.reason` says why.
 *
 * @param {EngineOptions} [options]
 * @returns {Promise<Engine>}
 * @throws {import("./trace/error.js").HeadscopeError} `unsupported-environment`: a named variant,
 *   or any at all, cannot run here; `not-found`: no engine where `wasm` points; `bad-argument`
 */
export async function createEngine(options) {
  return startEngine(options, supply);
}

const shared = sharedEngine(() => createEngine());

/**
 * The engine that everybody shares who names none. It is made on the first call.
 *
 * @returns {Promise<Engine>}
 */
export async function defaultEngine() {
  return shared();
}
