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

/**
 * @typedef {import("./checkpoint-source.js").Progress} Progress
 * @typedef {import("./checkpoint-source.js").Source} Source
 * @typedef {import("./config.js").EncoderConfig} EncoderConfig
 * @typedef {import("./config.js").PositionOptions} PositionOptions
 * @typedef {import("./encoder-input.js").Input} Input
 * @typedef {import("./engine.js").EngineInfo} EngineInfo
 * @typedef {import("./engine.js").EngineOptions} EngineOptions
 * @typedef {import("./loading-options.js").LoadingOptions} LoadingOptions
 * @typedef {import("./run-options.js").RunOptions} RunOptions
 * @typedef {import("./trace/capture.js").CaptureName} CaptureName
 * @typedef {import("./trace/error.js").ErrorCode} ErrorCode
 * @typedef {import("./trace/matrix.js").MatrixLike} MatrixLike
 * @typedef {import("./trace/token.js").Token} Token
 */
