// What the engine makes of an environment: isolated or not, with workers or without, under
// policies of several kinds. Each start takes less than 5 s and computes the same numbers.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createEngine, Encoder } from "headscope";
import { tinyConfig } from "../js/tiny-model.js";
import { browsers } from "./browsers.js";
import { dist, isolation, serveFolder } from "./site-server.js";

/** @typedef {import("headscope").Engine["info"]} Info */

/**
 * @typedef {object} Environment
 * @property {string} how
 * @property {Record<string, string>} [headers]
 * @property {string} [entry] "index" by default
 * @property {string} [worker] a script, relative to dist
 * @property {Partial<Omit<Info, "reason">> & { reason: RegExp }} info what it must be
 */

/**
 * @param {string} workers
 * @param {string} [scripts]
 * @returns {Record<string, string>}
 */
function policy(workers, scripts = "'self' 'wasm-unsafe-eval'") {
  const directives = ["default-src 'self'", `script-src ${scripts}`, `worker-src ${workers}`];
  return { "Content-Security-Policy": directives.join("; ") };
}

const credentialless = { ...isolation, "Cross-Origin-Embedder-Policy": "credentialless" };
const oneThread = { threads: 1, worker: true, reason: /one thread: .*not cross-origin isolated/ };
const twoThreads = { variant: /** @type {const} */ ("simd-threads"), threads: 2, worker: true };
const noWorker = { threads: 1, worker: false, reason: /on the calling thread: no worker/ };

/** @type {Environment[]} */
const environments = [
  { how: "without any headers", info: oneThread },
  { how: "isolated", headers: isolation, info: { ...twoThreads, reason: /asked/ } },
  {
    how: "isolated without credentials",
    headers: credentialless,
    info: { ...twoThreads, reason: /asked/ },
  },
  { how: "under a strict policy", headers: policy("'self'"), info: oneThread },
  {
    how: "isolated under a strict policy",
    headers: { ...isolation, ...policy("'self'") },
    info: { ...twoThreads, reason: /asked/ },
  },
  { how: "where workers are forbidden", headers: policy("'none'"), info: noWorker },
  { how: "where the worker's script is missing", worker: "no-such-worker.js", info: noWorker },
  {
    how: "isolated where the worker's script is missing",
    headers: isolation,
    worker: "no-such-worker.js",
    info: noWorker,
  },
  { how: "with the engine inlined", entry: "inline", info: { ...oneThread, variant: "simd" } },
  {
    how: "with the engine inlined under a strict policy",
    headers: policy("'self'"),
    entry: "inline",
    info: { ...noWorker, variant: "simd" },
  },
];

const reference = await createEngine({ variant: "simd" });
const encoder = await Encoder.fromConfig(tinyConfig, { engine: reference, seed: 7 });
const ids = [3, 1, 4, 1, 5];
const { pooled } = await encoder.run({ ids });
await reference.dispose();

/**
 * Runs in the page.
 *
 * @param {{ entry: string, worker: string | undefined, isolated: boolean, config: object,
 *   ids: number[] }} given
 */
async function compute({ entry, worker, isolated, config, ids: numbers }) {
  const start_ms = performance.now();
  try {
    const headscope = await import(new URL(`${entry}.js`, location.href).href);
    const engine = await headscope.createEngine({
      ...(isolated ? { variant: "simd-threads", threads: 2 } : {}),
      ...(worker === undefined ? {} : { variant: "auto", worker: new URL(worker, location.href) }),
    });
    const start_took_ms = performance.now() - start_ms;
    const made = await headscope.Encoder.fromConfig(config, { engine, seed: 7 });
    const trace = await made.run({ ids: numbers });
    const { info } = engine;
    await engine.dispose();
    return { info, took_ms: start_took_ms, pooled: [...trace.pooled] };
  } catch (error) {
    const { code, message } = /** @type {import("headscope").HeadscopeError} */ (error);
    return { error: { code, message } };
  }
}

for (const { name, launch } of browsers) {
  describe(`engines in ${name}`, { timeout: 300000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    /**
     * @param {Omit<Environment, "how" | "info">} environment
     */
    async function computeIn({ headers = {}, entry = "index", worker }) {
      const server = await serveFolder(dist, { headers });
      const page = await browser.newPage();
      try {
        // Any document will do; this one is shown as text.
        await page.goto(`${server.url}trace.js`);
        const isolated = "Cross-Origin-Opener-Policy" in headers && worker === undefined;
        return await page.evaluate(compute, { entry, worker, isolated, config: tinyConfig, ids });
      } finally {
        await page.close();
        server.close();
      }
    }

    for (const { how, info, ...environment } of environments) {
      it(`computes ${how}, and says what it is and why`, async () => {
        const got = await computeIn(environment);
        assert.equal(got.error, undefined, got.error?.message);
        const { reason, ...rest } = info;
        assert.match(got.info.reason, reason);
        for (const [key, value] of Object.entries(rest)) assert.equal(got.info[key], value, key);
        assert.ok(Number(got.took_ms) < 5000, `took ${got.took_ms} ms`);
        const worst = Math.max(...pooled.map((value, i) => Math.abs(value - got.pooled?.[i])));
        assert.ok(worst <= 1e-5, `differs by ${worst}`);
      });
    }

    it("names what a policy without wasm-unsafe-eval forbids", async () => {
      const { error } = await computeIn({ headers: policy("'self'", "'self'") });
      assert.equal(error?.code, "unsupported-environment");
      assert.match(error?.message ?? "", /\.wasm cannot be compiled here: .*(Policy|CSP)/);
    });

    it("names a threaded engine that a plain page cannot run", async () => {
      const page = await browser.newPage();
      const server = await serveFolder(dist);
      try {
        await page.goto(`${server.url}trace.js`);
        const message = await page.evaluate(async () => {
          const { createEngine: create } = await import(new URL("index.js", location.href).href);
          return create({ variant: "simd-threads" }).catch(
            (/** @type {Error & { code: string }} */ error) => `${error.code} ${error.message}`,
          );
        });
        assert.match(
          message,
          /^unsupported-environment .*"simd-threads".*not cross-origin isolated/,
        );
      } finally {
        await page.close();
        server.close();
      }
    });
  });
}
