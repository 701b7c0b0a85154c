// Servers that answer wrongly, and files of two versions among each other: an error or the engine's
// reason names the address, and the option that takes another one.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { checkComputed, computeInPage } from "./computed-in-page.js";
import { largestDifference, referenceOf, tolerance } from "./fixture.js";
import { dist, serveFolder } from "./site-server.js";

/** @typedef {import("./site-server.js").Reply} Reply */

const text = "the cat sat on the mat";
const base = "/some/where/";
const manifest = new URL("../../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8"));

/** What a server of a single-page app says where a file is missing. */
const page = {
  body: "<!doctype html><title>app</title>",
  headers: { "Content-Type": "text/html" },
};
const missing = { status: 404, body: "not found" };
const wrongType = { headers: { "Content-Type": "text/plain" } };
const begins = /it begins with 3c 21 64 6f, expected 00 61 73 6d/;

/** @type {{ how: string, reply: Reply, says: RegExp }[]} */
const wrongEngines = [
  { how: "is missing", reply: missing, says: /the server answers 404/ },
  { how: "is a page in its place", reply: page, says: begins },
  {
    how: "is a page that says it is WebAssembly",
    reply: { ...page, headers: { "Content-Type": "application/wasm" } },
    says: begins,
  },
  { how: "is empty", reply: { body: "" }, says: /it begins with nothing/ },
];

/** @type {{ how: string, reply: Reply, says: RegExp }[]} */
const wrongFiles = [
  { how: "is missing", reply: missing, says: /the server answers 404/ },
  { how: "is a page in its place", reply: page, says: /is a web page/ },
];

const modelFiles = ["config.json", "tokenizer.json", "model.safetensors"];

/**
 * A file of the package as an older one had it.
 *
 * @param {string} path in dist/
 * @returns {Record<string, Reply>}
 */
function staleFile(path) {
  const bytes = readFileSync(join(dist, path));
  const stale = Buffer.from(bytes.toString("latin1").replaceAll(version, "0.0.9"), "latin1");
  assert.ok(!stale.equals(bytes), `${path} has no stamp`);
  const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  return { [`/${path}`]: { body: stale, headers: { "Content-Type": type } } };
}

/** @returns {string} the name of the one chunk that is imported when it is needed */
function tokenizerScript() {
  const chunks = readdirSync(dist).filter((name) => /^chunk-.*\.js$/.test(name));
  const found = chunks.flatMap((name) => {
    const script = readFileSync(join(dist, name), "utf8");
    return [...script.matchAll(/import\("\.\/(chunk-\w+\.js)"\)/g)].map(([, chunk]) => chunk);
  });
  assert.equal(found.length, 1, String(found));
  return String(found[0]);
}

/**
 * Runs the model that ships in a page.
 *
 * @param {import("puppeteer-core").Browser} browser
 * @param {Record<string, Reply>} replies
 * @param {string} [source] the model that ships by default
 * @returns {Promise<{ attention?: number[][][][], error?: { code: string, message: string } }>}
 */
async function runModel(browser, replies, source) {
  const server = await serveFolder(dist, { base, replies });
  const tab = await browser.newPage();
  try {
    await tab.goto(`${server.url}trace.js`);
    return await tab.evaluate(
      async (folder, sentence, place) => {
        const { Encoder } = await import(new URL("index.js", folder).href);
        try {
          const encoder = await Encoder.fromPretrained(place ?? undefined);
          const trace = await encoder.run(sentence);
          const heads = [...Array(trace.config.n_heads).keys()];
          const attention = [...Array(trace.config.n_layers).keys()].map((layer) =>
            heads.map((head) => {
              const weights = trace.attention(layer, head);
              return trace.tokens.map((/** @type {unknown} */ _, /** @type {number} */ query) => [
                ...weights.row(query),
              ]);
            }),
          );
          await encoder.engine.dispose();
          return { attention };
        } catch (error) {
          const { code, message } = /** @type {import("headscope").HeadscopeError} */ (error);
          return { error: { code, message } };
        }
      },
      server.url,
      text,
      source ?? null,
    );
  } finally {
    await tab.close();
    server.close();
  }
}

for (const { name, launch } of browsers) {
  describe(`wrong answers of a server in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    /**
     * @param {Record<string, Reply>} replies
     * @param {{ worker?: boolean }} [options]
     */
    const compute = (replies, { worker = true } = {}) =>
      computeInPage(browser, { serving: { base, replies }, options: { variant: "simd", worker } });

    for (const worker of [true, false]) {
      const where = worker ? "in a worker" : "without a worker";
      for (const { how, reply, says } of wrongEngines) {
        it(`name the address and the option wasm where the engine ${how}, ${where}`, async () => {
          const { error } = await compute({ "/wasm/simd.wasm": reply }, { worker });
          assert.equal(error?.code, "not-found");
          assert.match(error?.message ?? "", /http:\S+\/some\/where\/wasm\/simd\.wasm/);
          assert.match(error?.message ?? "", says);
          assert.match(error?.message ?? "", /createEngine\(\{ wasm \}\) takes the folder/);
        });
      }

      it(`are no harm where only the engine's MIME type is wrong, ${where}`, async () => {
        checkComputed(await compute({ "/wasm/simd.wasm": wrongType }, { worker }), { worker });
      });

      it(`name the script and the option worker where the engine's is not there, ${where}`, async () => {
        for (const reply of [missing, page, wrongType]) {
          const { error } = await compute({ "/wasm/simd.web.js": reply }, { worker });
          assert.equal(error?.code, "not-found", error?.message);
          assert.match(error?.message ?? "", /the script of "simd" cannot be loaded: .*simd\.web/);
          assert.match(error?.message ?? "", /createEngine\(\{ worker \}\) takes the address/);
        }
      });
    }

    it("leave the calling thread to compute, and name the worker's address and option", async () => {
      for (const reply of [missing, page, wrongType]) {
        const computed = await compute({ "/worker.js": reply });
        const reason = /http:\S+\/some\/where\/worker\.js: .*createEngine\(\{ worker \}\) takes/;
        checkComputed(computed, { worker: false, reason });
      }
    });

    for (const file of modelFiles) {
      for (const { how, reply, says } of wrongFiles) {
        it(`name the address and the argument source where ${file} ${how}`, async () => {
          const { error } = await runModel(browser, { [`/models/use-lite/${file}`]: reply });
          assert.equal(error?.code, "not-found", error?.message);
          assert.ok(error?.message.includes(`${base}models/use-lite/${file}`), error?.message);
          assert.match(error?.message ?? "", says);
          assert.match(error?.message ?? "", /fromPretrained\(source\) takes the folder/);
        });
      }
    }

    it("name the script where the tokenizers' is not there", async () => {
      for (const reply of [missing, page, wrongType]) {
        const { error } = await runModel(browser, { [`/${tokenizerScript()}`]: reply });
        assert.equal(error?.code, "not-found", error?.message);
        assert.match(error?.message ?? "", /^tokenizer: its script cannot be loaded: .*chunk-/);
      }
    });

    it("name the folder where no model is, as it was given", async () => {
      const { error } = await runModel(browser, {}, "./nowhere");
      assert.equal(error?.code, "not-found");
      assert.match(
        error?.message ?? "",
        /http:\S+\/some\/where\/nowhere\/\S+: the server answers 404/,
      );
    });

    it("are no harm where only the MIME types of the model are wrong", async () => {
      const replies = modelFiles.map((file) => [`/models/use-lite/${file}`, wrongType]);
      const { error, attention = [] } = await runModel(browser, Object.fromEntries(replies));
      assert.equal(error, undefined);
      assert.ok(largestDifference(attention, referenceOf(text).attention) <= tolerance);
    });
  });

  describe(`files of an older package in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    for (const worker of [true, false]) {
      const where = worker ? "in a worker" : "without a worker";
      for (const path of ["wasm/simd.wasm", "wasm/simd.web.js"]) {
        it(`${path} is refused by its stamp, ${where}`, async () => {
          const { error } = await computeInPage(browser, {
            serving: { replies: staleFile(path) },
            options: { variant: "simd", worker },
          });
          assert.equal(error?.code, "unsupported-environment", error?.message);
          assert.match(error?.message ?? "", new RegExp(`0\\.0\\.9, expected .*${version}`));
        });
      }
    }

    it("worker.js is refused by its stamp, and the calling thread computes", async () => {
      const computed = await computeInPage(browser, {
        serving: { replies: staleFile("worker.js") },
      });
      const reason = new RegExp(`worker\\.js: it is of version 0\\.0\\.9, expected ${version}`);
      checkComputed(computed, { worker: false, reason });
    });
  });
}
