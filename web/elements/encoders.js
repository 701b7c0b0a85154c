/** @typedef {import("../../bindings/js/checkpoint-source.js").Progress} Progress */
/** @typedef {import("../../bindings/js/index.js").Encoder} Encoder */

/**
 * What `Encoder.fromPretrained` takes; undefined is the model that ships.
 *
 * @typedef {import("../../bindings/js/checkpoint-source.js").Source | undefined} Source
 */

/**
 * @typedef {{ encoder: Promise<Encoder>, last: Progress | null, abort: AbortController,
 *   listeners: Set<(progress: Progress) => void> }} Loading
 */

/** @type {Map<Source, Loading>} */
const loadings = new Map();

/**
 * The encoder of a source, loaded once however many elements show it. A load that failed is
 * forgotten, so that the next call tries again.
 *
 * @param {Source} source
 * @param {(progress: Progress) => void} onProgress
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
  loadings.get(source)?.abort.abort();
}

/**
 * @param {Source} source
 * @returns {Loading}
 */
function startLoading(source) {
  const abort = new AbortController();
  const listeners = /** @type {Loading["listeners"]} */ (new Set());
  /** @type {Loading} */
  const loading = { encoder: load(source, abort.signal, tell), last: null, abort, listeners };
  /** @param {Progress} progress */
  function tell(progress) {
    loading.last = progress;
    for (const listener of listeners) listener(progress);
  }
  loadings.set(source, loading);
  loading.encoder.catch(() => loadings.delete(source));
  return loading;
}

/**
 * @param {Source} source
 * @param {AbortSignal} signal
 * @param {(progress: Progress) => void} onProgress
 * @returns {Promise<Encoder>}
 */
async function load(source, signal, onProgress) {
  // imported when first needed: an element that shows a trace of its own needs no engine
  const { Encoder } = await import("../../bindings/js/index.js");
  return Encoder.fromPretrained(source, { onProgress, signal });
}
