// What a browser has and Node has not. platform-node.js has the same exports; the build chooses.

import { facts, onWorkerError, pause, portOf, resolveAddress } from "./browser.js";
import { fetchFile } from "./fetched-file.js";
import { variants } from "./variants.js";

export { workerEnd } from "./browser.js";

/** @typedef {import("./connection.js").Port} Port */
/** @typedef {import("./engine.js").EngineSupply} EngineSupply */
/** @typedef {import("./module.js").ModuleFactory} ModuleFactory */
/** @typedef {import("./variants.js").Variant} Variant */

// Bundlers find files by literal imports and URLs alone.

/** @type {Record<Variant, () => Promise<{ default: ModuleFactory }>>} */
const glue = {
  "relaxed-threads": () => import("#wasm/relaxed-threads.web.mjs"),
  "simd-threads": () => import("#wasm/simd-threads.web.mjs"),
  relaxed: () => import("#wasm/relaxed.web.mjs"),
  simd: () => import("#wasm/simd.web.mjs"),
};

/** @type {Record<Variant, () => URL>} */
const engines = {
  "relaxed-threads": () => new URL("./wasm/relaxed-threads.wasm", import.meta.url),
  "simd-threads": () => new URL("./wasm/simd-threads.wasm", import.meta.url),
  relaxed: () => new URL("./wasm/relaxed.wasm", import.meta.url),
  simd: () => new URL("./wasm/simd.wasm", import.meta.url),
};

/**
 * @param {URL} [address] of a worker script in place of the package's own
 * @returns {Port}
 */
function openWorker(address) {
  // The name must not begin with em-pthread, which Emscripten's own workers go by.
  const worker =
    address === undefined
      ? new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "headscope" })
      : new Worker(address, { type: "module", name: "headscope" });
  return portOf(worker);
}

/** @type {EngineSupply} */
export const supply = {
  variants,
  loadGlue: async (variant) => (await glue[variant]()).default,
  engineUrl: (variant) => engines[variant](),
  readFile: fetchFile,
  facts,
  pause,
  onWorkerError: (worker, listener) => onWorkerError(/** @type {Worker} */ (worker), listener),
  workerByDefault: true,
  openWorker,
  resolveAddress,
};
