import assert from "node:assert/strict";
import { test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { attention } from "headscope/components";

// Sizes whose product does not fit into 32 bits: natively they are only large, in WebAssembly they
// would wrap around to small ones.

test("a trace of 2^32 weights is out of memory, and the encoder still runs", async () => {
  const config = {
    n_layers: 1,
    n_heads: 1,
    d_model: 2,
    d_ff: 2,
    vocab_size: 4,
    max_tokens: 65536,
    activation: /** @type {const} */ ("relu"),
    norm: /** @type {const} */ ("pre"),
    norm_epsilon: 1e-5,
    final_norm: false,
    position: { kind: /** @type {const} */ ("none") },
    pooling: /** @type {const} */ ("mean"),
  };
  const engine = await createEngine();
  const encoder = await Encoder.fromConfig(config, { engine });
  const ids = new Array(65536).fill(1);
  await assert.rejects(encoder.run({ ids }), {
    code: "out-of-memory",
    message: /capture: more than 2 GiB/,
  });
  const trace = await encoder.run({ ids: [1, 2, 3] });
  assert.equal(trace.attention(0, 0).cols, 3);
  await engine.dispose();
});

test("scratch beyond 2 GiB is out of memory, and the component still computes", async () => {
  const engine = await createEngine();
  const keys = 16_600_000;
  const matrix = { rows: keys, cols: 1, data: new Float32Array(keys) };
  const call = attention({ query: [[1]], key: matrix, value: matrix }, { engine });
  await assert.rejects(call, { code: "out-of-memory" });
  const { output } = await attention({ query: [[1]], key: [[1]], value: [[7]] }, { engine });
  assert.equal(output.at(0, 0), 7);
  await engine.dispose();
});
