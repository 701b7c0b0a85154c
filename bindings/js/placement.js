import { unwrap } from "./module.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./module.js").Module} Module */
/** @typedef {import("./module.js").Tensor} Tensor */
/** @typedef {import("./protocol.js").LoadArguments} LoadArguments */
/** @typedef {import("./protocol.js").LoadResult} LoadResult */

/**
 * Makes an encoder whole, or leaves nothing behind.
 *
 * @param {Module} module
 * @param {LoadArguments} args
 * @returns {LoadResult}
 */
export function loadEncoder(module, { config, dtype, parameters }) {
  const int8Kernel = dtype === "int8" ? unwrap(module.int8Kernel()) : undefined;
  const encoder = unwrap(module.encoderCreate(config, int8Kernel ?? "f32"));
  try {
    const shapes = unwrap(module.encoderShapes(encoder));
    if ("seed" in parameters) {
      unwrap(module.encoderInitialise(encoder, parameters.seed));
    } else {
      if ("files" in parameters) placeFiles(module, encoder, parameters.files);
      else placeValues(module, encoder, shapes, parameters.values);
      unwrap(module.encoderFinish(encoder));
    }
    const names = shapes.map(({ name }) => name);
    return { encoder, config: unwrap(module.encoderConfig(encoder)), names, int8Kernel };
  } catch (error) {
    unwrap(module.encoderDispose(encoder));
    throw error;
  }
}

/**
 * @param {Module} module
 * @param {number} encoder
 * @param {{ tensors: Tensor[], bytes: Uint8Array }[]} files
 */
function placeFiles(module, encoder, files) {
  for (const { tensors, bytes } of files) {
    for (const tensor of tensors) unwrap(module.encoderPlace(encoder, tensor, bytes));
  }
}

/**
 * @param {Module} module
 * @param {number} encoder
 * @param {{ name: string, shape: number[] }[]} shapes
 * @param {Record<string, Float32Array>} values
 */
function placeValues(module, encoder, shapes, values) {
  const known = new Set(shapes.map(({ name }) => name));
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new HeadscopeError("bad-argument", `parameters: "${unknown}" is none of this model's`);
  }
  for (const { name, shape } of shapes) {
    const data = values[name];
    if (data === undefined) {
      throw new HeadscopeError("bad-argument", `parameters: "${name}" [${shape}] is missing`);
    }
    const count = shape.reduce((product, size) => product * size, 1);
    if (data.length !== count) {
      throw new HeadscopeError(
        "bad-shape",
        `parameters: "${name}" has ${data.length} values, expected [${shape}] = ${count}`,
      );
    }
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const tensor = { name, dtype: "F32", shape, begin: 0, end: bytes.length };
    try {
      unwrap(module.encoderPlace(encoder, tensor, bytes));
    } catch (error) {
      throw asParameterError(error);
    }
  }
}

/**
 * What the core says of a tensor in a file, said of a parameter that was given.
 *
 * @param {unknown} error
 * @returns {unknown} the error to throw
 */
function asParameterError(error) {
  if (!(error instanceof HeadscopeError) || error.code !== "bad-checkpoint") return error;
  const message = error.message.replace(/^checkpoint/, "parameters");
  return new HeadscopeError("bad-argument", message, { cause: error });
}
