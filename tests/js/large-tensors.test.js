import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEngine, Encoder } from "headscope";
import { makeCheckpoint, tinyConfig } from "./tiny-model.js";

const inWorker = await createEngine({ variant: "simd", worker: true });
const here = await createEngine({ variant: "simd", worker: false });
after(() => Promise.all([inWorker.dispose(), here.dispose()]));

/** Its table goes to a worker in several parts, of 11.2, 5.6 or 2.8 MB, which do not end with a row. */
const large = { d_model: 14, n_heads: 2, vocab_size: 200_003 };

for (const dtype of /** @type {const} */ (["F32", "F16", "I8"])) {
  test(`a tensor larger than one message to a worker arrives whole (${dtype})`, async () => {
    const files = await makeCheckpoint(here, { config: large, dtype });
    const [far, near] = await Promise.all([
      Encoder.fromPretrained(files, { engine: inWorker }),
      Encoder.fromPretrained(files, { engine: here }),
    ]);
    assert.ok(near.parameterNames.length > 10);
    for (const name of near.parameterNames) {
      const expected = await near.parameter(name);
      assert.deepEqual(await far.parameter(name), expected, name);
    }
    assert.equal((await far.parameter("embeddings.token")).rows, large.vocab_size);
    far.dispose();
    near.dispose();
  });
}

test("a token table in float32 takes none of the engine's memory", async () => {
  const vocab_size = 400_003;
  const files = await makeCheckpoint(here, { config: { ...large, vocab_size } });
  const blobs = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, new Blob([bytes])]),
  );
  const cases = [true, false].flatMap((worker) => [
    { worker, source: files },
    { worker, source: blobs },
  ]);
  /** @type {Float32Array | undefined} */
  let expected;
  for (const { worker, source } of cases) {
    const engine = await createEngine({ variant: "simd", worker });
    const before = await engine.heapBytes();
    const encoder = await Encoder.fromPretrained(source, { engine });
    const { pooled } = await encoder.run({ ids: [0, vocab_size - 1] });
    expected ??= pooled;
    assert.deepEqual(pooled, expected);
    assert.equal((await engine.heapBytes()) - before, 0);
    await engine.dispose();
  }
});

test("the memory of a table is free once its encoder is, or has failed to load", async () => {
  const files = await makeCheckpoint(here, { config: large });
  const broken = { ...files, "model.safetensors": files["model.safetensors"].slice() };
  // The last number of the file, behind the table.
  broken["model.safetensors"].fill(0xff, -4);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const arrayBytes = async () => {
    // Buffers are freed in a turn after the one that finds them.
    for (let i = 0; i < 3; ++i) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return process.memoryUsage().arrayBuffers;
  };
  const before = await arrayBytes();
  for (let i = 0; i < 8; ++i) {
    (await Encoder.fromPretrained(files, { engine: here })).dispose();
    await assert.rejects(Encoder.fromPretrained(broken, { engine: here }), /expected finite/);
  }
  const table = large.vocab_size * large.d_model * 4;
  assert.ok((await arrayBytes()) - before < table, "not one table is left");
});

test("whole parameters that are large arrive as they were given", async () => {
  const config = { ...tinyConfig, ...large };
  const seeded = await Encoder.fromConfig(config, { engine: here, seed: 9 });
  const values = await Promise.all(
    seeded.parameterNames.map(async (name) => [name, (await seeded.parameter(name)).data]),
  );
  const parameters = Object.fromEntries(values);
  const far = await Encoder.fromConfig(config, { engine: inWorker, parameters });
  for (const name of far.parameterNames) {
    assert.deepEqual((await far.parameter(name)).data, parameters[name], name);
  }
  far.dispose();
  seeded.dispose();
});
