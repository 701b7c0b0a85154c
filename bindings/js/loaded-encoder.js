import { supply } from "#platform";
import { throwIfAborted, untilAborted } from "./abort.js";
import { readCheckpoint } from "./checkpoint.js";
import { openSource } from "./checkpoint-source.js";
import { aConfig, copyConfig } from "./config.js";
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
  const { engine, dtype = "f32", signal, onProgress } = readLoadingOptions(options);
  throwIfAborted(signal, "fromPretrained");
  const place = openSource(source, supply);
  const started = engine ?? defaultEngine();
  const [{ config, tokenizer, files }, home] = await untilOneFails(signal, (ending) => {
    const options = { signal: ending, ...(onProgress === undefined ? {} : { onProgress }) };
    return Promise.all([readCheckpoint(place, options), started]);
  });
  const caller = "fromPretrained";
  const { copy, transfer } = startMove(home, caller);
  const movable = files.map(({ tensors, bytes, own }) => {
    if (own) transfer.push(/** @type {ArrayBuffer} */ (bytes.buffer));
    return { tensors, bytes: own ? bytes : copy(bytes) };
  });
  try {
    const args = { config, dtype, parameters: { files: movable } };
    return await load(home, args, { caller, tokenizer, signal, transfer });
  } catch (error) {
    // The arguments are the contents of files here.
    if (!(error instanceof HeadscopeError) || error.code !== "bad-argument") throw error;
    const reason = `${place.describe("config.json")}: ${error.message}`;
    throw new HeadscopeError("bad-checkpoint", reason, { cause: error });
  }
}

/**
 * What parameters go through on their way to an engine. A worker gets a copy of what the caller
 * keeps, which is moved: a message alone would copy it twice, out of this thread and into the other.
 *
 * @param {Engine} engine
 * @param {string} caller
 */
function startMove({ info }, caller) {
  /** @type {ArrayBuffer[]} */
  const transfer = [];
  /** @type {<T extends Uint8Array | Float32Array>(values: T) => T} */
  const copy = (values) => {
    if (!info.worker) return values;
    try {
      const copied = values.slice();
      transfer.push(/** @type {ArrayBuffer} */ (copied.buffer));
      return /** @type {typeof values} */ (copied);
    } catch (error) {
      // A RangeError, or a TypeError where the caller has given the buffer away.
      const code = error instanceof RangeError ? "out-of-memory" : "bad-argument";
      const reason = error instanceof Error ? error.message : String(error);
      throw new HeadscopeError(code, `${caller}: ${reason}`, { cause: error });
    }
  };
  return { copy, transfer };
}

/**
 * Waits for several things. The first failure, or an abort, ends the downloads among them.
 *
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {(ending: AbortSignal) => Promise<T>} begin
 * @returns {Promise<T>}
 */
async function untilOneFails(signal, begin) {
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", end);
  try {
    return await untilAborted(begin(ending.signal), signal, "fromPretrained");
  } finally {
    signal?.removeEventListener("abort", end);
    end();
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
  const read = readOwnOptions(options);
  const { engine, dtype = "f32", signal, seed = 0, parameters, tokenizer } = read;
  const caller = "fromConfig";
  throwIfAborted(signal, caller);
  // The caller may change what it gave while the engine starts.
  const own = { config: copyConfig(config), dtype };
  const given = parameters === undefined ? undefined : Object.entries(parameters);
  const using = Promise.resolve(engine ?? defaultEngine());
  const home = await untilAborted(using, signal, caller);
  const { copy, transfer } = startMove(home, caller);
  const values = given?.map(([name, each]) => [name, copy(each)]);
  const source = values === undefined ? { seed } : { values: Object.fromEntries(values) };
  const args = { ...own, parameters: source };
  return load(home, args, { caller, tokenizer, signal, transfer });
}

/**
 * @typedef {object} Loading
 * @property {"fromPretrained" | "fromConfig"} caller
 * @property {unknown} tokenizer
 * @property {AbortSignal | undefined} signal
 * @property {ArrayBuffer[]} transfer
 */

/**
 * @param {Engine} engine
 * @param {LoadArguments} args
 * @param {Loading} options
 * @returns {Promise<LoadedEncoder>}
 */
async function load(engine, args, { caller, tokenizer, signal, transfer }) {
  const { connection } = inside(engine);
  const loading = connection.call("load", args, { caller, transfer });
  try {
    // A worker places the parameters meanwhile.
    const made = tokenizer === undefined ? undefined : createTokenizer(tokenizer);
    const loaded = await untilAborted(loading, signal, caller);
    checkVocabulary(made, loaded.config);
    return { ...loaded, engine, tokenizer: made };
  } catch (error) {
    // Loading cannot stop in the middle. What it makes after all is not wanted any more.
    loading.then(({ encoder }) => disposeIn(connection, encoder)).catch(() => {});
    throw error;
  }
}

/**
 * Ids that the embeddings have no row for would fail in some runs and not in others.
 *
 * @param {Tokenizer | undefined} tokenizer
 * @param {EncoderConfig} config
 * @throws {HeadscopeError} `bad-argument`
 */
function checkVocabulary(tokenizer, { vocab_size }) {
  if (tokenizer === undefined || tokenizer.vocabularySize <= vocab_size) return;
  const largest = tokenizer.vocabularySize - 1;
  throw new HeadscopeError(
    "bad-argument",
    `tokenizer: the largest id is ${largest}, expected at most ${vocab_size - 1} ` +
      `as vocab_size is ${vocab_size}`,
  );
}

/**
 * Frees an encoder in its engine.
 *
 * @param {Connection} connection
 * @param {number} encoder
 */
export function disposeIn(connection, encoder) {
  // Where the engine has ended, its encoders have too.
  connection.call("dispose", { encoder }, { caller: "dispose" }).catch(() => {});
}
