// What a page leaves behind when it is left: nothing that computes.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import { readScreen, waitForText } from "./screen.js";
import { dist, isolation, serveFolder } from "./site-server.js";

const text = "the cat sat on the mat";

for (const { name, launch } of browsers) {
  describe(`leaving a page in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {{ url: string, close: () => void }} */
    let server;
    /** @type {import("puppeteer-core").Page} */
    let page;

    before(async () => {
      server = await serveFolder(dist, { headers: isolation });
      browser = await launch();
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    it("loads 20 times over with the same numbers, and with the workers of one page", async () => {
      page = await browser.newPage();
      await page.evaluateOnNewDocument(() => {
        const count = { made: 0, ended: 0 };
        Object.assign(globalThis, { workers: count });
        globalThis.Worker = class extends Worker {
          /** @param {ConstructorParameters<typeof Worker>} args */
          constructor(...args) {
            super(...args);
            ++count.made;
          }
          /** @override */
          terminate() {
            super.terminate();
            ++count.ended;
          }
        };
      });
      await page.goto(`${server.url}site/index.html`);
      const { attention } = referenceOf(text);
      // The engine's worker and those of its further threads: the page makes them all, because Firefox
      // hangs at times where a worker makes workers.
      const threads = await page.evaluate(() => Math.min(4, navigator.hardwareConcurrency));
      for (let load = 0; load <= 20; ++load) {
        if (load > 0) await page.reload();
        await waitForText(page, text);
        const shown = await readScreen(page);
        assert.ok(largestDifference(shown.attention, attention) <= tolerance, `load ${load}`);
        const { made, ended } = await page.evaluate(() => Object(globalThis).workers);
        assert.deepEqual({ made, ended }, { made: threads, ended: 0 }, `load ${load}`);
      }
      const listed = page.workers().map((worker) => worker.url().replace(/^.*\//, ""));
      assert.equal(listed.filter((name) => name === "worker.js").length, 1);
      assert.equal(listed.filter((name) => name.includes("-threads")).length, threads - 1);
      assert.equal(listed.length, threads);
      await page.close();
    });

    it("ends the workers of a page that does not come back, and keeps those of one that may", async () => {
      page = await browser.newPage();
      await page.goto(`${server.url}trace.js`);
      const ended = await page.evaluate(async () => {
        let count = 0;
        const { terminate } = Worker.prototype;
        Worker.prototype.terminate = function () {
          ++count;
          terminate.call(this);
        };
        const { createEngine } = await import(new URL("index.js", location.href).href);
        const engine = await createEngine({ threads: 2 });
        const counts = [count];
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
        counts.push(count);
        const bytes = await engine.heapBytes();
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
        counts.push(count);
        await engine.dispose();
        const after = count;
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
        return { counts, computes: bytes > 0, listens: count > after };
      });
      assert.deepEqual(ended, { counts: [0, 0, 2], computes: true, listens: false });
      await page.close();
    });

    it("leaves no worker behind when an engine is disposed, or does not start", async () => {
      page = await browser.newPage();
      await page.goto(`${server.url}trace.js`);
      const left = await page.evaluate(async () => {
        /** @type {Set<Worker>} */
        const alive = new Set();
        globalThis.Worker = class extends Worker {
          /** @param {ConstructorParameters<typeof Worker>} args */
          constructor(...args) {
            super(...args);
            alive.add(this);
          }
          /** @override */
          terminate() {
            super.terminate();
            alive.delete(this);
          }
        };
        const { createEngine } = await import(new URL("index.js", location.href).href);
        const engine = await createEngine({ threads: 2 });
        const counts = [alive.size];
        await engine.dispose();
        counts.push(alive.size);
        const wasm = new URL("nowhere/", location.href);
        const { code } = await createEngine({ wasm }).catch((/** @type {any} */ error) => error);
        return { counts: [...counts, alive.size], code };
      });
      assert.deepEqual(left, { counts: [2, 0, 0], code: "not-found" });
      await page.close();
    });
  });
}
