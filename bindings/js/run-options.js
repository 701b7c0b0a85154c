import { aPosition } from "./config.js";
import { captures } from "./trace/capture.js";
import { HeadscopeError } from "./trace/error.js";
import {
  aBoolean,
  aFloat32,
  aSignal,
  aWholeNumber,
  listOf,
  oneOf,
  readOptions,
  recordOf,
} from "./trace/kinds.js";

/** @typedef {import("./config.js").PositionOptions} PositionOptions */
/** @typedef {import("./module.js").RunRequest} RunRequest */
/** @typedef {import("./trace/capture.js").CaptureName} CaptureName */

/**
 * @typedef {object} RunOptions
 * @property {CaptureName[]} [capture] `["attention", "hidden"]` by default
 * @property {number[]} [layers] capture only these
 * @property {{ layer: number, head: number, gate: number }[]} [gates] multiplies that head's
 *   context before W^O; 0 removes the head
 * @property {"model" | "bidirectional" | "causal"} [mask]
 * @property {"model" | "none" | PositionOptions} [position] another encoding in the same weights,
 *   of a kind without parameters of its own
 * @property {number[]} [order] a permutation: order[i] is the token at place i, before positions
 *   are added; the trace's tokens and rows are in the new order
 * @property {boolean} [truncate] cut a text that is longer than the model's limit, which is
 *   `too-long` otherwise
 * @property {AbortSignal} [signal] an abort rejects at once
 */

const gateKinds = { layer: aWholeNumber, head: aWholeNumber, gate: aFloat32 };
const words = oneOf(["model", "none"]);

const runKinds = {
  capture: listOf(oneOf(captures)),
  layers: listOf(aWholeNumber),
  gates: listOf(recordOf(gateKinds, { required: ["layer", "head", "gate"] })),
  mask: oneOf(["model", "bidirectional", "causal"]),
  position: aRunPosition,
  order: listOf(aWholeNumber),
  truncate: aBoolean,
  signal: aSignal,
};

/** What `embed` takes of them. */
export const embedKinds = { truncate: aBoolean, signal: aSignal };
/** What `tokenize` takes of them. */
export const tokenizeKinds = { truncate: aBoolean };

/**
 * @param {unknown} value
 * @param {string} what
 */
function aRunPosition(value, what) {
  if (typeof value === "string") words(value, what);
  else aPosition(value, what);
}

/**
 * Checks the options of a run and splits them: what the core is asked for, and the rest. All of it
 * is copied: the caller may change its arrays before the run has begun.
 *
 * @param {RunOptions | undefined} options
 * @returns {{ request: Omit<RunRequest, "sequences">, order?: number[], truncate: boolean,
 *   signal?: AbortSignal }}
 * @throws {HeadscopeError} `bad-argument`
 */
export function readRunOptions(options) {
  /** @type {RunOptions} */
  const read = readOptions(options, "run", runKinds);
  const {
    capture = ["attention", "hidden"],
    gates = [],
    mask = "model",
    position = "model",
  } = read;
  const { layers, order, truncate = false, signal } = read;
  if (order !== undefined) checkPermutation(order, "run: order");
  return {
    request: {
      capture: [...capture],
      gates: gates.map(({ layer, head, gate }) => ({ layer, head, gate })),
      mask,
      position: copyPosition(position),
      ...(layers === undefined ? {} : { layers: [...layers] }),
    },
    truncate,
    ...(order === undefined ? {} : { order: [...order] }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/**
 * @param {NonNullable<RunOptions["position"]>} position
 * @returns {"model" | PositionOptions}
 */
function copyPosition(position) {
  if (position === "none") return { kind: "none" };
  return position === "model" ? position : { ...position };
}

/**
 * @param {number[]} order whole numbers
 * @param {string} what
 */
export function checkPermutation(order, what) {
  const distinct = new Set(order).size === order.length;
  if (distinct && order.every((place) => place < order.length)) return;
  throw new HeadscopeError(
    "bad-argument",
    `${what} is [${order.slice(0, 20)}], expected each of 0 to ${order.length - 1} once`,
  );
}

/**
 * Brings tokens, or their ids, into a new order.
 *
 * @template T
 * @param {T[]} items
 * @param {number[] | undefined} order a permutation
 * @returns {T[]}
 * @throws {HeadscopeError} `bad-shape`: another number of tokens
 */
export function permute(items, order) {
  if (order === undefined) return items;
  if (order.length === items.length) {
    return order.map((place) => /** @type {T} */ (items[place]));
  }
  throw new HeadscopeError(
    "bad-shape",
    `run: order has ${order.length} entries, expected ${items.length} as there are tokens`,
  );
}
