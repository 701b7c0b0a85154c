import { permute } from "./run-options.js";
import { HeadscopeError } from "./trace/error.js";
import { spellPieces } from "./trace/token.js";

/** @typedef {import("./config.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./encoder-input.js").IdInput} IdInput */
/** @typedef {import("./encoder-input.js").TextInput} TextInput */
/** @typedef {import("./module.js").Sequence} Sequence */
/** @typedef {import("./tokens/tokenizer.js").Tokenizer} Tokenizer */
/** @typedef {import("./trace/token.js").Token} Token */

/**
 * An input as tokens.
 *
 * @typedef {{ text: string, pair?: string, tokens: Token[] }} TokenizedInput
 */

/** Turns inputs into tokens and tokens into numbers, for one encoder. */
export class EncoderText {
  #config;
  #tokenizer;

  /**
   * @param {EncoderConfig} config
   * @param {Tokenizer | undefined} tokenizer
   */
  constructor(config, tokenizer) {
    this.#config = config;
    this.#tokenizer = tokenizer;
  }

  /**
   * @param {TextInput} input
   * @param {boolean} truncate to the model's limit
   * @returns {Token[]}
   * @throws {HeadscopeError} `unsupported-model`: no tokenizer, or a pair without separators
   */
  tokenize({ text, pair }, truncate) {
    if (this.#tokenizer === undefined) {
      throw new HeadscopeError(
        "unsupported-model",
        "encoder: it was made without a tokenizer, so it takes { ids } and no text",
      );
    }
    const maxTokens = truncate ? this.#config.max_tokens : Number.POSITIVE_INFINITY;
    return this.#tokenizer.tokenize(text, pair, { maxTokens });
  }

  /**
   * @param {TextInput | IdInput} input
   * @param {boolean} truncate
   * @param {number[]} [order] see `RunOptions`
   * @returns {TokenizedInput}
   */
  read(input, truncate, order) {
    if ("ids" in input) {
      const ids = truncate ? input.ids.slice(0, this.#config.max_tokens) : input.ids;
      const { text, tokens } = this.#tokenizer?.spell(ids) ?? spellPieces(ids.map(String), ids);
      return { text, tokens: permute(tokens, order) };
    }
    return { ...input, tokens: permute(this.tokenize(input, truncate), order) };
  }

  /**
   * @param {Token[]} tokens
   * @returns {Sequence}
   */
  numbers(tokens) {
    const ids = Int32Array.from(tokens, ({ id }) => id);
    // A table of one type (RoBERTa's) has no row for a second text: all tokens are of type 0.
    if ((this.#config.token_types ?? 0) < 2) return { ids };
    return { ids, segments: Int32Array.from(tokens, ({ segment }) => segment) };
  }
}
