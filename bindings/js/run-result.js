import { captures } from "./trace/capture.js";
import { Trace } from "./trace/trace.js";

/** @typedef {import("./config.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./encoder-text.js").TokenizedInput} TokenizedInput */
/** @typedef {import("./module.js").SequenceResult} SequenceResult */
/** @typedef {import("./trace/trace.js").Timing} Timing */
/** @typedef {import("./trace/trace.js").TraceEntry} TraceEntry */

/** Integers of one entry of a directory. */
const entryLength = 6;

/**
 * @param {TokenizedInput} input
 * @param {EncoderConfig} config
 * @param {Timing} timing
 * @param {SequenceResult | undefined} result of that input
 * @returns {Trace}
 */
export function makeTrace(input, config, timing, result) {
  const { data, directory, pooled } = /** @type {SequenceResult} */ (result);
  return new Trace({
    ...input,
    config,
    pooled,
    timing,
    data,
    entries: readEntries(directory),
  });
}

/**
 * @param {Int32Array} directory
 * @returns {TraceEntry[]}
 */
function readEntries(directory) {
  /** @type {TraceEntry[]} */
  const entries = [];
  for (let at = 0; at < directory.length; at += entryLength) {
    const [name, layer, head, rows, cols, offset] = /** @type {number[]} */ (
      Array.from(directory.subarray(at, at + entryLength))
    );
    entries.push(
      /** @type {TraceEntry} */ ({
        name: captures[name ?? -1],
        layer,
        head,
        rows,
        cols,
        offset,
      }),
    );
  }
  return entries;
}
