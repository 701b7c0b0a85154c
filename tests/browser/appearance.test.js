import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { contrast, inkOn, palettes, rampTo } from "../../web/plots/palette.js";
import { browsers } from "./browsers.js";
import { readScreen, settle, waitForText } from "./screen.js";
import { dist, serveFolder } from "./site-server.js";

/** @type {("light" | "dark")[]} */
const themes = ["light", "dark"];
const text = "the cat sat on the mat";

describe("the palette", () => {
  for (const theme of themes) {
    const palette = palettes[theme];
    it(`has text of at least 4.5:1 and marks of at least 3:1 in ${theme}`, () => {
      for (const name of /** @type {const} */ (["ink", "muted", "accent", "counter", "alert"])) {
        assert.ok(contrast(palette[name], palette.background) >= 4.5, name);
      }
      for (const colour of palette.series) {
        assert.ok(contrast(colour, palette.background) >= 3, colour);
      }
    });

    it(`has weights in equal steps of lightness, from the bare background, in ${theme}`, () => {
      const ramp = rampTo(theme, "accent");
      assert.equal(ramp[3], 0);
      assert.equal(ramp[255 * 4 + 3], 255);
      const opacities = Array.from({ length: 256 }, (_, step) => Number(ramp[step * 4 + 3]));
      assert.deepEqual(
        opacities,
        [...opacities].sort((a, b) => a - b),
      );
    });

    it(`writes on every weight in black or white, whichever is read better, in ${theme}`, () => {
      const strongest = contrast(
        inkOn(1, theme) === "#000000" ? "#000000" : "#ffffff",
        palette.accent,
      );
      assert.ok(strongest >= 4.5);
      const weakest = contrast(
        inkOn(0, theme) === "#000000" ? "#000000" : "#ffffff",
        palette.background,
      );
      assert.ok(weakest >= 4.5);
    });

    it(`is the same on the page as on the plots in ${theme}`, () => {
      const style = readFileSync(new URL("../../web/page/page.css", import.meta.url), "utf8");
      for (const name of /** @type {const} */ (["background", "ink", "muted", "line", "accent"])) {
        assert.ok(style.includes(`--${name}: ${palette[name]};`), name);
      }
    });
  }
});

for (const { name, launch } of browsers) {
  describe(`how the page looks in ${name}`, { timeout: 180000 }, () => {
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
      await waitForText(page, text);
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    /** @returns {Promise<{ page: string, ink: string }>} colours in use */
    function colours() {
      return page.evaluate(() => {
        const title = document
          .querySelector("headscope-attention")
          ?.shadowRoot?.querySelector(".heading h3");
        return {
          page: getComputedStyle(document.body).backgroundColor,
          ink: title ? getComputedStyle(title).color : "",
        };
      });
    }

    it("switches from the system's theme to light and to dark, with the plots", async () => {
      for (const theme of themes) {
        await page.click("#theme");
        await settle(page);
        const seen = await colours();
        assert.equal(seen.page, rgb(palettes[theme].background));
        assert.equal(seen.ink, rgb(palettes[theme].ink));
      }
      assert.match(await page.evaluate(() => location.hash), /theme=dark/);
      await page.click("#theme");
      await settle(page);
      assert.doesNotMatch(await page.evaluate(() => location.hash), /theme/);
    });

    it("has edges and underlines that tell a control of at least 3:1, stale text of 4.5:1", async () => {
      for (const theme of themes) {
        await page.evaluate((wanted) => {
          document.documentElement.dataset.theme = wanted;
          document.querySelector("headscope-attention")?.setAttribute("theme", wanted);
        }, theme);
        await settle(page);
        const seen = await page.evaluate(() => {
          const styleOf = (/** @type {Element | null | undefined} */ node) =>
            getComputedStyle(/** @type {Element} */ (node));
          const view = document
            .querySelector("headscope-attention")
            ?.shadowRoot?.querySelector(".view");
          // as after a failure; the next painting takes it away again
          view?.classList.add("stale");
          return {
            marks: {
              "the sentence's edge": styleOf(document.querySelector("#sentence")).borderBottomColor,
              "a link's underline": styleOf(document.querySelector("button.link"))
                .textDecorationColor,
              "a field's edge": styleOf(document.querySelector(".settings input"))
                .borderBottomColor,
            },
            opacity: Number(styleOf(view).opacity),
          };
        });
        const { background, ink, muted } = palettes[theme];
        for (const [what, colour] of Object.entries(seen.marks)) {
          assert.ok(contrast(hex(colour), background) >= 3, `${what} in ${theme}: ${colour}`);
        }
        for (const colour of [ink, muted]) {
          const faded = contrast(blend(colour, background, seen.opacity), background);
          assert.ok(faded >= 4.5, `stale ${colour} in ${theme}: ${faded}`);
        }
      }
      await page.reload();
      await waitForText(page, text);
    });

    if (name === "Chromium") {
      it("follows the system's theme", async () => {
        for (const theme of themes) {
          await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
          await settle(page);
          assert.deepEqual(await colours(), {
            page: rgb(palettes[theme].background),
            ink: rgb(palettes[theme].ink),
          });
        }
      });
    }

    it("never blurs a cell: pictures have one pixel a weight, enlarged without smoothing", async () => {
      const pictures = await page.evaluate(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        return Array.from(root?.querySelectorAll("canvas") ?? [], (canvas) => ({
          size: [canvas.width, canvas.height],
          rendering: getComputedStyle(canvas).imageRendering,
        }));
      });
      assert.equal(pictures.length, 9);
      for (const { size, rendering } of pictures) {
        assert.deepEqual(size, [7, 7]);
        assert.match(rendering, /pixelated|crisp-edges/);
      }
    });

    it("fits a phone in one column, in the same order, and hides nothing", async () => {
      await page.setViewport({ width: 390, height: 844 });
      await settle(page);
      await settle(page);
      const { overflow, tops, smallest } = await page.evaluate(() => {
        const root = document.querySelector("headscope-attention")?.shadowRoot;
        const panels = Array.from(root?.querySelectorAll(".panel") ?? []);
        const labels = Array.from(root?.querySelectorAll("text, p, td, th, h3, .name, .id") ?? []);
        const shown = labels.filter((node) => (node.textContent ?? "") !== "");
        const sizes = shown.map((node) => Number.parseFloat(getComputedStyle(node).fontSize));
        return {
          overflow: document.documentElement.scrollWidth - innerWidth,
          tops: panels.map((panel) => panel.getBoundingClientRect().top),
          smallest: Math.min(...sizes),
        };
      });
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      assert.equal(tops.length, 6);
      assert.deepEqual(
        tops,
        [...tops].sort((a, b) => a - b),
      );
      assert.ok(smallest >= 12, `a text of ${smallest} px`);
      assert.equal((await readScreen(page)).heads, 8);
    });
  });
}

/** @param {string} colour "#rrggbb" */
function rgb(colour) {
  return `rgb(${bytesOf(colour).join(", ")})`;
}

/** @param {string} colour "rgb(r, g, b)" */
function hex(colour) {
  const bytes = colour.match(/^rgb\((\d+), (\d+), (\d+)\)$/)?.slice(1) ?? assert.fail(colour);
  return `#${bytes.map((byte) => Number(byte).toString(16).padStart(2, "0")).join("")}`;
}

/**
 * @param {string} over "#rrggbb"
 * @param {string} behind "#rrggbb"
 * @param {number} opacity of `over`
 */
function blend(over, behind, opacity) {
  const base = bytesOf(behind);
  const mixed = bytesOf(over).map((byte, c) =>
    Math.round(Number(base[c]) + (byte - Number(base[c])) * opacity),
  );
  return hex(`rgb(${mixed.join(", ")})`);
}

/** @param {string} colour "#rrggbb" */
function bytesOf(colour) {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
