import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./checkpoint.js").WeightFile} WeightFile */
/** @typedef {import("./module.js").Tensor} Tensor */
/** @typedef {import("./protocol.js").LoadResult} LoadResult */
/** @typedef {import("./protocol.js").Part} Part */

/**
 * A part on its way to an engine. `own`: its bytes may be given away.
 *
 * @typedef {Part & { own: boolean }} Parcel
 */

/**
 * Bytes that are copied at once for a worker, which places them while the next are copied.
 */
const parcelBytes = 4 * 2 ** 20;

/**
 * The parts of safetensors files.
 *
 * @param {WeightFile[]} files
 * @returns {Parcel[]}
 */
export function partsOfFiles(files) {
  return files.flatMap((file) => (file.own ? [file] : cutFile(file)));
}

/**
 * @param {WeightFile} file
 * @returns {Parcel[]}
 */
function cutFile({ tensors, bytes, own }) {
  return groupTensors(tensors).map((group) => {
    // In the order of the file, without overlaps.
    const first = group[0]?.begin ?? 0;
    const last = group.at(-1)?.end ?? 0;
    const shifted = group.map((tensor) => ({
      ...tensor,
      begin: tensor.begin - first,
      end: tensor.end - first,
    }));
    return { tensors: shifted, bytes: bytes.subarray(first, last), own };
  });
}

/**
 * Neighbours in the file, together about as large as a parcel.
 *
 * @param {Tensor[]} tensors
 * @returns {Tensor[][]}
 */
function groupTensors(tensors) {
  /** @type {Tensor[][]} */
  const groups = [];
  for (const tensor of [...tensors].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    const group = groups.at(-1);
    if (group?.[0] !== undefined && tensor.end - group[0].begin <= parcelBytes) group.push(tensor);
    else groups.push([tensor]);
  }
  return groups;
}

/**
 * The parts that whole parameters by name are.
 *
 * @param {Map<string, Float32Array>} values
 * @param {LoadResult["shapes"]} shapes what the model has
 * @returns {Parcel[]}
 * @throws {HeadscopeError} `bad-argument`, `bad-shape`
 */
export function partsOfValues(values, shapes) {
  const known = new Set(shapes.map(({ name }) => name));
  const unknown = [...values.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new HeadscopeError("bad-argument", `parameters: "${unknown}" is none of this model's`);
  }
  return shapes.map(({ name, shape }) => {
    const data = values.get(name);
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
    return { tensors: [tensor], bytes, own: false };
  });
}
