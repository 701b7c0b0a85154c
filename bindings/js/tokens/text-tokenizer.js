import { HeadscopeError } from "../trace/error.js";
import { AddedTokenFinder } from "./added-tokens.js";
import { mapTyped } from "./mapped-text.js";
import { normalizeMapped } from "./normalization.js";
import { splitPieces } from "./pieces.js";
import { splitWords } from "./pre-tokenization.js";
import { SpanReader } from "./spans.js";

/**
 * @typedef {import("./added-tokens.js").Section} Section
 * @typedef {import("./library.js").LibraryTokenizer} LibraryTokenizer
 * @typedef {import("./mapped-text.js").MappedText} MappedText
 * @typedef {import("../trace/token.js").Token} Token
 */

/**
 * A token before it has its span.
 *
 * @typedef {{ id: number, parts: import("./spans.js").TextPart[] }} FoundToken
 */

/** Tokenizes one text, without the special tokens around it. */
export class TextTokenizer {
  #library;
  #typedAdded;
  #normalizedAdded;

  /** @param {LibraryTokenizer} library */
  constructor(library) {
    this.#library = library;
    const { addedTokens, normalizer } = library;
    const isNormalized = (/** @type {{ normalized: boolean }} */ { normalized }) =>
      normalized && normalizer !== null;
    const asTyped = addedTokens.filter((token) => !isNormalized(token));
    const asNormalized = addedTokens.filter(isNormalized);
    this.#typedAdded = new AddedTokenFinder(asTyped.map((token) => [token.content, token]));
    this.#normalizedAdded = new AddedTokenFinder(
      asNormalized.map((token) => [
        normalizeMapped(mapTyped(token.content), normalizer).text,
        token,
      ]),
    );
  }

  /**
   * @param {string} text
   * @param {0 | 1} segment
   * @returns {Token[]}
   */
  tokenize(text, segment) {
    const spans = new SpanReader(text);
    const sections = this.#typedAdded.split(mapTyped(text));
    return sections.flatMap((section, i) =>
      this.#readSection(section, i).map(({ id, parts }) => {
        const { start, end } = spans.next(parts);
        const piece = this.#library.model.vocab[id] ?? "";
        return { id, piece, text: text.slice(start, end), start, end, segment, special: false };
      }),
    );
  }

  /**
   * @param {Section} section
   * @param {number} place
   * @returns {FoundToken[]}
   */
  #readSection(section, place) {
    if (section.added !== undefined) return [findAdded(section)];
    const normalized = normalizeMapped(section.mapped, this.#library.normalizer);
    return this.#normalizedAdded.split(normalized).flatMap((inner) => {
      if (inner.added !== undefined) return [findAdded(inner)];
      const words = splitWords(inner.mapped, this.#library.preTokenizer, place);
      const found = words.flatMap((word) => this.#readWord(word));
      return this.#library.model.fuse_unk ? this.#fuseUnknown(found) : found;
    });
  }

  /**
   * @param {MappedText} word
   * @returns {FoundToken[]}
   */
  #readWord(word) {
    return splitPieces(word.text, this.#library.model).map(({ piece, begin, end }) => ({
      id: this.findId(piece),
      parts: [{ mapped: word, begin, end }],
    }));
  }

  /**
   * Joins unknowns that follow each other, also from one word to the next, as the library does.
   *
   * @param {FoundToken[]} found
   * @returns {FoundToken[]}
   */
  #fuseUnknown(found) {
    /** @type {FoundToken[]} */
    const fused = [];
    for (const token of found) {
      const last = fused.at(-1);
      if (token.id === this.#library.model.unk_token_id && last?.id === token.id) {
        last.parts.push(...token.parts);
      } else fused.push(token);
    }
    return fused;
  }

  /**
   * @param {string} piece
   * @returns {number} its id, or that of the unknown token
   * @throws {HeadscopeError} `bad-checkpoint`: the vocabulary has neither
   */
  findId(piece) {
    const { model } = this.#library;
    const id = model.tokens_to_ids.get(piece) ?? model.unk_token_id;
    if (id !== undefined && id !== null) return id;
    throw new HeadscopeError(
      "bad-checkpoint",
      `tokenizer.json has no piece ${JSON.stringify(piece)} and no unknown token`,
    );
  }
}

/**
 * @param {Section} section
 * @returns {FoundToken}
 */
function findAdded({ mapped, added }) {
  return { id: added?.id ?? 0, parts: [{ mapped, begin: 0, end: mapped.text.length }] };
}
