/** @typedef {import("../elements/attention.js").HeadscopeAttention} HeadscopeAttention */

/**
 * One quiet line: what was computed, how long it took, and on what.
 *
 * @param {HeadscopeAttention} attention
 * @returns {string}
 */
export function engineLine(attention) {
  const { trace, encoder } = attention;
  if (trace === null || encoder === null) return "";
  const { forward_ms } = trace.timing;
  const { variant, threads, worker, reason } = encoder.engine.info;
  const parts = [
    `${trace.tokens.length} token${trace.tokens.length === 1 ? "" : "s"}`,
    `computed in ${forward_ms < 10 ? forward_ms.toFixed(1) : Math.round(forward_ms)} ms`,
    variant.startsWith("relaxed") ? "relaxed SIMD" : "SIMD",
    threads === 1 ? threadLine(reason) : `${threads} threads`,
    worker ? "in a worker" : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/**
 * @param {string} reason
 * @returns {string} why there is one thread, where that is why
 */
function threadLine(reason) {
  return reason.startsWith("one thread") ? reason : "one thread";
}
