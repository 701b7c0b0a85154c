// The platform of `headscope/inline`: the engine is inside, so that nothing is fetched.
//
// The build makes of #inline/simd.wasm its bytes, of #inline/simd.classic.js the glue, and of
// #inline/worker the text of inline-worker.js bundled as one classic script.

import createHeadscope from "#inline/simd.classic.js";
import engine from "#inline/simd.wasm";
import workerText from "#inline/worker";
import { facts, pause, portOf, resolveAddress } from "./browser.js";
import { fetchFile } from "./fetched-file.js";

/** @typedef {import("./connection.js").Port} Port */
/** @typedef {import("./engine.js").EngineSupply} EngineSupply */

/**
 * A worker of the text above: file:// knows no other, and there only classic ones run.
 *
 * @param {URL} [address] of a worker script in its place
 * @returns {Port}
 */
function openWorker(address) {
  const options = { name: "headscope" };
  if (address !== undefined) return portOf(new Worker(address, options));
  const url = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
  try {
    const port = portOf(new Worker(url, options));
    return {
      ...port,
      close: () => {
        URL.revokeObjectURL(url);
        port.close();
      },
    };
  } catch (error) {
    URL.revokeObjectURL(url);
    throw error;
  }
}

/** @type {EngineSupply} */
export const supply = {
  variants: ["simd"],
  loadGlue: async () => createHeadscope,
  engine,
  readFile: fetchFile,
  facts,
  pause,
  workerByDefault: true,
  openWorker,
  resolveAddress,
};
