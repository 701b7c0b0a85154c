import { seedRandom } from "../js/make-trace.js";

/** Choices that are the same on every run: each iteration of a seed has its own. */
export class Random {
  #next;

  /**
   * @param {number} seed
   * @param {number} [iteration]
   */
  constructor(seed, iteration = 0) {
    this.#next = seedRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(iteration + 1, 0x85ebca6b));
  }

  /**
   * @param {number} count
   * @returns {number} a whole number from 0, below it
   */
  below(count) {
    return Math.floor(this.#next() * count);
  }

  /**
   * @param {number} share
   * @returns {boolean} true in that share of all cases
   */
  chance(share) {
    return this.#next() < share;
  }

  /**
   * @template T
   * @param {readonly T[]} list not empty
   * @returns {T}
   */
  pick(list) {
    return /** @type {T} */ (list[this.below(list.length)]);
  }
}
