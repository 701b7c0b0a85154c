import { HeadscopeError } from "../trace/error.js";
import { isRecord, refuse } from "../trace/kinds.js";

/** @typedef {import("./letters.js").Letters} Letters */

/**
 * What one argument may be, and how it becomes what the core takes.
 *
 * @typedef {object} Argument
 * @property {string} form in words or letters: "[T, K]"
 * @property {(value: unknown, what: string, letters: Letters) => unknown} read
 * @property {boolean} [optional]
 * @property {unknown} [fallback] stands for what was left out
 * @property {(what: string, letters: Letters) => void} [absent] what else that means
 */

/**
 * @template {Argument} A
 * @param {A} argument
 * @param {unknown} [fallback] none where the core has one of its own, or there is nothing instead
 * @returns {A & { optional: true }}
 */
export function optional(argument, fallback) {
  return { ...argument, optional: true, fallback };
}

/**
 * @param {Record<string, Argument>} takes
 * @returns {Argument} an object of arguments
 */
export function record(takes) {
  return {
    form: formOf(takes),
    read: (value, what, letters) => readRecord(value, what, `${what}.`, { takes, letters }),
  };
}

/**
 * Checks an object of arguments and gives the form that the core takes.
 *
 * @param {unknown} given
 * @param {string} what
 * @param {string} prefix what stands before the name of an argument, in messages
 * @param {{ takes: Record<string, Argument>, letters: Letters }} signature
 * @returns {Record<string, unknown>} without what was left out
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`
 */
export function readRecord(given, what, prefix, { takes, letters }) {
  const names = Object.keys(takes);
  if (!isRecord(given)) return refuse(what, given, formOf(takes));
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(takes, name));
  if (unknown !== undefined) {
    const known = names.join(", ") || "none";
    throw new HeadscopeError("bad-argument", `${what}: unknown "${unknown}", known: ${known}`);
  }
  /** @type {Record<string, unknown>} */
  const flat = {};
  for (const [name, argument] of Object.entries(takes)) {
    const value = readArgument(argument, given[name], prefix + name, letters);
    if (value !== undefined) flat[name] = value;
  }
  return flat;
}

/**
 * @param {Argument} argument
 * @param {unknown} value
 * @param {string} what
 * @param {Letters} letters
 * @returns {unknown} undefined for what was left out
 */
function readArgument(argument, value, what, letters) {
  if (value !== undefined) return argument.read(value, what, letters);
  if (!argument.optional) {
    throw new HeadscopeError("bad-argument", `${what} is missing, expected ${argument.form}`);
  }
  argument.absent?.(what, letters);
  if (argument.fallback === undefined) return undefined;
  return argument.read(argument.fallback, what, letters);
}

/**
 * @param {Record<string, Argument>} takes
 * @returns {string}
 */
function formOf(takes) {
  return `an object { ${Object.keys(takes).join(", ")} }`;
}
