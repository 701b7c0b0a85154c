// How Headscope's time and memory grow with the length, and what heads cost at a fixed width.
import { withPage } from "./chromium.js";
import { medianOf, spreadOf } from "./ratios.js";
import { countOperations, shapes } from "./shapes.js";
import { digits, drawTable } from "./table.js";

/** @typedef {import("./growth-page.js").Growth} Growth */
/** @typedef {typeof import("./growth-page.js")} Page */
/** @typedef {{ heads: number, times_ms: number[] }} Split */

const heads = [1, 2, 4, 8, 16];
const splitLength = 512;

/**
 * @param {{ quick: boolean, rounds: number }} options
 * @returns {Promise<{ growth: Growth[], split: Split[] }>}
 */
export async function measureGrowth({ quick, rounds }) {
  const lengths = quick ? [256, 512, 1024] : [256, 512, 1024, 2048, 4096];
  const found = await withPage({ isolated: false }, async (page) => {
    const there = await page.evaluateHandle(
      () => /** @type {Promise<Page>} */ (import(/** @type {any} */ ("./growth-page.js"))),
    );
    /** @type {Growth[]} */
    const growth = [];
    for (const length of lengths) {
      const calls = Math.max(2, Math.round(4096 / length));
      growth.push(await there.evaluate((module, ...args) => module.growTo(...args), length, calls));
    }
    const options = { heads, length: splitLength, rounds: 2 * rounds };
    const split = await there.evaluate((module, all) => module.splitHeads(all), options);
    return { growth, split };
  });
  process.stdout.write(`\n${drawGrowth(found.growth)}\n${drawSplit(found.split)}\n`);
  return found;
}

/** @param {Growth[]} growth */
function drawGrowth(growth) {
  const head = ["MiniLM-L6-H384 float32, 1 thread, nothing captured", "ms", "GF/s"];
  head.push("heap for the run, MB", "bytes a token");
  const rows = growth.map(({ length, times_ms, heap_bytes, idle_heap_bytes }) => {
    const time_ms = medianOf(times_ms);
    const bytes = heap_bytes - idle_heap_bytes;
    return [
      `${length} tokens`,
      digits(time_ms),
      (countOperations(shapes.minilm.config, length) / time_ms / 1e6).toFixed(1),
      digits(bytes / 1e6),
      (bytes / length).toFixed(0),
    ];
  });
  return drawTable(head, rows);
}

/** @param {Split[]} split the first of one head */
function drawSplit(split) {
  const head = [`Transformer of d_model 512 at ${splitLength} tokens`, "ms", "of one head's time"];
  head.push("quartiles");
  const rows = split.map(({ heads: count, times_ms }) => {
    const ratio = spreadOf(times_ms.map((time_ms, i) => time_ms / split[0].times_ms[i]));
    return [
      count === 1 ? "1 head" : `${count} heads`,
      digits(medianOf(times_ms)),
      ratio.median.toFixed(2),
      `${ratio.lower.toFixed(2)} to ${ratio.upper.toFixed(2)}`,
    ];
  });
  return drawTable(head, rows);
}
