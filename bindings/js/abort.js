import { HeadscopeError } from "./trace/error.js";

/**
 * @param {AbortSignal} signal
 * @param {string} what the call that ends, for example "run"
 * @returns {HeadscopeError} with the signal's reason as cause
 */
export function abortError(signal, what) {
  return new HeadscopeError("aborted", `${what}: aborted by its signal`, { cause: signal.reason });
}

/**
 * Throws `aborted` when a signal has already been given.
 *
 * @param {AbortSignal | undefined} signal
 * @param {string} what
 */
export function throwIfAborted(signal, what) {
  if (signal?.aborted) throw abortError(signal, what);
}

/**
 * A promise's outcome, or `aborted` at once when the signal comes first. The listener is gone
 * afterwards either way.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @param {string} what
 * @returns {Promise<T>}
 */
export function untilAborted(promise, signal, what) {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortError(signal, what));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
