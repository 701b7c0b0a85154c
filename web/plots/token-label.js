import { visibleText } from "./visible-text.js";

/** @typedef {import("../../bindings/js/trace/trace.js").Token} Token */

const outerSpaces = /^\p{White_Space}+|\p{White_Space}+$/gu;

/**
 * How a token is shown: as typed, without the space before it. What has no mark of its own gets
 * one: a space "␣", a tab "⇥", a line break "↵", anything else as `visibleText` writes it; an empty
 * span shows the piece.
 *
 * @param {Token} token
 * @returns {string} never empty
 */
export function tokenLabel(token) {
  const text = token.text.replace(outerSpaces, "");
  if (text !== "") return visibleText(text);
  if (token.text === "") return visibleText(token.piece) || "∅";
  const [space = ""] = token.text;
  const mark = visibleText(space);
  return mark === space ? "␣" : mark;
}

/**
 * A token's label in quotation marks, for a sentence.
 *
 * @param {Token} token
 * @returns {string}
 */
export function tokenName(token) {
  return quoted(shorten(tokenLabel(token), longestName));
}

const longestName = 32;

/**
 * A label in quotation marks within a sentence; one that runs from right to left is kept from
 * turning round the words and numbers beside it.
 *
 * @param {string} label without controls of the direction
 * @returns {string}
 */
function quoted(label) {
  return rightToLeft.test(label) ? `“\u2068${label}\u2069”` : `“${label}”`;
}

const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A label no longer than a number of characters, cut between graphemes.
 *
 * @param {string} label
 * @param {number} limit
 * @returns {string}
 */
export function shorten(label, limit) {
  if (label.length <= limit) return label;
  /** @type {string[]} */
  const kept = [];
  for (const character of characters(label)) {
    kept.push(character);
    if (kept.length > limit) return `${kept.slice(0, limit - 1).join("")}…`;
  }
  return label;
}

/** Code points: a family of four with their skins has eleven. */
const longestGrapheme = 16;

/**
 * The graphemes of a label. Any number of emoji can be joined to one; such a one falls apart.
 *
 * @param {string} label
 * @returns {Generator<string>}
 */
function* characters(label) {
  for (const { segment } of segmenter().segment(label)) {
    const points = Array.from(segment);
    if (points.length > longestGrapheme) yield* points;
    else yield segment;
  }
}

/** @typedef {{ segment(text: string): Iterable<{ segment: string }> }} Segmenter */

/** @type {Segmenter | undefined} */
let shared;

/** @returns {Segmenter} by graphemes, or by code points in browsers that know no graphemes */
function segmenter() {
  shared ??=
    typeof Intl.Segmenter === "function"
      ? new Intl.Segmenter()
      : { segment: (text) => Array.from(text, (segment) => ({ segment })) };
  return shared;
}

/**
 * Whether a token goes on with the word of the token before it.
 *
 * @param {Token[]} tokens
 * @param {number} index
 * @returns {boolean}
 */
export function continuesWord(tokens, index) {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (token === undefined || before === undefined || token.special || before.special) return false;
  if (token.segment !== before.segment || token.start !== before.end) return false;
  return !/^\s/u.test(token.text) && !/\s$/u.test(before.text) && token.text !== "";
}
