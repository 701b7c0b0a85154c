import { baselineText } from "./baseline.js";
import { HeadscopeError } from "./error.js";

/**
 * Finds the characters or the words of a text as Unicode Standard Annex 29 says.
 *
 * @param {"grapheme" | "word"} granularity
 * @returns {Intl.Segmenter}
 * @throws {HeadscopeError} `unsupported-environment`: Intl.Segmenter does not exist here
 */
export function makeSegmenter(granularity) {
  if (typeof Intl !== "object" || typeof Intl.Segmenter !== "function") {
    throw new HeadscopeError(
      "unsupported-environment",
      `text: Intl.Segmenter does not exist here; ${baselineText}`,
    );
  }
  return new Intl.Segmenter("und", { granularity });
}
