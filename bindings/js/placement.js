import { unwrap } from "./module.js";

/** @typedef {import("./module.js").Module} Module */
/** @typedef {import("./protocol.js").LoadArguments} LoadArguments */
/** @typedef {import("./protocol.js").LoadResult} LoadResult */
/** @typedef {import("./protocol.js").Part} Part */

/**
 * Makes an encoder that waits for its parameters.
 *
 * @param {Module} module
 * @param {LoadArguments} args
 * @returns {LoadResult}
 */
export function beginEncoder(module, { config, dtype }) {
  const int8Kernel = dtype === "int8" ? unwrap(module.int8Kernel()) : undefined;
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
