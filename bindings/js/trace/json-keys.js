/** Brackets in brackets: more than any honest file has, and few enough for functions that recurse. */
const deepest = 64;

/**
 * What is wrong with a JSON text that a parser takes.
 *
 * `JSON.parse` keeps the last of two equal keys without a word, so two readers could see two different
 * files in one; and what nests without end comes to none in whoever looks at it.
 *
 * @param {string} json valid JSON
 * @returns {string | undefined} the fault: a key that stands twice in one object, or the depth
 */
export function findJsonFault(json) {
  /** @type {Set<string>[]} the keys of the objects that are open; an array has an empty set */
  const open = [];
  const marks = /["{}[\]]/g;
  for (let found = marks.exec(json); found !== null; found = marks.exec(json)) {
    const [mark] = found;
    if (mark === "{" || mark === "[") {
      open.push(new Set());
      if (open.length > deepest) return `more than ${deepest} brackets inside each other`;
    } else if (mark === "}" || mark === "]") open.pop();
    else {
      marks.lastIndex = findStringEnd(json, found.index);
      const keys = open.at(-1);
      if (keys === undefined || !isBeforeColon(json, marks.lastIndex)) continue;
      const key = JSON.parse(json.slice(found.index, marks.lastIndex));
      if (keys.has(key)) return `the key ${JSON.stringify(key)} twice`;
      keys.add(key);
    }
  }
  return undefined;
}

/**
 * @param {string} json
 * @param {number} begin where a string begins
 * @returns {number} the index behind it
 */
function findStringEnd(json, begin) {
  let end = begin;
  let escapes;
  do {
    end = json.indexOf('"', end + 1);
    escapes = 0;
    while (json[end - 1 - escapes] === "\\") ++escapes;
  } while (escapes % 2 === 1);
  return end + 1;
}

/**
 * @param {string} json
 * @param {number} at
 * @returns {boolean}
 */
function isBeforeColon(json, at) {
  const colon = /\s*:/y;
  colon.lastIndex = at;
  return colon.test(json);
}
