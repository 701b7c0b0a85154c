import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import { readScreen, waitForText } from "./screen.js";
import { dist, isolation, serveFolder, strictPolicy } from "./site-server.js";

const text = "the cat sat on the mat";

/** @type {{ how: string, options: Parameters<typeof serveFolder>[1], isolated: boolean }[]} */
const hosts = [
  { how: "isolated", options: { headers: isolation }, isolated: true },
  { how: "without any headers", options: {}, isolated: false },
  { how: "under a sub-path", options: { base: "/some/where/" }, isolated: false },
  { how: "under a strict policy", options: { headers: strictPolicy }, isolated: false },
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
          await page.evaluateOnNewDocument(() => {
            /** @type {string[]} */
            const violations = [];
            Object.assign(globalThis, { violations });
            addEventListener("securitypolicyviolation", (event) => {
              violations.push(`${event.effectiveDirective} ${event.blockedURI}`);
            });
          });
          await page.goto(server.url);
          await waitForText(page, text);
          const shown = await readScreen(page);
          const { attention } = referenceOf(text);
          assert.ok(largestDifference(shown.attention, attention) <= tolerance);
          assert.deepEqual(await page.evaluate(() => Object(globalThis).violations), []);
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
  });
}
