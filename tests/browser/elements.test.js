import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { browsers } from "./browsers.js";
import { settle, waitForText } from "./screen.js";
import { dist, serveFolder } from "./site-server.js";

const document_ = `<!doctype html><meta charset="utf-8">
<headscope-attention text="dog bites man" view="heatmap" layer="0" head="2"></headscope-attention>
<headscope-attention id="given" view="grid"></headscope-attention>
<script type="module">
  const given = document.getElementById("given");
  const { Trace } = await import("./dist/trace.js");
  given.trace = Trace.from({
    tokens: ["a", "b"], n_layers: 1, n_heads: 2,
    attention: [[[[1, 0], [0.5, 0.5]], [[0, 1], [1, 0]]]],
  });
  await import("./dist/elements.js");
  await import("./dist/elements.js?again");
</script>`;

it("elements can be imported where there is no document", async () => {
  const module = await import(pathToFileURL(join(dist, "elements.js")).href);
  assert.equal(typeof module.HeadscopeAttention, "function");
});

for (const { name, launch } of browsers) {
  describe(`elements on a page of one's own in ${name}`, { timeout: 180000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), "headscope-"));
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {{ url: string, close: () => void }} */
    let server;
    /** @type {import("puppeteer-core").Page} */
    let page;
    /** @type {string[]} */
    const complaints = [];

    before(async () => {
      writeFileSync(join(folder, "index.html"), document_);
      symlinkSync(dist, join(folder, "dist"));
      server = await serveFolder(folder);
      browser = await launch();
      page = await browser.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(server.url);
      await waitForText(page, "dog bites man");
    });
    after(async () => {
      await browser?.close();
      server?.close();
      rmSync(folder, { recursive: true });
    });

    it("run the text of their attribute on the model that ships", async () => {
      const shown = await page.$eval("headscope-attention", (element) => ({
        title: element.shadowRoot?.querySelector("h3")?.textContent ?? "",
        values: element.shadowRoot?.querySelectorAll("text.value").length ?? 0,
      }));
      assert.match(shown.title, /^Layer 0, head 2 /);
      assert.equal(shown.values, 16);
    });

    it("show a trace that was set before they were defined, without an engine", async () => {
      const heads = await page.$eval("#given", (element) => {
        return element.shadowRoot?.querySelectorAll(".head canvas").length;
      });
      assert.equal(heads, 2);
    });

    it("tell of a choice, and take one by attribute", async () => {
      const told = await page.$eval("#given", async (element) => {
        /** @type {unknown[]} */
        const details = [];
        element.addEventListener("headscope-select", (event) => details.push(Object(event).detail));
        const head = element.shadowRoot?.querySelector("#head-0-1");
        const box = head?.getBoundingClientRect() ?? new DOMRect();
        const at = { clientX: box.x + 5, clientY: box.y + 5 };
        head?.dispatchEvent(new MouseEvent("click", { ...at, bubbles: true, composed: true }));
        return { details, head: element.getAttribute("head") };
      });
      assert.deepEqual(told, { details: [{ layer: 0, head: 1, token: null }], head: "1" });
      await page.$eval("#given", (element) => element.setAttribute("head", "0"));
      await settle(page);
      const chosen = await page.$eval("#given", (element) => {
        return element.shadowRoot?.querySelector("[aria-selected=true]")?.id;
      });
      assert.equal(chosen, "head-0-0");
    });

    it("are defined once, though their script is loaded twice", () => {
      assert.deepEqual(complaints, []);
    });
  });
}
