import { Matrix } from "./matrix.js";
import { makeSegmenter } from "./segmenter.js";
import { aTrace, Trace } from "./trace.js";

/** @typedef {import("./token.js").Token} Token */

/**
 * A trace with words instead of the pieces of the vocabulary. Attention to a word is the sum of
 * the attention to its pieces, attention from a word the mean over them, so that rows still sum
 * to 1 (Clark et al. 2019, "What Does BERT Look At?", section 4.1).
 *
 * Words end where Unicode Standard Annex 29 says; punctuation is a word of its own. Special tokens
 * stay alone. Only attention is kept, and the sentence vector.
 *
 * @example
 * const trace = Trace.from({
 *   tokens: ["▁un", "able", "▁cat"],
 *   attention: [[[[0.5, 0.25, 0.25], [0, 0.5, 0.5], [0.25, 0.25, 0.5]]]],
 * });
 * mergeWords(trace).attention(0, 0); // -> [[0.625, 0.375], [0.5, 0.5]]
 *
 * @param {Trace} trace with attention
 * @returns {Trace}
 * @throws {import("./error.js").HeadscopeError} `not-found`: attention was not captured;
 *   `bad-argument`: no Trace; `unsupported-environment`: no Intl.Segmenter here
 */
export function mergeWords(trace) {
  aTrace(trace, "mergeWords: trace");
  const words = groupWords(trace);
  const size = words.length;
  const places = trace
    .layers("attention")
    .flatMap((layer) => trace.heads("attention", layer).map((head) => ({ layer, head })));
  const data = new Float32Array(places.length * size * size);
  const entries = places.map(({ layer, head }, i) => {
    const offset = i * size * size;
    const merged = new Matrix(size, size, data.subarray(offset, offset + size * size));
    mergeWeights(trace.attention(layer, head), words, merged);
    return { name: "attention", layer, head, rows: size, cols: size, offset };
  });
  const { text, pair, config, pooled, timing } = trace;
  const tokens = words.map((word) => mergeTokens(word, trace));
  const texts = pair === undefined ? { text } : { text, pair };
  return new Trace({ ...texts, tokens, config, pooled, timing, data, entries });
}

/**
 * The words of a trace, each as the places of its tokens. Every token is in one word; a token of
 * spaces alone is in the word that it comes before (the words of `mergeWords`, as Clark et al. 2019
 * merge them).
 *
 * @example
 * const row = [1, 0, 0];
 * const trace = Trace.from({ tokens: ["▁un", "able", "▁cat"], attention: [[[row, row, row]]] });
 * groupWords(trace); // -> [[0, 1], [2]]
 *
 * @param {Trace} trace
 * @returns {number[][]}
 * @throws {import("./error.js").HeadscopeError} `bad-argument`: no Trace;
 *   `unsupported-environment`: no Intl.Segmenter here
 */
export function groupWords(trace) {
  aTrace(trace, "groupWords: trace");
  const borders = [
    findBorders(trace.text, trace.tokens, 0),
    findBorders(trace.pair ?? "", trace.tokens, 1),
  ];
  /** @type {number[][]} */
  const words = [];
  /** Whether the last word has only spaces so far. */
  let isBlank = false;
  trace.tokens.forEach((token, i) => {
    const last = trace.tokens[i - 1];
    const isBeside = last?.segment === token.segment && !last.special && !token.special;
    const blank = token.text.trim() === "";
    if (isBeside && (isBlank || goesOn(last, token, borders[token.segment]))) {
      words.at(-1)?.push(i);
      isBlank &&= blank;
    } else {
      words.push([i]);
      isBlank = blank && !token.special;
    }
  });
  return words;
}

/**
 * @param {Token} last
 * @param {Token} token
 * @param {Set<number> | undefined} borders
 * @returns {boolean} whether a token goes on with the word of the one before
 */
function goesOn(last, token, borders) {
  if (last.end !== token.start) return false;
  // An empty span is a part of the character before it.
  return token.text === "" || (token.text.trim() !== "" && !borders?.has(token.start));
}

/**
 * @param {string} text
 * @param {Token[]} tokens
 * @param {0 | 1} segment
 * @returns {Set<number>} where words and what lies between them begin
 */
function findBorders(text, tokens, segment) {
  const ends = tokens.filter((token) => token.segment === segment).map(({ end }) => end);
  // A text that was cut off may be much longer than its tokens.
  const read = text.slice(0, Math.max(0, ...ends));
  const segmenter = makeSegmenter("word");
  return new Set(Array.from(segmenter.segment(read), ({ index }) => index));
}

/**
 * @param {Matrix} weights [T, T]
 * @param {number[][]} words
 * @param {Matrix} merged [words, words], all zero
 */
function mergeWeights(weights, words, merged) {
  words.forEach((queries, r) => {
    const row = merged.row(r);
    words.forEach((keys, c) => {
      let sum = 0;
      for (const query of queries) for (const key of keys) sum += weights.at(query, key);
      row[c] = sum / queries.length;
    });
  });
}

/**
 * @param {number[]} word places of its tokens
 * @param {Trace} trace
 * @returns {Token} a token alone as it is; several as one without an id
 */
function mergeTokens(word, { tokens, text, pair = "" }) {
  const parts = word.map((i) => /** @type {Token} */ (tokens[i]));
  const [first] = /** @type {[Token]} */ (parts);
  if (parts.length === 1) return first;
  // Spaces before the word are not a part of it.
  const { start } = parts.find((part) => part.text.trim() !== "") ?? first;
  const end = Math.max(...parts.map((part) => part.end));
  const typed = (first.segment === 0 ? text : pair).slice(start, end);
  return { ...first, id: -1, piece: typed, text: typed, start, end };
}
