import { abortError } from "./abort.js";
import { allocate } from "./trace/bytes.js";
import { HeadscopeError } from "./trace/error.js";

/**
 * @typedef {object} ReadOptions
 * @property {AbortSignal} [signal]
 * @property {(loaded_bytes: number, total_bytes: number) => void} [onProgress] a total of 0 is
 *   not known yet
 */

/**
 * Fetches a file as it streams in.
 *
 * @param {string} address
 * @param {ReadOptions} [options]
 * @returns {Promise<Uint8Array>}
 * @throws {HeadscopeError} `not-found`: no answer, or one without success; `aborted`;
 *   `out-of-memory`
 */
export async function fetchFile(address, { signal, onProgress = () => {} } = {}) {
  /** @type {Network} */
  const network = async (step) => {
    try {
      return await step;
    } catch (error) {
      if (signal?.aborted) throw abortError(signal, address);
      const reason = error instanceof Error ? error.message : String(error);
      throw new HeadscopeError("not-found", `${address} cannot be fetched: ${reason}`, {
        cause: error,
      });
    }
  };
  const response = await network(fetch(address, signal === undefined ? {} : { signal }));
  if (!response.ok) {
    throw new HeadscopeError("not-found", `${address}: the server answers ${response.status}`);
  }
  return readBody(response, network, { address, onProgress });
}

/**
 * Waits for one step of the network, and names the file where it fails. What the caller's own
 * `onProgress` throws is no failure of the network.
 *
 * @typedef {<T>(step: Promise<T>) => Promise<T>} Network
 */

/**
 * @param {Response} response
 * @param {Network} network
 * @param {{ address: string, onProgress: NonNullable<ReadOptions["onProgress"]> }} options
 * @returns {Promise<Uint8Array>}
 */
async function readBody(response, network, { address, onProgress }) {
  const total = announcedLength(response);
  let bytes = allocate(total || 1 << 16, address);
  let loaded = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await network(reader.read());
    if (done) break;
    if (loaded + value.length > bytes.length) {
      const larger = allocate(Math.max(loaded + value.length, 2 * bytes.length), address);
      larger.set(bytes.subarray(0, loaded));
      bytes = larger;
    }
    bytes.set(value, loaded);
    loaded += value.length;
    onProgress(loaded, loaded <= total ? total : 0);
  }
  onProgress(loaded, loaded);
  return loaded === bytes.length ? bytes : bytes.slice(0, loaded);
}

/**
 * @param {Response} response
 * @returns {number} 0 where it is not told, or tells the size before decompression
 */
function announcedLength({ headers }) {
  const length = Number(headers.get("content-length"));
  return headers.has("content-encoding") || !Number.isSafeInteger(length) ? 0 : length;
}
