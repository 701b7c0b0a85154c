import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { roundFloat16, widenBfloat16, widenFloat16 } from "../../bindings/js/trace/float16.js";
import { HeadscopeError, Trace } from "../../bindings/js/trace/index.js";
import {
  readFloats,
  readSafetensorsHeader,
  writeSafetensors,
} from "../../bindings/js/trace/safetensors.js";
import { fails, makeTrace, seedRandom } from "./make-trace.js";
import { joinFile } from "./weight-file.js";

/**
 * A file with a header as given, and data of zeros.
 *
 * @param {string | Uint8Array | object} header
 * @param {number} [dataLength]
 * @param {bigint} [length] what the file says of its header
 */
function makeFile(header, dataLength = 0, length) {
  return joinFile(header, new Uint8Array(dataLength), length);
}

/**
 * @param {number} begin
 * @param {number} end
 * @param {object} [others]
 */
function entry(begin, end, others = {}) {
  return { dtype: "U8", shape: [end - begin], data_offsets: [begin, end], ...others };
}

test("what was written is read back, tensors in the order of their offsets", () => {
  const tensors = [
    { name: "b", shape: [2, 2], values: Float32Array.of(1, -0, Infinity, 1e-40) },
    { name: "a", shape: [], values: Float32Array.of(7) },
    { name: "none", shape: [0, 3], values: new Float32Array(0) },
    { name: 'π "x"', shape: [1], values: Float32Array.of(3) },
  ];
  const metadata = { format: "test", note: "ünï" };
  const bytes = writeSafetensors(tensors, { metadata });
  const header = readSafetensorsHeader(bytes);
  assert.deepEqual(header.metadata, metadata);
  assert.equal(header.data.byteOffset % 8, 0);
  for (const { name, shape, values } of tensors) {
    const info = header.tensors.find((tensor) => tensor.name === name);
    assert(info);
    assert.deepEqual(info.shape, shape);
    assert.deepEqual(readFloats(header.data, info), values);
  }
  let end = 0;
  for (const tensor of header.tensors) {
    assert.equal(tensor.begin, end);
    end = tensor.end;
  }
});

test("a file is read at any place in its buffer, and out of shared memory", () => {
  const bytes = writeSafetensors([{ name: "a", shape: [2], values: Float32Array.of(1, 2) }]);
  for (const buffer of [new ArrayBuffer(500), new SharedArrayBuffer(500)]) {
    const moved = new Uint8Array(buffer, 3, bytes.length);
    moved.set(bytes);
    const { tensors, data } = readSafetensorsHeader(moved);
    assert(tensors[0]);
    assert.deepEqual([...readFloats(data, tensors[0])], [1, 2]);
  }
});

test("a Buffer's slice does not copy, and still its file is read", () => {
  const trace = makeTrace({ n_layers: 2, n_heads: 2, length: 3 });
  const bytes = trace.toBytes();
  const folder = mkdtempSync(join(tmpdir(), "headscope-"));
  writeFileSync(join(folder, "saved.safetensors"), bytes);
  // Small ones lie anywhere in a pool that they share.
  const pooled = Buffer.from(bytes.subarray(0, 100));
  assert(pooled.buffer.byteLength > pooled.length, "there is a pool");
  const shifted = Buffer.concat([Buffer.alloc(1), bytes]).subarray(1);
  for (const given of [
    Buffer.from(bytes),
    shifted,
    Buffer.from(bytes.buffer),
    readFileSync(join(folder, "saved.safetensors")),
    bytes.buffer,
  ]) {
    const read = Trace.fromBytes(given);
    assert.deepEqual(read.attention(1, 1), trace.attention(1, 1));
    assert.deepEqual(read.pooled, trace.pooled);
    assert.equal(read.text, trace.text);
  }
  const small = Buffer.from(
    writeSafetensors([{ name: "a", shape: [2], values: Float32Array.of(1, 2) }]),
  );
  const { tensors, data } = readSafetensorsHeader(small);
  assert.equal(Object.getPrototypeOf(data), Uint8Array.prototype, "no Buffer");
  const values = tensors[0] && readFloats(data, tensors[0]);
  assert.deepEqual(values, Float32Array.of(1, 2));
  small.fill(0);
  assert.deepEqual(values, Float32Array.of(1, 2), "a copy");
  rmSync(folder, { recursive: true });
});

test("a header by another writer may be padded, unsorted and of any type", () => {
  const header = { z: entry(3, 4), a: entry(0, 3, { dtype: "BOOL" }), __metadata__: { k: "v" } };
  const bytes = makeFile(`${JSON.stringify(header)}   `, 4);
  assert.deepEqual(
    readSafetensorsHeader(bytes).tensors.map(({ name }) => name),
    ["a", "z"],
  );
  const [tensor] = readSafetensorsHeader(bytes).tensors;
  assert(tensor);
  fails("bad-checkpoint", /^weights: "a" is BOOL, expected F32, F16, BF16 or F64/, () =>
    readFloats(new Uint8Array(4), tensor, "weights"),
  );
});

test("F64, F16 and BF16 tensors are widened", () => {
  const bytes = makeFile(
    {
      d: { dtype: "F64", shape: [1], data_offsets: [0, 8] },
      h: { dtype: "F16", shape: [1], data_offsets: [8, 10] },
      b: { dtype: "BF16", shape: [1], data_offsets: [10, 12] },
    },
    12,
  );
  const view = new DataView(bytes.buffer, bytes.length - 12);
  view.setFloat64(0, 0.1, true);
  view.setUint16(8, 0x3555, true);
  view.setUint16(10, 0xc049, true);
  const { tensors, data } = readSafetensorsHeader(bytes);
  const values = tensors.map((tensor) => readFloats(data, tensor)[0]);
  assert.deepEqual(values, [Math.fround(0.1), 0.333251953125, -3.140625]);
});

test("all 65536 half-precision numbers are widened exactly and rounded back to themselves", () => {
  const halves = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const wide = widenFloat16(halves);
  for (let i = 0; i < 65536; ++i) {
    const sign = i & 0x8000 ? -1 : 1;
    const exponent = (i >> 10) & 31;
    const fraction = i & 1023;
    let expected =
      sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
    if (exponent === 31) expected = fraction === 0 ? sign * Infinity : NaN;
    assert(Object.is(wide[i], expected), `half ${i}: ${wide[i]}, expected ${expected}`);
  }
  const back = roundFloat16(wide);
  for (let i = 0; i < 65536; ++i) {
    if (Number.isNaN(wide[i])) assert(Number.isNaN(widenFloat16(back.subarray(i, i + 1))[0]));
    else assert.equal(back[i], i);
  }
});

test("rounding to half precision goes to the nearest, ties to even", () => {
  /** @type {[number, number][]} */
  const table = [
    [1 + 2 ** -11, 1],
    [1 + 3 * 2 ** -11, 1 + 2 ** -9],
    [1 + 2 ** -11 + 2 ** -20, 1 + 2 ** -10],
    [65519, 65504],
    [65520, Infinity],
    [1e30, Infinity],
    [-1e30, -Infinity],
    [2 ** -25, 0],
    [2 ** -25 * 1.0001, 2 ** -24],
    [3 * 2 ** -25, 2 ** -23],
    [2 ** -14 - 2 ** -26, 2 ** -14],
    [1e-30, 0],
    [-1e-30, -0],
  ];
  for (const [value, expected] of table) {
    const got = widenFloat16(roundFloat16(Float32Array.of(value)))[0];
    assert(Object.is(got, expected), `${value} gives ${got}, expected ${expected}`);
  }
  const random = seedRandom(7);
  const values = Float32Array.from(
    { length: 20000 },
    () => (random() - 0.5) * 2 ** (random() * 60 - 35),
  );
  const halves = widenFloat16(Uint16Array.from({ length: 0x7c01 }, (_, i) => i));
  widenFloat16(roundFloat16(values)).forEach((got, i) => {
    const magnitude = Math.abs(values[i] ?? NaN);
    const error = Math.abs(Math.abs(got) - magnitude);
    const at = roundFloat16(Float32Array.of(Math.abs(got)))[0] ?? 0;
    for (const neighbour of [halves[at - 1], halves[at + 1]]) {
      if (neighbour !== undefined && got !== Infinity && got !== -Infinity) {
        assert(error <= Math.abs(neighbour - magnitude), `${values[i]} gives ${got}`);
      }
    }
  });
});

test("bfloat16 is the upper half of a float32", () => {
  const wide = widenBfloat16(Uint16Array.of(0x3f80, 0xbf80, 0x7f80, 0x0001, 0x8000));
  const expected = [1, -1, Infinity, 2 ** -133, -0];
  assert.deepEqual([...wide], expected);
  assert(Number.isNaN(widenBfloat16(Uint16Array.of(0x7fc1))[0]));
});

test("each rule of the format has its error", () => {
  /** @type {[Uint8Array, RegExp][]} */
  const table = [
    [new Uint8Array(0), /^file has 0 bytes, expected at least 8/],
    [makeFile("{}", 0, 3n), /names a header of 3 bytes, expected at most 2/],
    [makeFile("{}", 0, 2n ** 63n), /names a header of 9223372036854775808 bytes/],
    [makeFile("{}", 0, 2n ** 64n - 1n), /names a header of 18446744073709551615 bytes/],
    [makeFile("{}", 0, 0n), /does not begin with \{/],
    [makeFile(" {}"), /does not begin with \{/],
    [makeFile("[]"), /does not begin with \{/],
    [makeFile("{"), /no JSON in UTF-8/],
    [makeFile("{} x"), /no JSON in UTF-8/],
    [makeFile('{"a":NaN}'), /no JSON in UTF-8/],
    [makeFile(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)), /no JSON in UTF-8/],
    [makeFile(`{"a":${"[".repeat(200000)}`), /no JSON in UTF-8/],
    [makeFile('{"a":1}'), /"a" is no object/],
    [makeFile('{"a":null}'), /"a" is no object/],
    [makeFile('{"a":[]}'), /"a" is no object/],
    [
      makeFile({ a: entry(0, 1), b: entry(1, 2, { extra: 1 }) }, 2),
      /"b" has the unknown key "extra"/,
    ],
    [makeFile({ a: entry(0, 1, { dtype: "F12" }) }, 1), /"a" has the unknown dtype "F12"/],
    [makeFile({ a: entry(0, 1, { dtype: "toString" }) }, 1), /"a" has the unknown dtype/],
    [makeFile({ a: entry(0, 1, { dtype: 3 }) }, 1), /"a" has the unknown dtype 3/],
    [makeFile({ a: entry(0, 1, { shape: undefined }) }, 1), /"a" has a shape/],
    [makeFile({ a: entry(0, 1, { shape: [-1, -1] }) }, 1), /"a" has a shape/],
    [makeFile({ a: entry(0, 1, { shape: [0.5, 2] }) }, 1), /"a" has a shape/],
    [makeFile({ a: entry(0, 1, { shape: ["1"] }) }, 1), /"a" has a shape/],
    [makeFile({ a: entry(0, 1, { shape: [2 ** 53] }) }, 1), /"a" has a shape/],
    [
      makeFile({ a: entry(0, 1, { shape: [2 ** 52, 2 ** 52, 2 ** 52] }) }, 1),
      /expected 9\.\d+e\+46 bytes/,
    ],
    [
      makeFile({ a: entry(0, 1, { shape: [3] }) }, 1),
      /"a" has data_offsets \[0,1\], expected 3 bytes/,
    ],
    [makeFile({ a: entry(0, 2, { dtype: "F32" }) }, 2), /"a" .* expected 8 bytes for F32 \[2\]/],
    [makeFile({ a: entry(0, 1, { data_offsets: [0] }) }, 1), /"a" has data_offsets/],
    [makeFile({ a: entry(0, 1, { data_offsets: [0, 1, 1] }) }, 1), /"a" has data_offsets/],
    [makeFile({ a: entry(0, 1, { data_offsets: [-1, 0] }) }, 1), /"a" has data_offsets/],
    [makeFile({ a: entry(0, 1, { data_offsets: ["0", "1"] }) }, 1), /"a" has data_offsets/],
    [makeFile({ a: entry(0, 1, { data_offsets: [1, 0] }) }, 1), /"a" has data_offsets/],
    [makeFile({ a: entry(0, 9) }, 8), /"a" ends at byte 9 of 8: the file is cut short/],
    [makeFile({ a: entry(1, 9) }, 9), /"a" leaves a hole before it: begins at byte 1, expected 0/],
    [makeFile({ a: entry(0, 4), b: entry(5, 8) }, 8), /"b" leaves a hole before it/],
    [makeFile({ a: entry(0, 4), b: entry(3, 8) }, 8), /"b" overlaps the one before/],
    [makeFile({ a: entry(0, 4), b: entry(0, 4) }, 4), /"b" overlaps the one before/],
    [makeFile({ a: entry(0, 4) }, 5), /has 5 bytes of data, expected 4/],
    [makeFile("{}", 1), /has 1 bytes of data, expected 0/],
    [makeFile({ __metadata__: { a: 1 } }), /__metadata__ that is no object of strings/],
    [makeFile({ __metadata__: ["a"] }), /__metadata__ that is no object of strings/],
    [makeFile({ __metadata__: "a" }), /__metadata__ that is no object of strings/],
    [makeFile({ __metadata__: null }), /__metadata__ that is no object of strings/],
    [
      makeFile(
        '{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}',
      ),
      /the key "a" twice/,
    ],
    [
      makeFile(
        '{"\\u0061":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}',
      ),
      /the key "a" twice/,
    ],
    [
      makeFile('{"a":{"dtype":"F32","dtype":"U8","shape":[0],"data_offsets":[0,0]}}'),
      /the key "dtype" twice/,
    ],
    [makeFile('{"__metadata__":{"x":"{\\"y\\":","x":"1"}}'), /the key "x" twice/],
  ];
  for (const [bytes, message] of table) {
    fails("bad-checkpoint", message, () => readSafetensorsHeader(bytes, "file"));
  }
  fails("bad-argument", /Uint8Array/, () =>
    readSafetensorsHeader(/** @type {any} */ (new Float32Array(8))),
  );
});

test("braces, quotes and repeated words inside strings are no keys", () => {
  const metadata = { a: '{"a":"a","a":1}', 'b"{': "\\", c: "a", d: '[\\"]' };
  assert.deepEqual(readSafetensorsHeader(makeFile({ __metadata__: metadata })).metadata, metadata);
  const named = readSafetensorsHeader(
    makeFile('{"__proto__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', 1),
  );
  assert.deepEqual(
    named.tensors.map(({ name }) => name),
    ["__proto__"],
  );
});

test("a damaged file is a bad checkpoint or is read, never anything else", () => {
  const random = seedRandom(11);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const trace = Trace.from({
    tokens: ["▁a", "b"],
    attention: Float32Array.from({ length: 24 }, random),
    n_layers: 2,
    n_heads: 3,
  });
  const whole = trace.toBytes({ dtype: "F16" });
  const headerEnd = 8 + Number(new DataView(whole.buffer).getBigUint64(0, true));
  const before = process.memoryUsage().arrayBuffers;
  let refused = 0;
  for (let round = 0; round < 4000; ++round) {
    let bytes = whole.slice();
    for (let change = 0; change <= pick(3); ++change) {
      const at = pick(headerEnd);
      const kind = pick(4);
      if (kind === 0) bytes[at] = pick(256);
      else if (kind === 1) bytes[at] = '0123456789[]{},:"-.eE'[pick(21)]?.charCodeAt(0) ?? 0;
      else if (kind === 2) bytes = bytes.slice(0, pick(bytes.length));
      else bytes.copyWithin(at, pick(headerEnd), pick(headerEnd));
    }
    try {
      Trace.fromBytes(bytes);
    } catch (error) {
      assert(error instanceof HeadscopeError, String(error));
      assert.equal(error.code, "bad-checkpoint", error.message);
      ++refused;
    }
  }
  assert(refused > 2000, `only ${refused} of 4000 damaged files were refused`);
  assert(process.memoryUsage().arrayBuffers - before < 64e6);
});
