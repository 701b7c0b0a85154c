import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { serveOwnPage } from "./own-page.js";

const body = `<script type="module">
  import { Trace } from "./dist/trace.js";
  import "./dist/elements.js";
  globalThis.give = (tokens) =>
    Trace.from({ tokens, n_layers: 1, n_heads: 1,
      attention: new Float32Array(tokens.length ** 2).fill(1 / tokens.length) });
  globalThis.create = (attributes) => {
    const element = document.createElement("headscope-attention");
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  globalThis.shows = async (element, text) => {
    const started = performance.now();
    while (element.trace?.text !== text && performance.now() - started < 30000) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return element.trace?.text ?? null;
  };
  globalThis.says = async (element, start) => {
    const started = performance.now();
    const said = () => element.shadowRoot.querySelector(".status:not([hidden]) p")?.textContent ?? "";
    while (!said().startsWith(start) && performance.now() - started < 30000) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return said();
  };
  globalThis.press = (element, label) => {
    const buttons = [...element.shadowRoot.querySelectorAll("button")];
    buttons.find((button) => button.textContent === label).click();
  };
</script>`;

for (const { name, launch } of browsers) {
  describe(`an element that comes, goes and waits in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {{ url: string, close: () => void }} */
    let server;
    /** @type {import("puppeteer-core").Page} */
    let page;

    before(async () => {
      server = await serveOwnPage(body);
      browser = await launch();
      page = await browser.newPage();
      await page.goto(server.url);
      await page.waitForFunction(() => "press" in globalThis);
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });
    beforeEach(() => page.evaluate(() => document.body.replaceChildren()));

    it("runs the text that it was given while it was off the page", async () => {
      const texts = await page.evaluate(async () => {
        const { create, shows } = Object(globalThis);
        const element = create({ text: "dog bites man" });
        document.body.append(element);
        const first = await shows(element, "dog bites man");
        element.remove();
        element.setAttribute("text", "man bites dog");
        document.body.append(element);
        return [first, await shows(element, "man bites dog")];
      });
      assert.deepEqual(texts, ["dog bites man", "man bites dog"]);
    });

    it("runs anew what was under way when it was moved, and only that", async () => {
      const seen = await page.evaluate(async () => {
        const { create, shows } = Object(globalThis);
        const element = create({ text: "the cat" });
        let runs = 0;
        element.addEventListener("headscope-trace", () => ++runs);
        document.body.append(element);
        element.remove();
        document.body.append(element);
        const moved = await shows(element, "the cat");
        element.remove();
        document.body.append(element);
        await new Promise((resolve) => setTimeout(resolve, 300));
        return { moved, runs };
      });
      assert.deepEqual(seen, { moved: "the cat", runs: 1 });
    });

    it("keeps a trace that it was given, until another text is asked for", async () => {
      const texts = await page.evaluate(async () => {
        const { create, give, shows } = Object(globalThis);
        const element = create({ text: "the cat" });
        element.trace = give(["a", "b"]);
        document.body.append(element);
        await new Promise((resolve) => setTimeout(resolve, 300));
        const kept = element.trace.text;
        element.remove();
        element.setAttribute("text", "the mat");
        document.body.append(element);
        return [kept, await shows(element, "the mat")];
      });
      assert.deepEqual(texts, ["a b", "the mat"]);
    });

    it("says so when the engine is gone, and loads another when asked to try again", async () => {
      const seen = await page.evaluate(async () => {
        const { create, press, says, shows } = Object(globalThis);
        const element = create({ text: "the cat" });
        document.body.append(element);
        await shows(element, "the cat");
        await element.encoder.engine.dispose();
        element.setAttribute("text", "the mat");
        const failure = await says(element, "This did not work");
        press(element, "Try again");
        return { failure, text: await shows(element, "the mat") };
      });
      assert.match(seen.failure, /^This did not work: .*disposed/);
      assert.equal(seen.text, "the mat");
    });

    it("shows that it was stopped, to all that wait for the same model", async () => {
      const said = await page.evaluate(async () => {
        const { create, press, says } = Object(globalThis);
        const real = globalThis.fetch;
        globalThis.fetch = (input, options) => {
          if (!String(input).includes("/nowhere/")) return real(input, options);
          return new Promise((_, reject) => {
            const stop = () => reject(new DOMException("stopped", "AbortError"));
            options?.signal?.addEventListener("abort", stop);
          });
        };
        const pair = ["a", "b"].map((text) => create({ text, model: "./nowhere/" }));
        document.body.append(...pair);
        for (const element of pair) await says(element, "Starting");
        press(pair[0], "Stop");
        const stopped = await Promise.all(pair.map((element) => says(element, "Stopped")));
        globalThis.fetch = real;
        return stopped;
      });
      assert.match(said[0], /^Stopped/);
      assert.match(said[1], /^Stopped/);
    });
  });
}
