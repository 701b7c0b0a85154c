/**
 * What went wrong, as a word that programs can test.
 *
 * - `bad-argument`: a wrong type, a value out of range, an unknown option
 * - `bad-shape`: sizes that disagree
 * - `bad-checkpoint`: the contents of a file; the message names the tensor
 * - `unsupported-model`, `unsupported-environment`: right in itself, but not possible here
 * - `out-of-memory`, `too-long`, `disposed`, `aborted`
 * - `not-found`: a missing file or name
 * - `internal`: a fault of Headscope itself
 *
 * @typedef {"bad-argument" | "bad-shape" | "bad-checkpoint" | "unsupported-model"
 *   | "unsupported-environment" | "out-of-memory" | "too-long" | "disposed" | "aborted"
 *   | "not-found" | "internal"} ErrorCode
 */

/**
 * The only error that Headscope throws on purpose. Its message says what, where, expected and
 * got: `checkpoint: "layers.3.attention.wq" has shape [64,32], expected [64,64]`.
 */
export class HeadscopeError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   * @param {ErrorOptions} [options] `cause`: the error underneath, if any
   */
  constructor(code, message, options) {
    super(shorten(message), options);
    this.name = "HeadscopeError";
    /** @type {ErrorCode} */
    this.code = code;
  }
}

/** Files may give a tensor a name of a million letters, and messages name tensors. */
const longestMessage = 1000;

/**
 * @param {string} message
 * @returns {string} its beginning and its end, where it is too long to be read
 */
function shorten(message) {
  if (message.length <= longestMessage) return message;
  const half = longestMessage / 2 - 10;
  return `${message.slice(0, half)} ... ${message.slice(-half)}`;
}

/**
 * How a wrong value is named in a message: `"3" (string)`, `NaN`, `null`, `Array(4)`.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function describeValue(value) {
  if (typeof value === "string") {
    const shown = value.length > 40 ? `${value.slice(0, 40)}...` : value;
    return `${JSON.stringify(shown)} (string)`;
  }
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const length = /** @type {{ length?: number }} */ (value).length;
    return `${value.constructor.name}(${length ?? ""})`;
  }
  // The build shortens the names of classes, but not this tag.
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return tag === "Object" ? (value.constructor?.name ?? "an object") : tag;
}
