import { supply } from "#platform";
import { throwIfAborted, untilAborted } from "./abort.js";
import { readCheckpoint } from "./checkpoint.js";
import { openSource } from "./checkpoint-source.js";
import { aConfig, copyConfig } from "./config.js";
import { inside } from "./engine.js";
import { readLoadingOptions, readOwnOptions } from "./loading-options.js";
import { parcelBytes, partsOfFiles, partsOfValues } from "./parameter-parts.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./checkpoint.js").Checkpoint} Checkpoint */
/** @typedef {import("./checkpoint-source.js").Source} Source */
/** @typedef {import("./config.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./connection.js").Connection} Connection */
/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./loading-options.js").LoadingOptions} LoadingOptions */
/** @typedef {import("./loading-options.js").OwnParameters} OwnParameters */
/** @typedef {import("./protocol.js").LoadArguments} LoadArguments */
/** @typedef {import("./protocol.js").LoadResult} LoadResult */
/** @typedef {import("./protocol.js").Part} Part */
/** @typedef {import("./parameter-parts.js").Parcel} Parcel */
/** @typedef {import("./tokens/tokenizer.js").Tokenizer} Tokenizer */

/**
 * An encoder that is complete in its engine, where it is a number.
 *
 * @typedef {{ encoder: number, config: EncoderConfig, names: string[],
 *   int8Kernel: LoadResult["int8Kernel"], engine: Engine, tokenizer: Tokenizer | undefined
 *   }} LoadedEncoder
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
    return Promise.all([readWithTokenizer(place, options), started]);
  });
  const caller = "fromPretrained";
  const parameters = { parts: () => partsOfFiles(files) };
  const retell = { config: asConfigFault(place.describe("config.json")) };
  return load(home, { config, dtype }, { parameters, caller, tokenizer, signal, retell });
}

/**
 * Reads a checkpoint, with the tokenizer made.
 *
 * @param {import("./checkpoint-source.js").CheckpointSource} place
 * @param {import("./checkpoint-source.js").ReadingOptions} options
 * @returns {Promise<Omit<Checkpoint, "tokenizer"> & { tokenizer: Tokenizer }>}
 */
async function readWithTokenizer(place, options) {
  // The engine's worker needs a turn of this thread to begin; what is in memory is read without one.
  await supply.pause();
  const [read, create] = await Promise.all([readCheckpoint(place, options), importTokenizers()]);
  return { ...read, tokenizer: create(read.tokenizer) };
}

/**
 * Imports what makes tokenizers: half of the package's code, which nothing needs before there is a
 * tokenizer.json.
 *
 * @returns {Promise<typeof import("./tokens/tokenizer.js").createTokenizer>}
 * @throws {HeadscopeError} `not-found`
 */
async function importTokenizers() {
  try {
    return (await import("./tokens/tokenizer.js")).createTokenizer;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeadscopeError("not-found", `tokenizer: its script cannot be loaded: ${reason}`, {
      cause: error,
    });
  }
}

/**
 * The config is the contents of a file here.
 *
 * @param {string} file
 * @returns {Retell}
 */
function asConfigFault(file) {
  return (error) => {
    if (!(error instanceof HeadscopeError) || error.code !== "bad-argument") return error;
    return new HeadscopeError("bad-checkpoint", `${file}: ${error.message}`, { cause: error });
  };
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
  const { engine, dtype = "f32", signal, seed = 0, parameters: given, tokenizer } = read;
  const caller = "fromConfig";
  throwIfAborted(signal, caller);
  // The caller may change its objects while the engine starts, though not what is in the parameters or
  // the tokenizer.
  const own = { config: copyConfig(config), dtype };
  const values = given === undefined ? undefined : new Map(Object.entries(given));
  const start = Promise.all([
    tokenizer === undefined ? undefined : importTokenizers().then((create) => create(tokenizer)),
    engine ?? defaultEngine(),
  ]);
  const [made, home] = await untilAborted(start, signal, caller);
  /** @type {Parameters} */
  const parameters =
    values === undefined ? { seed } : { parts: (shapes) => partsOfValues(values, shapes) };
  const retell = { parameters: asParameterFault };
  return load(home, own, { parameters, caller, tokenizer: made, signal, retell });
}

/**
 * What the core says of a tensor in a file, said of a parameter that was given.
 *
 * @param {unknown} error
 * @returns {unknown} the error to throw
 */
function asParameterFault(error) {
  if (!(error instanceof HeadscopeError) || error.code !== "bad-checkpoint") return error;
  const message = error.message.replace(/^checkpoint/, "fromConfig: parameters");
  return new HeadscopeError("bad-argument", message, { cause: error });
}

/**
 * Where parameters come from: `parts` cuts them up, once it is known what the model has; `seed`
 * makes them.
 *
 * @typedef {{ parts: (shapes: LoadResult["shapes"]) => Parcel[], seed?: undefined }
 *   | { seed: number, parts?: undefined }} Parameters
 */

/**
 * @typedef {object} Loading
 * @property {Parameters} parameters
 * @property {"fromPretrained" | "fromConfig"} caller
 * @property {Tokenizer | undefined} tokenizer
 * @property {AbortSignal | undefined} signal
 * @property {{ config?: Retell, parameters?: Retell }} [retell] what is wrong with the one or the
 *   others, in the caller's words
 */

/** @typedef {(error: unknown) => unknown} Retell */

/**
 * Makes an encoder whole, or leaves nothing behind.
 *
 * @param {Engine} engine
 * @param {LoadArguments} args
 * @param {Loading} options
 * @returns {Promise<LoadedEncoder>}
 */
async function load(engine, args, { parameters, caller, tokenizer, signal, retell = {} }) {
  const { connection } = inside(engine);
  const beginning = connection.call("load", args, { caller }).catch(rethrow(retell.config));
  const completing = beginning.then(async ({ encoder, shapes }) => {
    try {
      await sendParts(engine, { encoder, shapes }, { parameters, caller, signal });
      const { seed } = parameters;
      const last = seed === undefined ? { encoder } : { encoder, seed };
      await connection.call("complete", last, { caller });
    } catch (error) {
      rethrow(retell.parameters)(error);
    }
  });
  try {
    await untilAborted(completing, signal, caller);
    const { encoder, config, shapes, int8Kernel } = await beginning;
    try {
      checkVocabulary(tokenizer, config);
    } catch (error) {
      rethrow(retell.config)(error);
    }
    const names = shapes.map(({ name }) => name);
    return { encoder, config, names, int8Kernel, engine, tokenizer };
  } catch (error) {
    completing.catch(() => {});
    // What was begun is not wanted any more.
    beginning.then(({ encoder }) => disposeIn(connection, encoder)).catch(() => {});
    throw error;
  }
}

/**
 * @param {Retell | undefined} retell
 * @returns {(error: unknown) => never}
 */
function rethrow(retell) {
  return (error) => {
    throw retell?.(error) ?? error;
  };
}

/** Parts on their way at once: one is placed while the next is copied, and an abort leaves no more. */
const partsAtOnce = 4;

/**
 * @param {Engine} engine
 * @param {Pick<LoadResult, "encoder" | "shapes">} begun
 * @param {Pick<Loading, "parameters" | "caller" | "signal">} options
 */
async function sendParts(engine, { encoder, shapes }, { parameters, caller, signal }) {
  const { connection } = inside(engine);
  /** @type {Promise<unknown>[]} */
  const placing = [];
  /** @type {ArrayBuffer[]} */
  const free = [];
  const parcels = movable(() => parameters.parts?.(shapes) ?? [], caller);
  for (const parcel of parcels) {
    if (placing.length >= partsAtOnce) await placing.shift();
    throwIfAborted(signal, caller);
    const { part, transfer } = movable(() => wrap(parcel, engine, free), caller);
    const placed = connection.call("place", { encoder, ...part }, { caller, transfer });
    const freed = placed.then((bytes) => {
      if (bytes !== undefined) free.push(bufferOf(bytes));
    });
    // Of several failures one is told.
    freed.catch(() => {});
    placing.push(freed);
  }
  await Promise.all(placing);
}

/**
 * A part as it goes to an engine. A worker gets a copy of what the caller keeps, which is moved: a
 * message alone would copy it twice, out of this thread and into the other. What stays of the
 * caller's is a copy in any case.
 *
 * @param {Parcel} parcel
 * @param {Engine} engine
 * @param {ArrayBuffer[]} free memory of parts that have been placed, which carries the next: memory
 *   that is new costs more than what is copied into it
 * @returns {{ part: Part, transfer: ArrayBuffer[] }}
 */
function wrap({ pieces, bytes, own }, { info }, free) {
  const stays = pieces.some((piece) => piece.stays);
  if (own || !info.worker) {
    const part = { pieces, bytes: stays && !own ? bytes.slice() : bytes, lent: false };
    return { part, transfer: info.worker ? [bufferOf(bytes)] : [] };
  }
  const buffer = stays
    ? new ArrayBuffer(bytes.length)
    : (free.pop() ?? new ArrayBuffer(parcelBytes));
  const copy = new Uint8Array(buffer, 0, bytes.length);
  copy.set(bytes);
  return { part: { pieces, bytes: copy, lent: !stays }, transfer: [buffer] };
}

/**
 * @param {Uint8Array} bytes not in shared memory
 * @returns {ArrayBuffer}
 */
function bufferOf({ buffer }) {
  return /** @type {ArrayBuffer} */ (buffer);
}

/**
 * Memory of the caller's, which may have given it away meanwhile, or a copy of it.
 *
 * @template T
 * @param {() => T} take
 * @param {string} caller
 * @returns {T}
 * @throws {HeadscopeError} `out-of-memory`, `bad-argument`
 */
function movable(take, caller) {
  try {
    return take();
  } catch (error) {
    if (error instanceof HeadscopeError) throw error;
    // A RangeError, or a TypeError of a buffer that is detached.
    const code = error instanceof RangeError ? "out-of-memory" : "bad-argument";
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeadscopeError(code, `${caller}: ${reason}`, { cause: error });
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
