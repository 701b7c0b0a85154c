// npm run bench: what is measured, in turn, and what is said of it.
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { say } from "../../tools/shell.js";
import { measureInChromium } from "./chromium.js";
import { measureColdStart } from "./cold.js";
import { drawRatios, drawVerdicts, judge } from "./contest-report.js";
import { measureGrowth } from "./growth.js";
import { measureKernels } from "./kernels.js";
import { writeModels } from "./models.js";
import { measureInNode } from "./node.js";
import { shapeNames } from "./shapes.js";
import { measureSizes } from "./size.js";

/** @typedef {import("./measure.js").Contestants} Contestants */
/** @typedef {import("./measure.js").ContestResult} ContestResult */
/** @typedef {import("./options.js").BenchOptions} BenchOptions */
/** @typedef {import("./options.js").Part} Part */

const folder = fileURLToPath(new URL("../../build/bench/", import.meta.url));

/** @type {Record<Part, (options: BenchOptions) => Promise<object>>} */
const measurements = {
  chromium: (options) => runContests(options, measureInChromium),
  node: (options) => runContests(options, (settings) => measureInNode(settings, folder)),
  cold: ({ quick }) => measureColdStart({ starts: quick ? 3 : 7 }),
  size: measureSizes,
  growth: measureGrowth,
  kernels: measureKernels,
};

/** @type {Part[]} */
const needModels = ["chromium", "node", "cold"];

/**
 * Measures, prints tables and writes build/bench/{part}.json.
 *
 * @param {BenchOptions} options
 */
export async function bench(options) {
  mkdirSync(folder, { recursive: true });
  const machine = describeMachine();
  say(`load ${machine.load.toFixed(1)} on ${machine.cores} cores: ratios hold on a quiet machine`);
  if (options.only.some((part) => needModels.includes(part))) {
    say("writing the models");
    await writeModels();
  }
  for (const part of options.only) {
    say(`measuring: ${part}`);
    const results = await measurements[part](options);
    const all = { date: new Date().toISOString(), machine, options, results };
    writeFileSync(`${folder}${part}.json`, JSON.stringify(all, null, 1));
  }
  say("every figure is in build/bench/*.json");
}

/**
 * @param {BenchOptions} options
 * @param {(settings: Contestants & { lengths: number[], rounds: number }) =>
 *   Promise<ContestResult>} measure
 */
async function runContests({ lengths, rounds, threads, quick }, measure) {
  /** @type {ContestResult[]} */
  const contests = [];
  for (const shape of quick ? shapeNames.slice(0, 1) : shapeNames) {
    for (const count of threads) {
      contests.push(await measure({ shape, threads: count, lengths, rounds }));
    }
  }
  process.stdout.write(`\n${drawRatios(contests)}\n${drawVerdicts(contests)}\n`);
  return contests.map((contest) => ({ ...contest, verdicts: judge(contest.rows) }));
}

/** load: how many programs wanted to compute, over the last minute. */
function describeMachine() {
  const [load] = loadavg();
  const cores = availableParallelism();
  return { processor: cpus()[0]?.model, cores, load, node: process.version };
}
