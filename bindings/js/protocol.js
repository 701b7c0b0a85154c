/** @typedef {import("./module.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./module.js").ErrorCode} ErrorCode */
/** @typedef {import("./module.js").HeadGate} HeadGate */
/** @typedef {import("./module.js").Int8Kernel} Int8Kernel */
/** @typedef {import("./module.js").Piece} Piece */
/** @typedef {import("./module.js").RunRequest} RunRequest */
/** @typedef {import("./module.js").Sequence} Sequence */
/** @typedef {import("./module.js").SequenceResult} SequenceResult */
/** @typedef {import("./runtime.js").Runtime} Runtime */
/** @typedef {import("./runtime.js").RuntimeSettings} RuntimeSettings */

/**
 * The commands of an engine: their arguments and results. A dispatcher carries them out, the
 * same way in a worker and on the calling thread.
 *
 * @typedef {object} Commands
 * @property {{ args: RuntimeSettings, result: Runtime["info"] }} start first, once
 * @property {{ args: LoadArguments, result: LoadResult }} load begins an encoder, which `place` and
 *   then `complete` make whole; one that fails is disposed by who began it
 * @property {{ args: { encoder: number } & Part, result: Uint8Array | undefined }} place gives
 *   lent bytes back
 * @property {{ args: { encoder: number, seed?: number }, result: undefined }} complete `seed` makes
 *   the parameters
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
 * Pieces of tensors and the bytes that they lie in; a tensor's come in their order. `lent`: the memory
 * of the bytes is wanted back.
 *
 * @typedef {{ pieces: Piece[], bytes: Uint8Array, lent: boolean }} Part
 * @typedef {{ config: EncoderConfig, dtype: "f32" | "int8" }} LoadArguments
 * @typedef {{ encoder: number, config: EncoderConfig, shapes: { name: string, shape: number[] }[],
 *   int8Kernel: Int8Kernel | undefined }} LoadResult
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

/** The id of the first message of a worker: its script runs, and is of the version that is the result. */
export const greetingId = 0;

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
