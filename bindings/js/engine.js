/// <reference lib="esnext.disposable" preserve="true" />

import { Connection } from "./connection.js";
import { disposal } from "./disposal.js";
import { openLocal, openWorker } from "./port.js";
import { isBytes } from "./trace/bytes.js";
import { HeadscopeError } from "./trace/error.js";
import { kind, oneOf, readOptions } from "./trace/kinds.js";
import { isRelaxed, isThreaded, variants } from "./variants.js";

/** @typedef {import("./connection.js").Port} Port */
/** @typedef {import("./engine-file.js").EngineSource} EngineSource */
/** @typedef {import("./runtime.js").Runtime} Runtime */
/** @typedef {import("./runtime.js").RuntimeSettings} RuntimeSettings */
/** @typedef {import("./runtime.js").Supply} Supply */
/** @typedef {import("./variants.js").Variant} Variant */

/**
 * What an engine needs on the calling side besides its parts.
 *
 * @typedef {object} CallerSupply
 * @property {boolean} workerByDefault
 * @property {(address?: URL) => Port} openWorker
 * @property {(text: string) => string} resolveAddress
 * @property {Uint8Array} [engine] the one engine, where it is inside the package's code
 * @property {() => string | undefined} [obstacleToThreads] why this side, which makes the workers of
 *   threads, should not
 * @typedef {Supply & CallerSupply} EngineSupply
 */

/**
 * @typedef {object} EngineOptions
 * @property {"auto" | Variant} [variant] `"auto"`, the default, takes the best that runs here; one
 *   that cannot run here is an error
 * @property {number | "auto"} [threads] `"auto"` by default: up to 4 of the machine's cores
 * @property {boolean | URL} [worker] whether to compute in a worker: true in browsers, false in
 *   Node; or the worker's script, which in browsers may be of another origin. Where none can start
 *   the calling thread computes. To a policy without workers the attempt is a violation; `false`
 *   makes none
 * @property {URL | string | ArrayBuffer | Uint8Array | WebAssembly.Module} [wasm] the folder of the
 *   engines, or one of them as address, bytes or module; by default the package's own files
 */

/**
 * What an engine turned out to be.
 *
 * @typedef {object} EngineInfo
 * @property {Variant} variant
 * @property {number} threads
 * @property {boolean} worker whether it computes in a worker
 * @property {"relaxed" | "simd128"} simd
 * @property {string} reason why it is this and nothing better
 * @property {string} version
 */

const engineKinds = {
  variant: oneOf(["auto", ...variants]),
  threads: kind('a whole number from 1, or "auto"', isThreadCount),
  worker: kind("true, false or a URL", (value) => typeof value === "boolean" || isUrl(value)),
  wasm: kind("a URL, an address, bytes or a WebAssembly.Module", isEngineSource),
};

/** @type {WeakMap<Engine, { connection: Connection, supply: EngineSupply }>} */
const internals = new WeakMap();

/** Ends the engines that nobody holds any more. @type {FinalizationRegistry<Connection>} */
const abandoned = new FinalizationRegistry((connection) => connection.closeWhenIdle());

/** One instance of the WebAssembly module, on this thread or in a worker, and its memory. */
export class Engine {
  /**
   * For `createEngine`, which makes engines.
   *
   * @param {EngineInfo} info
   * @param {{ connection: Connection, supply: EngineSupply }} inside
   */
  constructor(info, inside) {
    /** @readonly */
    this.info = Object.freeze(info);
    internals.set(this, inside);
    abandoned.register(this, inside.connection, this);
  }

  /**
   * Bytes of the WebAssembly memory, which grows and never shrinks. A token table that was loaded in
   * float32 is not in it.
   *
   * @returns {Promise<number>}
   * @throws {HeadscopeError} `disposed`
   */
  async heapBytes() {
    return inside(this).connection.call("heap", undefined, { caller: "heapBytes" });
  }

  /**
   * Frees everything: the encoders too, whose pending calls reject with `disposed`. A second call
   * does nothing.
   *
   * @returns {Promise<void>}
   */
  async dispose() {
    abandoned.unregister(this);
    inside(this).connection.close();
  }

  /** What `using` calls. */
  [disposal]() {
    void this.dispose();
  }
}

/**
 * The inside of an engine, for the encoders on it.
 *
 * @param {Engine} engine
 * @returns {{ connection: Connection, supply: EngineSupply }}
 */
export function inside(engine) {
  return /** @type {{ connection: Connection, supply: EngineSupply }} */ (internals.get(engine));
}

/**
 * Makes an engine out of a supply of parts.
 *
 * @param {EngineOptions | undefined} options
 * @param {EngineSupply} supply
 * @returns {Promise<Engine>}
 */
export async function startEngine(options, supply) {
  const read = readOptions(options, "createEngine", engineKinds);
  const { variant = "auto", threads = "auto", worker = supply.workerByDefault } = read;
  if (variant !== "auto" && !isThreaded(variant) && threads !== "auto" && threads > 1) {
    throw new HeadscopeError(
      "bad-argument",
      `createEngine: threads is ${threads}, expected 1 for the variant "${variant}"`,
    );
  }
  /** @type {string[]} */
  const notes = [];
  const given = { variant, threads, wasm: readSource(read.wasm, supply) ?? supply.engine };
  const settings = threads === 1 ? given : withPossibleThreads(given, supply, notes);
  const asked = variant !== "auto" || threads !== "auto";
  const port = worker === false ? undefined : await openWorker(worker, supply, notes);
  // Where one worker is blocked the threads' workers are too.
  const possible = worker !== false && port === undefined ? withoutThreads(settings) : settings;
  const { connection, info } = await connect(port ?? openLocal(supply), possible);
  notes.push(...info.notes);
  if (notes.length === 0) notes.push(asked ? "as asked" : "the best that there is");
  return new Engine(describe(info, notes, port !== undefined), { connection, supply });
}

/**
 * Starts the engine at the far end of a port, or closes the port.
 *
 * @param {Port} port
 * @param {RuntimeSettings} settings
 * @returns {Promise<{ connection: Connection, info: Runtime["info"] }>}
 * @throws {HeadscopeError}
 */
async function connect(port, settings) {
  const connection = new Connection(port);
  try {
    return {
      connection,
      info: await connection.call("start", settings, { caller: "createEngine" }),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * A function that makes one engine, on its first call, and gives it to all until it is disposed.
 *
 * @param {() => Promise<Engine>} create
 * @returns {() => Promise<Engine>}
 */
export function sharedEngine(create) {
  /** @type {Promise<Engine> | undefined} */
  let making;
  /** @type {Engine | undefined} */
  let made;
  const make = async () => {
    try {
      made = await create();
      return made;
    } catch (error) {
      // The next caller may have more luck, for example with the network.
      making = undefined;
      throw error;
    }
  };
  return () => {
    if (made !== undefined && inside(made).connection.ended) making = made = undefined;
    making ??= make();
    return making;
  };
}

/**
 * @param {EngineOptions["wasm"]} wasm
 * @param {EngineSupply} supply
 * @returns {EngineSource | undefined} with the whole address, which a worker could not complete
 */
function readSource(wasm, supply) {
  if (wasm instanceof URL) return wasm.href;
  return typeof wasm === "string" ? supply.resolveAddress(wasm) : wasm;
}

/**
 * @param {RuntimeSettings} settings
 * @param {EngineSupply} supply
 * @param {string[]} notes
 * @returns {RuntimeSettings}
 * @throws {HeadscopeError} `unsupported-environment`: a variant with threads is named
 */
function withPossibleThreads(settings, supply, notes) {
  const obstacle = supply.obstacleToThreads?.();
  if (obstacle === undefined) return settings;
  if (settings.variant === "auto") {
    notes.push(`one thread: ${obstacle}`);
  } else if (isThreaded(settings.variant)) {
    throw new HeadscopeError(
      "unsupported-environment",
      `createEngine: "${settings.variant}" needs more: ${obstacle}`,
    );
  }
  return withoutThreads(settings);
}

/**
 * @param {RuntimeSettings} settings
 * @returns {RuntimeSettings}
 */
function withoutThreads(settings) {
  return settings.variant === "auto" ? { ...settings, threads: 1 } : settings;
}

/**
 * @param {Runtime["info"]} runtime
 * @param {string[]} notes
 * @param {boolean} worker
 * @returns {EngineInfo}
 */
function describe({ variant, threads }, notes, worker) {
  return {
    variant,
    threads,
    worker,
    simd: isRelaxed(variant) ? "relaxed" : "simd128",
    reason: notes.join("; "),
    version: __HEADSCOPE_VERSION__,
  };
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isThreadCount(value) {
  return value === "auto" || (Number.isInteger(value) && Number(value) >= 1);
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isUrl(value) {
  return value instanceof URL;
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isEngineSource(value) {
  if (typeof value === "string") return value !== "";
  return isUrl(value) || isBytes(value) || value instanceof WebAssembly.Module;
}
