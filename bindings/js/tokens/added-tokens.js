import { sliceMapped } from "./mapped-text.js";

/**
 * @typedef {import("./mapped-text.js").MappedText} MappedText
 * @typedef {import("@huggingface/tokenizers").AddedToken} AddedToken
 */

/**
 * A part of a text: an added token that was typed, or what lies between two of them.
 *
 * @typedef {{ mapped: MappedText, added?: AddedToken }} Section
 */

/** Finds the tokens that a vocabulary has beside its model, such as a typed "[MASK]". */
export class AddedTokenFinder {
  /** @type {Map<string, AddedToken>} */
  #byText;
  /** @type {RegExp | undefined} */
  #pattern;

  /** @param {[text: string, token: AddedToken][]} tokens by what they look like in the text */
  constructor(tokens) {
    this.#byText = new Map(tokens.filter(([text]) => text !== ""));
    // The longest token at a place wins, as in the library.
    const longestFirst = [...this.#byText.keys()].sort((a, b) => b.length - a.length);
    const escaped = longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    this.#pattern = escaped.length > 0 ? new RegExp(escaped.join("|"), "g") : undefined;
  }

  /**
   * @param {MappedText} source
   * @returns {Section[]} none empty; spaces beside a token that takes them are left out
   */
  split(source) {
    /** @type {Section[]} */
    const sections = [];
    let end = 0;
    let strips = false;
    /** @type {(begin: number, end: number, strip: { left: boolean, right: boolean }) => void} */
    const addBetween = (begin, until, { left, right }) => {
      const between = source.text.slice(begin, until);
      const from = left ? until - between.trimStart().length : begin;
      const to = right ? begin + between.trimEnd().length : until;
      if (from < to) sections.push({ mapped: sliceMapped(source, from, to) });
    };
    for (const match of this.#pattern ? source.text.matchAll(this.#pattern) : []) {
      const added = /** @type {AddedToken} */ (this.#byText.get(match[0]));
      addBetween(end, match.index, { left: strips, right: added.lstrip });
      end = match.index + match[0].length;
      sections.push({ mapped: sliceMapped(source, match.index, end), added });
      strips = added.rstrip;
    }
    addBetween(end, source.text.length, { left: strips, right: false });
    return sections;
  }
}
