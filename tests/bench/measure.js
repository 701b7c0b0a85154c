// Runs a contest to its end and keeps every time.
import { pairs } from "./pairs.js";
import { summarise } from "./ratios.js";

/** @typedef {import("./agreement.js").Agreement} Agreement */
/** @typedef {import("./contest.js").Facts} Facts */
/** @typedef {import("./contest.js").Turn} Turn */
/** @typedef {import("./ratios.js").Row} Row */
/** @typedef {import("./shapes.js").ShapeName} ShapeName */

/**
 * A contest here, or in a page.
 *
 * @typedef {object} RemoteContest
 * @property {Facts | Promise<Facts>} facts
 * @property {() => Promise<unknown>} warm
 * @property {(length: number) => Promise<Agreement>} compare
 * @property {(length: number, options: { backwards: boolean }) => Promise<Turn[][]>} round
 * @property {() => Promise<unknown>} close
 */

/** @typedef {{ shape: ShapeName, threads: number }} Contestants */

/**
 * @typedef {Contestants & { place: string, facts: Facts, agreement: Record<string, Agreement>,
 *   rows: Row[] }} ContestResult
 */

/**
 * @param {(settings: Contestants) => Promise<RemoteContest>} open
 * @param {Contestants & { place: string, lengths: number[], rounds: number }} settings rounds: at
 *   128 tokens; shorter sentences get more, longer ones fewer
 * @returns {Promise<ContestResult>}
 */
export async function measureContest(open, { place, shape, threads, lengths, rounds }) {
  const contest = await open({ shape, threads });
  await contest.warm();
  /** @type {Record<string, Agreement>} */
  const agreement = {};
  // Before anything is timed.
  for (const length of lengths) agreement[length] = await contest.compare(length);
  /** @type {Row[]} */
  const rows = [];
  for (const length of lengths) {
    /** @type {Turn[][]} */
    const chains = [];
    for (let round = 0; round < countRounds(rounds, length); ++round) {
      chains.push(...(await contest.round(length, { backwards: round % 2 === 1 })));
    }
    rows.push(...summarise(chains, { length, shape }));
    process.stdout.write(
      `${place}, ${shape}, ${threads} threads, ${length} tokens: ${short(rows)}\n`,
    );
  }
  const facts = await contest.facts;
  await contest.close();
  return { place, shape, threads, facts, agreement, rows };
}

/** @param {number} rounds @param {number} length */
function countRounds(rounds, length) {
  if (length > 256) return Math.max(3, Math.round(rounds / 2));
  return length <= 64 ? 2 * rounds : rounds;
}

/** One line while it runs. @param {Row[]} rows those of the last length count */
function short(rows) {
  return rows
    .slice(-Object.keys(pairs).length)
    .map(({ pair, ratio }) => `${pair} ${ratio.median.toFixed(2)}`)
    .join(", ");
}
