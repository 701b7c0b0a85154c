// Cold start: each time in a Chromium of its own, on a plain page, which gives one thread.
import { withPage } from "./chromium.js";
import { judgeLeast } from "./pairs.js";
import { medianOf, spreadOf } from "./ratios.js";
import { digits, drawTable } from "./table.js";

/** @typedef {import("./cold-page.js").Stages} Stages */

/** Milliseconds from import to the first result. */
const limits = { must: 120, better: 90 };

/**
 * @param {{ starts: number }} options
 * @returns {Promise<{ headscope: Stages[], ort: Stages[] }>}
 */
export async function measureColdStart({ starts }) {
  /** @type {{ headscope: Stages[], ort: Stages[] }} */
  const found = { headscope: [], ort: [] };
  for (let i = 0; i < starts; ++i) {
    found.headscope.push(await startOnce("startHeadscope"));
    found.ort.push(await startOnce("startOrt"));
  }
  process.stdout.write(`\n${drawStages(found)}\n`);
  return found;
}

/** @param {"startHeadscope" | "startOrt"} start @returns {Promise<Stages>} */
function startOnce(start) {
  return withPage({ isolated: false }, (page) =>
    page.evaluate(async (name) => {
      const module = await import(/** @type {any} */ ("./cold-page.js"));
      return module[name]();
    }, start),
  );
}

/** @param {{ headscope: Stages[], ort: Stages[] }} found */
function drawStages({ headscope, ort }) {
  const rows = [headscope, ort].flatMap((starts, i) => {
    const side = i === 0 ? "Headscope" : "onnxruntime-web";
    return Object.keys(starts[0]).map((stage) => {
      const times = starts.map((start) => start[stage]);
      const { lower, upper } = spreadOf(times);
      const quartiles = `${digits(lower)} to ${digits(upper)}`;
      const judged = i === 0 && stage === "total";
      return [
        `${side}, ${stage}`,
        digits(medianOf(times)),
        quartiles,
        judged ? String(limits.must) : "",
        judged ? String(limits.better) : "",
        judged ? judgeLeast(medianOf(times), limits) : "",
      ];
    });
  });
  const title = "cold start, MiniLM-L6-H384 float32, 1 thread";
  return drawTable([title, "ms", "quartiles", "must", "better", "verdict"], rows);
}
