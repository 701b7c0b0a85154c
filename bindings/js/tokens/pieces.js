import { BPE, Unigram, WordPiece } from "@huggingface/tokenizers";

/** @typedef {import("@huggingface/tokenizers").Model} Model */

/**
 * A piece of a word, and the part of the word that it stands for.
 *
 * `open`: an unknown, whose end the next piece may move.
 *
 * @typedef {{ piece: string, begin: number, end: number, open: boolean }} PlacedPiece
 */

/**
 * Splits a word into the model's pieces and finds each in the word.
 *
 * @param {string} word
 * @param {Model} model
 * @returns {PlacedPiece[]} in order; `end` of one is at most `begin` of the next, except among
 *   bytes of one character
 */
export function splitPieces(word, model) {
  // The unigram model's own method, since `encode` passes the pieces as arguments of one call,
  // and a long text has more of them than a call may have.
  const pieces = model instanceof Unigram ? model.tokenize(word) : model.encode([word]);
  const suffixAt = pieces.length - 1;
  const reader = new WordReader(word);
  pieces.forEach((piece, i) => {
    const surface = readSurface(piece, i === 0, i === suffixAt, model);
    if (model instanceof BPE && model.byte_fallback && bytePiece.test(piece)) {
      reader.placeByte(piece);
    } else if (piece === model.unk_token && !reader.isNext(surface)) {
      reader.placeUnknown(piece);
    } else {
      reader.placeKnown(piece, surface);
    }
  });
  return reader.finish();
}

/** One byte of a character that has no piece. */
const bytePiece = /^<0x[0-9A-F]{2}>$/;

/**
 * What a piece spells, without the marks of its place in the word.
 *
 * @param {string} piece
 * @param {boolean} isFirst
 * @param {boolean} isLast
 * @param {Model} model
 * @returns {string}
 */
function readSurface(piece, isFirst, isLast, model) {
  if (model instanceof WordPiece) {
    const prefix = model.config.continuing_subword_prefix ?? "##";
    return !isFirst && piece.startsWith(prefix) ? piece.slice(prefix.length) : piece;
  }
  if (model instanceof BPE) {
    const suffix = isLast ? model.end_of_word_suffix : model.continuing_subword_suffix;
    return suffix && piece.endsWith(suffix) ? piece.slice(0, -suffix.length) : piece;
  }
  return piece;
}

/** Goes through a word from piece to piece. */
class WordReader {
  #placed = /** @type {PlacedPiece[]} */ ([]);
  #end = 0;
  /** Bytes of the character before `#end` that have not had their piece yet. */
  #bytesLeft = 0;
  #word;

  /** @param {string} word */
  constructor(word) {
    this.#word = word;
  }

  /** @param {string} surface */
  isNext(surface) {
    return this.#word.startsWith(surface, this.#end);
  }

  /**
   * @param {string} piece
   * @param {string} surface
   */
  placeKnown(piece, surface) {
    // Characters without a piece are left out by models without an unknown token.
    const found = this.#word.indexOf(surface, this.#end);
    const begin = found < 0 ? this.#end : found;
    this.#closeUnknown(begin);
    this.#end = found < 0 ? this.#end : found + surface.length;
    this.#placed.push({ piece, begin, end: this.#end, open: false });
  }

  /**
   * An unknown stands for one character, and for more if the next known piece is not there yet.
   *
   * @param {string} piece
   */
  placeUnknown(piece) {
    const begin = this.#end;
    this.#end += characterLength(this.#word, begin);
    this.#placed.push({ piece, begin, end: this.#end, open: true });
  }

  /** @param {string} piece */
  placeByte(piece) {
    const begin = this.#bytesLeft > 0 ? (this.#placed.at(-1)?.begin ?? 0) : this.#end;
    if (this.#bytesLeft === 0) {
      this.#end = begin + characterLength(this.#word, begin);
      this.#bytesLeft = countBytes(this.#word.slice(begin, this.#end));
    }
    --this.#bytesLeft;
    this.#placed.push({ piece, begin, end: this.#end, open: false });
  }

  /** @returns {PlacedPiece[]} */
  finish() {
    this.#closeUnknown(this.#word.length);
    return this.#placed;
  }

  /** @param {number} end */
  #closeUnknown(end) {
    const last = this.#placed.at(-1);
    if (last?.open) last.end = end;
  }
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {number} UTF-16 units of the character there; 0 at the end
 */
function characterLength(text, at) {
  const code = text.codePointAt(at);
  if (code === undefined) return 0;
  return code > 0xffff ? 2 : 1;
}

/**
 * @param {string} text
 * @returns {number} bytes in UTF-8
 */
function countBytes(text) {
  return new TextEncoder().encode(text).length;
}
