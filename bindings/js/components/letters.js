import { HeadscopeError } from "../trace/error.js";

/** Sequences may be empty; widths, heads and tables may not. */
const lengths = ["T", "M"];

/**
 * The sizes that the letters of a signature have in one call: the first argument with a letter
 * gives it its size, and all others agree.
 */
export class Letters {
  /** @type {Map<string, number>} */
  #sizes = new Map();
  /** @type {Map<string, string>} letter -> the letter that it stands for */
  #stands = new Map();

  /**
   * @param {string} letter
   * @param {string} other what it stands for from now on
   */
  share(letter, other) {
    this.#stands.set(letter, other);
  }

  /**
   * @param {string} letter without a size so far
   * @param {number} size
   */
  set(letter, size) {
    this.#sizes.set(letter, size);
  }

  /**
   * @param {string} letter
   * @returns {number | undefined}
   */
  sizeOf(letter) {
    return this.#sizes.get(this.#stands.get(letter) ?? letter);
  }

  /**
   * @param {string} what has these sizes
   * @param {number[]} sizes
   * @param {readonly string[]} shape a letter for each
   * @throws {HeadscopeError} `bad-shape`
   */
  agree(what, sizes, shape) {
    const letters = shape.map((letter) => this.#stands.get(letter) ?? letter);
    for (const [i, letter] of letters.entries()) {
      if (!this.#sizes.has(letter)) this.#sizes.set(letter, Number(sizes[i]));
    }
    const expected = letters.map((letter) => this.#sizes.get(letter));
    const fault = `${what} has shape [${sizes}], expected [${letters.join(", ")}]`;
    if (sizes.some((size, i) => size !== expected[i])) {
      throw new HeadscopeError("bad-shape", `${fault} = [${expected}]`);
    }
    const empty = letters.find((letter, i) => sizes[i] === 0 && !lengths.includes(letter));
    if (empty === undefined) return;
    throw new HeadscopeError("bad-shape", `${fault} with ${empty} at least 1`);
  }
}
