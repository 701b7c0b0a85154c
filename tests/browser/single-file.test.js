import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { browsers } from "./browsers.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import { readScreen, typeSentence, waitForText } from "./screen.js";
import { dist } from "./site-server.js";

/** Half a second without a frame is a page that hangs, on a busy machine too. */
const freeze_ms = 500;

for (const { name, launch } of browsers) {
  describe(`dist/headscope.html from a file in ${name}`, { timeout: 300000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), "headscope-"));
    const file = join(folder, "a folder with spaces", "the page.html");
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {import("puppeteer-core").Page} */
    let page;
    /** @type {string[]} */
    const requests = [];

    before(async () => {
      mkdirSync(join(folder, "a folder with spaces"));
      copyFileSync(join(dist, "headscope.html"), file);
      browser = await launch();
      page = await browser.newPage();
      page.on("request", (request) => requests.push(request.url()));
      await page.evaluateOnNewDocument(() => {
        const frames = { longest_ms: 0, last: 0 };
        Object.assign(globalThis, { frames });
        const tick = (/** @type {number} */ now) => {
          if (frames.last > 0) frames.longest_ms = Math.max(frames.longest_ms, now - frames.last);
          frames.last = now;
          requestAnimationFrame(tick);
        };
        // from when the page is there: what the browser does to read it is not computing
        addEventListener("load", () => requestAnimationFrame(tick));
      });
      await page.goto(pathToFileURL(file).href);
      await waitForText(page, "the cat sat on the mat");
    });
    after(async () => {
      await browser?.close();
      rmSync(folder, { recursive: true });
    });

    it("computes the reference's numbers", async () => {
      const shown = await readScreen(page);
      const { attention } = referenceOf("the cat sat on the mat");
      assert.equal(shown.heads, 8);
      assert.ok(largestDifference(shown.attention, attention) <= tolerance);
    });

    it("runs what is typed, and keeps it in the address", async () => {
      await typeSentence(page, "dog bites man");
      await waitForText(page, "dog bites man");
      const shown = await readScreen(page);
      const { attention } = referenceOf("dog bites man");
      assert.ok(largestDifference(shown.attention, attention) <= tolerance);
      assert.match(await page.evaluate(() => location.hash), /text=dog\+bites\+man/);
    });

    it("shows positions", async () => {
      const table = await page.evaluate(() => {
        const element = document.querySelector("headscope-positions[view=table]");
        return element?.shadowRoot?.textContent ?? "";
      });
      assert.match(table, /0\.99995/);
    });

    it("keeps painting frames while it loads and computes", async () => {
      await typeSentence(page, "the ".repeat(128));
      await waitForText(page, "the ".repeat(128));
      const { longest_ms } = await page.evaluate(() => Object(globalThis).frames);
      assert.ok(longest_ms > 0 && longest_ms < freeze_ms, `${longest_ms} ms between two frames`);
    });

    it("asks for nothing but itself", async () => {
      // Firefox reports no requests for files to its driver, but both keep a list in the page
      const listed = await page.evaluate(() =>
        performance.getEntriesByType("resource").map((entry) => entry.name),
      );
      const others = [...requests, ...listed].filter((url) => !/^(data|blob):/.test(url));
      const paths = new Set(others.map((url) => decodeURIComponent(new URL(url).pathname)));
      assert.deepEqual(
        [...paths].filter((path) => path !== file),
        [],
      );
    });
  });
}
