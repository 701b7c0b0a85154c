import { CharacterClasses } from "./character-classes.js";
import { parsePattern } from "./pattern-syntax.js";

/** @typedef {import("./pattern-syntax.js").Item} Item */

// A regular expression that can match one text in many ways tries them all before it gives up. Their
// number may grow by a factor with each character, as in (a+)+ or (a|a)*, or with a high power of the
// length, as in .*.*.*.*x, and holds a page for years. Such patterns are told by their syntax. What may
// be slow is refused, so that a few that are not are, too.

/** Repeated as often as this, a choice is one too many. */
const often = 8;

/** Elements of one alternative that may take more or fewer characters. */
const mostVariable = 8;

/** Of those, the ones of any length that may take the same characters as another. */
const mostRivals = 2;

/** Alternatives of a repeated group that are compared, each with each. */
const mostAlternatives = 20;

/**
 * Whether a regular expression may take a time that nobody waits for.
 *
 * @param {string} source
 * @returns {boolean}
 */
export function mayExplode(source) {
  const classes = new CharacterClasses();
  return parsePattern(source).some((sequence) => explodes(sequence, 1, classes));
}

/**
 * @param {Item[]} sequence
 * @param {number} times how often all around it repeat it
 * @param {CharacterClasses} classes
 * @returns {boolean}
 */
function explodes(sequence, times, classes) {
  const variable = listVariable(sequence);
  if (variable.length > mostVariable) return true;
  const open = variable.filter(({ max }) => max > often);
  const rivals = open.filter((item) =>
    open.some((other) => other !== item && classes.mayOverlap(item.atom, other.atom)),
  );
  if (rivals.length > mostRivals) return true;
  return sequence.some(({ group, max }) => {
    if (group === undefined) return false;
    const inside = times * Math.max(1, max);
    if (inside > often && isAmbiguous(group, classes)) return true;
    return group.some((each) => explodes(each, inside, classes));
  });
}

/**
 * The elements that may take more or fewer characters, each as often as it is met on the way through a
 * sequence.
 *
 * @param {Item[]} sequence
 * @returns {Item[]} no more than are told apart
 */
function listVariable(sequence) {
  /** @type {Item[]} */
  const variable = [];
  for (const item of sequence) {
    if (isVariable(item)) variable.push(item);
    // What is in a group that repeats without end is another question.
    if (item.group !== undefined && item.max <= often) {
      const [longest = []] = item.group.map(listVariable).sort((a, b) => b.length - a.length);
      for (let i = 0; i < item.max; ++i) variable.push(...longest.map((each) => ({ ...each })));
    }
    if (variable.length > mostVariable) break;
  }
  return variable.slice(0, mostVariable + 1);
}

/** @param {Item} item */
function isVariable({ min, max }) {
  return min !== max;
}

/**
 * Whether a repeated group may match one text in several ways.
 *
 * @param {Item[][]} alternatives
 * @param {CharacterClasses} classes
 * @returns {boolean}
 */
function isAmbiguous(alternatives, classes) {
  // What looks around only forbids ways.
  const sequences = alternatives.map((each) => flatten(each).filter((item) => !item.looksAround));
  if (sequences.length > 1) {
    // Where the first character decides, and nothing after it varies, there is one way at most.
    if (sequences.length > mostAlternatives) return true;
    if (!sequences.every((items) => items.every(isFixedAtom))) return true;
    const firsts = sequences.map(([first]) => first?.atom);
    return firsts.some((a, at) => firsts.slice(0, at).some((b) => classes.mayOverlap(a, b)));
  }
  const [items = []] = sequences;
  const open = items.filter((item) => !isFixedAtom(item));
  if (open.length === 0) return false;
  // One element of any length is fine where another, which cannot be taken for it, ends it.
  const [only] = open;
  if (open.length > 1 || only?.atom === undefined) return true;
  const others = items.filter((item) => item !== only && item.min > 0);
  return others.every(({ atom }) => classes.mayOverlap(atom, only.atom));
}

/** @param {Item} item */
function isFixedAtom(item) {
  return item.atom !== undefined && !isVariable(item);
}

/**
 * @param {Item[]} sequence
 * @returns {Item[]} without the groups that only hold together what stands there once
 */
function flatten(sequence) {
  return sequence.flatMap((item) => {
    const [only, ...others] = item.group ?? [];
    const isOnce = item.min === 1 && item.max === 1 && !item.looksAround;
    return only !== undefined && others.length === 0 && isOnce ? flatten(only) : [item];
  });
}
