import { HeadscopeError } from "./error.js";

/**
 * @param {number} length in bytes; a server, or a file system, may say anything
 * @param {string} what it is for
 * @returns {Uint8Array<ArrayBuffer>} zeros
 * @throws {HeadscopeError} `out-of-memory`
 */
export function allocate(length, what) {
  try {
    return new Uint8Array(length);
  } catch (error) {
    throw new HeadscopeError("out-of-memory", `${what}: no room for ${length} bytes`, {
      cause: error,
    });
  }
}

/**
 * Whether a value is an ArrayBuffer or a Uint8Array, also of another realm (a test runner's, a
 * frame's), where instanceof says no.
 *
 * @param {unknown} value
 * @returns {value is ArrayBuffer | Uint8Array}
 */
export function isBytes(value) {
  const tag = Object.prototype.toString.call(value);
  return tag === "[object ArrayBuffer]" || tag === "[object Uint8Array]";
}

/**
 * A plain view: methods of subclasses mean other things, for example a Buffer's `slice` does not copy.
 *
 * @param {ArrayBuffer | Uint8Array} value
 * @returns {Uint8Array} of the same memory
 */
export function bytesOf(value) {
  if (!ArrayBuffer.isView(value)) return new Uint8Array(value);
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
