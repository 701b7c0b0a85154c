// Where memory ends: an error wherever something is allocated, an engine that goes on, and a limit
// that every device grants.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { attention, sinusoidalPositions } from "headscope/components";
import { expectRejection } from "./expect-rejection.js";
import { makeCheckpoint, tinyConfig } from "./tiny-model.js";

const ids = [3, 1, 4, 1, 5];

/** A config that needs memory where it is made so: 8 KB for each token, 32 bytes for each word. */
const wide = { ...tinyConfig, d_ff: 2048, max_tokens: 1_000_000 };

/** With threads the memory ends at 512 MB. */
const kinds = /** @type {const} */ ([
  { variant: "simd-threads", threads: 1 },
  { variant: "simd-threads", threads: 2 },
  { variant: "simd-threads", threads: 2, worker: true },
]);

for (const variant of ["simd-threads", "relaxed-threads"]) {
  test(`${variant} declares a shared memory below 1 GiB`, async () => {
    const bytes = await readFile(new URL(`../../dist/wasm/${variant}.wasm`, import.meta.url));
    const { maximum, shared } = readMemoryImport(bytes);
    assert(shared);
    assert(maximum > 0 && 65536 * maximum < 2 ** 30, `${maximum} pages`);
    // A host may give no more than is declared, and gives that.
    const memory = new WebAssembly.Memory({ initial: 1, maximum, shared: true });
    assert.equal(memory.grow(maximum - 1), 1);
  });
}

/**
 * What a module says of the memory that it imports.
 *
 * @param {Uint8Array} bytes of a WebAssembly module
 * @returns {{ maximum: number, shared: boolean }} `maximum` in pages of 64 KiB
 */
function readMemoryImport(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = Number(bytes[at++]);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const skip = (/** @type {number} */ count) => {
    at += count;
  };
  const section = () => ({ id: number(), end: number() + at });
  let next = section();
  while (next.id !== 2) {
    at = next.end;
    next = section();
  }
  for (let left = number(); left > 0; --left) {
    skip(number());
    skip(number());
    const kind = number();
    if (kind === 2) {
      const flags = number();
      number();
      return { maximum: flags & 1 ? number() : 0, shared: (flags & 2) !== 0 };
    }
    // A function's type; a table's element and limits; a global's type and whether it changes.
    if (kind === 1) {
      skip(1);
      const flags = number();
      number();
      if (flags & 1) number();
    } else if (kind === 3) skip(2);
    else number();
  }
  return { maximum: 0, shared: false };
}

/**
 * Calls that need more than there is, each where something else is allocated.
 *
 * @param {import("headscope").Engine} engine
 * @param {Encoder} encoder of `wide`
 * @returns {Promise<[string, () => Promise<unknown>][]>}
 */
async function listGreedyCalls(engine, encoder) {
  const huge = { ...wide, vocab_size: 10_000_000, d_model: 32 };
  const deep = { ...wide, n_layers: 400, d_model: 256, n_heads: 4, d_ff: 512 };
  const square = { ids: Array(8000).fill(1) };
  const long = { ids: Array(200_000).fill(1) };
  const key = { rows: 40_000, cols: 1, data: new Float32Array(40_000) };
  return [
    ["a table", () => Encoder.fromConfig(huge, { engine })],
    ["a table in int8", () => Encoder.fromConfig(huge, { engine, dtype: "int8" })],
    ["layers, one by one", () => Encoder.fromConfig(deep, { engine })],
    ["a captured map", () => encoder.run(square, { capture: ["attention"] })],
    ["captured maps of a batch", () => encoder.run(Array(40).fill({ ids: Array(2000).fill(1) }))],
    ["the rows of a run", () => encoder.run(long, { capture: [] })],
    ["a position's table", () => sinusoidalPositions({ length: 65536, d_model: 4096 }, { engine })],
    ["scores of a component", () => attention({ query: key, key, value: key }, { engine })],
  ];
}

test("running out of memory is an error at every place that allocates, and the engine goes on", async () => {
  for (const options of kinds) {
    const engine = await createEngine(options);
    const encoder = await Encoder.fromConfig(wide, { engine, seed: 1 });
    const expected = await encoder.run({ ids });
    for (const [what, call] of await listGreedyCalls(engine, encoder)) {
      await expectRejection("out-of-memory", /./, call).catch((error) => {
        throw new Error(`${what}: ${error.message}`, { cause: error });
      });
      const { pooled } = await encoder.run({ ids });
      assert.deepEqual(pooled, expected.pooled, `after ${what}`);
    }
    await engine.dispose();
  }
});

test("an engine that is full still runs what it has, and loads again when there is room", async () => {
  const engine = await createEngine({ variant: "simd-threads", threads: 2 });
  const small = await Encoder.fromConfig(tinyConfig, { engine, seed: 1 });
  const expected = await small.run({ ids });
  const elsewhere = await createEngine({ variant: "simd" });
  const files = await makeCheckpoint(elsewhere, { config: { n_layers: 10, d_ff: 262_144 } });
  await elsewhere.dispose();
  const filling = { ...wide, vocab_size: 7_400_000, d_model: 16 };
  const full = await Encoder.fromConfig(filling, { engine });
  const fresh = Object.values(files).map((bytes) => bytes.length);
  for (const dtype of /** @type {const} */ (["f32", "int8"])) {
    const loading = Encoder.fromPretrained(files, { engine, dtype });
    await expectRejection("out-of-memory", /heap cannot grow/, loading);
    assert.deepEqual((await small.run({ ids })).pooled, expected.pooled);
  }
  const copying = full.parameter("embeddings.token");
  await expectRejection("out-of-memory", /heap cannot grow/, copying);
  full.dispose();
  assert.deepEqual(
    Object.values(files).map((bytes) => bytes.length),
    fresh,
    "the caller keeps its bytes",
  );
  const loaded = await Encoder.fromPretrained(files, { engine });
  assert.equal((await loaded.run({ ids })).tokens.length, ids.length);
  await engine.dispose();
});

// Sizes whose product does not fit into 32 bits: natively they are only large, in WebAssembly they
// would wrap around to small ones.

test("a trace of 2^32 weights is out of memory, and the encoder still runs", async () => {
  const engine = await createEngine({ variant: "simd" });
  const config = { ...tinyConfig, n_layers: 1, n_heads: 1, max_tokens: 65536 };
  const encoder = await Encoder.fromConfig(config, { engine });
  await expectRejection(
    "out-of-memory",
    /capture: more than 2 GiB/,
    encoder.run({ ids: Array(65536).fill(1) }),
  );
  const trace = await encoder.run({ ids: [1, 2, 3] });
  assert.equal(trace.attention(0, 0).cols, 3);
  await engine.dispose();
});

test("scratch beyond 2 GiB is out of memory, and the component still computes", async () => {
  const engine = await createEngine({ variant: "simd" });
  const keys = 16_600_000;
  const matrix = { rows: keys, cols: 1, data: new Float32Array(keys) };
  const call = attention({ query: [[1]], key: matrix, value: matrix }, { engine });
  await expectRejection("out-of-memory", /./, call);
  const { output } = await attention({ query: [[1]], key: [[1]], value: [[7]] }, { engine });
  assert.equal(output.at(0, 0), 7);
  await engine.dispose();
});

test("weights beyond 4 GiB are out of memory, in float32 and in int8", async () => {
  const engine = await createEngine({ variant: "simd" });
  // 2^34 and 2^32 numbers in one matrix: 0 in 32 bits.
  for (const size of [
    { d_model: 65536, d_ff: 262144 },
    { d_model: 65536, d_ff: 65536 },
    { d_ff: 12, vocab_size: 8_388_608, d_model: 512 },
  ]) {
    for (const dtype of /** @type {const} */ (["f32", "int8"])) {
      const config = { ...tinyConfig, vocab_size: 1, ...size };
      await expectRejection("out-of-memory", /./, Encoder.fromConfig(config, { engine, dtype }));
    }
  }
  await engine.dispose();
});
