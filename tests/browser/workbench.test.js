import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import {
  focusedPanel,
  focusPanel,
  readScreen,
  settle,
  typeSentence,
  waitForText,
} from "./screen.js";
import { dist, serveFolder } from "./site-server.js";

const first = "the cat sat on the mat";

for (const { name, launch } of browsers) {
  describe(`the workbench in ${name}`, { timeout: 300000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {{ url: string, close: () => void }} */
    let server;
    /** @type {import("puppeteer-core").Page} */
    let page;
    /** @type {string[]} */
    const complaints = [];

    before(async () => {
      server = await serveFolder(join(dist, "site"));
      browser = await launch();
      page = await browser.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.setViewport({ width: 1280, height: 900 });
      await page.goto(server.url);
      await waitForText(page, first);
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    it("draws every head of the first example, with its reference's numbers", async () => {
      const { attention } = referenceOf(first);
      const shown = await readScreen(page);
      assert.equal(shown.heads, 8);
      assert.deepEqual(shown.tokens, ["the", "cat", "sat", "on", "the", "ma", "t"]);
      assert.ok(largestDifference(shown.attention, attention) <= tolerance);
    });

    it("writes the chosen head's weights into the cells and the table", async () => {
      const weights = referenceOf(first).attention[0]?.[0] ?? [];
      const { cells, table } = await readScreen(page);
      assert.equal(cells.length, 49);
      cells.forEach((text, i) => {
        const weight = Number(weights.flat()[i]);
        const read = text === "<0.01" ? 0.0025 : Number(text);
        assert.ok(
          Math.abs(read - weight) <= tolerance + 0.005,
          `cell ${i}: ${text}, not ${weight}`,
        );
      });
      const row = (table[1] ?? []).slice(1).map(Number);
      const means = weights.map((_, key) => mean(weights.map((query) => Number(query[key]))));
      row.slice(0, 7).forEach((value, key) => {
        assert.ok(Math.abs(value - Number(means[key])) <= tolerance);
      });
      assert.ok(Math.abs(Number(row[7]) - 1) < 1e-3);
    });

    it("runs what is typed, without Enter, and puts it into the address", async () => {
      await typeSentence(page, "man bites dog");
      await waitForText(page, "man bites dog");
      const shown = await readScreen(page);
      const { attention } = referenceOf("man bites dog");
      assert.ok(largestDifference(shown.attention, attention) <= tolerance);
      const address = await page.evaluate(() => location.hash);
      assert.equal(new URLSearchParams(address.slice(1)).get("text"), "man bites dog");
    });

    it("never paints an older text over a newer one", async () => {
      const seen = await page.evaluate(async () => {
        const element =
          /** @type {import("../../web/elements/attention.js").HeadscopeAttention} */ (
            document.querySelector("headscope-attention")
          );
        /** @type {(string | undefined)[]} */
        const texts = [];
        element.addEventListener("headscope-trace", () => texts.push(element.trace?.text));
        for (let i = 0; i < 12; ++i) {
          element.setAttribute("text", `${"word ".repeat(60)}${i}`);
          await new Promise((resolve) => setTimeout(resolve, i % 3));
        }
        const last = `${"word ".repeat(60)}11`;
        const start = performance.now();
        while (texts.at(-1) !== last && performance.now() - start < 20000) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { texts, last, now: element.trace?.text };
      });
      assert.equal(seen.now, seen.last);
      const numbers = seen.texts.map((text) => Number(text?.split(" ").at(-1)));
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
    });

    it("gives an example at a click", async () => {
      await page.evaluate(() => {
        for (const button of document.querySelectorAll("#examples button")) {
          const wanted = button.textContent === "dog bites man";
          if (wanted && button instanceof HTMLElement) button.click();
        }
      });
      await waitForText(page, "dog bites man");
      const value = await page.$eval("#sentence", (box) => Object(box).value);
      assert.equal(value, "dog bites man");
    });

    it("moves between heads and tokens with the arrows, and Escape lets go", async () => {
      await focusPanel(page, "grid");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowDown");
      await settle(page);
      assert.match((await readScreen(page)).title, /^Layer 1, head 1 /);
      await focusPanel(page, "tokens");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await settle(page);
      assert.match((await readScreen(page)).note, /^“bite” looks at /);
      const screen = new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
      assert.deepEqual(
        [screen.get("layer"), screen.get("head"), screen.get("token")],
        ["1", "1", "1"],
      );
      await page.keyboard.press("Escape");
      await settle(page);
      assert.match((await readScreen(page)).note, /^Each query token/);
    });

    it("leaves the browser its keys: with a modifier, and up and down where numbers scroll", async () => {
      const press = (/** @type {string} */ panel, /** @type {KeyboardEventInit} */ init) =>
        page.$eval(
          "headscope-attention",
          (element, name, options) => {
            const box = element.shadowRoot?.querySelector(`[data-panel="${name}"]`);
            const event = new KeyboardEvent("keydown", {
              ...options,
              bubbles: true,
              cancelable: true,
            });
            box?.dispatchEvent(event);
            return event.defaultPrevented;
          },
          panel,
          init,
        );
      const before = await page.evaluate(() => location.hash);
      for (const modifier of ["altKey", "ctrlKey", "metaKey", "shiftKey"]) {
        for (const key of ["ArrowLeft", "ArrowRight", "ArrowDown", "Home", "End"]) {
          for (const panel of ["tokens", "grid", "lines", "heatmap", "numbers-panel"]) {
            const taken = await press(panel, { key, [modifier]: true });
            assert.equal(taken, false, `${modifier} ${key} in ${panel}`);
          }
        }
      }
      for (const key of ["ArrowUp", "ArrowDown", "Home", "End"]) {
        assert.equal(await press("numbers-panel", { key }), false, key);
      }
      assert.equal(await page.evaluate(() => location.hash), before);
      assert.equal(await press("lines", { key: "ArrowDown" }), true);
      await press("lines", { key: "Escape" });
    });

    it("is reached with Tab in reading order", async () => {
      await page.focus("#sentence");
      /** @type {(string | undefined)[]} */
      const order = [];
      for (let i = 0; i < 20 && order.at(-1) !== "numbers-panel"; ++i) {
        await page.keyboard.press("Tab");
        const panel = await focusedPanel(page);
        if (panel !== undefined && panel !== order.at(-1)) order.push(panel);
      }
      assert.deepEqual(order, ["tokens", "grid", "lines", "heatmap", "numbers-panel"]);
    });

    it("shows under the pointer, and pins at a click", async () => {
      const cell = await page.evaluate(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        const cells = root?.querySelector(".panel.heatmap [data-rows]");
        const box = cells?.getBoundingClientRect() ?? new DOMRect();
        return { x: box.x + box.width * 0.625, y: box.y + box.height * 0.125 };
      });
      await page.mouse.move(cell.x, cell.y);
      await settle(page);
      assert.match((await readScreen(page)).note, /^“dog” gives “s” 0\.\d{4} of its attention/);
      await page.mouse.click(cell.x, cell.y);
      await page.mouse.move(2, 2);
      await settle(page);
      assert.match((await readScreen(page)).note, /^“dog” gives “s” 0\.\d{4} of its attention/);
      await focusPanel(page, "heatmap");
      await page.keyboard.press("Escape");
    });

    it("answers a change of head within 100 ms, without the engine", async () => {
      const answered_ms = await page.evaluate(async () => {
        const element = /** @type {HTMLElement} */ (document.querySelector("headscope-attention"));
        const title = element.shadowRoot?.querySelector(".heading h3");
        const before = title?.textContent;
        const start = performance.now();
        element.setAttribute("head", "3");
        while (title?.textContent === before && performance.now() - start < 2000) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        return performance.now() - start;
      });
      assert.ok(answered_ms < 100, `${answered_ms} ms`);
    });

    it("brings the same screen back from its address", async () => {
      const text = "the mat sat on the cat";
      const other = await browser.newPage();
      await other.setViewport({ width: 1280, height: 900 });
      const screen = new URLSearchParams({ text, layer: "1", head: "2", token: "3", d_model: "4" });
      await other.goto(`${server.url}#${screen}`);
      await waitForText(other, text);
      const shown = await readScreen(other);
      assert.match(shown.title, /^Layer 1, head 2 /);
      assert.match(shown.note, /^“sat” looks at /);
      const width = await other.$eval("[name=d_model]", (field) => Object(field).value);
      assert.equal(width, "4");
      assert.equal(await other.$eval("#sentence", (box) => Object(box).value), text);
      await other.close();
    });

    it("has raised no error", () => {
      assert.deepEqual(complaints, []);
    });
  });
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
