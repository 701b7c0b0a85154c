// Both sides in one page or process: compared first, then timed in turn. Runs in a page and in Node.
import { compareOutputs } from "./agreement.js";
import { openHeadscope, openOrt } from "./contenders.js";
import { chains } from "./pairs.js";
import { shapes } from "./shapes.js";

/** @typedef {import("./contenders.js").Contender} Contender */
/** @typedef {import("./contenders.js").Host} Host */
/** @typedef {import("./contenders.js").Output} Output */
/** @typedef {import("./shapes.js").ShapeName} ShapeName */
/** @typedef {import("../../bindings/js/trace/timing.js").Timing} Timing */

/**
 * One contender's turn: milliseconds of each call, and what Headscope says of its own.
 *
 * @typedef {{ name: string, times_ms: number[], timings: Timing[] }} Turn
 */

/** Graphs that may be onnxruntime's best; which one is, a short run shows. */
const candidates = ["attention", "multihead", "plain"];
/** Calls before anything is timed: engines compile hot functions anew. */
const warmingCalls = 8;
const warmingLength = 64;
/** The other side's threads spin for a while after their last call. */
const pause_ms = 40;
/** From here on a call takes so long that what the caches held before does not matter. */
const longLength = 128;

/**
 * What is known of the two sides.
 *
 * @typedef {{ engines: object[], int8Kernel: string | undefined,
 *   graphs: { best: string, times_ms: Record<string, number> } }} Facts
 */

export class Contest {
  #contenders;
  #engines;
  #layers;
  #threads;

  /**
   * @param {Map<string, Contender>} contenders
   * @param {import("headscope").Engine[]} engines
   * @param {{ layers: number, threads: number, facts: Facts }} settings
   */
  constructor(contenders, engines, { layers, threads, facts }) {
    this.#contenders = contenders;
    this.#engines = engines;
    this.#layers = layers;
    this.#threads = threads;
    this.facts = facts;
  }

  /** Runs everything until it is warm. */
  async warm() {
    for (const contender of this.#contenders.values()) await runTimes(contender, warmingCalls);
  }

  /**
   * How far the results of one length are apart.
   *
   * @param {number} length
   */
  async compare(length) {
    /** @type {Map<string, Output>} */
    const outputs = new Map();
    for (const [name, contender] of this.#contenders)
      outputs.set(name, await contender.run(length));
    return compareOutputs(outputs, { length, layers: this.#layers });
  }

  /**
   * Each chain of contenders once, forwards or backwards.
   *
   * @param {number} length
   * @param {{ backwards: boolean }} options
   * @returns {Promise<Turn[][]>}
   */
  async round(length, { backwards }) {
    /** @type {Turn[][]} */
    const rounds = [];
    for (const chain of chains) {
      /** @type {Turn[]} */
      const turns = [];
      for (const name of backwards ? [...chain].reverse() : chain) {
        turns.push(await this.#turn(name, length));
      }
      rounds.push(turns);
    }
    return rounds;
  }

  /** Frees the memory of both sides. */
  async close() {
    for (const { end } of this.#contenders.values()) await end();
    for (const engine of this.#engines) await engine.dispose();
  }

  /** @param {string} name @param {number} length @returns {Promise<Turn>} */
  async #turn(name, length) {
    const contender = /** @type {Contender} */ (this.#contenders.get(name));
    const isLong = length >= longLength;
    if (this.#threads > 1) await new Promise((resolve) => setTimeout(resolve, pause_ms));
    // The first call after a pause wakes the threads; after the other side's turn it finds the
    // caches full of the other's weights.
    if (this.#threads > 1 || !isLong) await contender.run(length);
    /** @type {Turn} */
    const turn = { name, times_ms: [], timings: [] };
    for (let i = 0; i < (isLong ? 1 : 3); ++i) {
      const start_ms = performance.now();
      const { timing } = await contender.run(length);
      turn.times_ms.push(performance.now() - start_ms);
      if (timing !== undefined) turn.timings.push(timing);
    }
    return turn;
  }
}

/**
 * Loads one model on both sides.
 *
 * @param {Host} host
 * @param {{ shape: ShapeName, threads: number }} settings
 * @returns {Promise<Contest>}
 */
export async function openContest(host, { shape, threads }) {
  host.ort.env.wasm.numThreads = threads;
  host.ort.env.logLevel = "error";
  const weights = await host.read("model.safetensors");
  const { best, times_ms } = await findBestGraph(host, shape, weights);
  const maps = await openOrt(host, shape, "maps", weights);
  const int8 = await openOrt(host, shape, "int8", weights);
  const variants = threads > 1 ? ["relaxed-threads", "simd-threads"] : ["relaxed", "simd"];
  const [fast, baseline] = await Promise.all(
    variants.map((variant) =>
      host.headscope.createEngine({
        variant: /** @type {import("../../bindings/js/variants.js").Variant} */ (variant),
        threads,
      }),
    ),
  );
  const f32 = await openHeadscope(host, fast, { dtype: "f32" });
  const simd = await openHeadscope(host, baseline, { dtype: "f32" });
  const small = await openHeadscope(host, fast, { dtype: "int8" });
  const facts = {
    engines: [fast.info, baseline.info],
    int8Kernel: small.int8Kernel,
    graphs: { best: best.name, times_ms },
  };
  const contenders = new Map(
    Object.entries({
      ort: best,
      "ort-maps": maps,
      "ort-int8": int8,
      f32: f32.plain,
      maps: f32.maps,
      simd: simd.plain,
      int8: small.plain,
    }),
  );
  const layers = shapes[shape].config.n_layers;
  return new Contest(contenders, [fast, baseline], { layers, threads, facts });
}

/**
 * @param {Host} host
 * @param {ShapeName} shape
 * @param {Uint8Array} weights
 */
async function findBestGraph(host, shape, weights) {
  /** @type {{ contender: Contender, least_ms: number }[]} */
  const tried = [];
  for (const style of candidates) {
    const contender = await openOrt(host, shape, style, weights);
    await runTimes(contender, warmingCalls);
    tried.push({ contender, least_ms: Number.POSITIVE_INFINITY });
  }
  for (let round = 0; round < 5; ++round) {
    for (const each of tried) {
      const start_ms = performance.now();
      await each.contender.run(longLength);
      each.least_ms = Math.min(each.least_ms, performance.now() - start_ms);
    }
  }
  const times_ms = Object.fromEntries(
    tried.map(({ contender, least_ms }) => [contender.name, least_ms]),
  );
  tried.sort((a, b) => a.least_ms - b.least_ms);
  const [best, ...others] = tried;
  for (const { contender } of others) await contender.end();
  return { best: best.contender, times_ms };
}

/** @param {Contender} contender @param {number} times */
async function runTimes(contender, times) {
  for (let i = 0; i < times; ++i) await contender.run(warmingLength);
}
