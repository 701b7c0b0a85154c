import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { readScreen, settle, typeSentence, waitForText } from "./screen.js";
import { dist, serveFolder } from "./site-server.js";

for (const { name, launch } of browsers) {
  describe(`states of the page in ${name}`, { timeout: 300000 }, () => {
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
      await waitForText(page, "the cat sat on the mat");
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    /**
     * @param {string} text
     * @returns {Promise<import("./screen.js").Shown>}
     */
    async function show(text) {
      await page.evaluate((typed) => {
        const box = /** @type {HTMLTextAreaElement} */ (document.querySelector("#sentence"));
        box.value = typed;
        box.dispatchEvent(new Event("input", { bubbles: true }));
      }, text);
      await waitForText(page, text);
      return readScreen(page);
    }

    it("offers an example where the sentence is empty", async () => {
      await typeSentence(page, "");
      await waitForText(page, "");
      const shown = await readScreen(page);
      assert.match(shown.status, /no tokens/);
      assert.equal(shown.heads, 0);
      const offered = await page.evaluate(
        () => document.querySelector("[slot=empty]")?.getBoundingClientRect().height ?? 0,
      );
      assert.ok(offered > 0);
    });

    it("shows one token looking at itself", async () => {
      const shown = await show("the");
      assert.deepEqual(shown.attention.flat(3), Array(8).fill(1));
      assert.deepEqual(shown.cells, ["1.00"]);
    });

    it("shows 128 tokens, and says how much of a longer text was cut", async () => {
      const full = await show("the ".repeat(127).concat("the"));
      assert.equal(full.attention[0]?.[0]?.length, 128);
      assert.equal(full.status, "");
      const cut = await show("the ".repeat(153).concat("the"));
      assert.equal(cut.attention[0]?.[0]?.length, 128);
      assert.match(cut.status, /at most 128 tokens\. This text has 154: the last 26 were cut/);
    });

    it("marks what the model does not know, as it was typed", async () => {
      const shown = await show("日本語 and 😀 emoji");
      const strange = await page.evaluate(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        return Array.from(
          root?.querySelectorAll(".text.unknown") ?? [],
          (node) => node.textContent,
        );
      });
      assert.deepEqual(strange, ["日本語", "😀"]);
      assert.ok(shown.tokens.includes("and"));
    });

    it("sets a text that runs from right to left in its own direction", async () => {
      await show("مرحبا بالعالم");
      const places = await page.evaluate(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        const chips = Array.from(root?.querySelectorAll(".token") ?? []);
        return chips.map((chip) => chip.getBoundingClientRect().left);
      });
      assert.ok(places.length > 4);
      assert.deepEqual(
        places,
        [...places].sort((a, b) => b - a),
      );
    });

    it("says in one line that one thread computes, and why", async () => {
      const line = await page.$eval("#engine", (node) => node.textContent ?? "");
      assert.match(line, /\d tokens? · computed in .* ms/);
      assert.match(line, /one thread.*isolat/);
    });

    it("shows that the model comes in, and stops when asked", async () => {
      const waiting = await browser.newPage();
      await waiting.evaluateOnNewDocument(() => {
        const real = globalThis.fetch;
        Object.assign(globalThis, { waits: true });
        globalThis.fetch = (input, options) => {
          const address = String(input instanceof Request ? input.url : input);
          if (!Object(globalThis).waits || !address.includes("safetensors")) {
            return real(input, options);
          }
          return new Promise((_, reject) => {
            options?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
          });
        };
      });
      await waiting.goto(server.url);
      await waiting.waitForFunction(() => {
        const bar = document
          .querySelector("headscope-attention")
          ?.shadowRoot?.querySelector("progress");
        return bar instanceof HTMLElement && bar.getBoundingClientRect().width > 0;
      });
      await pressInStatus(waiting, "Stop");
      await settle(waiting);
      assert.match((await readScreen(waiting)).status, /^Stopped/);
      await waiting.evaluate(() => Object.assign(globalThis, { waits: false }));
      await pressInStatus(waiting, "Try again");
      await waitForText(waiting, "the cat sat on the mat");
      await waiting.close();
    });

    for (const sized of [true, false]) {
      const size = sized ? "tells" : "does not tell";
      it(`counts the bytes of a model whose size the server ${size}, then prepares it`, async () => {
        const waiting = await browser.newPage();
        await waiting.evaluateOnNewDocument(slowWeights, sized);
        await waiting.goto(server.url);
        await waiting.waitForFunction(() => Object(globalThis).heard.at(-1)?.includes("MB"));
        const before = await waiting.evaluate(() => Object(globalThis).heard);
        assert.match(before.at(-1), sized ? /1\.\d MB of \d\.\d MB$/ : /model: 1\.\d MB$/);
        assert.doesNotMatch(before.join(), /Preparing/);
        const value = await waiting.$eval("headscope-attention", (element) =>
          element.shadowRoot?.querySelector("progress")?.hasAttribute("value"),
        );
        assert.equal(value, sized);
        await waiting.evaluate(() => Object(globalThis).goOn());
        await waitForText(waiting, "the cat sat on the mat");
        const heard = await waiting.evaluate(() => Object(globalThis).heard.filter(Boolean));
        const preparing = heard.findIndex((/** @type {string} */ line) => line.startsWith("Prep"));
        if (preparing >= 0) assert.equal(preparing, heard.length - 1, heard.join("\n"));
        await waiting.close();
      });
    }

    it("says what failed and what to do, and tries again when asked", async () => {
      const broken = await browser.newPage();
      await broken.evaluateOnNewDocument(() => {
        const real = globalThis.fetch;
        Object.assign(globalThis, { fails: true });
        globalThis.fetch = (input, options) => {
          const address = String(input instanceof Request ? input.url : input);
          const fails = Object(globalThis).fails && address.includes("safetensors");
          return fails ? Promise.reject(new TypeError("no network")) : real(input, options);
        };
      });
      await broken.goto(server.url);
      await broken.waitForFunction(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        return root?.querySelector(".status.failed") !== null;
      });
      const shown = await readScreen(broken);
      assert.match(shown.status, /^This did not work: .*safetensors.*try again\.$/);
      await broken.evaluate(() => Object.assign(globalThis, { fails: false }));
      await pressInStatus(broken, "Try again");
      await waitForText(broken, "the cat sat on the mat");
      await settle(broken);
      assert.equal((await readScreen(broken)).status, "");
      await broken.close();
    });
  });
}

/**
 * Runs in the page before its scripts: the weights come in as far as 1 MB, and the rest when
 * `goOn()` is called; `heard` is every status that was told.
 *
 * @param {boolean} sized whether the server tells the size of the weights
 */
function slowWeights(sized) {
  const goOn = new Promise((resolve) => Object.assign(globalThis, { goOn: resolve }));
  /** @type {string[]} */
  const heard = [];
  Object.assign(globalThis, { heard });
  const watch = () => {
    const status = document.querySelector("headscope-attention")?.shadowRoot;
    const line = status?.querySelector("[role=status]")?.textContent ?? "";
    if (line !== heard.at(-1)) heard.push(line);
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
  const real = globalThis.fetch;
  globalThis.fetch = async (input, options) => {
    const answer = await real(input, options);
    if (!String(input instanceof Request ? input.url : input).includes("safetensors"))
      return answer;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(bytes.subarray(0, 1e6));
        await goOn;
        controller.enqueue(bytes.subarray(1e6));
        controller.close();
      },
    });
    const packed = { "content-encoding": "gzip" };
    const headers = { "content-length": String(bytes.length), ...(sized ? {} : packed) };
    return new Response(body, { headers });
  };
}

/**
 * @param {import("puppeteer-core").Page} page
 * @param {string} label of a button in the element
 */
async function pressInStatus(page, label) {
  await page.evaluate((wanted) => {
    const root = document.querySelector("headscope-attention")?.shadowRoot;
    for (const button of root?.querySelectorAll("button") ?? []) {
      if (button.textContent === wanted) button.click();
    }
  }, label);
}
