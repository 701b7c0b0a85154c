import { roundFloat16 } from "../../bindings/js/trace/float16.js";

/** @typedef {import("../../bindings/js/trace/safetensors.js").FloatTensor} FloatTensor */
/** @typedef {"F32" | "F64" | "F16" | "BF16" | "I8"} WeightType */

/**
 * A tensor as bytes.
 *
 * @typedef {{ name: string, dtype: string, shape: number[], bytes: Uint8Array }} EncodedTensor
 */

/**
 * A safetensors file with a header as given, right or wrong.
 *
 * @param {string | Uint8Array | object} header JSON text, its bytes, or what it says
 * @param {Uint8Array} [data]
 * @param {bigint} [length] what the file says of its header
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function joinFile(header, data = new Uint8Array(), length) {
  const text = typeof header === "string" ? header : JSON.stringify(header);
  const json = header instanceof Uint8Array ? header : new TextEncoder().encode(text);
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, length ?? BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return bytes;
}

/**
 * @param {EncodedTensor[]} tensors one behind the other
 * @returns {Uint8Array<ArrayBuffer>} a safetensors file
 */
export function joinTensors(tensors) {
  let end = 0;
  // From entries, so that "__proto__" is a name like any other.
  const header = Object.fromEntries(
    tensors.map(({ name, dtype, shape, bytes }) => {
      const begin = end;
      end += bytes.length;
      return [name, { dtype, shape, data_offsets: [begin, end] }];
    }),
  );
  const data = new Uint8Array(end);
  let at = 0;
  for (const { bytes } of tensors) {
    data.set(bytes, at);
    at += bytes.length;
  }
  return joinFile(header, data);
}

/**
 * A tensor in another type: rounded, or, as I8, in steps of a scale that stands beside it, one for
 * each row of an embedding table, for each column of another matrix.
 *
 * @param {FloatTensor} tensor
 * @param {WeightType} dtype
 * @returns {EncodedTensor[]}
 */
export function encodeTensor({ name, shape, values }, dtype) {
  if (dtype === "I8" && shape.length === 2) return encodeInt8({ name, shape, values });
  const stored = dtype === "I8" ? "F32" : dtype;
  return [{ name, dtype: stored, shape, bytes: bytesOf(encodeFloats(values, stored)) }];
}

/**
 * @param {Float32Array} values
 * @param {Exclude<WeightType, "I8">} dtype
 * @returns {Float32Array | Float64Array | Uint16Array}
 */
function encodeFloats(values, dtype) {
  if (dtype === "F64") return Float64Array.from(values);
  if (dtype === "F16") return roundFloat16(values);
  if (dtype === "F32") return values;
  // Cut, not rounded: bfloat16 is the upper half.
  return Uint16Array.from(new Uint32Array(values.slice().buffer), (bits) => bits >>> 16);
}

/**
 * @param {FloatTensor} tensor
 * @returns {EncodedTensor[]}
 */
function encodeInt8({ name, shape, values }) {
  const [rows = 0, cols = 0] = shape;
  const perRow = name.startsWith("embeddings.");
  const groupOf = (/** @type {number} */ i) => (perRow ? Math.floor(i / cols) : i % cols);
  const scale = new Float32Array(perRow ? rows : cols);
  values.forEach((value, i) => {
    const group = groupOf(i);
    scale[group] = Math.max(scale[group] ?? 0, Math.abs(value) / 127);
  });
  const steps = Int8Array.from(values, (value, i) => Math.round(value / (scale[groupOf(i)] || 1)));
  return [
    { name: `${name}.scale`, dtype: "F32", shape: [scale.length], bytes: bytesOf(scale) },
    { name, dtype: "I8", shape, bytes: bytesOf(steps) },
  ];
}

/**
 * @param {ArrayBufferView} view
 * @returns {Uint8Array}
 */
function bytesOf({ buffer, byteOffset, byteLength }) {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
