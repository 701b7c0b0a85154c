// What readers type and what foreign traces hold reaches the page as text only, and stays within its
// own label: markup, controls, overrides of the direction, halves of pairs, piled marks, long tokens.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { shorten, tokenLabel, tokenName } from "../../web/plots/token-label.js";
import { browsers } from "./browsers.js";
import { serveOwnPage } from "./own-page.js";
import { settle, waitForText } from "./screen.js";
import { dist, serveFolder } from "./site-server.js";

const family =
  "\u{1f468}\u{1f3ff}\u200d\u{1f469}\u{1f3ff}\u200d\u{1f467}\u{1f3ff}\u200d\u{1f466}\u{1f3ff}";
const shalom = "\u05e9\u05dc\u05d5\u05dd";

/** @type {Record<string, string>} */
const texts = {
  markup: '<img src=x onerror="ran=1"></script><script>ran=1</script> &lt;b&gt; <svg/onload=ran=1>',
  controls: "a\u0000b \u0007 \u001b[31m d\u0085 e\u200bf \ufeff g\u00adh",
  "overrides of the direction": "abc \u202edef ghi \u2069 rtl \u2067tail \u200f!",
  "right to left": `${shalom} (${shalom}) 42!`,
  "emoji and marks": `a ${family} \u{1f1ec}\u{1f1e7} 1\ufe0f\u20e3 lone \u0301 z${"\u0301\u0323\u0336".repeat(20)}`,
  "halves of pairs": "x \ud83d y \ude00 z",
  "a very long word": `${"abcdefghij".repeat(40)} end`,
};

/** Tokens as another tool may write them; each of them is one label. */
const foreign = [
  ...[texts.markup, texts.controls, texts["overrides of the direction"], "x\u2069\u202ey"],
  ...[shalom, "w".repeat(100000), "\ud83d", family, "\u{1f468}\u200d".repeat(300), "", " ", "a\nb"],
  `z${"\u0301".repeat(200)}`,
].map(String);

/**
 * @param {string} text as typed, and as its piece
 * @returns {import("../../bindings/js/trace/token.js").Token}
 */
function tokenOf(text) {
  return { id: 0, piece: text, text, start: 0, end: text.length, segment: 0, special: false };
}

describe("the label of a token", () => {
  /** @type {[string, string, string][]} */
  const table = [
    ["markup is what it is", "<b>&lt;", "<b>&lt;"],
    ["outer spaces are left out", "\u00a0 the ", "the"],
    ["a space alone is marked", "  ", "␣"],
    ["a tab and a line break are marked", "\ta\nb", "a↵b"],
    ["alone too", "\t", "⇥"],
    ["and breaks of other kinds", "\u0085", "↵"],
    ["a control is its code point", "a\u0000\u001bb\u007f", "a[U+0000][U+001B]b[U+007F]"],
    ["so is an override of the direction", "ab\u202ecd\u2069", "ab[U+202E]cd[U+2069]"],
    ["and what is drawn as nothing", "g\u00adh\ufeffi\u200b", "g[U+00AD]h[U+FEFF]i[U+200B]"],
    ["and half of a pair", "\ud83d", "[U+D83D]"],
    ["a whole pair stays", "\u{1f600}", "\u{1f600}"],
    ["joiners stay where they join", family, family],
    ["and are code points alone", "\u200d\ufe0f", "[U+200D][U+FE0F]"],
    ["a mark alone sits on a circle", "\u0301", "\u25cc\u0301"],
    ["marks on a letter stay", "e\u0301\u0323", "e\u0301\u0323"],
    ["but not a pile of them", `z${"\u0301".repeat(50)}x`, `z${"\u0301".repeat(6)}…x`],
    ["nothing at all is marked", "", "∅"],
  ];
  for (const [what, text, label] of table) {
    it(`${what}: ${JSON.stringify(text).slice(0, 40)}`, () => {
      assert.equal(tokenLabel(tokenOf(text)), label);
    });
  }

  it("is cut between graphemes, and within one of hundreds of code points", () => {
    assert.equal(shorten(`${family}${family}ab`, 3), `${family}${family}…`);
    assert.equal(shorten("\u{1f468}\u200d".repeat(300), 5), "\u{1f468}\u200d\u{1f468}\u200d…");
    assert.equal(shorten("ab", 3), "ab");
  });

  it("is kept apart from the sentence that names it, where it runs from right to left", () => {
    assert.equal(tokenName(tokenOf(shalom)), `“\u2068${shalom}\u2069”`);
    assert.equal(tokenName(tokenOf("\u{1e900}")), "“\u2068\u{1e900}\u2069”");
    assert.equal(tokenName(tokenOf("a\u2069\u202eb")), "“a[U+2069][U+202E]b”");
  });
});

const body = `<meta name="viewport" content="width=device-width">
<headscope-attention view="workbench"></headscope-attention>
<script type="module">
  import { Trace } from "./dist/trace.js";
  import "./dist/elements.js";
  // strings come and go as JSON, which holds halves of pairs: what drives the browser may not
  Object.assign(globalThis, {
    element: document.querySelector("headscope-attention"),
    spread: (tokens) => {
      const count = tokens.length;
      // each query looks at the next token
      const attention = Float32Array.from({ length: count ** 2 }, (_, i) =>
        i % count === (Math.floor(i / count) + 1) % count ? 0.6 : 0.4 / (count - 1));
      return Trace.from({ tokens, attention, n_layers: 1, n_heads: 1 });
    },
    again: (trace) => Trace.fromBytes(trace.toBytes()),
  });
</script>`;

for (const { name, launch } of browsers) {
  describe(`text of tokens in ${name}`, { timeout: 300000 }, () => {
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
      await page.waitForFunction(() => "spread" in globalThis);
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    /** @param {string} text */
    async function run(text) {
      await page.evaluate((json) => {
        const { element } = Object(globalThis);
        // the same text would not be run again
        element.removeAttribute("text");
        element.setAttribute("text", JSON.parse(json));
      }, JSON.stringify(text));
      const isShown = (/** @type {string} */ json) =>
        Object(globalThis).element.trace?.text === JSON.parse(json);
      await page.waitForFunction(isShown, { timeout: 20000 }, JSON.stringify(text));
      await settle(page);
    }

    /** @param {string[]} tokens */
    async function showForeign(tokens) {
      await page.evaluate((json) => {
        const { element, spread, again } = Object(globalThis);
        element.trace = again(spread(JSON.parse(json)));
      }, JSON.stringify(tokens));
      await settle(page);
      await settle(page);
    }

    /** Looks at every text and attribute that is drawn or read out. */
    async function checkText() {
      const json = await page.evaluate(() => {
        const { element, ran } = Object(globalThis);
        const nodes = Array.from(element.root.querySelectorAll("*"));
        const own = (/** @type {Element} */ node) =>
          Array.from(node.childNodes, (child) => (child instanceof Text ? child.data : ""));
        return JSON.stringify({
          ran: ran ?? null,
          tags: [...new Set(nodes.map(({ localName }) => localName))],
          handlers: nodes.flatMap((node) => node.getAttributeNames()).filter((n) => /^on/.test(n)),
          strings: nodes.flatMap((node) => [
            ...own(node),
            ...["aria-label", "title"].map((attribute) => node.getAttribute(attribute) ?? ""),
          ]),
          tooWide: document.documentElement.scrollWidth - innerWidth,
        });
      });
      const { ran, tags, handlers, strings, tooWide } = JSON.parse(json);
      assert.equal(ran, null);
      assert.deepEqual(handlers, []);
      for (const tag of ["img", "script", "b"]) assert.ok(!tags.includes(tag), tag);
      assert.ok(strings.length > 50);
      for (const string of strings) {
        // the isolates are the sentence's own, around a name
        const outer = string.replace(/\u2068[^\u2068\u2069]*\u2069/gu, "");
        assert.doesNotMatch(outer, /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        assert.ok(string.length <= 1000, `a string of ${string.length} characters`);
      }
      assert.ok(tooWide <= 0, `${tooWide} px too wide`);
    }

    for (const [what, text] of Object.entries(texts)) {
      it(`with ${what} is only text, typed or foreign, on a desktop and on a phone`, async () => {
        for (const width of [1280, 390]) {
          await page.setViewport({ width, height: 1000 });
          await run(text);
          await checkText();
          await showForeign([text, "and", text]);
          await page.evaluate(() => Object(globalThis).element.setAttribute("token", "1"));
          await settle(page);
          await checkText();
        }
      });
    }

    it("is run as typed, and its rows sum to 1", async () => {
      for (const text of Object.values(texts)) {
        await run(text);
        const sums = await page.evaluate(() => {
          const { trace } = Object(globalThis).element;
          return trace.tokens.map((/** @type {unknown} */ _, /** @type {number} */ query) =>
            trace
              .attention(1, 3)
              .row(query)
              .reduce((/** @type {number} */ sum, /** @type {number} */ weight) => sum + weight),
          );
        });
        for (const sum of sums) assert.ok(Math.abs(sum - 1) < 1e-5, `${sum}`);
      }
    });

    it("is the same in a saved trace, to the last half of a pair", async () => {
      for (const text of Object.values(texts)) {
        await run(text);
        const [saved, was] = JSON.parse(
          await page.evaluate(() => {
            const { element, again } = Object(globalThis);
            const said = (/** @type {{ text: string, tokens: object[] }} */ trace) => [
              trace.text,
              trace.tokens,
            ];
            return JSON.stringify([said(again(element.trace)), said(element.trace)]);
          }),
        );
        assert.deepEqual(saved, was);
        assert.equal(was[0], text);
      }
      const tokens = JSON.parse(
        await page.evaluate((json) => {
          const { spread, again } = Object(globalThis);
          const { tokens: read } = again(spread(JSON.parse(json)));
          return JSON.stringify(read.map((/** @type {{ piece: string }} */ { piece }) => piece));
        }, JSON.stringify(foreign)),
      );
      assert.deepEqual(tokens, foreign);
    });

    it("leaves the words and numbers around a name in their places", async () => {
      await page.setViewport({ width: 1280, height: 1000 });
      for (const token of ["\u202e", "x\u2069\u202ey", "\u2067", shalom, `${shalom} 42`]) {
        await showForeign([token, token, "end"]);
        await page.evaluate(() => Object(globalThis).element.setAttribute("token", "0"));
        await settle(page);
        const places = await page.evaluate(() => {
          const note = Object(globalThis).element.root.querySelector(".heading .note").firstChild;
          // “NAME” looks at “NAME” 60%.
          const at = [/^“/, /” looks/, /looks/, /at “/, /” 60/, /60/].map((mark) => {
            const range = document.createRange();
            const start = note.data.search(mark);
            range.setStart(note, start);
            range.setEnd(note, start + 1);
            return range.getBoundingClientRect().left;
          });
          return { text: note.data, at };
        });
        const sorted = [...places.at].sort((a, b) => a - b);
        assert.deepEqual(places.at, sorted, places.text);
      }
    });

    it("leaves the tokens in their order, and labels at the ends of their lines", async () => {
      for (const width of [1280, 390]) {
        await page.setViewport({ width, height: 1000 });
        await showForeign(foreign);
        const seen = await page.evaluate(() => {
          const { root } = Object(globalThis).element;
          const boxes = (/** @type {string} */ selector) =>
            Array.from(root.querySelectorAll(selector), (node) => node.getBoundingClientRect());
          const chips = boxes(".strip-of-tokens .token");
          return {
            inOrder: chips.every((chip, i) => {
              const last = chips[i - 1];
              return last === undefined || chip.left >= last.right || chip.top >= last.bottom;
            }),
            widest: Math.max(...chips.map((chip) => chip.right)),
            queries: boxes(".lines .end[data-token] text").map(({ right }) => right),
            keys: boxes(".lines .end[data-key] text").map(({ left }) => left),
            rows: boxes(".heatmap text.label[data-token]").map(({ left }) => left),
          };
        });
        assert.ok(seen.inOrder);
        assert.ok(seen.widest <= width, `a token reaches to ${seen.widest} px`);
        assert.equal(seen.queries.length, foreign.length);
        // glyphs may lean over their advance by a pixel or two
        const spread = (/** @type {number[]} */ ends) => Math.max(...ends) - Math.min(...ends);
        assert.ok(spread(seen.queries) <= 4, `ends of queries: ${seen.queries}`);
        assert.ok(spread(seen.keys) <= 4, `starts of keys: ${seen.keys}`);
        assert.ok(Math.min(...seen.keys) - Math.max(...seen.queries) >= 60, "no room for lines");
        assert.ok(Math.min(...seen.rows) >= 0, `names of rows begin at ${seen.rows}`);
      }
    });

    it("has the rest of a long token in its tooltip", async () => {
      await showForeign(["w".repeat(100000), "short"]);
      const chips = await page.evaluate(() =>
        Array.from(Object(globalThis).element.root.querySelectorAll(".token .text"), (chip) => [
          chip.textContent,
          chip.getAttribute("title"),
        ]),
      );
      assert.deepEqual(chips, [
        [`${"w".repeat(39)}…`, `${"w".repeat(999)}…`],
        ["short", null],
      ]);
    });

    it("is only text in a message too", async () => {
      const model = '<img src=x onerror="ran=1">\u202e\u0000';
      await page.evaluate((json) => {
        Object(globalThis).element.setAttribute("model", JSON.parse(json));
      }, JSON.stringify(model));
      await page.waitForFunction(() =>
        Object(globalThis).element.root.querySelector(".failed p")?.textContent.includes("<img"),
      );
      await checkText();
      await page.evaluate(() => Object(globalThis).element.removeAttribute("model"));
    });

    it("comes back from the page's address as typed, but for halves of pairs", async () => {
      const site = await serveFolder(join(dist, "site"));
      const reader = await browser.newPage();
      try {
        await reader.goto(site.url);
        await waitForText(reader, "the cat sat on the mat");
        const isShown = (/** @type {string} */ json) =>
          Object(document.querySelector("headscope-attention")).trace?.text === JSON.parse(json);
        for (const text of Object.values(texts)) {
          await reader.evaluate((json) => {
            const box = /** @type {HTMLTextAreaElement} */ (document.querySelector("#sentence"));
            box.value = JSON.parse(json);
            box.dispatchEvent(new Event("input"));
          }, JSON.stringify(text));
          await reader.waitForFunction(isShown, { timeout: 20000 }, JSON.stringify(text));
          await reader.reload();
          // an address is of whole characters
          const whole = JSON.stringify(text.replace(/\p{Cs}/gu, "\ufffd"));
          await reader.waitForFunction(isShown, { timeout: 20000 }, whole);
          assert.equal(await reader.title(), "Headscope");
          assert.equal(await reader.evaluate(() => Object(globalThis).ran), undefined);
        }
      } finally {
        await reader.close();
        site.close();
      }
    });
  });
}
