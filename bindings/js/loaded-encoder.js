import { supply } from "#platform";
import { throwIfAborted, untilAborted } from "./abort.js";
import { readCheckpoint } from "./checkpoint.js";
import { openSource } from "./checkpoint-source.js";
import { aConfig } from "./config.js";
import { inside } from "./engine.js";
import { readLoadingOptions, readOwnOptions } from "./loading-options.js";
import { createTokenizer } from "./tokens/tokenizer.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./checkpoint-source.js").Source} Source */
/** @typedef {import("./config.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./connection.js").Connection} Connection */
/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./loading-options.js").LoadingOptions} LoadingOptions */
/** @typedef {import("./loading-options.js").OwnParameters} OwnParameters */
/** @typedef {import("./protocol.js").LoadArguments} LoadArguments */
/** @typedef {import("./protocol.js").LoadResult} LoadResult */
/** @typedef {import("./tokens/tokenizer.js").Tokenizer} Tokenizer */

/**
 * An encoder that is complete in its engine, where it is a number.
 *
 * @typedef {LoadResult & { engine: Engine, tokenizer: Tokenizer | undefined }} LoadedEncoder
 */

/**
 * Loads a checkpoint; `Encoder.fromPretrained` says of what kinds.
 *
 * @param {Source | undefined} source
 * @param {LoadingOptions | undefined} options
 * @param {() => Promise<Engine>} defaultEngine
 * @returns {Promise<LoadedEncoder>}
 */
export async function loadPretrained(source, options, defaultEngine) {
  const { engine, signal, onProgress } = readLoadingOptions(options);
  throwIfAborted(signal, "fromPretrained");
  const place = openSource(source, supply);
  const reading = readCheckpoint(place, {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const both = Promise.all([reading, engine ?? defaultEngine()]);
  const [{ config, tokenizer, files }, home] = await untilAborted(both, signal, "fromPretrained");
  const own = files.filter((file) => file.own).map(({ bytes }) => bytes.buffer);
  const parameters = { files: files.map(({ tensors, bytes }) => ({ tensors, bytes })) };
  try {
    const transfer = /** @type {ArrayBuffer[]} */ (own);
    return await load(home, { config, parameters }, { tokenizer, signal, transfer });
  } catch (error) {
    // The arguments are the contents of files here.
    if (!(error instanceof HeadscopeError) || error.code !== "bad-argument") throw error;
    const reason = `${place.describe("config.json")}: ${error.message}`;
    throw new HeadscopeError("bad-checkpoint", reason, { cause: error });
  }
}

/**
 * Makes an encoder of a config; `Encoder.fromConfig` says how.
 *
 * @param {EncoderConfig} config
 * @param {LoadingOptions & OwnParameters | undefined} options
 * @param {() => Promise<Engine>} defaultEngine
 * @returns {Promise<LoadedEncoder>}
 */
export async function loadConfigured(config, options, defaultEngine) {
  aConfig(config, "config");
  const { engine, signal, seed = 0, parameters, tokenizer } = readOwnOptions(options);
  throwIfAborted(signal, "fromConfig");
  const using = Promise.resolve(engine ?? defaultEngine());
  const home = await untilAborted(using, signal, "fromConfig");
  const source = parameters === undefined ? { seed } : { values: parameters };
  return load(home, { config, parameters: source }, { tokenizer, signal, transfer: [] });
}

/**
 * @param {Engine} engine
 * @param {LoadArguments} args
 * @param {{ tokenizer: unknown, signal: AbortSignal | undefined, transfer: ArrayBuffer[] }} options
 * @returns {Promise<LoadedEncoder>}
 */
async function load(engine, args, { tokenizer, signal, transfer }) {
  const { connection } = inside(engine);
  const loading = connection.call("load", args, { transfer });
  try {
    // A worker places the parameters meanwhile.
    const made = tokenizer === undefined ? undefined : createTokenizer(tokenizer);
    const loaded = await untilAborted(loading, signal, "load");
    return { ...loaded, engine, tokenizer: made };
  } catch (error) {
    // Loading cannot stop in the middle. What it makes after all is not wanted any more.
    loading.then(({ encoder }) => disposeIn(connection, encoder)).catch(() => {});
    throw error;
  }
}

/**
 * Frees an encoder in its engine.
 *
 * @param {Connection} connection
 * @param {number} encoder
 */
export function disposeIn(connection, encoder) {
  // Where the engine has ended, its encoders have too.
  connection.call("dispose", { encoder }).catch(() => {});
}
