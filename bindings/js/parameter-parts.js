import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./checkpoint.js").WeightFile} WeightFile */
/** @typedef {import("./module.js").Piece} Piece */
/** @typedef {import("./module.js").Tensor} Tensor */
/** @typedef {import("./protocol.js").LoadResult} LoadResult */

/**
 * A part that is to go to an engine. `own`: its bytes may be given away; others are of at most
 * `parcelBytes`, and either all of its pieces stay or none.
 *
 * @typedef {{ pieces: Piece[], bytes: Uint8Array, own: boolean }} Parcel
 */

/** Bytes that are copied at once for a worker, which places them while the next are copied. */
export const parcelBytes = 2 * 2 ** 20;

/**
 * Whether a tensor is a table of which a run needs a few rows: they are read where they are, and the
 * engine's memory does without the largest tensor that there is.
 *
 * @param {Tensor} tensor
 * @returns {boolean}
 */
function isReadByRows({ name, dtype }) {
  return name === "embeddings.token" && dtype === "F32";
}

/**
 * The parts of safetensors files.
 *
 * @param {WeightFile[]} files
 * @returns {Parcel[]}
 */
export function partsOfFiles(files) {
  return files.flatMap((file) => {
    if (file.own) return [wholeFile(file)];
    const staying = file.tensors.filter(isReadByRows);
    const others = file.tensors.filter((tensor) => !isReadByRows(tensor));
    return alternate(cut(others, file.bytes, false), cut(staying, file.bytes, true));
  });
}

/**
 * To copy what stays takes the caller's thread long, to pack the rest the engine's: one of each kind in
 * turn keeps both at work.
 *
 * @template T
 * @param {T[]} first
 * @param {T[]} second
 * @returns {T[]}
 */
function alternate(first, second) {
  const rounds = Math.max(first.length, second.length);
  return Array.from({ length: rounds }, (_, i) => [
    ...first.slice(i, i + 1),
    ...second.slice(i, i + 1),
  ]).flat();
}

/**
 * @param {WeightFile} file
 * @returns {Parcel}
 */
function wholeFile({ tensors, bytes, own }) {
  const pieces = tensors.map((tensor) => ({
    ...tensor,
    first: 0,
    at: tensor.begin,
    length: tensor.end - tensor.begin,
    stays: isReadByRows(tensor),
  }));
  return { pieces, bytes, own };
}

/** No value is wider, and none is cut. */
const widestValue = 8;

/**
 * Parts of equal size but for the last: small tensors go together, large ones are cut.
 *
 * @param {Tensor[]} tensors
 * @param {Uint8Array} bytes
 * @param {boolean} stays
 * @returns {Parcel[]}
 */
function cut(tensors, bytes, stays) {
  /** @type {{ begin: number, end: number, pieces: Piece[] }[]} */
  const parcels = [];
  for (const tensor of [...tensors].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    let begin = tensor.begin;
    do {
      let parcel = parcels.at(-1);
      let room = parcel === undefined ? 0 : parcel.begin + parcelBytes - begin;
      const left = tensor.end - begin;
      if (parcel === undefined || (room < left && room < widestValue)) {
        parcel = { begin, end: begin, pieces: [] };
        parcels.push(parcel);
        room = parcelBytes;
      }
      const length = left <= room ? left : room - (room % widestValue);
      const first = begin - tensor.begin;
      parcel.pieces.push({ ...tensor, first, at: begin - parcel.begin, length, stays });
      begin += length;
      parcel.end = begin;
    } while (begin < tensor.end);
  }
  return parcels.map(({ begin, end, pieces }) => ({
    pieces,
    bytes: bytes.subarray(begin, end),
    own: false,
  }));
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
  return shapes.flatMap(({ name, shape }) => {
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
    return cut([tensor], bytes, isReadByRows(tensor));
  });
}
