import { findClusterEnds } from "./clusters.js";

/** @typedef {import("./mapped-text.js").MappedText} MappedText */

/**
 * A part of a mapped text.
 *
 * @typedef {{ mapped: MappedText, begin: number, end: number }} TextPart
 */

/**
 * Gives the tokens of a text their spans in it, one after the other. Spans are in order, do not
 * overlap and cut no cluster: where several tokens share one character as it was typed (the
 * letters of a ligature, the bytes of an emoji), the first has it and the others are empty behind
 * it.
 */
export class SpanReader {
  #text;
  /** Where the cluster around each index begins: itself at a border. */
  #clusterStarts;
  /** Where the cluster around each index ends: itself at a border. */
  #clusterEnds;
  #end = 0;

  /** @param {string} text as typed */
  constructor(text) {
    this.#text = text;
    const borders = findClusterEnds(text);
    this.#clusterStarts = new Int32Array(text.length + 1);
    this.#clusterEnds = new Int32Array(text.length + 1);
    let begin = 0;
    for (const end of borders) {
      this.#clusterStarts.fill(begin, begin, end);
      this.#clusterEnds.fill(end, begin + 1, end + 1);
      begin = end;
    }
    this.#clusterStarts[text.length] = text.length;
  }

  /**
   * The span of a token that stands for parts of a text. Spaces before it are not in it, unless
   * it is nothing else.
   *
   * @param {TextPart[]} parts in order
   * @returns {{ start: number, end: number }}
   */
  next(parts) {
    const from = this.#firstIndex(parts);
    const to = parts.findLast(({ begin, end }) => begin < end);
    let start = this.#end;
    if (from !== undefined && to !== undefined) {
      start = Math.max(start, this.#clusterStarts[from] ?? 0);
      this.#end = Math.max(start, this.#clusterEnds[to.mapped.ends[to.end - 1] ?? 0] ?? 0);
    }
    return { start, end: this.#end };
  }

  /**
   * @param {TextPart[]} parts
   * @returns {number | undefined} where in the typed text the first unit lies that is no space
   */
  #firstIndex(parts) {
    /** @type {number | undefined} */
    let blank;
    for (const { mapped, begin, end } of parts) {
      for (let i = begin; i < end; ++i) {
        if (!this.#isBlank(mapped, i)) return mapped.starts[i];
        blank ??= mapped.starts[i];
      }
    }
    return blank;
  }

  /**
   * @param {MappedText} mapped
   * @param {number} i
   * @returns {boolean} whether a unit stands for spaces alone, or for nothing that was typed
   */
  #isBlank({ starts, ends }, i) {
    return this.#text.slice(starts[i], ends[i]).trim() === "";
  }
}
