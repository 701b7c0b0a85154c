import { advice, isOneEngine, readEngine } from "./engine-file.js";
import { locateOwnFile } from "./file-advice.js";
import { instantiateModule, unwrap } from "./module.js";
import { HeadscopeError } from "./trace/error.js";
import { detectFeatures, isRelaxed, isThreaded, planVariants } from "./variants.js";

/** @typedef {import("./engine-file.js").EngineFile} EngineFile */
/** @typedef {import("./engine-file.js").EngineSource} EngineSource */
/** @typedef {import("./module.js").Module} Module */
/** @typedef {import("./module.js").ModuleFactory} ModuleFactory */
/** @typedef {import("./variants.js").Facts} Facts */
/** @typedef {import("./variants.js").Plan} Plan */
/** @typedef {import("./variants.js").ThreadedVariant} ThreadedVariant */
/** @typedef {import("./variants.js").Variant} Variant */

/**
 * Where an engine's parts come from, and what they run on.
 *
 * @typedef {object} Supply
 * @property {readonly Variant[]} variants that there is glue for
 * @property {(variant: Variant) => Promise<ModuleFactory>} loadGlue
 * @property {(variant: Variant) => URL} [engineUrl] where the package's own files are
 * @property {import("./engine-file.js").ReadFile} readFile
 * @property {() => Facts} facts
 * @property {() => Promise<void>} pause gives the event loop one turn
 * @property {(variant: ThreadedVariant, onError: (error: Error) => void) => Thread} [openThread] a
 *   worker of the variant's glue; where there are threaded variants
 * @property {() => Promise<void>} [reachOpener] where a page makes those workers: settles when it has
 *   done what it was asked for, which may take as long as it is busy
 */

/**
 * A worker that Emscripten's glue runs a thread in.
 *
 * @typedef {{ terminate: () => unknown }} Thread
 */

/**
 * What an engine was asked to be. Structured-cloneable: addresses are strings.
 *
 * @typedef {object} RuntimeSettings
 * @property {"auto" | Variant} variant
 * @property {number | "auto"} threads
 * @property {EngineSource} [wasm] the package's own files where it is missing
 */

/**
 * A module that is ready, and what it turned out to be.
 *
 * @typedef {object} Runtime
 * @property {Module} module
 * @property {{ variant: Variant, threads: number, notes: string[] }} info `notes`: why it is
 *   nothing better
 * @property {() => void} close ends the threads
 */

/** A threaded start that takes longer than this has failed; it never says so itself. */
const patience_ms = 3000;

/**
 * Starts the best engine that runs here.
 *
 * @param {RuntimeSettings} settings
 * @param {Supply} supply
 * @returns {Promise<Runtime>}
 * @throws {HeadscopeError} `unsupported-environment`, or what `readEngine` throws
 */
export async function startRuntime({ variant, threads, wasm }, supply) {
  const features = detectFeatures();
  const given = wasm !== undefined && isOneEngine(wasm);
  const file = given ? await readEngine(wasm, supply.readFile) : undefined;
  if (file !== undefined && variant !== "auto" && file.variant !== variant) {
    throw new HeadscopeError(
      "bad-argument",
      `createEngine: wasm is the engine "${file.variant}", expected "${variant}" as variant says`,
    );
  }
  const offered = file === undefined ? supply.variants : [file.variant];
  const missing = [...offered, variant].find((each) => isMissing(each, supply));
  if (missing !== undefined) {
    const there = supply.variants.join(", ");
    throw new HeadscopeError(
      "unsupported-environment",
      `createEngine: "${missing}" is not in headscope/inline, only ${there}`,
    );
  }
  const wanted = { variant, threads, offered };
  const { plans, notes } = planVariants(wanted, supply.facts(), features);
  while (true) {
    const plan = /** @type {Plan} */ (plans.shift());
    const [engine, factory] = await Promise.all([
      file ?? readEngine(addressOf(plan.variant, wasm, supply), supply.readFile),
      supply.loadGlue(plan.variant),
    ]);
    try {
      return await startPlan(plan, { engine, factory }, notes, supply);
    } catch (error) {
      // Only a better plan's failure is silent, and only while there is another one.
      if (!(error instanceof FailedPlan)) throw error;
      notes.push(error.note);
      discard(plans, error.reject);
      if (plans.length > 0) continue;
      throw new HeadscopeError(
        "unsupported-environment",
        `engine: "${plan.variant}" failed: ${error.message}`,
        { cause: error.cause ?? error },
      );
    }
  }
}

/**
 * @param {"auto" | Variant} variant
 * @param {Supply} supply
 * @returns {boolean}
 */
function isMissing(variant, { variants }) {
  return variant !== "auto" && !variants.includes(variant);
}

/** Why a plan did not work out, and which others need not be tried. */
class FailedPlan extends Error {
  /**
   * @param {string} message
   * @param {{ note?: string, reject: (variant: Variant) => boolean, cause?: unknown }} options
   *   `note`: what to say where another plan works, the message by default
   */
  constructor(message, { note = message, reject, cause }) {
    super(message, { cause });
    this.note = note;
    this.reject = reject;
  }
}

/**
 * Whatever keeps threads from starting, an engine with one may start: without a shared memory,
 * which is reserved at its full size at once, and without workers.
 *
 * @param {string} reason
 * @param {unknown} [cause]
 * @returns {FailedPlan}
 */
function failedThreads(reason, cause) {
  return new FailedPlan(reason, { note: `one thread: ${reason}`, reject: isThreaded, cause });
}

/**
 * @param {unknown} error
 * @returns {FailedPlan}
 */
function asFailedThreads(error) {
  if (error instanceof FailedPlan) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return failedThreads(`threads could not start (${reason})`, error);
}

/**
 * @param {Plan[]} plans
 * @param {(variant: Variant) => boolean} reject
 */
function discard(plans, reject) {
  plans.splice(0, plans.length, ...plans.filter(({ variant }) => !reject(variant)));
}

/**
 * @param {Variant} variant
 * @param {EngineSource | undefined} folder
 * @param {Supply} supply
 * @returns {string}
 */
function addressOf(variant, folder, supply) {
  if (typeof folder !== "string") {
    return locateOwnFile(() => /** @type {URL} */ (supply.engineUrl?.(variant)), advice).href;
  }
  return new URL(`${variant}.wasm`, folder.endsWith("/") ? folder : `${folder}/`).href;
}

/**
 * @param {Plan} plan
 * @param {{ engine: EngineFile, factory: ModuleFactory }} parts
 * @param {string[]} notes
 * @param {Supply} supply
 * @returns {Promise<Runtime>}
 * @throws {FailedPlan} where another plan may work
 */
async function startPlan({ variant, threads }, { engine, factory }, notes, supply) {
  const { compiled } = engine;
  const module = isThreaded(variant)
    ? await instantiateWithThreads(factory, compiled, { variant, threads }, supply)
    : await instantiateModule(factory, compiled);
  const close = () => module.PThread?.terminateAllThreads();
  try {
    startThreads(module, variant, threads);
    if (!unwrap(module.selfTest())) {
      throw new FailedPlan(`"${variant}" computes wrongly here`, {
        reject: (each) => (isRelaxed(variant) ? isRelaxed(each) : each === variant),
      });
    }
  } catch (error) {
    close();
    throw error;
  }
  return { module, info: { variant, threads, notes }, close };
}

/**
 * @param {Module} module
 * @param {Variant} variant
 * @param {number} threads
 * @throws {FailedPlan} where there is a variant without them
 */
function startThreads(module, variant, threads) {
  try {
    unwrap(module.startThreads(threads));
  } catch (error) {
    throw isThreaded(variant) ? asFailedThreads(error) : error;
  }
}

/**
 * Instantiates a threaded engine, or gives up after a worker's error or 3 s.
 *
 * @param {ModuleFactory} factory
 * @param {WebAssembly.Module} compiled
 * @param {{ variant: ThreadedVariant, threads: number }} plan
 * @param {Supply} supply
 * @returns {Promise<Module>}
 * @throws {FailedPlan}
 */
async function instantiateWithThreads(factory, compiled, { variant, threads }, supply) {
  /** @type {Thread[]} */
  const opened = [];
  /** @type {(reason: string) => void} */
  let fail = () => {};
  const failure = /** @type {Promise<never>} */ (
    new Promise((_, reject) => {
      fail = (reason) => reject(failedThreads(reason));
    })
  );
  const stopWaiting = afterPatience(supply.reachOpener, () =>
    fail(`its workers took over ${patience_ms / 1000} s to start`),
  );
  const onError = (/** @type {Error} */ { message }) =>
    fail(`a worker could not start${message ? ` (${message})` : ""}`);
  const openThread = () => {
    const thread = /** @type {NonNullable<Supply["openThread"]>} */ (supply.openThread)(
      variant,
      onError,
    );
    // Emscripten's own handler prints, and throws where nobody can catch.
    Object.defineProperty(thread, "onerror", { get: () => onError, set: () => {} });
    opened.push(thread);
    return thread;
  };
  try {
    const pool = { poolSize: threads - 1, openThread };
    return await Promise.race([instantiateModule(factory, compiled, pool), failure]);
  } catch (error) {
    for (const thread of opened) thread.terminate();
    throw asFailedThreads(error);
  } finally {
    stopWaiting();
  }
}

/**
 * Waits for as long as workers may take to start.
 *
 * @param {Supply["reachOpener"]} reachOpener
 * @param {() => void} giveUp
 * @returns {() => void} ends the waiting
 */
function afterPatience(reachOpener, giveUp) {
  const stopped = new AbortController();
  const wait = (/** @type {() => void} */ then) => {
    const timer = setTimeout(then, patience_ms);
    stopped.signal.addEventListener("abort", () => clearTimeout(timer));
  };
  wait(async () => {
    if (reachOpener === undefined) return giveUp();
    // A page that was busy all the time has only now let them begin.
    await reachOpener();
    if (!stopped.signal.aborted) wait(giveUp);
    return undefined;
  });
  return () => stopped.abort();
}
