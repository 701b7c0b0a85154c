// Writes the safetensors format: the length of the header (u64, little-endian), the header as JSON
// padded with spaces so that the data begin at a multiple of 8, then the tensors one after another.

/** @typedef {{ name: string, shape: number[], data: Float32Array | Int8Array }} Tensor */

/**
 * @param {Tensor[]} tensors every one's size agrees with its shape; those of 4-byte elements first
 * @returns {Uint8Array} the file
 */
export function writeSafetensors(tensors) {
  /** @type {Record<string, unknown>} */
  const header = {};
  let end = 0;
  for (const { name, shape, data } of tensors) {
    const begin = end;
    end += data.byteLength;
    const dtype = data instanceof Float32Array ? "F32" : "I8";
    header[name] = { dtype, shape, data_offsets: [begin, end] };
  }
  const json = JSON.stringify(header);
  const padded = Buffer.from(json.padEnd(Math.ceil(Buffer.byteLength(json) / 8) * 8));
  const file = new Uint8Array(8 + padded.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(padded.length), true);
  file.set(padded, 8);
  let at = 8 + padded.length;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}
