// A smoke test of Safari's engine.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { checkComputed, computeOn } from "./computed-in-page.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import { readScreen, waitForText } from "./screen.js";
import { dist, isolation, openToAll, serveFolder, strictPolicy } from "./site-server.js";
import { launchWebKit } from "./webkit-browser.js";

const text = "the cat sat on the mat";
const oneThread = { threads: 1, worker: true, variant: /** @type {const} */ ("simd") };

/** @type {{ how: string, environment: import("./computed-in-page.js").Environment,
 *   info: Parameters<typeof checkComputed>[1] }[]} */
const environments = [
  { how: "without any headers", environment: {}, info: oneThread },
  {
    how: "isolated, which gives it no shared memory",
    environment: { serving: { headers: isolation } },
    info: { ...oneThread, reason: /SharedArrayBuffer does not exist here/ },
  },
  {
    how: "from another origin",
    environment: { elsewhere: { headers: openToAll } },
    info: oneThread,
  },
  { how: "with the engine inlined", environment: { entry: "inline.js" }, info: oneThread },
  {
    how: "with a WebAssembly.Module",
    environment: { wasm: { as: "Module", path: "wasm/simd.wasm" } },
    info: oneThread,
  },
  {
    how: "where the worker's script is missing",
    environment: { serving: { replies: { "/worker.js": { status: 404, body: "not found" } } } },
    info: { ...oneThread, worker: false },
  },
];

describe("WebKitGTK", { timeout: 300000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "headscope "));
  /** @type {Awaited<ReturnType<typeof launchWebKit>>} */
  let webkit;
  /** Read as puppeteer's are. @type {import("puppeteer-core").Page} */
  let page;

  before(async () => {
    webkit = await launchWebKit();
    page = /** @type {any} */ (webkit.page);
  });
  after(async () => {
    await webkit?.close();
    rmSync(folder, { recursive: true });
  });

  /** @param {string} expected */
  async function checkScreen(expected) {
    await waitForText(page, expected);
    const shown = await readScreen(page);
    const { attention } = referenceOf(expected);
    assert.ok(largestDifference(shown.attention, attention) <= tolerance);
    assert.equal(shown.heads, 8);
    const values = shown.attention[0]?.[0]?.flat() ?? [];
    assert.deepEqual(shown.cells, values.map(cellText));
  }

  it("shows the reference's numbers in dist/headscope.html, from a file and as typed", async () => {
    const file = join(folder, "the page.html");
    copyFileSync(join(dist, "headscope.html"), file);
    await page.goto(pathToFileURL(file).href);
    await checkScreen(text);
    await webkit.page.type("#sentence", "dog bites man");
    await checkScreen("dog bites man");
  });

  for (const [how, headers] of Object.entries({
    "without any headers": {},
    isolated: isolation,
    "under a strict policy": strictPolicy,
  })) {
    it(`shows the reference's numbers in dist/site ${how}, in a worker`, async () => {
      const server = await serveFolder(join(dist, "site"), { headers });
      try {
        await page.goto(server.url);
        await checkScreen(text);
        const line = await page.evaluate(() => document.querySelector("#engine")?.textContent);
        assert.match(line ?? "", /in a worker/);
      } finally {
        server.close();
      }
    });
  }

  it("shows overrides of the direction, controls and halves of pairs as their code points", async () => {
    const server = await serveFolder(join(dist, "site"));
    const typed = "a \u202efam\u0000ily \u{1f1ec}\u{1f1e7} \ud83d";
    try {
      await page.goto(server.url);
      await waitForText(page, text);
      // as JSON, which holds half of a pair where WebDriver may not
      await page.evaluate((json) => {
        const box = /** @type {HTMLTextAreaElement} */ (document.querySelector("#sentence"));
        box.value = JSON.parse(json);
        box.dispatchEvent(new Event("input"));
      }, JSON.stringify(typed));
      const isShown = (/** @type {string} */ json) =>
        Object(document.querySelector("headscope-attention")).trace?.text === JSON.parse(json);
      await page.waitForFunction(isShown, { timeout: 20000 }, JSON.stringify(typed));
      const { tokens } = await readScreen(page);
      for (const label of ["[U+202E]", "[U+0000]", "\u{1f1ec}\u{1f1e7}", "[U+D83D]"]) {
        assert.ok(tokens.includes(label), `${label} in ${tokens}`);
      }
    } finally {
      server.close();
    }
  });

  for (const { how, environment, info } of environments) {
    it(`computes ${how}`, async () => checkComputed(await computeOn(page, environment), info));
  }
});

/** @param {number} weight @returns {string} as it stands in a cell */
function cellText(weight) {
  if (weight === 0) return "0";
  return weight < 0.005 ? "<0.01" : weight.toFixed(2);
}
