// What the command line of npm run bench may say.
import { parseArgs } from "node:util";
import { SetupError } from "../../tools/shell.js";

export const parts = /** @type {const} */ ([
  "chromium",
  "node",
  "cold",
  "size",
  "growth",
  "kernels",
]);

/** @typedef {(typeof parts)[number]} Part */

/**
 * @typedef {object} BenchOptions
 * @property {readonly Part[]} only
 * @property {boolean} quick a rough answer in two minutes
 * @property {number[]} lengths in tokens
 * @property {number[]} threads
 * @property {number} rounds at 128 tokens
 */

/**
 * @param {string[]} args
 * @returns {BenchOptions}
 * @throws {SetupError} for what it does not know
 */
export function readOptions(args) {
  const { values } = parse(args);
  const { quick } = values;
  const only = values.only?.split(",") ?? (quick ? ["chromium", "cold", "size", "kernels"] : parts);
  const unknown = only.filter((name) => !parts.includes(/** @type {Part} */ (name)));
  if (unknown.length > 0) throw new SetupError(`--only ${unknown}: there are ${parts.join(", ")}`);
  return {
    only: /** @type {Part[]} */ (only),
    quick,
    lengths: readNumbers("n", values.n ?? (quick ? "16,128" : "16,64,128,512"), 512),
    threads: readNumbers("threads", values.threads ?? "1,2", 16),
    rounds: readNumbers("rounds", values.rounds ?? (quick ? "3" : "6"), 1000)[0],
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: "boolean", default: false },
        only: { type: "string" },
        n: { type: "string" },
        threads: { type: "string" },
        rounds: { type: "string" },
      },
    });
  } catch (error) {
    throw new SetupError(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {string} name
 * @param {string} text numbers with commas
 * @param {number} most
 * @returns {number[]} in ascending order
 */
function readNumbers(name, text, most) {
  const numbers = text.split(",").map(Number);
  if (numbers.every((each) => Number.isInteger(each) && each >= 1 && each <= most)) {
    return numbers.sort((a, b) => a - b);
  }
  throw new SetupError(`--${name} ${text}: expected whole numbers from 1 to ${most}, with commas`);
}
