import assert from "node:assert/strict";
import { createEngine, Encoder } from "headscope";
import { Random } from "./random.js";
import { baseConfig, makeSeeds } from "./seeds.js";
import { targets } from "./targets.js";

/** @typedef {import("./seeds.js").Files} Files */

/** Where an engine is asked whether it still works. */
const between = 64;

const ids = [3, 1, 4, 1, 5];

/** An engine that hostile inputs go through one after the other, and a model on it that is fine. */
export class Fuzzing {
  #engine;
  #seeds;
  #encoder;
  #pooled;

  /**
   * @param {{ engine: import("headscope").Engine, seeds: import("./seeds.js").Seeds,
   *   encoder: Encoder, pooled: Float32Array }} parts
   */
  constructor({ engine, seeds, encoder, pooled }) {
    this.#engine = engine;
    this.#seeds = seeds;
    this.#encoder = encoder;
    this.#pooled = pooled;
  }

  /** @returns {Promise<Fuzzing>} */
  static async start() {
    // Of the variants this one has the smallest memory: it ends at 512 MB.
    const engine = await createEngine({ variant: "simd-threads", threads: 1 });
    const encoder = await Encoder.fromConfig(baseConfig, { engine, seed: 9 });
    const { pooled } = await encoder.run({ ids });
    return new Fuzzing({ engine, seeds: await makeSeeds(engine), encoder, pooled });
  }

  /**
   * @param {string} target
   * @param {number} seed
   * @param {number} iteration
   * @returns {Files} the input
   */
  make(target, seed, iteration) {
    return this.#target(target).make(this.#seeds, new Random(seed, iteration));
  }

  /**
   * @param {string} target
   * @param {number} seed
   * @param {number} iteration
   * @returns {Promise<string>} how the input ended
   * @throws where a promise is broken
   */
  async check(target, seed, iteration) {
    const random = new Random(seed, iteration);
    const files = this.#target(target).make(this.#seeds, random);
    const outcome = await this.#target(target).check(files, this.#engine, random);
    if (iteration % between === 0) {
      const { pooled } = await this.#encoder.run({ ids });
      assert.deepEqual(pooled, this.#pooled, "the model before it is as it was");
    }
    return outcome;
  }

  dispose() {
    return this.#engine.dispose();
  }

  /** @param {string} name */
  #target(name) {
    return /** @type {import("./targets.js").Target} */ (targets[name]);
  }
}
