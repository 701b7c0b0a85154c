// The published vocabulary as a tokenizer.json of Hugging Face's tokenizers. It follows the published
// code but for ties: of two splits with equal scores the published code takes the later start.

const SPACE = "\u2581";
const RESERVED = 6;

/**
 * @param {[piece: string, score: number | null][]} vocabulary id = place
 * @returns {object} tokenizer.json
 */
export function tokenizerOf(vocabulary) {
  const vocab = vocabulary.map(([piece, score], id) => [
    // The published code never matches ids 1..5. Texts hold no U+0020 once normalised, so a piece with
    // one in it cannot match either.
    id > 0 && id < RESERVED ? `reserved ${piece}` : piece,
    // Seven scores are missing; the published code adds null, which counts as 0.
    score ?? 0,
  ]);
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "NFKC" },
        { type: "Replace", pattern: { String: " " }, content: SPACE },
        { type: "Prepend", prepend: SPACE },
      ],
    },
    pre_tokenizer: {
      // In the published code a best sum of exactly 0 counts as unset, so a text that begins with a
      // colon never gets the pieces that join the first space and the colon.
      type: "Split",
      pattern: { Regex: `^${SPACE}(?=:)` },
      behavior: "Isolated",
      invert: false,
    },
    post_processor: null,
    decoder: { type: "Metaspace", replacement: SPACE, prepend_scheme: "always", split: false },
    model: { type: "Unigram", unk_id: 0, byte_fallback: false, vocab },
  };
}
