/** @typedef {import("../../bindings/js/trace/trace.js").Token} Token */

const spaces = new Map([
  ["\t", "⇥"],
  ["\n", "↵"],
  ["\r", "↵"],
]);

/**
 * How a token is shown: as typed, without the space before it. What has no mark of its own gets
 * one: a space "␣", a tab "⇥", a line break "↵"; an empty span shows the piece.
 *
 * @param {Token} token
 * @returns {string}
 */
export function tokenLabel(token) {
  const text = token.text.trim();
  if (text !== "") return text;
  if (token.text === "") return token.piece;
  return spaces.get(token.text[0] ?? "") ?? "␣";
}

/**
 * A label in quotation marks within a sentence; one that runs from right to left is kept from
 * turning round the words and numbers beside it.
 *
 * @param {string} label
 * @returns {string}
 */
export function quoted(label) {
  return rightToLeft.test(label) ? `“\u2068${label}\u2069”` : `“${label}”`;
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

/**
 * A label no longer than a number of characters, cut between graphemes.
 *
 * @param {string} label
 * @param {number} limit
 * @returns {string}
 */
export function shorten(label, limit) {
  if (label.length <= limit) return label;
  const graphemes = Array.from(segmenter().segment(label), ({ segment }) => segment);
  return graphemes.length <= limit ? label : `${graphemes.slice(0, limit - 1).join("")}…`;
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
