import { DistantThreads, isOfThread, PageThreads } from "./page-threads.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./connection.js").Port} Port */
/** @typedef {import("./page-threads.js").ThreadScript} ThreadScript */
/** @typedef {import("./variants.js").Facts} Facts */
/** @typedef {import("./worker-service.js").WorkerEnd} WorkerEnd */

/**
 * What is used of a worker's global scope; the DOM's types describe the page's.
 *
 * @typedef {{ postMessage: (message: unknown, transfer: Transferable[]) => void,
 *   onmessage: (event: MessageEvent) => void }} WorkerScope
 */

/** @returns {Facts} */
export function facts() {
  return {
    host: "browser",
    cores: globalThis.navigator?.hardwareConcurrency ?? 1,
    isolated: globalThis.crossOriginIsolated === true,
    sharedMemory: typeof SharedArrayBuffer === "function",
  };
}

/**
 * Why this thread should make no workers for threads, though it could. The engine's own worker comes before
 * any shared memory, and never was seen to hang.
 *
 * @returns {string | undefined}
 */
export function obstacleToThreads() {
  const isWorker = typeof document === "undefined";
  const isFirefox = /\bFirefox\//.test(globalThis.navigator?.userAgent ?? "");
  return isWorker && isFirefox && facts().isolated
    ? "in Firefox a worker that makes workers hangs at times"
    : undefined;
}

/**
 * Gives the event loop one turn. A timer would wait at least 4 ms.
 *
 * @returns {Promise<void>}
 */
export function pause() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * @param {string} text an address, perhaps relative to the page
 * @returns {string} the whole address
 */
export function resolveAddress(text) {
  const base = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  try {
    return new URL(text, base).href;
  } catch {
    throw new HeadscopeError("bad-argument", `"${text}" is no address, expected a folder or a URL`);
  }
}

/**
 * A worker that can let its process end: Bun's can, browsers' cannot.
 *
 * @typedef {Worker & { ref?: () => void, unref?: () => void }} ProcessWorker
 */

/**
 * The page's end of a worker.
 *
 * @param {ProcessWorker} worker
 * @param {(script: ThreadScript) => Worker} [openThread] makes a worker for a thread of its engine
 * @returns {Port}
 */
export function portOf(worker, openThread) {
  // An idle worker must not keep the process alive; one that computes must.
  worker.unref?.();
  const threads = openThread && new PageThreads((report) => worker.postMessage(report), openThread);
  const end = () => {
    worker.terminate();
    threads?.end();
  };
  // Safari keeps the memory of a worker that its page leaves behind (emscripten 19374). A page
  // that may come back from the back-forward cache keeps its worker.
  const leave = (/** @type {PageTransitionEvent} */ { persisted }) => {
    if (!persisted) end();
  };
  globalThis.addEventListener("pagehide", leave);
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    listen: (onAnswer, onFailure) => {
      worker.onmessage = ({ data }) => {
        if (isOfThread(data)) threads?.take(data);
        else onAnswer(data);
      };
      worker.onmessageerror = () => onFailure(new Error("an answer could not be read"));
      worker.onerror = (event) => {
        event.preventDefault();
        onFailure(new Error(event.message || "it could not be loaded"));
      };
    },
    hold: () => worker.ref?.(),
    release: () => worker.unref?.(),
    close: () => {
      globalThis.removeEventListener("pagehide", leave);
      end();
    },
  };
}

/**
 * The worker's own end, and the threads that it has the page make.
 *
 * @returns {WorkerEnd & { threads: DistantThreads }}
 */
export function workerEnd() {
  const scope = /** @type {WorkerScope} */ (/** @type {unknown} */ (globalThis));
  const threads = new DistantThreads((request) => scope.postMessage(request, []));
  return {
    post: (answer, transfer) => scope.postMessage(answer, transfer),
    listen: (onMessage) => {
      scope.onmessage = ({ data }) => {
        if (isOfThread(data)) threads.take(data);
        else onMessage(data);
      };
    },
    threads,
  };
}
