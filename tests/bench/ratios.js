// From single times to ratios with their spread.
import { mean, median, quantile } from "d3-array";
import { pairs } from "./pairs.js";
import { countOperations, shapes } from "./shapes.js";

/** @typedef {import("./contest.js").Turn} Turn */
/** @typedef {import("./pairs.js").PairName} PairName */
/** @typedef {import("./shapes.js").ShapeName} ShapeName */

/** @typedef {{ lower: number, median: number, upper: number }} Spread quartiles */

/**
 * One pair at one length. `parts_ms`: medians of what Headscope's time was spent on; `rest` is what
 * it does not account for itself, messages to the worker above all.
 *
 * @typedef {object} Row
 * @property {PairName} pair
 * @property {number} length
 * @property {Spread} ratio onnxruntime's time through Headscope's, of neighbouring turns
 * @property {number} best the same of each side's quickest turn, which other programs disturb least
 * @property {Spread} headscope_ms
 * @property {Spread} ort_ms
 * @property {number} gigaflops Headscope's, at the median
 * @property {{ tokenize: number, forward: number, copy: number, rest: number }} parts_ms
 * @property {{ headscope_ms: number, ort_ms: number }[]} samples
 */

/**
 * @param {Turn[][]} chains
 * @param {{ length: number, shape: ShapeName }} what was measured
 * @returns {Row[]} one per pair
 */
export function summarise(chains, { length, shape }) {
  return /** @type {PairName[]} */ (Object.keys(pairs)).map((pair) => {
    const { headscope, ort } = pairs[pair];
    const neighbours = chains.flatMap((turns) => findNeighbours(turns, headscope, ort));
    const samples = neighbours.map((both) => ({
      headscope_ms: medianOf(both.headscope.times_ms),
      ort_ms: medianOf(both.ort.times_ms),
    }));
    const headscope_ms = spreadOf(samples.map((sample) => sample.headscope_ms));
    return {
      pair,
      length,
      ratio: spreadOf(samples.map((sample) => sample.ort_ms / sample.headscope_ms)),
      best:
        Math.min(...samples.map(({ ort_ms }) => ort_ms)) /
        Math.min(...samples.map((sample) => sample.headscope_ms)),
      headscope_ms,
      ort_ms: spreadOf(samples.map((sample) => sample.ort_ms)),
      gigaflops: countOperations(shapes[shape].config, length) / headscope_ms.median / 1e6,
      parts_ms: partsOf(neighbours.map((both) => both.headscope)),
      samples,
    };
  });
}

/** @param {number[]} values @returns {Spread} */
export function spreadOf(values) {
  const at = (/** @type {number} */ share) => quantile(values, share) ?? Number.NaN;
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}

/** @param {number[]} values */
export function geometricMean(values) {
  return Math.exp(mean(values, Math.log) ?? Number.NaN);
}

/** @param {number[]} values */
export function medianOf(values) {
  return median(values) ?? Number.NaN;
}

/**
 * @param {Turn[]} turns
 * @param {string} headscope
 * @param {string} ort
 */
function findNeighbours(turns, headscope, ort) {
  const at = turns.findIndex(({ name }) => name === headscope);
  const other = turns.findIndex(({ name }) => name === ort);
  const areNeighbours = at >= 0 && other >= 0 && Math.abs(at - other) === 1;
  return areNeighbours ? [{ headscope: turns[at], ort: turns[other] }] : [];
}

/** @param {Turn[]} turns of Headscope */
function partsOf(turns) {
  const parts = turns.flatMap(({ times_ms, timings }) =>
    timings.map(({ tokenize_ms, forward_ms, copy_ms }, i) => ({
      tokenize: tokenize_ms,
      forward: forward_ms,
      copy: copy_ms,
      rest: times_ms[i] - tokenize_ms - forward_ms - copy_ms,
    })),
  );
  const middle = (/** @type {"tokenize" | "forward" | "copy" | "rest"} */ name) =>
    medianOf(parts.map((part) => part[name]));
  return {
    tokenize: middle("tokenize"),
    forward: middle("forward"),
    copy: middle("copy"),
    rest: middle("rest"),
  };
}
