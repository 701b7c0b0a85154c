// The four engines and where their CMake presets leave them.
import { join } from "node:path";
import { ROOT } from "../setup.js";

export const VARIANTS = /** @type {const} */ ([
  "simd",
  "relaxed",
  "simd-threads",
  "relaxed-threads",
]);

/** @param {string} variant */
export function presetOf(variant) {
  return `wasm-${variant}`;
}

/** @param {string} variant */
export function moduleFolder(variant) {
  return join(ROOT, "build", presetOf(variant), "module");
}

/** @param {string} variant */
export function isThreaded(variant) {
  return variant.endsWith("-threads");
}
