import { LoadSum } from "./load-progress.js";

/** @typedef {import("../../bindings/js/index.js").Encoder} Encoder */
/** @typedef {import("./load-progress.js").LoadProgress} LoadProgress */

/**
 * What `Encoder.fromPretrained` takes; undefined is the model that ships.
 *
 * @typedef {import("../../bindings/js/checkpoint-source.js").Source | undefined} Source
 */

/**
 * @typedef {object} Loading
 * @property {Promise<Encoder>} encoder
 * @property {Encoder | null} loaded what the promise has become
 * @property {LoadProgress | null} last
 * @property {AbortController} abort
 * @property {Set<(progress: LoadProgress) => void>} listeners
 */

/** @type {Map<Source, Loading>} */
const loadings = new Map();

/**
 * The encoder of a source, loaded once however many elements show it. A load that failed is
 * forgotten, so that the next call tries again.
 *
 * @param {Source} source
 * @param {(progress: LoadProgress) => void} onProgress
 * @returns {Promise<Encoder>}
 */
export async function sharedEncoder(source, onProgress) {
  const loading = loadings.get(source) ?? startLoading(source);
  loading.listeners.add(onProgress);
  if (loading.last !== null) onProgress(loading.last);
  try {
    return await loading.encoder;
  } finally {
    loading.listeners.delete(onProgress);
  }
}

/**
 * Stops a load that is under way, for all who wait for it.
 *
 * @param {Source} source
 */
export function stopLoading(source) {
  const loading = loadings.get(source);
  // forgotten at once: who asks before the load has ended gets a new one
  loadings.delete(source);
  loading?.abort.abort();
}

/**
 * Forgets an encoder that can run nothing more, so that the next call loads another.
 *
 * @param {Source} source
 * @param {Encoder} encoder
 */
export function forgetEncoder(source, encoder) {
  if (loadings.get(source)?.loaded === encoder) loadings.delete(source);
}

/**
 * @param {Source} source
 * @returns {Loading}
 */
function startLoading(source) {
  const abort = new AbortController();
  const listeners = /** @type {Loading["listeners"]} */ (new Set());
  const sum = new LoadSum();
  const encoder = load(source, abort.signal, (progress) => {
    const last = sum.add(progress);
    loading.last = last;
    for (const listener of listeners) listener(last);
  });
  /** @type {Loading} */
  const loading = { encoder, loaded: null, last: null, abort, listeners };
  loadings.set(source, loading);
  encoder.then(
    (loaded) => {
      loading.loaded = loaded;
    },
    () => {
      if (loadings.get(source) === loading) loadings.delete(source);
    },
  );
  return loading;
}

/**
 * @param {Source} source
 * @param {AbortSignal} signal
 * @param {(progress: import("./load-progress.js").Progress) => void} onProgress
 * @returns {Promise<Encoder>}
 */
async function load(source, signal, onProgress) {
  // imported when first needed: an element that shows a trace of its own needs no engine
  const { Encoder } = await import("../../bindings/js/index.js");
  return Encoder.fromPretrained(source, { onProgress, signal });
}
