import { bytesOf, isBytes } from "./bytes.js";
import { describeValue, HeadscopeError } from "./error.js";
import { largestFloat16, roundFloat16, widenBfloat16, widenFloat16 } from "./float16.js";
import { findJsonFault } from "./json-keys.js";
import { refuse } from "./kinds.js";

/**
 * One tensor of a safetensors file. `begin` and `end` are byte offsets into the data section.
 *
 * @typedef {{ name: string, dtype: string, shape: number[], begin: number, end: number }}
 *   TensorInfo
 */

/**
 * A tensor to write.
 *
 * @typedef {{ name: string, shape: number[], values: Float32Array }} FloatTensor
 */

/**
 * The header of a file, and its data section as a view of the given bytes: a plain Uint8Array, whose
 * `slice` copies.
 *
 * @typedef {{ tensors: TensorInfo[], data: Uint8Array, metadata: Record<string, string> }}
 *   SafetensorsHeader
 */

/** Bytes of one element. @type {Readonly<Record<string, number>>} */
const elementBytes = Object.freeze({
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
  U16: 2,
  I16: 2,
  F16: 2,
  BF16: 2,
  U32: 4,
  I32: 4,
  F32: 4,
  U64: 8,
  I64: 8,
  F64: 8,
});

/** The format's own limit, against headers that ask for more memory than the file has. */
const longestHeader = 100_000_000;

/**
 * Reads the header of a safetensors file and checks every rule of the format: the length, one
 * JSON object without duplicate keys, known types, shapes of whole numbers, and offsets that
 * cover the data section in order without holes or overlap.
 *
 * @param {Uint8Array | ArrayBuffer} file the whole of it
 * @param {string} [what] how a message names the file
 * @returns {SafetensorsHeader} tensors in the order of their offsets
 * @throws {HeadscopeError} `bad-checkpoint`, naming the tensor
 */
export function readSafetensorsHeader(file, what = "safetensors") {
  if (!isBytes(file)) refuse(`${what}: bytes`, file, "a Uint8Array or an ArrayBuffer");
  const bytes = bytesOf(file);
  const length = readHeaderLength(bytes, what);
  const header = parseHeader(bytes.slice(8, 8 + length), what);
  const data = bytes.subarray(8 + length);
  const { __metadata__: metadata, ...entries } = header;
  const tensors = Object.entries(entries).map(([name, entry]) => readEntry(name, entry, what));
  tensors.sort((a, b) => a.begin - b.begin || a.end - b.end);
  checkCoverage(tensors, data.length, what);
  return { tensors, data, metadata: readMetadata(metadata, what) };
}

/**
 * The values of one tensor as float32; F64 is rounded, the other types are exact.
 *
 * @param {Uint8Array} data the data section
 * @param {TensorInfo} tensor of type F32, F16, BF16 or F64
 * @param {string} [what] how a message names the file
 * @returns {Float32Array} a copy
 * @throws {HeadscopeError} `bad-checkpoint`: another type
 */
export function readFloats(data, tensor, what = "safetensors") {
  // A copy begins at an aligned address. Typed arrays are little-endian, as the format is, on
  // every machine that runs WebAssembly engines today.
  const { buffer } = data.slice(tensor.begin, tensor.end);
  switch (tensor.dtype) {
    case "F32":
      return new Float32Array(buffer);
    case "F64":
      return Float32Array.from(new Float64Array(buffer));
    case "F16":
      return widenFloat16(new Uint16Array(buffer));
    case "BF16":
      return widenBfloat16(new Uint16Array(buffer));
    default:
      throw wrongTensor(what, tensor.name, `is ${tensor.dtype}, expected F32, F16, BF16 or F64`);
  }
}

/**
 * Writes a safetensors file. The data section begins at a multiple of 8 bytes, F32 before F16,
 * so that every tensor is aligned for readers that map the file.
 *
 * @param {FloatTensor[]} tensors
 * @param {{ dtype?: "F16" | "F32", metadata?: Record<string, string> }} [options] under F16
 *   (rounded to nearest) a tensor that holds a finite value beyond 65504 stays F32
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeSafetensors(tensors, { dtype = "F32", metadata = {} } = {}) {
  const encoded = tensors.map(({ name, shape, values }) => {
    const narrow = dtype === "F16" && values.every(fitsFloat16);
    return {
      name,
      shape,
      dtype: narrow ? "F16" : "F32",
      numbers: narrow ? roundFloat16(values) : values,
    };
  });
  encoded.sort((a, b) => b.numbers.BYTES_PER_ELEMENT - a.numbers.BYTES_PER_ELEMENT);
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: metadata };
  let end = 0;
  for (const { name, shape, dtype: stored, numbers } of encoded) {
    const begin = end;
    end += numbers.byteLength;
    header[name] = { dtype: stored, shape, data_offsets: [begin, end] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(start + end).fill(0x20, 8, start);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true);
  bytes.set(json, 8);
  let at = start;
  for (const { numbers } of encoded) {
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
    at += numbers.byteLength;
  }
  return bytes;
}

/**
 * @param {number} value
 * @returns {boolean}
 */
function fitsFloat16(value) {
  return Math.abs(value) <= largestFloat16 || !Number.isFinite(value);
}

/**
 * @param {Uint8Array} bytes
 * @param {string} what
 * @returns {number}
 */
function readHeaderLength(bytes, what) {
  if (bytes.length < 8) {
    throw wrongFile(what, `has ${bytes.length} bytes, expected at least 8`);
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  const room = Math.min(bytes.length - 8, longestHeader);
  if (length > BigInt(room)) {
    throw wrongFile(what, `names a header of ${length} bytes, expected at most ${room}`);
  }
  return Number(length);
}

/**
 * @param {Uint8Array} bytes of the header alone
 * @param {string} what
 * @returns {Record<string, unknown>}
 */
function parseHeader(bytes, what) {
  if (bytes[0] !== 0x7b) throw wrongFile(what, "has a header that does not begin with {");
  let header;
  let fault;
  try {
    const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    header = JSON.parse(json);
    fault = findJsonFault(json);
  } catch (error) {
    throw new HeadscopeError("bad-checkpoint", `${what} has a header that is no JSON in UTF-8`, {
      cause: error,
    });
  }
  if (fault !== undefined) throw wrongFile(what, `has a header with ${fault}`);
  return header;
}

/**
 * @param {string} name
 * @param {unknown} entry
 * @param {string} what
 * @returns {TensorInfo}
 */
function readEntry(name, entry, what) {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    throw wrongTensor(what, name, "is no object of dtype, shape and data_offsets");
  }
  const { dtype, shape, data_offsets: offsets, ...others } = /** @type {any} */ (entry);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw wrongTensor(what, name, `has the unknown key ${JSON.stringify(unknown)}`);
  }
  if (typeof dtype !== "string" || !Object.hasOwn(elementBytes, dtype)) {
    throw wrongTensor(what, name, `has the unknown dtype ${describeValue(dtype)}`);
  }
  if (!isArrayOfSizes(shape)) {
    throw wrongTensor(what, name, "has a shape that is no list of whole numbers from 0");
  }
  if (!isArrayOfSizes(offsets) || offsets.length !== 2) {
    throw wrongTensor(what, name, "has data_offsets that are no two whole numbers from 0");
  }
  const [begin, end] = /** @type {[number, number]} */ (offsets);
  const size = shape.reduce((product, length) => product * length, elementBytes[dtype] ?? 0);
  if (end - begin !== size) {
    const got = `data_offsets [${begin},${end}]`;
    throw wrongTensor(what, name, `has ${got}, expected ${size} bytes for ${dtype} [${shape}]`);
  }
  return { name, dtype, shape, begin, end };
}

/**
 * @param {unknown} value
 * @returns {value is number[]}
 */
function isArrayOfSizes(value) {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

/**
 * @param {TensorInfo[]} tensors ordered by offset
 * @param {number} length of the data section
 * @param {string} what
 */
function checkCoverage(tensors, length, what) {
  let covered = 0;
  for (const { name, begin, end } of tensors) {
    if (begin !== covered) {
      const fault = begin < covered ? "overlaps the one before" : "leaves a hole before it";
      throw wrongTensor(what, name, `${fault}: begins at byte ${begin}, expected ${covered}`);
    }
    if (end > length) {
      throw wrongTensor(what, name, `ends at byte ${end} of ${length}: the file is cut short`);
    }
    covered = end;
  }
  if (covered !== length) {
    throw wrongFile(what, `has ${length} bytes of data, expected ${covered} as the header says`);
  }
}

/**
 * @param {unknown} metadata
 * @param {string} what
 * @returns {Record<string, string>}
 */
function readMetadata(metadata, what) {
  if (metadata === undefined) return {};
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  if (!isObject || Object.values(metadata).some((value) => typeof value !== "string")) {
    throw wrongFile(what, "has a __metadata__ that is no object of strings");
  }
  return /** @type {Record<string, string>} */ (metadata);
}

/**
 * @param {string} what
 * @param {string} fault
 * @returns {HeadscopeError}
 */
function wrongFile(what, fault) {
  return new HeadscopeError("bad-checkpoint", `${what} ${fault}`);
}

/**
 * @param {string} what
 * @param {string} name
 * @param {string} fault
 * @returns {HeadscopeError}
 */
function wrongTensor(what, name, fault) {
  return wrongFile(`${what}:`, `${JSON.stringify(name)} ${fault}`);
}
