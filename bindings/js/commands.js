import { unwrap } from "./module.js";
import { beginEncoder, completeEncoder, placePart } from "./placement.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./job-queue.js").Checkpoint} Checkpoint */
/** @typedef {import("./module.js").Module} Module */
/** @typedef {import("./module.js").RunRequest} RunRequest */
/** @typedef {import("./protocol.js").AnalysisArguments} AnalysisArguments */
/** @typedef {import("./protocol.js").Commands} Commands */
/** @typedef {import("./protocol.js").RunResult} RunResult */

/**
 * Carries out one command on the C++ module.
 *
 * @param {Exclude<keyof Commands, "start">} command
 * @param {Module} module
 * @param {any} args as `Commands` says
 * @param {Checkpoint} checkpoint
 * @returns {unknown} as `Commands` says, or a promise of it
 */
export function carryOut(command, module, args, checkpoint) {
  switch (command) {
    case "load":
      return beginEncoder(module, args);
    case "place":
      return placePart(module, args);
    case "complete":
      return completeEncoder(module, args);
    case "run":
      return runEncoder(module, args, checkpoint);
    case "parameter":
      return unwrap(module.encoderParameter(args.encoder, args.name));
    case "component":
      return unwrap(module.component(args.name, args.arguments));
    case "analyse":
      return analyseEncoder(module, args, checkpoint);
    case "dispose":
      return unwrap(module.encoderDispose(args.encoder));
    case "heap":
      return unwrap(module.heapBytes());
    default:
      throw new HeadscopeError("internal", `engine: unknown command "${command}"`);
  }
}

/**
 * Runs layer by layer, so that an abort takes hold in between.
 *
 * @param {Module} module
 * @param {{ encoder: number, request: RunRequest }} args
 * @param {Checkpoint} checkpoint
 * @returns {Promise<RunResult>}
 */
async function runEncoder(module, { encoder, request }, checkpoint) {
  await checkpoint();
  let forward_ms = 0;
  const timed = (/** @type {() => unknown} */ compute) => {
    const start_ms = performance.now();
    const result = compute();
    forward_ms += performance.now() - start_ms;
    return result;
  };
  const run = Number(timed(() => unwrap(module.runBegin(encoder, request))));
  try {
    while (timed(() => unwrap(module.runStep(run)))) await checkpoint();
    const start_ms = performance.now();
    const sequences = unwrap(module.runFinish(run));
    return { sequences, forward_ms, copy_ms: performance.now() - start_ms };
  } catch (error) {
    unwrap(module.runDrop(run));
    throw error;
  }
}

/**
 * Gates the heads of an encoder in several ways; an abort takes hold between two of them.
 *
 * @param {Module} module
 * @param {AnalysisArguments} args
 * @param {Checkpoint} checkpoint
 * @returns {Promise<number[]>}
 */
async function analyseEncoder(module, { encoder, sequences, gates }, checkpoint) {
  await checkpoint();
  const analysis = unwrap(module.analysisBegin(encoder, { sequences }));
  try {
    const similarities = [];
    for (const each of gates) {
      await checkpoint();
      similarities.push(unwrap(module.analysisSimilarity(analysis, each)));
    }
    return similarities;
  } finally {
    unwrap(module.analysisEnd(analysis));
  }
}
