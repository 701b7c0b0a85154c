import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { readViolations, watchViolations } from "./computed-in-page.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import { readScreen, waitForText } from "./screen.js";
import { dist, isolation, serveFolder, strictPolicy } from "./site-server.js";

const text = "the cat sat on the mat";

const ownFiles = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";
const noWasm = "default-src 'self'; frame-ancestors 'self'; form-action 'self'";

/** @type {{ how: string, options: Parameters<typeof serveFolder>[1], isolated: boolean }[]} */
const hosts = [
  { how: "isolated", options: { headers: isolation }, isolated: true },
  { how: "without any headers", options: {}, isolated: false },
  { how: "under a sub-path", options: { base: "/some/where/" }, isolated: false },
  { how: "under a strict policy", options: { headers: strictPolicy }, isolated: false },
  {
    how: "under a policy of its own files",
    options: { headers: { "Content-Security-Policy": ownFiles } },
    isolated: false,
  },
  {
    how: "isolated under a strict policy",
    options: { headers: { ...isolation, ...strictPolicy } },
    isolated: true,
  },
];

for (const { name, launch } of browsers) {
  describe(`dist/site in ${name}`, { timeout: 300000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    for (const { how, options, isolated } of hosts) {
      it(`computes the same numbers ${how}, in a worker, without a violation`, async () => {
        const server = await serveFolder(join(dist, "site"), options);
        const page = await browser.newPage();
        try {
          await watchViolations(page);
          await page.goto(server.url);
          await waitForText(page, text);
          const shown = await readScreen(page);
          const { attention } = referenceOf(text);
          assert.ok(largestDifference(shown.attention, attention) <= tolerance);
          assert.deepEqual(await readViolations(page), []);
          assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
          const line = await page.$eval("#engine", (node) => node.textContent ?? "");
          assert.match(line, /in a worker/);
          const cores = await page.evaluate(() => navigator.hardwareConcurrency);
          assert.match(line, isolated && cores > 1 ? /\d threads/ : /one thread/);
        } finally {
          await page.close();
          server.close();
        }
      });
    }

    it("says what is missing under a policy without wasm-unsafe-eval", async () => {
      const headers = { "Content-Security-Policy": noWasm };
      const server = await serveFolder(join(dist, "site"), { headers });
      const page = await browser.newPage();
      try {
        await page.goto(server.url);
        await page.waitForFunction(
          () =>
            document.querySelector("headscope-attention")?.shadowRoot?.querySelector(".failed p")
              ?.textContent,
        );
        const { status } = await readScreen(page);
        assert.match(
          status,
          /^This did not work: engine: .*cannot be compiled here: .*'wasm-unsafe-eval' in script-src/,
        );
      } finally {
        await page.close();
        server.close();
      }
    });
  });
}
