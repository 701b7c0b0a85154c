import { AddedToken, Tokenizer } from "@huggingface/tokenizers";
import { describeValue, HeadscopeError } from "../trace/error.js";
import { checkTokenizerFile } from "./tokenizer-file.js";

/**
 * The parts of the library's tokenizer that its types know.
 *
 * @typedef {object} LibraryTokenizer
 * @property {import("@huggingface/tokenizers").Normalizer | null} normalizer
 * @property {import("@huggingface/tokenizers").PreTokenizer | null} preTokenizer
 * @property {import("@huggingface/tokenizers").Model} model
 * @property {import("@huggingface/tokenizers").PostProcessor | null} postProcessor
 * @property {import("@huggingface/tokenizers").AddedToken[]} addedTokens
 */

/**
 * Makes the library's tokenizer of a tokenizer.json.
 *
 * @param {unknown} json the parsed file
 * @returns {LibraryTokenizer}
 * @throws {HeadscopeError} `bad-checkpoint`: the file is damaged; `unsupported-model`: it names a
 *   kind of step that the library does not have
 */
export function makeLibraryTokenizer(json) {
  if (typeof json !== "object" || json === null || !("model" in json)) {
    const got = describeValue(json);
    throw wrongFile(`is ${got}, expected an object with a model`);
  }
  checkTokenizerFile(json);
  try {
    const { added_tokens: added, ...steps } = { ...absentSteps, ...json, decoder: null };
    const tokenizer = new Tokenizer({ ...steps, added_tokens: [] }, {});
    const {
      normalizer,
      pre_tokenizer: preTokenizer,
      model,
      post_processor: postProcessor,
    } = tokenizer;
    if (model === null || !(model.tokens_to_ids.size > 0)) throw wrongFile("has no vocabulary");
    const addedTokens = addTokens(model, added ?? []);
    return { normalizer, preTokenizer, model, postProcessor, addedTokens };
  } catch (error) {
    if (error instanceof HeadscopeError) throw error;
    const { message } = /** @type {Error} */ (error);
    if (message.startsWith("Unknown ")) {
      throw new HeadscopeError("unsupported-model", `tokenizer.json: ${message}`, { cause: error });
    }
    throw wrongFile(`cannot be read: ${message}`, error);
  }
}

/**
 * Gives a model the tokens that it has beside its own. The library would do so itself, but would
 * also normalise them, in one go and to any length.
 *
 * @param {import("@huggingface/tokenizers").Model} model
 * @param {ConstructorParameters<typeof AddedToken>[0][]} added
 * @returns {AddedToken[]} the last of each id
 */
function addTokens(model, added) {
  const tokens = added.map((each) => new AddedToken(each));
  for (const { id, content } of tokens) {
    model.tokens_to_ids.set(content, id);
    model.vocab[id] = content;
  }
  return [...new Map(tokens.map((token) => [token.id, token])).values()];
}

/** The library wants every key, and `null` where there is no such step; it decodes nothing here. */
const absentSteps = Object.freeze({
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
});

/**
 * @param {string} fault
 * @param {unknown} [cause]
 * @returns {HeadscopeError}
 */
function wrongFile(fault, cause) {
  return new HeadscopeError("bad-checkpoint", `tokenizer.json ${fault}`, { cause });
}
