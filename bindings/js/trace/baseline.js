/**
 * The oldest environments that Headscope runs in. The build compiles the syntax for these, and no
 * code uses what one of them does not have.
 *
 * - Chrome 97 and Node 18 have Array.prototype.findLast, the newest of the built-in functions used
 * - Firefox 125 has Intl.Segmenter
 * - Safari 16.4 has SIMD in WebAssembly
 *
 * What else is used where it exists (threads, relaxed SIMD, Symbol.dispose) needs newer ones.
 */
export const baseline = Object.freeze({ chrome: "97", firefox: "125", safari: "16.4" });

/** The oldest Node that is tested. */
export const oldestNode = "20.6";

/** The same in words, for messages. */
export const baselineText =
  `Chrome ${baseline.chrome}, Firefox ${baseline.firefox}, Safari ${baseline.safari} and ` +
  `Node ${oldestNode} have it`;
