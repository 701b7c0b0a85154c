/** Code points that classes are compared by: most scripts, and all that vocabularies mark. */
const samples = 0x2700;

/** Classes of one pattern that are looked at. */
const mostClasses = 200;

/** Which characters the classes of a pattern take. */
export class CharacterClasses {
  /** @type {Map<string, Set<number> | undefined>} the code points that a class takes */
  #members = new Map();

  /**
   * @param {string | undefined} a the source of a class, or of one character
   * @param {string | undefined} b
   * @returns {boolean} whether one character may be both; true where that cannot be told
   */
  mayOverlap(a, b) {
    const [first, second] = [this.#membersOf(a), this.#membersOf(b)];
    if (first === undefined || second === undefined) return true;
    const [few, many] = first.size < second.size ? [first, second] : [second, first];
    for (const code of few) if (many.has(code)) return true;
    return false;
  }

  /**
   * @param {string | undefined} source
   * @returns {Set<number> | undefined}
   */
  #membersOf(source) {
    if (source === undefined) return undefined;
    if (!this.#members.has(source)) {
      const isOneTooMany = this.#members.size >= mostClasses;
      this.#members.set(source, isOneTooMany ? undefined : listMembers(source));
    }
    return this.#members.get(source);
  }
}

/**
 * @param {string} source
 * @returns {Set<number> | undefined}
 */
function listMembers(source) {
  const matcher = matcherOf(source);
  if (matcher === undefined) return undefined;
  /** @type {Set<number>} */
  const members = new Set();
  for (let code = 0; code < samples; ++code) {
    const character = String.fromCharCode(code);
    if (!matcher.test(character)) continue;
    members.add(code);
    // Patterns may ignore the case of ASCII, and only of that.
    if (code >= 0x80) continue;
    members.add(character.toLowerCase().charCodeAt(0));
    members.add(character.toUpperCase().charCodeAt(0));
  }
  return members;
}

/**
 * @param {string} source
 * @returns {RegExp | undefined}
 */
function matcherOf(source) {
  // What JavaScript reads otherwise than the files mean it: classes of classes, back references.
  if (/^\[.*(?:\[|&&)|^\\[1-9khH]/.test(source)) return undefined;
  try {
    return new RegExp(`^${source === "." ? "[^\\n]" : source}$`, "u");
  } catch {
    return undefined;
  }
}
