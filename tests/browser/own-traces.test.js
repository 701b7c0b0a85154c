import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { serveOwnPage } from "./own-page.js";
import { settle } from "./screen.js";

const body = `<meta name="viewport" content="width=device-width">
<headscope-attention></headscope-attention>
<script type="module">
  import { headRoles, Trace } from "./dist/trace.js";
  import "./dist/elements.js";
  const element = document.querySelector("headscope-attention");
  element.errors = [];
  element.addEventListener("headscope-error", ({ detail }) => element.errors.push(detail.error));
  // every head spreads its weights evenly over all tokens
  const fieldsOf = (name, heads, counted, tokens) => ({
    text: tokens.join(" "),
    tokens: Trace.from({ tokens, n_layers: 1, n_heads: 1, attention: evenly(1, tokens.length) }).tokens,
    config: { n_layers: 1, n_heads: counted },
    pooled: new Float32Array(),
    timing: {},
    data: evenly(heads, tokens.length),
    entries: Array.from({ length: heads }, (_, head) => ({
      name, layer: 0, head, rows: tokens.length, cols: tokens.length,
      offset: head * tokens.length ** 2,
    })),
  });
  const evenly = (heads, count) => new Float32Array(heads * count ** 2).fill(1 / count);
  element.make = (...fields) => new Trace(fieldsOf(...fields));
  element.from = (given) => Trace.from(given);
  element.rolesOf = (trace) => headRoles([trace]);
</script>`;

for (const { name, launch } of browsers) {
  describe(`a trace of one's own in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    /** @type {{ url: string, close: () => void }} */
    let server;
    /** @type {import("puppeteer-core").Page} */
    let page;
    /** @type {string[]} */
    const complaints = [];

    before(async () => {
      server = await serveOwnPage(body);
      browser = await launch();
      page = await browser.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.setViewport({ width: 1280, height: 900 });
      await page.goto(server.url);
      await page.waitForFunction(
        () => "make" in Object(document.querySelector("headscope-attention")),
      );
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    /**
     * Shows a trace of one layer.
     *
     * @param {string} view
     * @param {{ name?: string, heads?: number, counted?: number, tokens: string[] }} made counted:
     *   by the config
     */
    async function show(view, { name = "attention", heads = 2, counted = heads, tokens }) {
      await page.$eval(
        "headscope-attention",
        (element, shown, ...fields) => {
          element.setAttribute("view", shown);
          Object.assign(element, { errors: [], trace: Object(element).make(...fields) });
        },
        view,
        name,
        heads,
        counted,
        tokens,
      );
      await settle(page);
      await settle(page);
    }

    /** @returns {Promise<{ status: string, buttons: string[], errors: string[], heads: number }>} */
    function read() {
      return page.$eval("headscope-attention", (element) => {
        const root = element.shadowRoot;
        const status = root?.querySelector(".status.failed");
        const shown = Array.from(root?.querySelectorAll("button, .head canvas") ?? []).filter(
          (node) => node.getBoundingClientRect().width > 0,
        );
        return {
          status: status?.querySelector("p")?.textContent ?? "",
          buttons: shown.flatMap((node) =>
            node instanceof HTMLButtonElement ? [node.textContent ?? ""] : [],
          ),
          errors: Object(element).errors.map((/** @type {{ code: string }} */ { code }) => code),
          heads: shown.filter((node) => node instanceof HTMLCanvasElement).length,
        };
      });
    }

    it("without attention is a failure that is shown and told, in every view of weights", async () => {
      for (const view of ["head", "heatmap", "grid", "numbers", "workbench"]) {
        await show(view, { name: "scores", tokens: ["a", "b"] });
        const shown = await read();
        assert.match(shown.status, /^This trace cannot be drawn: .*"attention" was not captured/);
        assert.deepEqual(shown.errors, ["not-found"], view);
        assert.deepEqual(shown.buttons, ["Copy the details"]);
        assert.equal(shown.heads, 0);
      }
    });

    it("without attention still shows its tokens, and gives way to one that can be drawn", async () => {
      await page.$eval("headscope-attention", (element) => element.setAttribute("view", "tokens"));
      await settle(page);
      assert.equal((await read()).status, "");
      await show("grid", { tokens: ["a", "b"] });
      const shown = await read();
      assert.deepEqual([shown.status, shown.heads], ["", 2]);
    });

    it("shows the heads that it holds, whatever its config counts", async () => {
      for (const view of ["grid", "workbench"]) {
        await show(view, { heads: 2, counted: 5, tokens: ["a", "b", "c"] });
        const shown = await read();
        assert.deepEqual([shown.status, shown.heads, shown.errors], ["", 2, []], view);
      }
      await page.$eval("headscope-attention", (element) => element.setAttribute("head", "4"));
      await settle(page);
      const chosen = await page.$eval(
        "headscope-attention",
        (element) => Object(element).selection,
      );
      assert.equal(chosen.head, 1);
      assert.equal((await read()).status, "");
    });

    it("has its heads named as headRoles names them, also where two places tie", async () => {
      const { title, labels } = await page.$eval("headscope-attention", async (element) => {
        const own = Object(element);
        // the token before, the one behind and the token itself get one half each
        const attention = [
          [
            [
              [0.5, 0.5],
              [0.5, 0.5],
            ],
          ],
        ];
        own.trace = own.from({ tokens: ["a", "b"], attention });
        element.setAttribute("view", "workbench");
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return {
          title: element.shadowRoot?.querySelector(".heading h3")?.textContent ?? "",
          labels: own.rolesOf(own.trace).map((/** @type {{ label: string }} */ role) => role.label),
        };
      });
      assert.deepEqual(labels, ["previous"]);
      assert.equal(title, "Layer 0, head 0 looks at the previous token: 50%");
    });

    it("has targets of at least 24 px: token rows of 128 tokens, twelve heads on a phone", async () => {
      /** @returns {Promise<number[]>} the lesser side of every target */
      const sides = (/** @type {string} */ selector) =>
        page.$eval(
          "headscope-attention",
          (element, wanted) =>
            Array.from(element.shadowRoot?.querySelectorAll(wanted) ?? [], (node) => {
              const { width, height } = node.getBoundingClientRect();
              return Math.min(width, height);
            }),
          selector,
        );
      for (const count of [20, 40, 128]) {
        const tokens = Array.from({ length: count }, (_, index) => `t${index}`);
        await show("head", { heads: 1, tokens });
        const rows = await sides(".lines .end rect");
        assert.equal(rows.length, 2 * count);
        assert.ok(Math.min(...rows) >= 24, `${count} tokens: ${Math.min(...rows)} px`);
      }
      await page.setViewport({ width: 390, height: 844 });
      await show("grid", { heads: 12, tokens: ["a", "b", "c"] });
      const pictures = await sides(".head canvas");
      assert.equal(pictures.length, 12);
      assert.ok(Math.min(...pictures) >= 24, `${Math.min(...pictures)} px`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${over} px too wide`);
    });

    it("raises nothing that nobody catches", () => {
      assert.deepEqual(complaints, []);
    });
  });
}
