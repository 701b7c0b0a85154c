/**
 * The name of the method that `using` calls; where the language has none yet, a symbol of our own.
 *
 * @type {typeof Symbol.dispose}
 */
export const disposal = Symbol.dispose ?? Symbol("Symbol.dispose");
