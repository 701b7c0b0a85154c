import { unwrap } from "./module.js";

/** @typedef {import("./module.js").Int8Kernel} Int8Kernel */
/** @typedef {import("./module.js").Module} Module */
/** @typedef {import("./protocol.js").LoadArguments} LoadArguments */
/** @typedef {import("./protocol.js").LoadResult} LoadResult */
/** @typedef {import("./protocol.js").Part} Part */

/**
 * Time in which a browser compiles the kernels well, once they have run. A timing before that
 * would compare what its quick compiler makes of them, and differ from start to start.
 */
const compiling_ms = 12;

/** @type {WeakMap<Module, Promise<Int8Kernel>>} */
const int8Kernels = new WeakMap();

/**
 * @param {Module} module
 * @returns {Promise<Int8Kernel>} one choice for each module
 */
function chooseInt8Kernel(module) {
  const known = int8Kernels.get(module);
  if (known !== undefined) return known;
  const measure = async () => {
    unwrap(module.int8Kernel());
    await new Promise((resolve) => setTimeout(resolve, compiling_ms));
    return unwrap(module.int8Kernel());
  };
  const choosing = measure();
  int8Kernels.set(module, choosing);
  return choosing;
}

/**
 * Makes an encoder that waits for its parameters.
 *
 * @param {Module} module
 * @param {LoadArguments} args
 * @returns {Promise<LoadResult>}
 */
export async function beginEncoder(module, { config, dtype }) {
  const int8Kernel = dtype === "int8" ? await chooseInt8Kernel(module) : undefined;
  const encoder = unwrap(module.encoderCreate(config, int8Kernel ?? "f32"));
  const shapes = unwrap(module.encoderShapes(encoder));
  return { encoder, config: unwrap(module.encoderConfig(encoder)), shapes, int8Kernel };
}

/**
 * Places some of its parameters. One that is refused leaves it incomplete.
 *
 * @param {Module} module
 * @param {{ encoder: number } & Part} args
 * @returns {Uint8Array | undefined} the bytes, where they are lent
 */
export function placePart(module, { encoder, pieces, bytes, lent }) {
  for (const piece of pieces) unwrap(module.encoderPlace(encoder, piece, bytes));
  return lent ? bytes : undefined;
}

/**
 * Ends the loading: all parameters have been placed, or are made from a seed.
 *
 * @param {Module} module
 * @param {{ encoder: number, seed?: number }} args
 */
export function completeEncoder(module, { encoder, seed }) {
  unwrap(
    seed === undefined ? module.encoderFinish(encoder) : module.encoderInitialise(encoder, seed),
  );
}
