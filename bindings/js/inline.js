/**
 * `headscope/inline`: as `headscope`, with the engine inside. One thread; for file:// and for
 * places where nothing can be fetched.
 *
 * @module
 */
import { Encoder as PackageEncoder } from "./encoder.js";
import { sharedEngine, startEngine } from "./engine.js";
import { loadConfigured, loadPretrained } from "./loaded-encoder.js";
import { supply } from "./platform-inline.js";

export { Engine } from "./engine.js";
export { HeadscopeError } from "./trace/error.js";
export { Matrix } from "./trace/matrix.js";
export { Trace } from "./trace/trace.js";

/** @typedef {import("./engine.js").EngineOptions} EngineOptions */

/**
 * Makes an engine of the bytes inside. The options are those of `headscope`, but there is only
 * the variant "simd". Its worker is a blob. A policy that forbids those (`worker-src 'self'`) cannot
 * be asked beforehand: the attempt is reported as one violation, then the calling thread computes;
 * `worker: false` makes none.
 *
 * @param {EngineOptions} [options]
 * @returns {Promise<import("./engine.js").Engine>}
 */
export async function createEngine(options) {
  return startEngine(options, supply);
}

const shared = sharedEngine(() => createEngine());

/**
 * The engine that everybody shares who names none. It is made on the first call.
 *
 * @returns {Promise<import("./engine.js").Engine>}
 */
export async function defaultEngine() {
  return shared();
}

/** The encoder of `headscope`, on the engine inside where none is named. */
export class Encoder extends PackageEncoder {
  /**
   * @override
   * @param {Parameters<typeof PackageEncoder.fromPretrained>[0]} [source]
   * @param {Parameters<typeof PackageEncoder.fromPretrained>[1]} [options]
   * @returns {Promise<Encoder>}
   */
  static async fromPretrained(source, options) {
    return new Encoder(await loadPretrained(source, options, defaultEngine));
  }

  /**
   * @override
   * @param {Parameters<typeof PackageEncoder.fromConfig>[0]} config
   * @param {Parameters<typeof PackageEncoder.fromConfig>[1]} [options]
   * @returns {Promise<Encoder>}
   */
  static async fromConfig(config, options) {
    return new Encoder(await loadConfigured(config, options, defaultEngine));
  }
}
