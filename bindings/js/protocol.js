import { JobQueue } from "./job-queue.js";
import { unwrap } from "./module.js";
import { startRuntime } from "./runtime.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./job-queue.js").Checkpoint} Checkpoint */
/** @typedef {import("./module.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./module.js").ErrorCode} ErrorCode */
/** @typedef {import("./module.js").HeadGate} HeadGate */
/** @typedef {import("./module.js").Module} Module */
/** @typedef {import("./module.js").RunRequest} RunRequest */
/** @typedef {import("./module.js").Sequence} Sequence */
/** @typedef {import("./module.js").SequenceResult} SequenceResult */
/** @typedef {import("./module.js").Tensor} Tensor */
/** @typedef {import("./runtime.js").Runtime} Runtime */
/** @typedef {import("./runtime.js").RuntimeSettings} RuntimeSettings */
/** @typedef {import("./runtime.js").Supply} Supply */

/**
 * The commands of an engine: their arguments and results. The dispatcher below carries them out,
 * the same way in a worker and on the calling thread.
 *
 * @typedef {object} Commands
 * @property {{ args: RuntimeSettings, result: Runtime["info"] }} start first, once
 * @property {{ args: LoadArguments, result: LoadResult }} load
 * @property {{ args: { encoder: number, request: RunRequest }, result: RunResult }} run
 * @property {{ args: { encoder: number, name: string },
 *   result: { rows: number, cols: number, data: Float32Array } }} parameter
 * @property {{ args: { name: string, arguments: Record<string, unknown> }, result: unknown }}
 *   component
 * @property {{ args: AnalysisArguments, result: number[] }} analyse similarities, one for each
 *   list of gates
 * @property {{ args: { encoder: number }, result: undefined }} dispose
 * @property {{ args: undefined, result: number }} heap bytes
 */

/**
 * Where parameters come from: `files` are the data sections of safetensors files and the tensors
 * in them; `values` are whole parameters by name; `seed` makes them.
 *
 * @typedef {{ files: { tensors: Tensor[], bytes: Uint8Array }[] }
 *   | { values: Record<string, Float32Array> } | { seed: number }} ParameterSource
 * @typedef {{ config: EncoderConfig, parameters: ParameterSource }} LoadArguments
 * @typedef {{ encoder: number, config: EncoderConfig, names: string[] }} LoadResult
 * @typedef {{ encoder: number, sequences: Sequence[], gates: HeadGate[][] }} AnalysisArguments
 * @typedef {{ sequences: SequenceResult[], forward_ms: number, copy_ms: number }} RunResult
 */

/**
 * A message to an engine and the answer to it. `abort` has no answer of its own: the target's says
 * `aborted`.
 *
 * @typedef {{ id: number, command: keyof Commands, args: unknown }
 *   | { id: number, command: "abort", args: { target: number } }} Message
 * @typedef {{ id: number, result?: unknown, error?: { code: ErrorCode, message: string } }} Answer
 */

/** Carries out messages, one job at a time. */
export class Dispatcher {
  /** @type {Runtime | undefined} */
  #runtime;
  #jobs;
  #supply;

  /** @param {Supply} supply where the engine's parts come from */
  constructor(supply) {
    this.#supply = supply;
    this.#jobs = new JobQueue(supply.pause);
  }

  /**
   * @param {Message} message
   * @returns {Promise<Answer | undefined>} nothing after `abort`; never rejects
   */
  async answer(message) {
    const { id } = message;
    if (message.command === "abort") {
      this.#jobs.abort(message.args.target);
      return undefined;
    }
    try {
      const { command, args } = message;
      const result = await this.#jobs.add(id, (checkpoint) => {
        if (command === "start") return this.#start(/** @type {RuntimeSettings} */ (args));
        return carryOut(command, this.#module(), args, checkpoint);
      });
      return { id, result };
    } catch (error) {
      return { id, error: asPlainError(error) };
    }
  }

  /** Ends the threads; the memory goes with the last reference to the module. */
  close() {
    this.#runtime?.close();
    this.#runtime = undefined;
  }

  /** @param {RuntimeSettings} settings */
  async #start(settings) {
    this.#runtime = await startRuntime(settings, this.#supply);
    return this.#runtime.info;
  }

  /** @returns {Module} */
  #module() {
    if (this.#runtime !== undefined) return this.#runtime.module;
    throw new HeadscopeError("disposed", "engine: it was disposed");
  }
}

/**
 * The buffers of an answer, which a worker moves and does not copy.
 *
 * @param {Answer} answer
 * @returns {ArrayBuffer[]}
 */
export function transferables({ result }) {
  /** @type {Set<ArrayBuffer>} */
  const buffers = new Set();
  const gather = (/** @type {unknown} */ value) => {
    if (ArrayBuffer.isView(value)) buffers.add(/** @type {ArrayBuffer} */ (value.buffer));
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(gather);
  };
  gather(result);
  return [...buffers];
}

/**
 * @param {Exclude<keyof Commands, "start">} command
 * @param {Module} module
 * @param {any} args as `Commands` says
 * @param {Checkpoint} checkpoint
 * @returns {unknown}
 */
function carryOut(command, module, args, checkpoint) {
  switch (command) {
    case "load":
      return loadEncoder(module, args);
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
 * Makes an encoder whole, or leaves nothing behind.
 *
 * @param {Module} module
 * @param {LoadArguments} args
 * @returns {LoadResult}
 */
function loadEncoder(module, { config, parameters }) {
  const encoder = unwrap(module.encoderCreate(config));
  try {
    const shapes = unwrap(module.encoderShapes(encoder));
    if ("seed" in parameters) {
      unwrap(module.encoderInitialise(encoder, parameters.seed));
    } else {
      if ("files" in parameters) placeFiles(module, encoder, parameters.files);
      else placeValues(module, encoder, shapes, parameters.values);
      unwrap(module.encoderFinish(encoder));
    }
    const names = shapes.map(({ name }) => name);
    return { encoder, config: unwrap(module.encoderConfig(encoder)), names };
  } catch (error) {
    unwrap(module.encoderDispose(encoder));
    throw error;
  }
}

/**
 * @param {Module} module
 * @param {number} encoder
 * @param {{ tensors: Tensor[], bytes: Uint8Array }[]} files
 */
function placeFiles(module, encoder, files) {
  for (const { tensors, bytes } of files) {
    for (const tensor of tensors) unwrap(module.encoderPlace(encoder, tensor, bytes));
  }
}

/**
 * @param {Module} module
 * @param {number} encoder
 * @param {{ name: string, shape: number[] }[]} shapes
 * @param {Record<string, Float32Array>} values
 */
function placeValues(module, encoder, shapes, values) {
  const known = new Set(shapes.map(({ name }) => name));
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new HeadscopeError("bad-argument", `parameters: "${unknown}" is none of this model's`);
  }
  for (const { name, shape } of shapes) {
    const data = values[name];
    if (data === undefined) {
      throw new HeadscopeError("bad-argument", `parameters: "${name}" [${shape}] is missing`);
    }
    const count = shape.reduce((product, size) => product * size, 1);
    if (data.length !== count) {
      throw new HeadscopeError(
        "bad-shape",
        `parameters: "${name}" has ${data.length} values, expected [${shape}] = ${count}`,
      );
    }
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const tensor = { name, dtype: "F32", shape, begin: 0, end: bytes.length };
    unwrap(module.encoderPlace(encoder, tensor, bytes));
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

/**
 * An error as a message can carry it: a HeadscopeError by its code, anything else as `internal`.
 *
 * @param {unknown} error
 * @returns {{ code: ErrorCode, message: string }}
 */
function asPlainError(error) {
  if (error instanceof HeadscopeError) return { code: error.code, message: error.message };
  return { code: "internal", message: `engine: ${error instanceof Error ? error.message : error}` };
}
