// How time and memory grow with the length, and what heads cost; Headscope alone, in a page.
import { loadHeadscope } from "./page-libraries.js";
import { shapes, tokenIds } from "./shapes.js";

/** @typedef {import("headscope").EncoderConfig} EncoderConfig */

/** @typedef {{ length: number, times_ms: number[], heap_bytes: number, idle_heap_bytes: number }} Growth */

/**
 * One length, nothing captured, in an engine of its own: a heap never shrinks.
 *
 * @param {number} length
 * @param {number} calls
 * @returns {Promise<Growth>}
 */
export async function growTo(length, calls) {
  const { Encoder, createEngine } = await loadHeadscope();
  const engine = await createEngine({ threads: 1 });
  /** @type {EncoderConfig} */
  const config = {
    ...shapes.minilm.config,
    position: { kind: "sinusoidal" },
    max_tokens: length,
  };
  const encoder = await Encoder.fromConfig(config, { engine, seed: 1 });
  const run = () => encoder.run({ ids: tokenIds(length) }, { capture: [] });
  const idle_heap_bytes = await engine.heapBytes();
  await run();
  const times_ms = await timeCalls(run, calls);
  const heap_bytes = await engine.heapBytes();
  await engine.dispose();
  return { length, times_ms, heap_bytes, idle_heap_bytes };
}

/**
 * The same width in more and more heads, in turn.
 *
 * @param {{ heads: number[], length: number, rounds: number }} options
 * @returns {Promise<{ heads: number, times_ms: number[] }[]>}
 */
export async function splitHeads({ heads, length, rounds }) {
  const { Encoder, createEngine } = await loadHeadscope();
  const engine = await createEngine({ threads: 1 });
  const contenders = await Promise.all(
    heads.map(async (n_heads) => {
      /** @type {EncoderConfig} */
      const config = { ...shapes.base.config, n_layers: 2, d_ff: 512, n_heads };
      const encoder = await Encoder.fromConfig(config, { engine, seed: 1 });
      return { heads: n_heads, encoder, times_ms: /** @type {number[]} */ ([]) };
    }),
  );
  for (let round = -1; round < rounds; ++round) {
    for (const { encoder, times_ms } of contenders) {
      const run = () => encoder.run({ ids: tokenIds(length) }, { capture: [] });
      const [time_ms] = await timeCalls(run, 1);
      // The first round warms up.
      if (round >= 0) times_ms.push(time_ms);
    }
  }
  await engine.dispose();
  return contenders.map(({ heads, times_ms }) => ({ heads, times_ms }));
}

/**
 * @param {() => Promise<unknown>} call
 * @param {number} calls
 */
async function timeCalls(call, calls) {
  /** @type {number[]} */
  const times_ms = [];
  for (let i = 0; i < calls; ++i) {
    const start_ms = performance.now();
    await call();
    times_ms.push(performance.now() - start_ms);
  }
  return times_ms;
}
