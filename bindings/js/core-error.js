import { HeadscopeError } from "./trace/error.js";

/**
 * What the core says of an argument, in the words of the function that was given it. The core knows
 * neither which one that was, nor what comes before the batch it was handed.
 *
 * @param {unknown} error
 * @param {string} caller
 * @param {(place: number) => string} [nameInput] what the caller calls an input of the batch
 * @returns {unknown} the error to throw
 */
export function nameCaller(error, caller, nameInput = (place) => `input[${place}]`) {
  const isOfArgument = error instanceof HeadscopeError && /^bad-|^too-long$/.test(error.code);
  if (!isOfArgument || error.message.startsWith(`${caller}: `)) return error;
  const message = error.message.replace(/^inputs?(?:\[(\d+)\])?/, (_, place) =>
    nameInput(Number(place ?? 0)),
  );
  return new HeadscopeError(error.code, `${caller}: ${message}`, { cause: error });
}
