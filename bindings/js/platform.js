// What a browser has and Node has not. platform-node.js has the same exports; the build chooses.

import { facts, obstacleToThreads, pause, portOf, resolveAddress, workerEnd } from "./browser.js";
import { fetchFile } from "./fetched-file.js";
import { readGlue } from "./glue.js";
import { variants } from "./variants.js";

/** @typedef {import("./connection.js").Port} Port */
/** @typedef {import("./engine.js").EngineSupply} EngineSupply */
/** @typedef {import("./glue.js").Glue} Glue */
/** @typedef {import("./page-threads.js").ThreadScript} ThreadScript */
/** @typedef {import("./runtime.js").Supply} Supply */
/** @typedef {import("./variants.js").ThreadedVariant} ThreadedVariant */
/** @typedef {import("./variants.js").Variant} Variant */
/** @typedef {import("./worker-service.js").WorkerEnd} WorkerEnd */

// Bundlers find files by literal imports and URLs alone.

/** @type {Record<Variant, () => Promise<Glue>>} */
const glue = {
  "relaxed-threads": () => import("#wasm/relaxed-threads.web.js"),
  "simd-threads": () => import("#wasm/simd-threads.web.js"),
  relaxed: () => import("#wasm/relaxed.web.js"),
  simd: () => import("#wasm/simd.web.js"),
};

/** @type {Record<Variant, () => URL>} */
const engines = {
  "relaxed-threads": () => new URL("./wasm/relaxed-threads.wasm", import.meta.url),
  "simd-threads": () => new URL("./wasm/simd-threads.wasm", import.meta.url),
  relaxed: () => new URL("./wasm/relaxed.wasm", import.meta.url),
  simd: () => new URL("./wasm/simd.wasm", import.meta.url),
};

/**
 * The glue itself is the script. Here and not in the glue, which would be a worker that starts itself:
 * Turbopack does not get to the end of such a circle. The names are Emscripten's mark of a thread, and
 * webpack makes one script of workers of equal names.
 *
 * @type {Record<ThreadedVariant, () => Worker>}
 */
const threads = {
  "relaxed-threads": () =>
    new Worker(new URL("./wasm/relaxed-threads.web.js", import.meta.url), {
      type: "module",
      name: "em-pthread-relaxed-threads",
    }),
  "simd-threads": () =>
    new Worker(new URL("./wasm/simd-threads.web.js", import.meta.url), {
      type: "module",
      name: "em-pthread-simd-threads",
    }),
};

/**
 * @param {ThreadedVariant} variant
 * @returns {ThreadScript}
 */
function scriptOf(variant) {
  return { variant, script: besideEngine(variant, `./${variant}.web.js`)?.href };
}

/**
 * @param {ThreadScript} script
 * @param {boolean} isGiven whether its address is to be trusted more than this code's own: it is that
 *   of a worker that the caller named
 * @returns {Worker}
 */
function openThread({ variant, script }, isGiven) {
  if (script === undefined) return threads[variant]();
  const foreign = isForeign(new URL(script));
  if (!foreign && !isGiven) return threads[variant]();
  const address = foreign ? addressOfImport(script) : script;
  return new Worker(address, { type: "module", name: `em-pthread-${variant}` });
}

/** What an engine runs on, but for its threads. */
const engineSupply = {
  variants,
  loadGlue: (/** @type {Variant} */ variant) => readGlue(variant, glue[variant]()),
  engineUrl: (/** @type {Variant} */ variant) => engines[variant](),
  readFile: fetchFile,
  facts,
  pause,
};

/**
 * Of Headscope's own worker: its end, and what an engine in it runs on.
 *
 * @returns {{ end: WorkerEnd, supply: Supply }}
 */
export function workerSide() {
  const { threads: distant, ...end } = workerEnd();
  /** @type {Supply} */
  const supply = {
    ...engineSupply,
    openThread: (variant, onError) => distant.open(scriptOf(variant), onError),
    reachOpener: () => distant.reach(),
  };
  return { end, supply };
}

/**
 * @param {URL} [address] of a worker script in place of the package's own
 * @returns {Port}
 */
function openWorker(address) {
  const script = address ?? besideEngine("simd", "../worker.js");
  const elsewhere =
    script !== undefined && isForeign(script) ? addressOfImport(script.href) : address;
  // The name must not begin with em-pthread, which Emscripten's own workers go by.
  const worker =
    elsewhere === undefined
      ? new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "headscope" })
      : new Worker(elsewhere, { type: "module", name: "headscope" });
  const port = portOf(worker, (thread) => openThread(thread, address !== undefined));
  return {
    ...port,
    ...(script === undefined ? {} : { script: script.href }),
  };
}

/**
 * Where a script of the package is, seen from an engine. A bare `import.meta.url` would tell it too,
 * but some bundlers put the path of their own machine in its place.
 *
 * @param {Variant} variant
 * @param {string} path from the engine
 * @returns {URL | undefined} undefined where a bundler has moved the engine
 */
function besideEngine(variant, path) {
  const engine = engines[variant]();
  return engine.pathname.endsWith(`/wasm/${variant}.wasm`) ? new URL(path, engine) : undefined;
}

/**
 * @param {URL} script
 * @returns {boolean} whether it is of another origin, as it is in a page that loads the package
 *   from there
 */
function isForeign({ protocol, origin }) {
  return /^https?:$/.test(protocol) && origin !== globalThis.origin;
}

/** @type {Map<string, string>} */
const imports = new Map();

/**
 * No worker can be started from another origin's script, but one of this origin may import it.
 *
 * @param {string} href of the script
 * @returns {string} the address of a script that does; it stays for as long as the page
 */
function addressOfImport(href) {
  const known = imports.get(href);
  if (known !== undefined) return known;
  const text = `import ${JSON.stringify(href)};`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  imports.set(href, address);
  return address;
}

/**
 * A thread of an engine on this side.
 *
 * @param {ThreadedVariant} variant
 * @param {(error: Error) => void} onError
 * @returns {Worker}
 */
function openOwnThread(variant, onError) {
  const worker = openThread(scriptOf(variant), false);
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    onError(new Error(event.message));
  });
  return worker;
}

/**
 * What an engine on the calling side runs on, and what its caller needs. The worker's script must be
 * without it, or it would be a worker that starts itself; a spread would stay in the bundle.
 *
 * @type {EngineSupply}
 */
export const supply = /* @__PURE__ */ Object.assign({}, engineSupply, {
  openThread: openOwnThread,
  obstacleToThreads,
  workerByDefault: true,
  openWorker,
  resolveAddress,
});
