// What Node has and a browser has not. platform.js has the same exports; the build chooses.

import { open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort, Worker } from "node:worker_threads";
import { throwIfAborted } from "./abort.js";
import { fetchFile } from "./fetched-file.js";
import { readGlue } from "./glue.js";
import { allocate } from "./trace/bytes.js";
import { HeadscopeError } from "./trace/error.js";
import { variants } from "./variants.js";

/** @typedef {import("./connection.js").Port} Port */
/** @typedef {import("./engine.js").EngineSupply} EngineSupply */
/** @typedef {import("./glue.js").Glue} Glue */
/** @typedef {import("./fetched-file.js").ReadOptions} ReadOptions */
/** @typedef {import("./runtime.js").Supply} Supply */
/** @typedef {import("./variants.js").ThreadedVariant} ThreadedVariant */
/** @typedef {import("./variants.js").Variant} Variant */
/** @typedef {import("./worker-service.js").WorkerEnd} WorkerEnd */

/** @type {Record<Variant, () => Promise<Glue>>} */
const glue = {
  "relaxed-threads": () => import("#wasm/relaxed-threads.node.mjs"),
  "simd-threads": () => import("#wasm/simd-threads.node.mjs"),
  relaxed: () => import("#wasm/relaxed.node.mjs"),
  simd: () => import("#wasm/simd.node.mjs"),
};

/** @type {Record<Variant, () => URL>} */
const engines = {
  "relaxed-threads": () => new URL("../wasm/relaxed-threads.wasm", import.meta.url),
  "simd-threads": () => new URL("../wasm/simd-threads.wasm", import.meta.url),
  relaxed: () => new URL("../wasm/relaxed.wasm", import.meta.url),
  simd: () => new URL("../wasm/simd.wasm", import.meta.url),
};

/** @type {Record<ThreadedVariant, () => URL>} */
const threadScripts = {
  "relaxed-threads": () => new URL("../wasm/relaxed-threads.node.mjs", import.meta.url),
  "simd-threads": () => new URL("../wasm/simd-threads.node.mjs", import.meta.url),
};

// Without the flags of the process, of which --input-type (from `node -e`) makes workers fail.
const execArgv = /** @type {string[]} */ ([]);

/** Bytes between two reports of progress. */
const pieceLength = 1 << 20;

/**
 * @param {string} address
 * @param {ReadOptions} [options]
 * @returns {Promise<Uint8Array>}
 * @throws {HeadscopeError} `not-found`, `aborted`
 */
async function readFile(address, options = {}) {
  // fetch does not know file: here.
  if (!address.startsWith("file:")) return fetchFile(address, options);
  const { signal, onProgress = () => {} } = options;
  const disk = readerOf(address);
  const file = await disk(() => open(fileURLToPath(address)));
  try {
    const { size } = await disk(() => file.stat());
    const bytes = allocate(size, address);
    let loaded = 0;
    while (loaded < size) {
      throwIfAborted(signal, address);
      const wanted = Math.min(pieceLength, size - loaded);
      const { bytesRead } = await disk(() => file.read(bytes, loaded, wanted, loaded));
      if (bytesRead === 0) break;
      loaded += bytesRead;
      onProgress(loaded, size);
    }
    if (size === 0) onProgress(0, 0);
    return bytes.subarray(0, loaded);
  } finally {
    await file.close();
  }
}

/**
 * @param {string} address
 * @returns {<T>(step: () => Promise<T>) => Promise<T>} takes a step, and names the file where it
 *   fails; what the caller's own `onProgress` throws is no failure of the file
 */
function readerOf(address) {
  return async (step) => {
    try {
      return await step();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new HeadscopeError("not-found", `${address} cannot be read: ${reason}`, {
        cause: error,
      });
    }
  };
}

/**
 * @param {string} text a URL or a path
 * @returns {string} the whole address
 */
function resolveAddress(text) {
  // A scheme of one letter is a drive of Windows.
  return /^[a-z][a-z\d+.-]+:/i.test(text) ? new URL(text).href : pathToFileURL(resolve(text)).href;
}

/**
 * @param {URL} [address] of a worker script in place of the package's own
 * @returns {Port}
 */
function openWorker(address) {
  const options = { name: "headscope", execArgv };
  const script = address ?? new URL("./worker.js", import.meta.url);
  const worker = new Worker(script, options);
  // An idle worker must not keep the process alive; one that computes must.
  worker.unref();
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    listen: (onAnswer, onFailure) => {
      worker.removeAllListeners();
      worker.on("message", onAnswer);
      worker.on("error", onFailure);
      worker.on("exit", (code) => onFailure(new Error(`exit code ${code}`)));
    },
    hold: () => worker.ref(),
    release: () => worker.unref(),
    close: () => {
      worker.removeAllListeners();
      // An error on its way would be thrown into the process if nobody listened.
      worker.on("error", () => {});
      worker.terminate();
    },
    script: script.href,
  };
}

/**
 * @param {ThreadedVariant} variant
 * @param {(error: Error) => void} onError
 * @returns {Worker}
 */
function openThread(variant, onError) {
  // Emscripten's glue knows by `workerData` that it is to be a thread.
  const options = { name: `headscope ${variant}`, execArgv, workerData: "em-pthread" };
  return new Worker(threadScripts[variant](), options).on("error", onError);
}

/** What an engine runs on. @type {Supply} */
const engineSupply = {
  variants,
  loadGlue: (variant) => readGlue(variant, glue[variant]()),
  engineUrl: (variant) => engines[variant](),
  readFile,
  facts: () => ({
    host: "node",
    cores: availableParallelism(),
    isolated: false,
    sharedMemory: typeof SharedArrayBuffer === "function",
  }),
  pause: () => new Promise((turn) => setImmediate(turn)),
  openThread,
};

/**
 * Of Headscope's own worker: its end, and what an engine in it runs on.
 *
 * @returns {{ end: WorkerEnd, supply: Supply }}
 */
export function workerSide() {
  const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
  /** @type {WorkerEnd} */
  const end = {
    post: (answer, transfer) => port.postMessage(answer, transfer),
    listen: (onMessage) => {
      port.on("message", onMessage);
    },
  };
  return { end, supply: engineSupply };
}

/** @type {EngineSupply} */
export const supply = {
  ...engineSupply,
  workerByDefault: false,
  openWorker,
  resolveAddress,
};
