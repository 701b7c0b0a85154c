// dtype "int8" on the instructions of real processors: Node 20 and 22 have no dot product that is right
// for whole bytes, browsers have one where the processor has.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { attentionDistance, cosine } from "../js/fixture-distance.js";
import { int8Limits } from "../js/int8-limits.js";
import { browsers } from "./browsers.js";
import { dist, isolation, serveFolder } from "./site-server.js";

/** @type {{ sentence: string, attention: number[][][][], embedding: number[] }[]} */
const references = JSON.parse(
  readFileSync(new URL("../fixtures/use-lite.json", import.meta.url), "utf8"),
);

/**
 * Runs in the page.
 *
 * @param {string[]} sentences
 */
async function runInInt8(sentences) {
  const { createEngine, Encoder } = await import(new URL("index.js", location.href).href);
  const results = [];
  for (const variant of ["relaxed", "relaxed-threads", "simd"]) {
    const engine = await createEngine({ variant });
    const encoder = await Encoder.fromPretrained("use-lite", { engine, dtype: "int8" });
    /** @type {import("headscope").Trace[]} */
    const traces = await encoder.run(sentences);
    results.push({
      variant,
      kernel: String(encoder.int8Kernel),
      traces: traces.map((trace) => ({
        pooled: [...trace.pooled],
        attention: trace
          .layers("attention")
          .map((layer) =>
            Array.from({ length: trace.config.n_heads }, (_, head) => [
              ...trace.attention(layer, head).data,
            ]),
          ),
      })),
    });
    await engine.dispose();
  }
  return results;
}

for (const { name, launch } of browsers) {
  describe(`int8 in ${name}`, { timeout: 120000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    it("is close to the graph that the model was converted from, in whichever kernel runs here", async (t) => {
      const server = await serveFolder(dist, { headers: isolation });
      const page = await browser.newPage();
      const sentences = references.map(({ sentence }) => sentence);
      const results = await page
        .goto(`${server.url}trace.js`)
        .then(() => page.evaluate(runInInt8, sentences))
        .finally(() => server.close());
      await page.close();
      for (const { variant, kernel, traces } of results) {
        t.diagnostic(`${variant}: ${kernel}`);
        assert(kernel === "wide" || kernel === "dot");
        assert(variant !== "simd" || kernel === "wide");
        const limit = int8Limits[kernel];
        for (const [i, { attention, embedding }] of references.entries()) {
          const { pooled = [], attention: got = [] } = traces[i] ?? {};
          const size = Number(attention[0]?.[0]?.length);
          const off = attentionDistance((layer, head) => {
            const data = Float32Array.from(got[layer]?.[head] ?? []);
            return { rows: data.length / size, cols: size, data };
          }, attention);
          assert(off <= limit.attention, `${variant}: attention is off by ${off}`);
          assert(cosine(pooled, embedding) >= limit.cosine, `${variant}: sentence ${i}`);
        }
      }
      // Both compute the same sums, whatever the threads.
      assert.deepEqual(results[0]?.traces, results[1]?.traces);
    });
  });
}
