import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { settle } from "./screen.js";
import { dist, serveFolder } from "./site-server.js";

for (const { name, launch } of browsers) {
  describe(`the positions chapter in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {{ url: string, close: () => void }} */
    let server;
    /** @type {import("puppeteer-core").Page} */
    let page;

    before(async () => {
      server = await serveFolder(join(dist, "site"));
      browser = await launch();
      page = await browser.newPage();
      await page.setViewport({ width: 1280, height: 900 });
      await page.goto(server.url);
      await waitForCodes("heatmap", 64);
      await waitForCodes("table", 4);
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    /**
     * @param {string} view
     * @param {number} width
     */
    async function waitForCodes(view, width) {
      await page.waitForFunction(
        (selector, cols) => Object(document.querySelector(selector)).codes?.cols === cols,
        { timeout: 60000 },
        `headscope-positions[view=${view}]`,
        width,
      );
      await settle(page);
    }

    /**
     * @param {string} view
     * @param {string} selector
     * @returns {Promise<string[]>} texts inside the element of a view
     */
    function texts(view, selector) {
      return page.$eval(
        `headscope-positions[view=${view}]`,
        (element, inner) =>
          Array.from(element.shadowRoot?.querySelectorAll(inner) ?? [], (node) =>
            String(node.textContent),
          ),
        selector,
      );
    }

    it("shows the table at D = 4 with the decimals that tell 1 from 2", async () => {
      const cells = await texts("table", "tbody td");
      assert.deepEqual(cells.slice(0, 4), ["0.0000", "1.0000", "0.0000", "1.00000"]);
      assert.deepEqual(cells.slice(4, 8), ["0.8415", "0.5403", "0.0100", "0.99995"]);
      assert.equal(cells[11], "0.99980");
    });

    it("draws the engine's numbers: each column's frequency from the formula", async () => {
      const codes = await page.$eval("headscope-positions[view=heatmap]", (element) => {
        const { rows, cols, data } = Object(element).codes;
        return { rows, cols, data: Array.from(data) };
      });
      assert.deepEqual([codes.rows, codes.cols], [50, 64]);
      codes.data.forEach((/** @type {unknown} */ value, /** @type {number} */ i) => {
        const [position, column] = [Math.floor(i / 64), i % 64];
        const angle = position / 10000 ** ((column - (column % 2)) / 64);
        const expected = column % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
        assert.ok(Math.abs(Number(value) - expected) < 1e-6);
      });
    });

    it("names the wavelengths of the curves, from 2 pi to 2 pi 10000^(62/64)", async () => {
      const labels = (await texts("curves", "text")).filter((text) => text.startsWith("wave"));
      assert.equal(labels.length, 8);
      assert.equal(labels[0], "wavelength 6.28");
      assert.match(String(labels[7]), /^wavelength 47,1\d\d$/);
    });

    it("follows its controls and the reset", async () => {
      const field = await page.$("[name=d_model]");
      await field?.click({ count: 3 });
      await page.keyboard.type("8");
      await waitForCodes("curves", 8);
      assert.match(await page.evaluate(() => location.hash), /d_model=8/);
      await page.click("#position-settings [type=reset]");
      await waitForCodes("curves", 64);
    });

    it("shows the formula of the layout and the base that are chosen", async () => {
      const formula = () =>
        page.$$eval(".formula[data-layout]:not([hidden])", (shown) =>
          shown.map((node) => node.textContent?.replace(/\s+/g, "")).join(),
        );
      assert.match(await formula(), /^PE\(pos,2i\)=sin\(pos\/100002i\/D\)/);
      await page.select("[name=layout]", "concatenated");
      assert.match(await formula(), /^PE\(pos,i\)=sin\(pos\/10000i\/\(D\/2−1\)\)/);
      await page.click("#position-settings [type=reset]");
      assert.match(await formula(), /^PE\(pos,2i\)/);
    });

    it("reads off a position with the arrows", async () => {
      await page.$eval("headscope-positions[view=curves]", (element) => {
        const box = element.shadowRoot?.querySelector(".box");
        if (box instanceof HTMLElement) box.focus();
      });
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await settle(page);
      const shown = await texts("curves", "text.chosen");
      assert.ok(shown.includes("position 1"), shown.join());
      assert.ok(shown.includes("sin 0.84  cos 0.54"), shown.join());
    });

    it("leaves the browser its keys: arrows, Home and End with a modifier", async () => {
      const taken = await page.$eval("headscope-positions[view=curves]", (element) => {
        const box = element.shadowRoot?.querySelector(".box");
        return ["altKey", "ctrlKey", "metaKey", "shiftKey"].flatMap((modifier) =>
          ["ArrowLeft", "ArrowDown", "Home", "End"].filter((key) => {
            const init = { key, [modifier]: true, bubbles: true, cancelable: true };
            return box?.dispatchEvent(new KeyboardEvent("keydown", init)) === false;
          }),
        );
      });
      assert.deepEqual(taken, []);
    });

    it("says over the curves what is drawn: one frequency, all, or some, and whether they slow down", async () => {
      /** @type {[Record<string, string>, RegExp][]} */
      const cases = [
        [{ "d-model": "2" }, /^One frequency/],
        [{ "d-model": "16" }, /^Each frequency turns slower/],
        [{ "d-model": "16", base: "1" }, /^8 frequencies$/],
        [{ "d-model": "64", base: "1" }, /^8 of the 32 frequencies$/],
        [{ "d-model": "64", base: "10000" }, /^8 of the 32 frequencies, from the fastest/],
      ];
      for (const [attributes, expected] of cases) {
        await page.$eval(
          "headscope-positions[view=curves]",
          async (element, given) => {
            const told = new Promise((resolve) => {
              element.addEventListener("headscope-codes", resolve, { once: true });
            });
            for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
            await told;
          },
          attributes,
        );
        await settle(page);
        assert.match(String(await texts("curves", "h3")), expected);
      }
    });
  });
}
