/**
 * The first key that stands twice in one object of a JSON text. `JSON.parse` keeps the last of
 * them without a word, so two readers could see two different files in one.
 *
 * @param {string} json valid JSON
 * @returns {string | undefined}
 */
export function findDuplicateKey(json) {
  /** @type {Set<string>[]} the keys of the objects that are open; an array has an empty set */
  const open = [];
  // Strings, each with the colon that makes it a key, and brackets; nothing else matters.
  for (const [token, text, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const key = /** @type {string} */ (JSON.parse(/** @type {string} */ (text)));
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
