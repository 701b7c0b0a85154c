import { describeValue, HeadscopeError } from "./error.js";
import { aBoolean, aString, aWholeNumber, kind, refuse } from "./kinds.js";

/**
 * One token of a text.
 *
 * @typedef {object} Token
 * @property {number} id row of the embedding table; -1 where no vocabulary is known
 * @property {string} piece as in the vocabulary
 * @property {string} text as typed: `input.slice(start, end)`
 * @property {number} start UTF-16 index into the text (in segment 1: into the pair)
 * @property {number} end
 * @property {0 | 1} segment
 * @property {boolean} special added by the tokenizer; its span is empty
 */

// Tokens of another tool may say more of themselves; that is left out.
const tokenKinds = {
  id: kind("a whole number", Number.isSafeInteger),
  piece: aString,
  text: aString,
  start: aWholeNumber,
  end: aWholeNumber,
  segment: kind("0 or 1", (value) => value === 0 || value === 1),
  special: aBoolean,
};

/** What the usual vocabularies call the tokens that stand for no text. */
const specialPieces = new Set([
  "[CLS]",
  "[SEP]",
  "[PAD]",
  "[MASK]",
  "<s>",
  "</s>",
  "<pad>",
  "<mask>",
  "<cls>",
  "<sep>",
  "<|endoftext|>",
]);

/**
 * Checks the tokens of a trace that somebody else made.
 *
 * @param {unknown} value (string | Token)[]
 * @param {string | undefined} text what the tokens index; needed where they are Tokens
 * @param {string} what how a message names them
 * @returns {{ text: string, tokens: Token[] }} strings become tokens by `spellPieces`
 * @throws {HeadscopeError} `bad-argument`, naming the token
 */
export function readTokens(value, text, what) {
  if (!Array.isArray(value)) {
    throw new HeadscopeError(
      "bad-argument",
      `${what} is ${describeValue(value)}, expected an array of strings or Tokens`,
    );
  }
  if (value.every((token) => typeof token === "string")) {
    const spelled = spellPieces(value);
    return text === undefined ? spelled : placePieces(spelled.tokens, text, what);
  }
  const tokens = value.map((token, i) => readToken(token, `${what}[${i}]`));
  return { text: text ?? "", tokens };
}

/**
 * Makes tokens of pieces alone, and the text that they spell. In vocabularies that mark where a
 * word begins (U+2581, or U+0120 of byte-level ones) a piece without the mark goes on with the
 * word before; where `##` marks the opposite, so does a piece with it; else every piece is a word.
 * `[CLS]`, `</s>` and their like spell nothing.
 *
 * @param {string[]} pieces
 * @param {number[]} [ids] -1 by default
 * @returns {{ text: string, tokens: Token[] }}
 */
export function spellPieces(pieces, ids = []) {
  const beginsMarked = pieces.some((piece) => /^[\u2581\u0120]/.test(piece));
  const goesOnMarked = pieces.some((piece) => piece.startsWith("##"));
  // In parts: a text that grows would be written anew for each piece that looks at its end.
  /** @type {string[]} */
  const parts = [];
  let length = 0;
  const write = (/** @type {string} */ part) => {
    if (part !== "") parts.push(part);
    length += part.length;
  };
  const tokens = pieces.map((piece, i) => {
    const special = specialPieces.has(piece);
    const mark = /^(?:[\u2581\u0120]|##)/.exec(piece)?.[0] ?? "";
    const begins = beginsMarked ? mark !== "" : !(goesOnMarked && mark === "##");
    const surface = special ? "" : piece.slice(mark.length);
    if (begins && !special && length > 0) write(" ");
    // A mark alone is the space itself; before anything else it only stands for one.
    const alone = surface === "" && mark !== "" && parts.at(-1)?.endsWith(" ") === true;
    const start = length - (alone ? 1 : 0);
    write(surface);
    return makeToken(ids[i] ?? -1, piece, alone ? " " : surface, start, special);
  });
  const text = parts.join("");
  return { text, tokens };
}

/**
 * @param {number} id
 * @param {string} piece
 * @param {string} text
 * @param {number} start
 * @param {boolean} special
 * @returns {Token}
 */
function makeToken(id, piece, text, start, special) {
  return { id, piece, text, start, end: start + text.length, segment: 0, special };
}

/**
 * Finds spelled tokens, one after the other, in a text; case aside, since many vocabularies
 * know only small letters.
 *
 * @param {Token[]} spelled
 * @param {string} text
 * @param {string} what
 * @returns {{ text: string, tokens: Token[] }}
 */
function placePieces(spelled, text, what) {
  const small = text.toLowerCase();
  // Lower case may be longer than what was typed; then only the exact letters can be found.
  const sought = small.length === text.length ? small : text;
  let end = 0;
  const tokens = spelled.map((token, i) => {
    const surface = sought === small ? token.text.toLowerCase() : token.text;
    const start = sought.indexOf(surface, end);
    if (start < 0) {
      throw new HeadscopeError(
        "bad-argument",
        `${what}[${i}] ${JSON.stringify(token.piece)} is not in the text after index ${end}`,
      );
    }
    end = start + surface.length;
    return makeToken(token.id, token.piece, text.slice(start, end), start, token.special);
  });
  return { text, tokens };
}

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {Token}
 */
function readToken(value, what) {
  if (typeof value !== "object" || value === null) {
    throw new HeadscopeError(
      "bad-argument",
      `${what} is ${describeValue(value)}, expected a Token, as the others`,
    );
  }
  const { id, piece, text, start, end, segment, special } = /** @type {Record<string, any>} */ (
    value
  );
  for (const [key, check] of Object.entries(tokenKinds)) {
    check(/** @type {any} */ (value)[key], `${what}.${key}`);
  }
  if (end < start) refuse(`${what}.end`, end, `${start} or more, as start is ${start}`);
  return { id, piece, text, start, end, segment, special };
}
