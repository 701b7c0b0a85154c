// The results of contests as tables, beside what design asks for.
import { pairs } from "./pairs.js";
import { geometricMean } from "./ratios.js";
import { shapes } from "./shapes.js";
import { digits, drawTable } from "./table.js";

/** @typedef {import("./measure.js").ContestResult} ContestResult */
/** @typedef {import("./pairs.js").Pair} Pair */
/** @typedef {import("./pairs.js").PairName} PairName */
/** @typedef {import("./ratios.js").Row} Row */
/** @typedef {import("./ratios.js").Spread} Spread */

/**
 * A pair over all lengths that count.
 *
 * @typedef {object} Verdict
 * @property {PairName} pair
 * @property {number} mean geometric
 * @property {number} lowest
 * @property {number} best geometric mean of the ratios of quickest turns
 * @property {boolean} reached what it must be
 * @property {boolean} better reached, and what it should be
 */

/**
 * @param {Row[]} rows of one contest
 * @returns {Verdict[]}
 */
export function judge(rows) {
  return /** @type {PairName[]} */ (Object.keys(pairs)).flatMap((pair) => {
    /** @type {Pair} */
    const { must, better, longest = Number.POSITIVE_INFINITY } = pairs[pair];
    const counted = rows.filter((row) => row.pair === pair && row.length <= longest);
    if (counted.length === 0) return [];
    const ratios = counted.map(({ ratio }) => ratio.median);
    const best = geometricMean(counted.map((row) => row.best));
    const mean = geometricMean(ratios);
    const lowest = Math.min(...ratios);
    const reached = mean >= (must.mean ?? 0) && lowest >= (must.lowest ?? 0);
    return [{ pair, mean, lowest, best, reached, better: reached && mean >= better }];
  });
}

/** @param {ContestResult[]} results @returns {string} every pair at every length */
export function drawRatios(results) {
  const head = [
    "",
    "tokens",
    "ratio",
    "quartiles",
    "best",
    "ms",
    "its ms",
    "GF/s",
    "kernels",
    "copy",
  ];
  head.push("rest of ms");
  const rows = results.flatMap((result) => [
    [titleOf(result), ...head.slice(1).map(() => "")],
    ...result.rows.map(drawRow),
  ]);
  return drawTable(head, rows);
}

/** @param {Row} row */
function drawRow({ pair, length, ratio, best, headscope_ms, ort_ms, gigaflops, parts_ms }) {
  const { tokenize, forward, copy, rest } = parts_ms;
  return [
    `  ${pairs[pair].title}`,
    String(length),
    ratio.median.toFixed(2),
    `${ratio.lower.toFixed(2)} to ${ratio.upper.toFixed(2)}`,
    best.toFixed(2),
    digits(headscope_ms.median),
    digits(ort_ms.median),
    gigaflops.toFixed(1),
    digits(forward),
    digits(copy),
    digits(tokenize + rest),
  ];
}

/** @param {ContestResult[]} results @returns {string} every pair over all lengths, beside its limits */
export function drawVerdicts(results) {
  const head = ["", "mean", "lowest", "mean of best", "must", "better", "verdict"];
  const rows = results.flatMap((result) => [
    [titleOf(result), ...head.slice(1).map(() => "")],
    ...judge(result.rows).map(drawVerdict),
  ]);
  return drawTable(head, rows);
}

/** @param {Verdict} verdict */
function drawVerdict({ pair, mean, lowest, best, reached, better }) {
  /** @type {Pair} */
  const { title, must, better: wanted, longest } = pairs[pair];
  const words = [];
  if (must.mean !== undefined) words.push(`mean ${must.mean}`);
  if (must.lowest !== undefined) words.push(`lowest ${must.lowest}`);
  return [
    `  ${title}${longest === undefined ? "" : `, up to ${longest} tokens`}`,
    mean.toFixed(2),
    lowest.toFixed(2),
    best.toFixed(2),
    words.join(", "),
    String(wanted),
    better ? "better" : reached ? "reached" : "SHORT",
  ];
}

/** @param {ContestResult} result */
function titleOf({ place, shape, threads, facts }) {
  const { title } = shapes[shape];
  const count = threads === 1 ? "1 thread" : `${threads} threads`;
  return `${place}, ${title}, ${count} (int8: ${facts.int8Kernel}; ${facts.graphs.best})`;
}
