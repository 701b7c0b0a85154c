/**
 * `headscope`: Transformer encoders with every intermediate.
 *
 * @module
 */
export { createEngine, defaultEngine } from "./default-engine.js";
export { Encoder } from "./encoder.js";
export { Engine } from "./engine.js";
export { HeadscopeError } from "./trace/error.js";
export { Matrix } from "./trace/matrix.js";
export { Trace } from "./trace/trace.js";
