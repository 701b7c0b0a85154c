/** @typedef {import("../../bindings/js/checkpoint-source.js").Progress} Progress */

/**
 * How far the load of a model is, over all its files.
 *
 * @typedef {object} LoadProgress
 * @property {number} loaded_bytes
 * @property {number} total_bytes 0 as long as one of the files has not told its size
 * @property {boolean} complete whether every file is there
 */

/** Adds up what the files of one load report, which come in at the same time. */
export class LoadSum {
  /** @type {Map<string, Progress>} */
  #files = new Map();

  /**
   * @param {Progress} progress of one file
   * @returns {LoadProgress}
   */
  add(progress) {
    this.#files.set(progress.file, progress);
    const files = [...this.#files.values()];
    // the small files say nothing of the size of the weights, which may not have answered yet
    const sized = this.#hasWeights && files.every(({ total_bytes: total }) => total > 0);
    const loaded = sum(files.map((file) => file.loaded_bytes));
    const total = sized ? sum(files.map((file) => file.total_bytes)) : 0;
    return { loaded_bytes: loaded, total_bytes: total, complete: sized && loaded >= total };
  }

  get #hasWeights() {
    return [...this.#files.keys()].some((name) => name.endsWith(".safetensors"));
  }
}

/**
 * @param {number[]} values
 * @returns {number}
 */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
