// The JavaScript targets: hostile files, made and checked in a worker that this thread watches.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { ROOT } from "../setup.js";
import { say } from "../shell.js";

/** An input that computes longer than this would hang the page. */
const PATIENCE_MS = 20_000;

/** One that takes longer than this waits for something that does not come. */
const LONGEST_WAIT_MS = 300_000;

export const fileTargets = ["safetensors", "index", "config", "tokenizer", "trace"];

/**
 * @typedef {object} Outcome
 * @property {number} iterations
 * @property {Record<string, number>} outcomes how inputs ended, and how many
 * @property {string} [fault] the promise that was broken
 */

/**
 * @param {string} target
 * @param {{ seed: number, seconds: number, first: number, count: number }} options
 * @returns {Promise<boolean>} whether every promise held
 */
export async function fuzzFiles(target, { seed, seconds, first, count }) {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const started = Date.now();
  const { iterations, outcomes, fault } = await watch({
    target,
    seed,
    seconds,
    first,
    count,
    counter,
  });
  const took = (Date.now() - started) / 1000;
  const rate = Math.round(iterations / took);
  say(`${target}: ${iterations} inputs in ${Math.round(took)} s (${rate} per second)`);
  const ends = Object.entries(outcomes).sort(([, a], [, b]) => b - a);
  for (const [outcome, times] of ends) say(`  ${String(times).padStart(8)}  ${outcome}`);
  if (fault === undefined) return true;
  const iteration = Atomics.load(counter, 0);
  const folder = await keepInput(target, seed, iteration);
  say(`${target}: ${fault}`);
  say(`${target}: its files are in ${folder}; to repeat it:`);
  say(`npm run fuzz -- --target ${target} --seed ${seed} --iteration ${iteration}`);
  return false;
}

/**
 * @param {{ target: string, seed: number, seconds: number, first: number, count: number,
 *   counter: Int32Array }} work
 * @returns {Promise<Outcome>}
 */
function watch(work) {
  const worker = new Worker(new URL("../../tests/fuzz/fuzzing-worker.js", import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: 2048 },
  });
  const { counter, first } = work;
  return new Promise((resolve) => {
    let seen = -1;
    let since = { time_ms: 0, computed_ms: 0 };
    const end = (/** @type {Outcome} */ outcome) => {
      clearInterval(timer);
      resolve(outcome);
    };
    const fail = (/** @type {string} */ fault) => {
      end({ iterations: Atomics.load(counter, 0) - first, outcomes: {}, fault });
      worker.terminate();
    };
    const timer = setInterval(() => {
      const now = { time_ms: Date.now(), computed_ms: computingTime() };
      const current = Atomics.load(counter, 0);
      if (current !== seen) since = now;
      seen = current;
      const computed_ms = now.computed_ms - since.computed_ms;
      const waited_ms = now.time_ms - since.time_ms;
      if (computed_ms < PATIENCE_MS && waited_ms < LONGEST_WAIT_MS) return;
      fail(`no end after ${waited_ms / 1000} s, ${computed_ms / 1000} s of them computing`);
    }, 500);
    worker.on("message", end);
    worker.on("error", (error) => fail(String(error.stack)));
    worker.on("exit", () => fail("its thread ended"));
  });
}

/** @returns {number} what this process has computed: a machine may have others */
function computingTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * @param {string} target
 * @param {number} seed
 * @param {number} iteration
 * @returns {Promise<string>} the folder with the input's files
 */
async function keepInput(target, seed, iteration) {
  const { Fuzzing } = await import("../../tests/fuzz/fuzzing.js");
  const fuzzing = await Fuzzing.start();
  const folder = join(ROOT, "build/fuzz", `${target}-${seed}-${iteration}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(fuzzing.make(target, seed, iteration))) {
    // Names are part of the input; they must not lead out of the folder.
    writeFileSync(join(folder, encodeURIComponent(name)), bytes);
  }
  await fuzzing.dispose();
  return folder;
}
