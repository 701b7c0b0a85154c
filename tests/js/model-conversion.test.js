import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readPublished } from "../../tools/convert-use-lite/convert.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const float32 = readCheckpoint("build/models/use-lite-f32");
const int8 = readCheckpoint("dist/models/use-lite");
const { shards } = readPublished();
const published = new DataView(shards.buffer, shards.byteOffset, shards.byteLength);

/** @typedef {{ dtype: string, shape: number[], data_offsets: [number, number] }} Entry */

/** @param {string} folder */
function readCheckpoint(folder) {
  const file = readFileSync(join(root, folder, "model.safetensors"));
  const headerLength = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString("utf8", 8, 8 + headerLength));
  return {
    start: 8 + headerLength,
    length: file.length,
    header: /** @type {Record<string, Entry>} */ (header),
    config: JSON.parse(readFileSync(join(root, folder, "config.json"), "utf8")),
    /** @param {string} name @returns {Float32Array | Int8Array} */
    values(name) {
      const { dtype, data_offsets } = /** @type {Entry} */ (header[name]);
      const [begin, end] = data_offsets.map((offset) => 8 + headerLength + offset);
      const bytes = new Uint8Array(file.subarray(begin, end));
      return dtype === "F32" ? new Float32Array(bytes.buffer) : new Int8Array(bytes.buffer);
    },
  };
}

/** @param {number} offset of a [rows, cols] kernel @param {number} index */
const publishedFloat = (offset, index) => published.getFloat32(offset + 4 * index, true);

test("the float32 checkpoint holds every parameter of the published model", () => {
  const sizes = Object.values(float32.header).map(({ shape }) =>
    shape.reduce((product, size) => product * size),
  );
  // The timescales of the positions lie among the published weights, but are no parameters.
  assert.equal(
    sizes.reduce((a, b) => a + b),
    6_975_744,
  );
});

test("query, key and value are the three parts of the published joint kernel", () => {
  for (const { layer, width, kernel, bias } of [
    { layer: 0, width: 256, kernel: 16816176, bias: 17602608 },
    { layer: 1, width: 512, kernel: 6307844, bias: 9453572 },
  ]) {
    for (const [part, letter] of ["q", "k", "v"].entries()) {
      const matrix = float32.values(`layers.${layer}.attention.w${letter}`);
      const vector = float32.values(`layers.${layer}.attention.b${letter}`);
      for (let row = 0; row < width; ++row) {
        assert.equal(vector[row], publishedFloat(bias, part * width + row));
        for (let col = 0; col < width; col += 17) {
          const expected = publishedFloat(kernel, row * 3 * width + part * width + col);
          assert.equal(matrix[row * width + col], expected, `${letter} ${layer} [${row}, ${col}]`);
        }
      }
    }
  }
});

test("whole kernels, biases, norms and the embedding table are copied value by value", () => {
  for (const { name, offset, shape } of [
    { name: "embeddings.token", offset: 18132056, shape: [8002, 256] },
    { name: "layers.0.attention.w_residual", offset: 26326616, shape: [256, 512] },
    { name: "layers.0.norm1.gamma", offset: 16814124, shape: [256] },
    { name: "layers.1.feed_forward.w2", offset: 0, shape: [1536, 512] },
    { name: "layers.1.norm2.beta", offset: 6293504, shape: [512] },
    { name: "pooler.b", offset: 27901600, shape: [512] },
  ]) {
    assert.deepEqual(float32.header[name].shape, shape);
    const values = float32.values(name);
    for (let i = 0; i < values.length; ++i)
      if (values[i] !== publishedFloat(offset, i)) assert.fail(`${name} differs at ${i}`);
  }
});

test("an int8 weight is within half a step of its float32 weight", () => {
  for (const [name, { dtype, shape }] of Object.entries(int8.header)) {
    if (dtype !== "I8") continue;
    const [rows, cols] = shape;
    const isPerRow = name === "embeddings.token";
    assert.deepEqual(int8.header[`${name}.scale`].shape, [isPerRow ? rows : cols]);
    const [whole, steps, scale] = [
      float32.values(name),
      int8.values(name),
      int8.values(`${name}.scale`),
    ];
    for (let i = 0; i < whole.length; ++i) {
      const step = scale[isPerRow ? Math.floor(i / cols) : i % cols];
      // Half a step, and what rounding the scale to float32 adds at 127 steps.
      const tolerance = step * (0.5 + 127 * 2 ** -23);
      if (Math.abs(whole[i] - steps[i] * step) > tolerance) assert.fail(`${name} at ${i}`);
    }
  }
});

test("the int8 checkpoint keeps vectors in float32 and has a scale for every matrix", () => {
  for (const [name, { shape }] of Object.entries(float32.header)) {
    assert.equal(int8.header[name].dtype, shape.length === 1 ? "F32" : "I8", name);
    assert.equal(`${name}.scale` in int8.header, shape.length === 2, name);
  }
});

test("tensors lie one after another, aligned to their elements, to the end of the file", () => {
  for (const { header, start, length } of [float32, int8]) {
    assert.equal(start % 8, 0);
    let end = 0;
    for (const [name, { dtype, data_offsets }] of Object.entries(header)) {
      assert.equal(data_offsets[0], end, name);
      if (dtype === "F32") assert.equal((start + end) % 4, 0, name);
      end = data_offsets[1];
    }
    assert.equal(start + end, length);
  }
});

test("both checkpoints have one configuration", () => {
  assert.deepEqual(float32.config, int8.config);
  assert.equal(float32.config.embedding_scale, 2);
});
