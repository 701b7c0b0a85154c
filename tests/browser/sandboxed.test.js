// The single page inside a sandboxed frame, as notebooks and editors show HTML: no origin, no
// address, no storage.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import { readScreen, waitForText } from "./screen.js";
import { dist, serveFolder } from "./site-server.js";

/** @typedef {import("puppeteer-core").Page} Page */

for (const { name, launch } of browsers) {
  describe(`dist/headscope.html in a sandboxed frame in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {{ url: string, close: () => void }} */
    let server;
    /** The frame reads as a page does. @type {Page} */
    let frame;
    /** @type {string[]} */
    const complaints = [];

    before(async () => {
      server = await serveFolder(dist);
      browser = await launch();
      const page = await browser.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(`${server.url}trace.js`);
      await page.evaluate(async (address) => {
        const holder = document.createElement("iframe");
        holder.setAttribute("sandbox", "allow-scripts");
        holder.style.cssText = "width: 1200px; height: 800px";
        holder.srcdoc = await (await fetch(address)).text();
        document.body.append(holder);
        await new Promise((resolve) => holder.addEventListener("load", resolve));
      }, `${server.url}headscope.html`);
      const inner = page.frames().find((each) => each !== page.mainFrame());
      frame = /** @type {Page} */ (/** @type {unknown} */ (inner));
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    it("computes the reference's numbers in a worker", async () => {
      await waitForText(frame, "the cat sat on the mat");
      const shown = await readScreen(frame);
      const { attention } = referenceOf("the cat sat on the mat");
      assert.ok(largestDifference(shown.attention, attention) <= tolerance);
      assert.equal(await frame.evaluate(() => origin), "null");
      const line = await frame.$eval("#engine", (node) => node.textContent ?? "");
      assert.match(line, /in a worker/);
    });

    it("runs what is typed and chosen, without an address to keep it in", async () => {
      await frame.evaluate(() => {
        const box = /** @type {HTMLTextAreaElement} */ (document.querySelector("textarea"));
        box.value = "dog bites man";
        box.dispatchEvent(new Event("input"));
      });
      await waitForText(frame, "dog bites man");
      await frame.evaluate(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        const head = root?.querySelector('[data-layer="1"][data-head="2"]');
        const { left, top } = /** @type {Element} */ (head).getBoundingClientRect();
        const place = { clientX: left + 5, clientY: top + 5, bubbles: true };
        head?.dispatchEvent(new MouseEvent("click", place));
      });
      await frame.waitForFunction(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        return root?.querySelector(".heading h3")?.textContent?.startsWith("Layer 1, head 2");
      });
      const { attention } = referenceOf("dog bites man");
      assert.ok(largestDifference((await readScreen(frame)).attention, attention) <= tolerance);
      await frame.evaluate(() => document.getElementById("theme")?.click());
      assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), "light");
      assert.deepEqual(complaints, []);
    });
  });
}
