import {
  PrependNormalizer,
  ReplaceNormalizer,
  SequenceNormalizer,
  StripNormalizer,
} from "@huggingface/tokenizers";
import {
  checkGrowth,
  prependMapped,
  replaceMapped,
  rewriteClusters,
  rewriteWhole,
  sliceMapped,
} from "./mapped-text.js";

/**
 * @typedef {import("./mapped-text.js").MappedText} MappedText
 * @typedef {import("@huggingface/tokenizers").Normalizer} Normalizer
 */

/**
 * Normalises a text as the library does, and keeps track of where each unit comes from.
 *
 * @param {MappedText} source
 * @param {Normalizer | null} normalizer
 * @returns {MappedText}
 */
export function normalizeMapped(source, normalizer) {
  return applySteps(source, normalizer, source.text.length);
}

/**
 * @param {MappedText} source
 * @param {Normalizer | null} normalizer
 * @param {number} typed length of the text before all steps
 * @returns {MappedText}
 */
function applySteps(source, normalizer, typed) {
  if (normalizer === null) return source;
  if (normalizer instanceof SequenceNormalizer) {
    const { normalizers } = normalizer;
    return normalizers.reduce((text, step) => applySteps(text, step, typed), source);
  }
  const text = normalizer.normalize(source.text);
  checkGrowth(text.length, typed);
  const mapped = normalizeStep(source, normalizer, text);
  // What was tracked must be what the library wrote, whatever a step's options mean.
  return mapped.text === text ? mapped : rewriteWhole(source, text);
}

/**
 * @param {MappedText} source
 * @param {Normalizer} normalizer no sequence
 * @param {string} text as normalised
 * @returns {MappedText}
 */
function normalizeStep(source, normalizer, text) {
  if (normalizer instanceof PrependNormalizer) {
    return prependMapped(source, normalizer.config.prepend);
  }
  if (normalizer instanceof ReplaceNormalizer) {
    const { pattern, config } = normalizer;
    return pattern === null ? source : replaceMapped(source, pattern, config.content ?? "");
  }
  if (normalizer instanceof StripNormalizer) {
    const begin = Math.max(0, source.text.indexOf(text));
    return sliceMapped(source, begin, begin + text.length);
  }
  return rewriteClusters(source, (part) => normalizer.normalize(part));
}
