import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./trace/error.js").ErrorCode} ErrorCode */
/** @typedef {import("./config.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./config.js").PositionOptions} PositionOptions */

/**
 * What every function of the C++ module returns: nothing is thrown across the border.
 *
 * @template T
 * @typedef {{ value: T, error?: undefined }
 *   | { value?: undefined, error: { code: ErrorCode, message: string } }} Outcome
 */

/**
 * One sequence of a run, as numbers.
 *
 * @typedef {{ ids: Int32Array, segments?: Int32Array }} Sequence
 */

/** @typedef {{ layer: number, head: number, gate: number }} HeadGate */

/**
 * What a run is asked for, as the C++ module takes it.
 *
 * @typedef {object} RunRequest
 * @property {Sequence[]} sequences may differ in length
 * @property {string[]} capture
 * @property {number[]} [layers] all where it is missing
 * @property {HeadGate[]} gates
 * @property {"model" | "bidirectional" | "causal"} mask
 * @property {"model" | PositionOptions} position
 */

/**
 * What a run gave for one sequence. `directory` has 6 integers an entry: the capture's index in
 * `captures`, layer or -1, head or -1, rows, cols, offset in floats.
 *
 * @typedef {{ data: Float32Array, directory: Int32Array, pooled: Float32Array }} SequenceResult
 */

/**
 * How products in int8 are computed: "wide", with inputs of 12 bits, works everywhere; "dot", with 8,
 * is faster where engine and processor have the instruction.
 *
 * @typedef {"wide" | "dot"} Int8Kernel
 */

/**
 * One tensor of a safetensors file: `begin` and `end` in bytes, from the start of the data section.
 *
 * @typedef {{ name: string, dtype: string, shape: number[], begin: number, end: number }} Tensor
 */

/**
 * Some of a tensor's bytes: `length` of them from its byte `first` on, `at` this index of the bytes
 * that come with it. `stays`: the engine keeps those, or a copy where there are others with them,
 * and reads rows of the table from there.
 *
 * @typedef {Tensor & { first: number, at: number, length: number, stays: boolean }} Piece
 */

/**
 * The C++ module. Encoders and runs are numbers here; encoder.js is what users see.
 *
 * @typedef {object} Module
 * @property {() => Outcome<number>} heapBytes
 * @property {(count: number) => Outcome<void>} startThreads
 * @property {() => Outcome<boolean>} selfTest
 * @property {() => Outcome<Int8Kernel>} int8Kernel "dot" where it is right here
 * @property {(config: EncoderConfig, weights: "f32" | Int8Kernel) => Outcome<number>} encoderCreate
 * @property {(encoder: number) => Outcome<EncoderConfig>} encoderConfig
 * @property {(encoder: number) => Outcome<{ name: string, shape: number[] }[]>} encoderShapes
 * @property {(encoder: number, piece: Piece, bytes: Uint8Array) => Outcome<void>} encoderPlace
 * @property {(encoder: number, seed: number) => Outcome<void>} encoderInitialise
 * @property {(encoder: number) => Outcome<void>} encoderFinish
 * @property {(encoder: number, name: string) =>
 *   Outcome<{ rows: number, cols: number, data: Float32Array }>} encoderParameter
 * @property {(encoder: number) => Outcome<void>} encoderDispose
 * @property {(encoder: number, request: RunRequest) => Outcome<number>} runBegin
 * @property {(run: number) => Outcome<boolean>} runStep
 * @property {(run: number) => Outcome<SequenceResult[]>} runFinish
 * @property {(run: number) => Outcome<void>} runDrop
 * @property {(name: string, args: Record<string, unknown>) => Outcome<unknown>} component
 * @property {(encoder: number, request: { sequences: Sequence[] }) => Outcome<number>} analysisBegin
 * @property {(analysis: number, gates: HeadGate[]) => Outcome<number>} analysisSimilarity mean
 *   cosine of the sentence vectors to those of the whole model
 * @property {(analysis: number) => Outcome<void>} analysisEnd
 * @property {PThreads} [PThread] in the threaded engines
 */

/**
 * Emscripten's own list of workers.
 *
 * @typedef {{ terminateAllThreads: () => void }} PThreads
 */

/**
 * Emscripten's factory of the module.
 *
 * @typedef {(options: ModuleOptions) => Promise<Module>} ModuleFactory
 * @typedef {object} ModuleOptions
 * @property {(imports: WebAssembly.Imports,
 *   receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => object
 *   } instantiateWasm
 * @property {number} poolSize workers that are ready before any thread starts
 * @property {() => object} [openThread] makes one of them, in the threaded engines
 */

/**
 * The value of an outcome of the C++ module, or its error thrown.
 *
 * @template T
 * @param {Outcome<T>} outcome
 * @returns {T}
 */
export function unwrap(outcome) {
  if (outcome.error === undefined) return /** @type {T} */ (outcome.value);
  throw new HeadscopeError(outcome.error.code, outcome.error.message);
}

/**
 * Makes an instance of a compiled engine. With threads it does not settle where workers cannot
 * start.
 *
 * @param {ModuleFactory} factory the glue that belongs to the engine
 * @param {WebAssembly.Module} compiled
 * @param {{ poolSize: number, openThread?: () => object }} [threads]
 * @returns {Promise<Module>}
 */
export function instantiateModule(factory, compiled, threads = { poolSize: 0 }) {
  return new Promise((resolve, reject) => {
    /** @type {ModuleOptions} */
    const options = {
      ...threads,
      // The glue would swallow a rejection here and never settle.
      instantiateWasm: (imports, receive) => {
        WebAssembly.instantiate(compiled, imports).then(
          (instance) => receive(instance, compiled),
          reject,
        );
        return {};
      },
    };
    factory(options).then(resolve, reject);
  });
}
