import {
  ByteLevelPreTokenizer,
  MetaspacePreTokenizer,
  ReplacePreTokenizer,
  SequencePreTokenizer,
} from "@huggingface/tokenizers";
import {
  checkGrowth,
  MappedTextWriter,
  prependMapped,
  replaceMapped,
  sliceMapped,
} from "./mapped-text.js";

/**
 * @typedef {import("./mapped-text.js").MappedText} MappedText
 * @typedef {import("@huggingface/tokenizers").PreTokenizer} PreTokenizer
 */

/**
 * Splits a normalised text into the words that the model gets, as the library does, and keeps
 * track of where each unit comes from.
 *
 * @param {MappedText} source
 * @param {PreTokenizer | null} preTokenizer
 * @param {number} section how many added tokens and texts between them come before this text
 * @returns {MappedText[]}
 */
export function splitWords(source, preTokenizer, section) {
  if (preTokenizer === null) return [source];
  if (preTokenizer instanceof SequencePreTokenizer) {
    return preTokenizer.tokenizers.reduce(
      (words, step) => {
        const next = words.flatMap((word) => splitWords(word, step, section));
        const length = next.reduce((sum, { text }) => sum + text.length, 0);
        checkGrowth(length, source.text.length);
        return next;
      },
      [source],
    );
  }
  const words = preTokenizer.pre_tokenize_text(source.text, { section_index: section });
  return cutWords(rewriteForWords(source, preTokenizer, words), words);
}

/**
 * The text that the words are parts of: some steps write it anew.
 *
 * @param {MappedText} source
 * @param {PreTokenizer} preTokenizer
 * @param {string[]} words
 * @returns {MappedText}
 */
function rewriteForWords(source, preTokenizer, words) {
  if (preTokenizer instanceof ByteLevelPreTokenizer) {
    const spaced = preTokenizer.add_prefix_space && !source.text.startsWith(" ");
    return spellBytes(spaced ? prependMapped(source, " ") : source, preTokenizer);
  }
  if (preTokenizer instanceof MetaspacePreTokenizer) {
    const { str_rep: mark } = preTokenizer;
    const marked = replaceMapped(source, / /g, mark);
    return marked.text === words[0] ? marked : prependMapped(marked, mark);
  }
  if (preTokenizer instanceof ReplacePreTokenizer && preTokenizer.pattern !== null) {
    return replaceMapped(source, preTokenizer.pattern, preTokenizer.content);
  }
  return source;
}

/**
 * Byte-level vocabularies spell each byte of a character's UTF-8 as a character of their own.
 *
 * @param {MappedText} source
 * @param {ByteLevelPreTokenizer} preTokenizer
 * @returns {MappedText}
 */
function spellBytes(source, { byte_encoder: letters, text_encoder: encoder }) {
  const writer = new MappedTextWriter(source);
  let begin = 0;
  for (const character of source.text) {
    const bytes = encoder.encode(character);
    const spelled = Array.from(bytes, (byte) => letters[byte]).join("");
    writer.replace(spelled, begin, begin + character.length);
    begin += character.length;
  }
  return writer.finish();
}

/**
 * @param {MappedText} source
 * @param {string[]} words parts of the source, in order
 * @returns {MappedText[]}
 */
function cutWords(source, words) {
  let end = 0;
  return words.map((word) => {
    const begin = source.text.indexOf(word, end);
    if (begin < 0) throw new Error(`word ${JSON.stringify(word)} is not in its own text`);
    end = begin + word.length;
    return sliceMapped(source, begin, end);
  });
}
