import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./module.js").ModuleFactory} ModuleFactory */
/** @typedef {import("./variants.js").Variant} Variant */

/**
 * The script that Emscripten makes for an engine, and the stamp that the build leaves in both.
 *
 * @typedef {{ default: ModuleFactory, stamp?: string }} Glue
 */

const advice =
  "Headscope's own files belong together, as the package has them; " +
  "createEngine({ worker }) takes the address of its worker.js";

/**
 * @param {Variant} variant
 * @param {Promise<Glue>} importing
 * @returns {Promise<ModuleFactory>}
 * @throws {HeadscopeError} `not-found`; `unsupported-environment`: it is of another version than this
 *   JavaScript, out of a stale copy or cache
 */
export async function readGlue(variant, importing) {
  const glue = await importing.catch((error) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeadscopeError(
      "not-found",
      `engine: the script of "${variant}" cannot be loaded: ${reason}; ${advice}`,
      { cause: error },
    );
  });
  const expected = `${variant} ${__HEADSCOPE_VERSION__}`;
  if (glue.stamp === expected) return glue.default;
  throw new HeadscopeError(
    "unsupported-environment",
    `engine: the script of "${variant}" says that it is ${glue.stamp}, expected ${expected}; ${advice}`,
  );
}
