// What to do about a file that is not where it was looked for: every message says so.

import { HeadscopeError } from "./trace/error.js";

/**
 * Waits for a file.
 *
 * @template T
 * @param {Promise<T>} reading
 * @param {string} advice which option names another place
 * @returns {Promise<T>}
 * @throws {HeadscopeError} with the advice where it is `not-found`
 */
export async function advise(reading, advice) {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof HeadscopeError) || error.code !== "not-found") throw error;
    throw new HeadscopeError("not-found", `${error.message}; ${advice}`, { cause: error.cause });
  }
}

/**
 * The address of one of the package's own files.
 *
 * @param {() => URL} locate
 * @param {string} advice
 * @returns {URL}
 * @throws {HeadscopeError} `not-found` in a bundle that is no ES module, where nothing has an address
 */
export function locateOwnFile(locate, advice) {
  try {
    return locate();
  } catch (error) {
    throw new HeadscopeError(
      "not-found",
      "a bundle that is no ES module does not know where Headscope's files are " +
        `(import.meta.url is not there); ${advice}`,
      { cause: error },
    );
  }
}
