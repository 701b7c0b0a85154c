import { joinFile } from "../js/weight-file.js";
import { mutateJson, writeJson } from "./json-mutation.js";

/** @typedef {import("./random.js").Random} Random */
/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** Bytes that stand for something in JSON, and parts of it that parsers take differently. */
const letters = '0123456789[]{},:"-.eE\\ \n';
const snippets = [
  "1e999",
  "-0",
  "NaN",
  "Infinity",
  '"a":1,',
  "\ufeff",
  "\\u0000",
  "\\ud800",
  "//",
  "{}",
];

/** Numbers of a tensor that are none, or nearly none: float32, little-endian. */
const floats = [NaN, Infinity, -Infinity, 3.4e38, -3.4e38, 1e-45, 1e30, 0];

/**
 * Bytes with a few of them changed, gone or added.
 *
 * @param {Bytes} bytes
 * @param {Random} random
 * @returns {Bytes}
 */
export function mutateBytes(bytes, random) {
  let changed = bytes.slice();
  do changed = mutateOnce(changed, random);
  while (random.chance(0.4));
  return changed;
}

/**
 * @param {Bytes} bytes
 * @param {Random} random
 * @returns {Bytes}
 */
function mutateOnce(bytes, random) {
  const at = random.below(bytes.length + 1);
  switch (random.below(7)) {
    case 0:
      if (at < bytes.length) bytes[at] = random.below(256);
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = letters.charCodeAt(random.below(letters.length));
      return bytes;
    case 2:
      return bytes.slice(0, at);
    case 3:
      return splice(bytes, at, new TextEncoder().encode(random.pick(snippets)));
    case 4:
      return splice(bytes, at, new Uint8Array(random.pick([1, 8, 1000])).fill(random.below(256)));
    case 5:
      bytes.copyWithin(at, random.below(bytes.length + 1), random.below(bytes.length + 1));
      return bytes;
    default: {
      const float = new Uint8Array(Float32Array.of(random.pick(floats)).buffer);
      // Where it is a tensor's, it begins at a multiple of its size as a rule.
      const end = bytes.length - 4 * random.below(Math.floor(bytes.length / 4) + 1);
      if (end >= 4) bytes.set(float, end - 4);
      return bytes;
    }
  }
}

/**
 * @param {Bytes} bytes
 * @param {number} at
 * @param {Uint8Array} inner
 * @returns {Bytes}
 */
function splice(bytes, at, inner) {
  const longer = new Uint8Array(bytes.length + inner.length);
  longer.set(bytes.subarray(0, at));
  longer.set(inner, at);
  longer.set(bytes.subarray(at), at + inner.length);
  return longer;
}

/**
 * JSON with a few things changed, and sometimes with its text broken.
 *
 * @param {Bytes} bytes valid JSON
 * @param {Random} random
 * @returns {Bytes}
 */
export function mutateJsonFile(bytes, random) {
  if (random.chance(0.15)) return mutateBytes(bytes, random);
  const value = mutateJson(JSON.parse(new TextDecoder().decode(bytes)), random);
  return new TextEncoder().encode(writeJson(value));
}

/**
 * A safetensors file with a few things changed: what its header says, its length, its data.
 *
 * @param {Bytes} bytes a valid file
 * @param {Random} random
 * @param {(header: any) => unknown} [mutateHeader]
 * @returns {Bytes}
 */
export function mutateTensorFile(
  bytes,
  random,
  mutateHeader = (header) => mutateJson(header, random),
) {
  if (random.chance(0.3)) return mutateBytes(bytes, random);
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const data = bytes.slice(start);
  const changed = random.chance(0.3) ? mutateBytes(data, random) : data;
  const json = random.chance(0.8) ? mutateHeader(header) : header;
  const length = random.chance(0.05)
    ? random.pick([0n, 1n, 100_000_000n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n])
    : undefined;
  return joinFile(writeJson(json), changed, length);
}
