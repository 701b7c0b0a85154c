/**
 * `headscope/trace`: what can be done with a finished trace, without an engine.
 *
 * @module
 */
export { HeadscopeError } from "./error.js";
export { Matrix } from "./matrix.js";
export { captures, Trace } from "./trace.js";
