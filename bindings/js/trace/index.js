/**
 * `headscope/trace`: what can be done with a finished trace, without an engine.
 *
 * @module
 */
export { captures } from "./capture.js";
export { HeadscopeError } from "./error.js";
export { headRoles, roleThresholds } from "./head-roles.js";
export { Matrix } from "./matrix.js";
export { rollout } from "./rollout.js";
export { Trace } from "./trace.js";
export { groupWords, mergeWords } from "./words.js";
