import { baselineText } from "./trace/baseline.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {"relaxed-threads" | "simd-threads"} ThreadedVariant */
/** @typedef {ThreadedVariant | "relaxed" | "simd"} Variant */

/** The four engines, best first. */
export const variants = /** @type {const} */ ([
  "relaxed-threads",
  "simd-threads",
  "relaxed",
  "simd",
]);

/** More threads than this do not pay for one sentence, and each costs a worker and a stack. */
const mostThreads = 16;
/** What `threads: "auto"` takes at most. */
const usualThreads = 4;

/**
 * What an environment says of itself.
 *
 * @typedef {object} Facts
 * @property {"node" | "browser"} host
 * @property {number} cores that this process may use
 * @property {boolean} isolated in a browser: `crossOriginIsolated`
 * @property {boolean} sharedMemory SharedArrayBuffer exists
 */

/**
 * What WebAssembly.validate accepts.
 *
 * @typedef {{ simd: boolean, relaxed: boolean, threads: boolean }} Features
 */

/**
 * One way to run the engine.
 *
 * @typedef {{ variant: Variant, threads: number }} Plan
 */

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const functionSection = [0x03, 0x02, 0x01, 0x00];
const returnsVector = [0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b];
const returnsNothing = [0x01, 0x04, 0x01, 0x60, 0x00, 0x00];
const splatZero = [0x41, 0x00, 0xfd, 0x0f];

/**
 * One module per feature, made of the exact opcodes that the kernels use: browsers have shipped
 * parts of a proposal.
 */
const probes = {
  // i8x16.popcnt (f d 62) came last into simd128.
  simd: [...header, ...returnsVector, ...functionSection, ...code([...splatZero, 0xfd, 0x62])],
  // f32x4.relaxed_madd, i16x8.relaxed_dot_i8x16_i7x16_s, i32x4.relaxed_dot_i8x16_i7x16_add_s
  relaxed: [
    ...[...header, ...returnsVector, ...functionSection],
    ...code([
      ...[...splatZero, ...splatZero, ...splatZero, 0xfd, 0x85, 0x02],
      ...[...splatZero, 0xfd, 0x92, 0x02],
      ...[...splatZero, ...splatZero, 0xfd, 0x93, 0x02],
    ]),
  ],
  // A shared memory and i32.atomic.load.
  threads: [
    ...[...header, ...returnsNothing, ...functionSection],
    ...[0x05, 0x04, 0x01, 0x03, 0x01, 0x01],
    ...code([0x41, 0x00, 0xfe, 0x10, 0x02, 0x00, 0x1a]),
  ],
};

/**
 * @param {number[]} instructions of the only function, without its `end`
 * @returns {number[]} a code section
 */
function code(instructions) {
  const body = [0x00, ...instructions, 0x0b];
  return [0x0a, body.length + 2, 0x01, body.length, ...body];
}

/**
 * What this environment's WebAssembly can do.
 *
 * @returns {Features}
 * @throws {HeadscopeError} `unsupported-environment`: no WebAssembly, or none with SIMD
 */
export function detectFeatures() {
  if (typeof WebAssembly !== "object") {
    throw new HeadscopeError("unsupported-environment", "engine: WebAssembly does not exist here");
  }
  const { simd, relaxed, threads } = probes;
  const features = {
    simd: WebAssembly.validate(Uint8Array.from(simd)),
    relaxed: WebAssembly.validate(Uint8Array.from(relaxed)),
    threads: WebAssembly.validate(Uint8Array.from(threads)),
  };
  if (!features.simd) {
    throw new HeadscopeError(
      "unsupported-environment",
      `engine: WebAssembly has no SIMD here; ${baselineText}`,
    );
  }
  return features;
}

/**
 * @param {Variant} variant
 * @returns {variant is ThreadedVariant}
 */
export function isThreaded(variant) {
  return variant.endsWith("-threads");
}

/**
 * @param {Variant} variant
 * @returns {boolean}
 */
export function isRelaxed(variant) {
  return variant.startsWith("relaxed");
}

/**
 * Why an engine with threads cannot run here, or undefined where it can. A threaded engine must not
 * be tried where this says no: without isolation its creation never settles.
 *
 * @param {Facts} facts
 * @param {Features} features
 * @returns {string | undefined}
 */
function obstacleToThreads(facts, features) {
  // Node first: it has shared memory, and no word for isolation.
  if (facts.host === "browser" && !facts.isolated) return "this page is not cross-origin isolated";
  if (!facts.sharedMemory) return "SharedArrayBuffer does not exist here";
  if (!features.threads) return "WebAssembly has no shared memory here";
  return undefined;
}

/**
 * Why a variant cannot run here, or undefined where it can.
 *
 * @param {Variant} variant
 * @param {Facts} facts
 * @param {Features} features
 * @returns {string | undefined}
 */
export function obstacleTo(variant, facts, features) {
  if (isRelaxed(variant) && !features.relaxed) return "WebAssembly has no relaxed SIMD here";
  return isThreaded(variant) ? obstacleToThreads(facts, features) : undefined;
}

/**
 * How to run, best first, and what is known by now about why nothing better is there.
 *
 * @param {{ variant: "auto" | Variant, threads: number | "auto", offered?: readonly Variant[] }}
 *   wanted `offered`: the variants there are to choose from
 * @param {Facts} facts
 * @param {Features} features
 * @returns {{ plans: Plan[], notes: string[] }} at least one plan
 * @throws {HeadscopeError} `unsupported-environment`: a named variant cannot run here
 */
export function planVariants({ variant, threads, offered = variants }, facts, features) {
  /** @type {string[]} */
  const notes = [];
  const count = countThreads(threads, facts, notes);
  if (variant !== "auto") {
    const obstacle = obstacleTo(variant, facts, features);
    if (obstacle === undefined) return { plans: [planOf(variant, count)], notes };
    throw new HeadscopeError(
      "unsupported-environment",
      `engine: "${variant}" needs more: ${obstacle}`,
    );
  }
  const obstacle = obstacleToThreads(facts, features);
  if (count > 1 && obstacle !== undefined) notes.push(`one thread: ${obstacle}`);
  else if (count > 1 && !offered.some(isThreaded))
    notes.push("one thread: no other engine is there");
  if (!features.relaxed) notes.push("simd128: WebAssembly has no relaxed SIMD here");
  const plans = offered
    .filter((name) => obstacleTo(name, facts, features) === undefined)
    .filter((name) => count > 1 || !isThreaded(name))
    .map((name) => planOf(name, count));
  if (plans.length > 0) return { plans, notes };
  const names = offered.join(", ");
  throw new HeadscopeError("unsupported-environment", `engine: none of ${names} can run here`);
}

/**
 * @param {Variant} variant
 * @param {number} count
 * @returns {Plan}
 */
function planOf(variant, count) {
  return { variant, threads: isThreaded(variant) ? count : 1 };
}

/**
 * @param {number | "auto"} threads
 * @param {Facts} facts
 * @param {string[]} notes
 * @returns {number}
 */
function countThreads(threads, { cores }, notes) {
  if (threads === "auto") {
    if (cores === 1) notes.push("one thread: this machine offers one core");
    return Math.min(cores, usualThreads);
  }
  if (threads <= mostThreads) return threads;
  notes.push(`${mostThreads} threads: more do not pay`);
  return mostThreads;
}
