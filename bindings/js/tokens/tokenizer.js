import { describeValue, HeadscopeError } from "../trace/error.js";
import { spellPieces } from "../trace/token.js";
import { makeLibraryTokenizer } from "./library.js";
import { TextTokenizer } from "./text-tokenizer.js";

/** @typedef {import("../trace/token.js").Token} Token */

/**
 * Makes a tokenizer of a tokenizer.json (Hugging Face's format).
 *
 * The ids are those of Hugging Face's JavaScript library, whose normalizers, pre-tokenizers,
 * models and post-processors do the work. It does not say where a token lies in the text as
 * typed; so each of its steps is followed unit by unit.
 *
 * @param {unknown} json the parsed file
 * @returns {Tokenizer}
 * @throws {HeadscopeError} `bad-checkpoint`: the file is damaged; `unsupported-model`: it names a
 *   kind of step that the library does not have
 */
export function createTokenizer(json) {
  return new Tokenizer(json);
}

/** Made by `createTokenizer`. */
export class Tokenizer {
  #library;
  #texts;

  /** @param {unknown} json */
  constructor(json) {
    this.#library = makeLibraryTokenizer(json);
    this.#texts = blameFile(() => new TextTokenizer(this.#library));
    /** One more than the largest id. @readonly */
    this.vocabularySize = findSize(this.#library.model.vocab);
    /** How many special tokens there are around a single text. @readonly */
    this.specialCount = blameFile(() => this.#addSpecial([], undefined).length);
    /** Whether there is a special token between two texts. @readonly */
    this.hasSeparators = blameFile(() => this.#separates());
  }

  /**
   * The tokens of a text, with the special tokens of the model around it.
   *
   * @param {string} text
   * @param {string} [pair] a second text; its tokens are of segment 1
   * @param {{ maxTokens?: number }} [options] what is longer, special tokens included, loses
   *   tokens at the end of the (longer) text; the special tokens stay
   * @returns {Token[]} empty where there is none
   * @throws {HeadscopeError} `bad-argument`: no string; `unsupported-model`: a pair, but the
   *   model has no separators; `bad-checkpoint`: the file does not say how
   */
  tokenize(text, pair, { maxTokens = Infinity } = {}) {
    return blameFile(() => this.#tokenize(text, pair, maxTokens));
  }

  /**
   * @param {string} text
   * @param {string | undefined} pair
   * @param {number} maxTokens
   * @returns {Token[]}
   */
  #tokenize(text, pair, maxTokens) {
    checkText("text", text);
    const first = this.#texts.tokenize(text, 0);
    if (pair === undefined) {
      return this.#addSpecial(
        first.slice(0, Math.max(0, maxTokens - this.specialCount)),
        undefined,
      );
    }
    checkText("pair", pair);
    if (!this.hasSeparators) {
      throw new HeadscopeError(
        "unsupported-model",
        "tokenize: this model has no separators, so it cannot take a pair of texts",
      );
    }
    const second = this.#texts.tokenize(pair, 1);
    const room = Math.max(0, maxTokens - this.#addSpecial([], []).length);
    const [kept, keptPair] = shareRoom(first.length, second.length, room);
    return this.#addSpecial(first.slice(0, kept), second.slice(0, keptPair));
  }

  /**
   * Tokens of ids that somebody chose, and the text that they spell.
   *
   * @param {ArrayLike<number>} ids
   * @returns {{ text: string, tokens: Token[] }}
   */
  spell(ids) {
    const numbers = Array.from(ids);
    const { vocab } = this.#library.model;
    return spellPieces(
      numbers.map((id) => vocab[id] ?? ""),
      numbers,
    );
  }

  /**
   * @param {Token[]} first
   * @param {Token[] | undefined} second
   * @returns {Token[]} with what the post-processor adds
   */
  #addSpecial(first, second) {
    const { postProcessor } = this.#library;
    if (postProcessor === null) return [...first, ...(second ?? [])];
    // The library's post-processors only put arrays together, so they may as well hold Tokens;
    // what they add are strings.
    const { tokens, token_type_ids: types } = postProcessor.post_process(
      /** @type {any} */ (first),
      second ?? null,
      true,
    );
    /** Where the last token of each segment ended. @type {[number, number]} */
    const ends = [0, 0];
    return /** @type {(Token | string)[]} */ (tokens).map((token, i) => {
      if (typeof token !== "string") {
        ends[token.segment] = token.end;
        return token;
      }
      const segment = types?.[i] === 1 ? 1 : 0;
      const end = ends[segment];
      const id = this.#texts.findId(token);
      return { id, piece: token, text: "", start: end, end, segment, special: true };
    });
  }

  /** @returns {boolean} */
  #separates() {
    const [first, second] = /** @type {const} */ ([0, 1]).map((segment) => [
      { id: 0, piece: "", text: "", start: 0, end: 0, segment, special: false },
    ]);
    const joined = this.#addSpecial(first ?? [], second ?? []);
    const at = joined.findIndex(({ special, segment }) => !special && segment === 0);
    const to = joined.findIndex(({ special, segment }) => !special && segment === 1);
    return joined.slice(at, to).some(({ special }) => special);
  }
}

/**
 * The library fails in its own words, and late, where a file is wrong in a way that nobody foresaw.
 *
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
function blameFile(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof HeadscopeError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeadscopeError("bad-checkpoint", `tokenizer.json cannot be used: ${reason}`, {
      cause: error,
    });
  }
}

/**
 * @param {(string | undefined)[]} vocab by id; the library's may have room for more than there are
 * @returns {number} one more than the largest id
 */
function findSize(vocab) {
  let size = vocab.length;
  while (size > 0 && vocab[size - 1] === undefined) --size;
  return size;
}

/**
 * How many tokens of two texts stay: one by one the longer loses its last, the second first
 * (`longest_first` of Hugging Face's tokenizers).
 *
 * @param {number} first
 * @param {number} second
 * @param {number} room
 * @returns {[number, number]}
 */
function shareRoom(first, second, room) {
  if (first + second <= room) return [first, second];
  const half = Math.ceil(room / 2);
  const kept = Math.min(first, Math.max(half, room - second));
  return [kept, room - kept];
}

/**
 * @param {string} what
 * @param {unknown} value
 */
function checkText(what, value) {
  if (typeof value === "string") return;
  const got = describeValue(value);
  throw new HeadscopeError("bad-argument", `tokenize: ${what} is ${got}, expected a string`);
}
