import { slowPatterns } from "./slow-patterns.js";

/** @typedef {import("./random.js").Random} Random */

/** A place in a JSON value. @typedef {{ parent: any, key: string | number }} Slot */

/** What stands in broken and in hostile files, and at the ends of ranges. */
const numbers = [
  0,
  -0,
  1,
  -1,
  2,
  3,
  7,
  0.5,
  -0.5,
  1e-7,
  1e-46,
  1e-300,
  127,
  255,
  256,
  1000,
  65535,
  65536,
  1e5,
  1e7,
  1e7 + 1,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 32 + 1,
  2 ** 53 - 1,
  2 ** 53,
  1e19,
  3.5e38,
  1e39,
  1e308,
  -1e308,
];

const strings = [
  "",
  " ",
  "a",
  "x",
  "__proto__",
  "constructor",
  "toString",
  "length",
  "0",
  "-1",
  "1e400",
  "NaN",
  "null",
  "\u0000",
  "\ud800",
  "\u200f\u202e",
  "##",
  "\u2581",
  "[UNK]",
  "[CLS]",
  "F32",
  "I8",
  "BF16",
  "U8",
  "../x.safetensors",
  "model.safetensors",
  "Sequence",
  "Replace",
  "Split",
  "Unigram",
  "BPE",
  "WordPiece",
  "WordLevel",
  "Metaspace",
  "ByteLevel",
  "FixedLength",
  "Precompiled",
  "TemplateProcessing",
  "NFKC",
  "first",
  "never",
  "Removed",
  "Isolated",
  "MergedWithNext",
];

/** Regular expressions: odd, wrong, slow. */
const patterns = [
  "a",
  "(",
  "[",
  "\\",
  "a*",
  "",
  "\\s+",
  "\\p{L}+",
  "[^\\s]+",
  "(?i:'s|'t)",
  "(?=(\\d{3})+(?!\\d))",
  "(?<=a+)+b",
  "\\G",
  "(?>a+)",
  "[[:alpha:]]+",
  "[a-z&&[^b]]",
  ...slowPatterns,
];

/** What regular expressions are made of. */
const atoms = ["a", "b", "[ab]", "[^b]", ".", "c", "\\w", "\\s", "\\p{L}", "^", "$"];
const quantifiers = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,9}", "*?", "+?"];
const groups = ["(", "(?:", "(?:", "(?=", "(?!", "(?i:"];

/**
 * @param {Random} random
 * @param {number} [depth] of groups
 * @returns {string} a regular expression of any kind
 */
function anyPattern(random, depth = 3) {
  const items = Array.from({ length: 1 + random.below(4) }, () => {
    if (depth === 0 || random.chance(0.6)) return random.pick(atoms) + random.pick(quantifiers);
    const alternatives = [anyPattern(random, depth - 1)];
    while (random.chance(0.35)) alternatives.push(anyPattern(random, depth - 1));
    return `${random.pick(groups)}${alternatives.join("|")})${random.pick(quantifiers)}`;
  });
  return items.join("");
}

/**
 * @param {Random} random
 * @returns {unknown} a value of any kind
 */
function anyValue(random) {
  switch (random.below(9)) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
    case 2:
      return random.pick(numbers);
    case 3:
      return random.pick(strings);
    case 4:
      return random.chance(0.5) ? random.pick(patterns) : anyPattern(random);
    case 5:
      return random.pick([[], {}, [[]], [{}], { a: 1 }, [1, 2], { type: "Sequence" }, ["a", "a"]]);
    case 6:
      return random.pick(strings).repeat(random.pick([2, 100, 20000]));
    case 7:
      return Array.from({ length: random.pick([3, 100, 5000]) }, () => random.pick(numbers));
    default:
      return nest(random.pick([10, 1000, 20000]), random.pick([[], {}, 1]));
  }
}

/**
 * @param {number} depth
 * @param {unknown} inner
 * @returns {unknown}
 */
function nest(depth, inner) {
  let value = inner;
  for (let i = 0; i < depth; ++i) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/**
 * @param {unknown} root
 * @returns {Slot[]} every value inside it
 */
function listSlots(root) {
  /** @type {Slot[]} */
  const slots = [];
  const open = [root];
  while (open.length > 0) {
    const parent = open.pop();
    if (typeof parent !== "object" || parent === null) continue;
    const keys = Array.isArray(parent) ? parent.keys() : Object.keys(parent);
    for (const key of keys) {
      slots.push({ parent, key });
      open.push(/** @type {any} */ (parent)[key]);
    }
  }
  return slots;
}

/**
 * Sets a key for what it is, also `__proto__`.
 *
 * @param {any} parent
 * @param {string | number} key
 * @param {unknown} value
 */
function put(parent, key, value) {
  const own = { value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(parent, key, own);
}

/**
 * A value of the same kind that is not much different.
 *
 * @param {unknown} value
 * @param {Random} random
 * @returns {unknown}
 */
function vary(value, random) {
  if (typeof value === "number") {
    return random.pick([
      -value,
      value + 1,
      value - 1,
      value + 0.5,
      value * 2,
      value * 1e6,
      1 / value,
    ]);
  }
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string") return anyValue(random);
  const at = random.below(value.length + 1);
  if (random.chance(0.1)) return anyPattern(random);
  const snippet = random.chance(0.3) ? random.pick(patterns) : random.pick(strings);
  return random.pick([
    value.slice(0, at) + snippet + value.slice(at),
    value.slice(0, at),
    value.slice(at),
    value.repeat(random.below(4)),
    value.toUpperCase(),
  ]);
}

/**
 * Changes one thing inside a value.
 *
 * @param {any} box { root }
 * @param {Random} random
 */
function mutateOnce(box, random) {
  const slots = listSlots(box);
  const { parent, key } = random.pick(slots);
  const value = parent[key];
  switch (random.below(9)) {
    case 0:
    case 1:
      return put(parent, key, anyValue(random));
    case 2:
    case 3:
      return put(parent, key, vary(value, random));
    case 4:
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else if (parent !== box) delete parent[key];
      return;
    case 5: {
      // Elsewhere, too: steps inside steps, one tensor's line for another's.
      const other = random.pick(slots);
      return put(other.parent, other.key, copy(value));
    }
    case 6:
      if (Array.isArray(parent)) parent.splice(random.below(parent.length + 1), 0, value);
      else if (parent !== box) put(parent, random.pick(strings), value);
      return;
    case 7:
      if (Array.isArray(value)) value.push(anyValue(random));
      else if (typeof value === "object" && value !== null)
        put(value, random.pick(strings), anyValue(random));
      return;
    default: {
      const step = random.pick(["normalizers", "pretokenizers", "processors"]);
      return put(parent, key, { type: "Sequence", [step]: [value, copy(value)] });
    }
  }
}

/**
 * A JSON value with a few things changed in it.
 *
 * @param {unknown} value
 * @param {Random} random
 * @returns {unknown}
 */
export function mutateJson(value, random) {
  const box = { root: copy(value) };
  do mutateOnce(box, random);
  while (random.chance(0.4));
  return box.root;
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function copy(value) {
  return JSON.parse(writeJson(value));
}

/**
 * `JSON.stringify`, for values of any depth.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function writeJson(value) {
  /** @type {string[]} */
  const parts = [];
  /** What is still to be written: a text, or a value in a box. @type {(string | { value: any })[]} */
  const open = [{ value }];
  while (open.length > 0) {
    const next = /** @type {string | { value: any }} */ (open.pop());
    if (typeof next === "string") parts.push(next);
    else if (typeof next.value !== "object" || next.value === null) {
      parts.push(JSON.stringify(next.value) ?? "null");
    } else {
      const isList = Array.isArray(next.value);
      const inner = Object.entries(next.value).flatMap(([key, each], i) => [
        (i > 0 ? "," : "") + (isList ? "" : `${JSON.stringify(key)}:`),
        { value: each },
      ]);
      open.push(isList ? "]" : "}", ...inner.reverse(), isList ? "[" : "{");
    }
  }
  return parts.join("");
}
