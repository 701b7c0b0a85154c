/**
 * One element of a pattern, and how often it may stand there: a character (or a class of them), as
 * its source, or a group.
 *
 * @typedef {object} Item
 * @property {string} [atom]
 * @property {Item[][]} [group] alternatives
 * @property {boolean} [looksAround] whether the group takes no character, but looks at those around
 * @property {number} min
 * @property {number} max
 */

/**
 * Reads what matters of a regular expression: alternatives, groups and how often they repeat. What
 * is no regular expression at all is read somehow; compiling it will say so.
 *
 * @param {string} source
 * @returns {Item[][]} alternatives
 */
export function parsePattern(source) {
  const reader = new PatternReader(source);
  const alternatives = [...reader.readAlternatives()];
  // Behind a bracket that closes nothing.
  while (!reader.ended) alternatives.push(...reader.readAlternatives());
  return alternatives;
}

const groupStart = /\((?:\?(?:<[=!]|<[^>]*>|[:=!>]|[a-zA-Z-]*:))?/y;
const characterClass = /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|\[[^\]]*\]|[^\]\\])*\]?/y;
const escaped = /\\(?:[pPxu]\{[^}]*\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|c[A-Za-z]|[\s\S]|$)/y;
const quantifier = /([*+?]|\{\d*(?:,\d*)?\})[+?]?/y;
const assertion = /^(?:[$^]|\\[AbBzZG])$/;

/** Groups in groups; no pattern has so many. */
const deepest = 100;

class PatternReader {
  #at = 0;
  #depth = 0;
  #source;

  /** @param {string} source */
  constructor(source) {
    this.#source = source;
  }

  get ended() {
    return this.#at >= this.#source.length;
  }

  /** @returns {Item[][]} up to the bracket that closes the group, which is read, too */
  readAlternatives() {
    if (++this.#depth > deepest) throw new Error(`a pattern nests ${deepest} groups`);
    /** @type {Item[][]} */
    const alternatives = [[]];
    while (!this.ended) {
      if (this.#take(/\)/y) !== undefined) break;
      if (this.#take(/\|/y) !== undefined) alternatives.push([]);
      else alternatives.at(-1)?.push(this.#readItem());
    }
    --this.#depth;
    return alternatives;
  }

  /** @returns {Item} */
  #readItem() {
    const start = this.#take(groupStart);
    const group = start === undefined ? undefined : this.readAlternatives();
    const atom = start === undefined ? this.#readAtom() : "";
    let [min, max] = [1, 1];
    for (let how = this.#take(quantifier); how !== undefined; how = this.#take(quantifier)) {
      const [low, high] = readRange(how);
      [min, max] = [min * low, max * high];
    }
    const looksAround = start !== undefined && /^\(\?<?[=!]/.test(start);
    if (group !== undefined) return { group, min, max, looksAround };
    // What stands between characters takes none.
    return assertion.test(atom) ? { group: [[]], min, max } : { atom, min, max };
  }

  /** @returns {string} */
  #readAtom() {
    return this.#take(characterClass) ?? this.#take(escaped) ?? this.#take(/[\s\S]/uy) ?? "";
  }

  /**
   * @param {RegExp} pattern sticky
   * @returns {string | undefined}
   */
  #take(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

/**
 * @param {string} how
 * @returns {[number, number]}
 */
function readRange(how) {
  if (how.startsWith("?")) return [0, 1];
  if (how.startsWith("*")) return [0, Number.POSITIVE_INFINITY];
  if (how.startsWith("+")) return [1, Number.POSITIVE_INFINITY];
  const [, low = "", comma, high = ""] = /\{(\d*)(,?)(\d*)\}/.exec(how) ?? [];
  if (!comma) return [Number(low), Number(low)];
  return [Number(low), high === "" ? Number.POSITIVE_INFINITY : Number(high)];
}
