/**
 * `headscope/trace`: what can be done with a finished trace, without an engine.
 *
 * @module
 */
export { captures } from "./capture.js";
export { HeadscopeError } from "./error.js";
export { Matrix } from "./matrix.js";
export { Trace } from "./trace.js";
