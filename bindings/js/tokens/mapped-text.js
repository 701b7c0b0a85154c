import { HeadscopeError } from "../trace/error.js";
import { findClusterEnds } from "./clusters.js";

/**
 * A text that was made out of another one, the typed text, and where each of its UTF-16 units
 * comes from. What was inserted comes from an empty range.
 *
 * @typedef {object} MappedText
 * @property {string} text
 * @property {Int32Array} starts [text.length] indices into the typed text, ascending
 * @property {Int32Array} ends [text.length]
 */

/**
 * The typed text itself.
 *
 * @param {string} text
 * @returns {MappedText}
 */
export function mapTyped(text) {
  const starts = Int32Array.from({ length: text.length }, (_, i) => i);
  return { text, starts, ends: starts.map((i) => i + 1) };
}

/**
 * @param {MappedText} mapped
 * @param {number} begin
 * @param {number} end
 * @returns {MappedText} shares the memory of the whole
 */
export function sliceMapped({ text, starts, ends }, begin, end) {
  return {
    text: text.slice(begin, end),
    starts: starts.subarray(begin, end),
    ends: ends.subarray(begin, end),
  };
}

/**
 * Collects a text part by part, each with the range of the source that it stands for.
 */
export class MappedTextWriter {
  #parts = /** @type {string[]} */ ([]);
  #starts = /** @type {number[]} */ ([]);
  #ends = /** @type {number[]} */ ([]);
  #source;

  /** @param {MappedText} source */
  constructor(source) {
    this.#source = source;
  }

  /**
   * Copies a range of the source.
   *
   * @param {number} begin
   * @param {number} end
   */
  copy(begin, end) {
    this.#parts.push(this.#source.text.slice(begin, end));
    for (let i = begin; i < end; ++i) {
      this.#starts.push(/** @type {number} */ (this.#source.starts[i]));
      this.#ends.push(/** @type {number} */ (this.#source.ends[i]));
    }
  }

  /**
   * Writes other text in place of a range of the source; every unit of it stands for the whole
   * range.
   *
   * @param {string} text
   * @param {number} begin
   * @param {number} end
   */
  replace(text, begin, end) {
    const [from, to] = this.#typedRange(begin, end);
    this.#parts.push(text);
    for (let i = 0; i < text.length; ++i) {
      this.#starts.push(from);
      this.#ends.push(to);
    }
  }

  /** @returns {MappedText} */
  finish() {
    return {
      text: this.#parts.join(""),
      starts: Int32Array.from(this.#starts),
      ends: Int32Array.from(this.#ends),
    };
  }

  /**
   * @param {number} begin
   * @param {number} end
   * @returns {[number, number]}
   */
  #typedRange(begin, end) {
    const { starts, ends } = this.#source;
    if (begin < end) return [starts[begin] ?? 0, ends[end - 1] ?? 0];
    const at = begin > 0 ? ends[begin - 1] : starts[0];
    return [at ?? 0, at ?? 0];
  }
}

/**
 * @param {MappedText} source
 * @param {string} prefix
 * @returns {MappedText}
 */
export function prependMapped(source, prefix) {
  const writer = new MappedTextWriter(source);
  writer.replace(prefix, 0, 0);
  writer.copy(0, source.text.length);
  return writer.finish();
}

/**
 * `text.replaceAll(pattern, content)`, content taken literally.
 *
 * @param {MappedText} source
 * @param {RegExp} pattern global
 * @param {string} content
 * @returns {MappedText}
 */
export function replaceMapped(source, pattern, content) {
  const writer = new MappedTextWriter(source);
  let end = 0;
  for (const match of source.text.matchAll(pattern)) {
    writer.copy(end, match.index);
    end = match.index + match[0].length;
    writer.replace(content, match.index, end);
  }
  if (end === 0) return source;
  writer.copy(end, source.text.length);
  return writer.finish();
}

/**
 * Rewrites a text by a function that works on each cluster by itself, as Unicode normalisation and
 * a change of case do.
 *
 * @param {MappedText} source
 * @param {(text: string) => string} rewrite
 * @returns {MappedText}
 */
export function rewriteClusters(source, rewrite) {
  const text = rewrite(source.text);
  if (text === source.text) return source;
  /** @type {Map<string, string>} a text has few different clusters */
  const known = new Map();
  const writer = new MappedTextWriter(source);
  let begin = 0;
  for (const end of findClusterEnds(source.text)) {
    const cluster = source.text.slice(begin, end);
    const written = known.get(cluster) ?? rewrite(cluster);
    known.set(cluster, written);
    if (written === cluster) writer.copy(begin, end);
    else writer.replace(written, begin, end);
    begin = end;
  }
  const mapped = writer.finish();
  // A letter may look at its neighbours (the Greek final sigma), but then it keeps its length.
  return mapped.text.length === text.length ? { ...mapped, text } : rewriteWhole(source, text);
}

/**
 * The last resort: what two texts have in common at both ends is copied, and all between stands
 * for all between.
 *
 * @param {MappedText} source
 * @param {string} text
 * @returns {MappedText}
 */
export function rewriteWhole(source, text) {
  const shorter = Math.min(source.text.length, text.length);
  let head = 0;
  while (head < shorter && source.text[head] === text[head]) ++head;
  let tail = 0;
  while (tail < shorter - head && source.text.at(-1 - tail) === text.at(-1 - tail)) ++tail;
  const writer = new MappedTextWriter(source);
  writer.copy(0, head);
  writer.replace(text.slice(head, text.length - tail), head, source.text.length - tail);
  writer.copy(source.text.length - tail, source.text.length);
  return writer.finish();
}

/**
 * Steps that each double a text make a giant of it. The longest that any honest ones make is a
 * ligature of 18 letters in 3 bytes each.
 *
 * @param {number} length of what a step has made
 * @param {number} typed length of the text before all steps
 * @throws {HeadscopeError} `bad-checkpoint`
 */
export function checkGrowth(length, typed) {
  const most = 1000 + 64 * typed;
  if (length <= most) return;
  throw new HeadscopeError(
    "bad-checkpoint",
    `tokenizer.json makes ${length} letters of ${typed}, expected at most ${most}`,
  );
}
