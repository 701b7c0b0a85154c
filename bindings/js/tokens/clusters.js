import { makeSegmenter } from "../trace/segmenter.js";

/** @type {Intl.Segmenter | undefined} made when first needed: importing computes nothing */
let segmenter;

/**
 * Where the clusters of a text end: what a reader takes for one character (an extended grapheme
 * cluster, Unicode Standard Annex 29), so that no span cuts an emoji or separates an accent from
 * its letter. One exception: a space is a cluster of its own even when a lone accent follows,
 * since vocabularies know the two apart.
 *
 * @param {string} text
 * @returns {Int32Array} ascending UTF-16 indices; the last is the length of the text
 */
export function findClusterEnds(text) {
  // In plain ASCII each unit is a cluster, but for the line end of two.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text) && !text.includes("\r\n")) {
    return Int32Array.from({ length: text.length }, (_, i) => i + 1);
  }
  /** @type {number[]} */
  const ends = [];
  let begin = 0;
  let size = windowSize;
  while (begin < text.length) {
    const known = ends.length;
    const last = text.charCodeAt(begin + size - 1);
    const isSplit = last >= 0xd800 && last < 0xdc00;
    const end = begin + size + (isSplit ? 1 : 0);
    addClusterEnds(text.slice(begin, end), begin, ends);
    if (end >= text.length) break;
    // The last cluster may go on behind the window. Clusters look back no further than to their
    // own beginning, so the next window begins with it.
    ends.pop();
    size = ends.length > known ? windowSize : size * 2;
    begin = ends.at(-1) ?? 0;
  }
  return Int32Array.from(ends);
}

/** Some engines take time that grows with the square of the length of what they segment. */
const windowSize = 1024;

/**
 * @param {string} text
 * @param {number} offset of its first unit
 * @param {number[]} ends to be continued
 */
function addClusterEnds(text, offset, ends) {
  segmenter ??= makeSegmenter("grapheme");
  for (const { segment, index } of segmenter.segment(text)) {
    if (segment.length > 1 && /^\s\S/.test(segment)) ends.push(offset + index + 1);
    ends.push(offset + index + segment.length);
  }
}
