// What the engine makes of an environment: isolated or not, with workers or without, under
// policies of several kinds. Each start takes less than 5 s and computes the same numbers.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { checkComputed, computeInPage, patience_ms } from "./computed-in-page.js";
import { dist, isolation, serveFolder, strictPolicy } from "./site-server.js";

/** @typedef {import("./computed-in-page.js").Environment} Environment */
/** @typedef {import("./computed-in-page.js").Info} Info */

/**
 * @typedef {Environment & { how: string, info: Partial<Omit<Info, "reason">> & { reason?: RegExp },
 *   violations?: RegExp[] }} Expected violations: none by default
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
const twoThreads = { threads: 2, worker: true };
const noWorker = { threads: 1, worker: false, reason: /on the calling thread: no worker/ };
const silent = { ...noWorker, reason: /it was silent for 3 s/ };
const two = { threads: 2 };

/** Policies under which everything works, without a violation. @type {Expected[]} */
const policies = [
  { how: "under a policy of its own files", headers: policy("'self'") },
  { how: "under a policy that names every kind of file", headers: strictPolicy },
].flatMap(({ how, headers }) => [
  { how, serving: { headers }, info: oneThread },
  {
    how: `isolated ${how}`,
    serving: { headers: { ...isolation, ...headers } },
    options: two,
    info: twoThreads,
  },
]);

/** Worker scripts that cannot be had, by what the server does. @type {Expected[]} */
const missingWorkers = [
  { how: "is missing", reply: { status: 404, body: "not found" }, info: noWorker },
  {
    how: "is a page in its place",
    reply: { body: "<!doctype html>", headers: { "Content-Type": "text/html" } },
    info: noWorker,
  },
  {
    how: "is a page in its place that says it is a script",
    reply: { body: "<!doctype html>", headers: { "Content-Type": "text/javascript" } },
    info: noWorker,
  },
  {
    how: "is another script",
    reply: { body: "export {};", headers: { "Content-Type": "text/javascript" } },
    info: silent,
  },
  { how: "does not come", reply: { never: true }, info: silent },
].flatMap(({ how, reply, info }) => [
  { how: `where the worker's script ${how}`, serving: { replies: { "/worker.js": reply } }, info },
  {
    how: `isolated where the worker's script ${how}`,
    serving: { headers: isolation, replies: { "/worker.js": reply } },
    options: two,
    info,
  },
]);

/** A policy cannot be asked what it allows: each attempt that fails is a violation. */
const attempt = /^worker-src /;

/** @type {Expected[]} */
const forbiddenWorkers = [
  {
    how: "where workers are forbidden",
    serving: { headers: policy("'none'") },
    info: noWorker,
    violations: [attempt],
  },
  {
    how: "isolated where workers are forbidden",
    serving: { headers: { ...isolation, ...policy("'none'") } },
    options: two,
    info: noWorker,
    violations: [attempt],
  },
  {
    how: "where workers are forbidden and none is asked for",
    serving: { headers: policy("'none'") },
    options: { worker: false },
    info: { threads: 1, worker: false },
  },
  {
    how: "isolated where the worker's script comes without the headers of isolation",
    serving: {
      headers: isolation,
      replies: { "/worker.js": { headers: { "Cross-Origin-Embedder-Policy": "unsafe-none" } } },
    },
    options: two,
    info: noWorker,
  },
  {
    how: "isolated where the worker's own policy forbids workers, which the page makes",
    serving: { headers: isolation, replies: { "/worker.js": { headers: policy("'none'") } } },
    options: two,
    info: twoThreads,
  },
];

const inline = { entry: "inline.js" };

/** @type {Expected[]} */
const inlined = [
  { how: "with the engine inlined", ...inline, info: { ...oneThread, variant: "simd" } },
  {
    how: "with the engine inlined, isolated",
    ...inline,
    serving: { headers: isolation },
    info: { threads: 1, worker: true, variant: "simd" },
  },
  {
    how: "with the engine inlined under a policy that allows blob workers",
    ...inline,
    serving: { headers: policy("blob:") },
    info: { ...oneThread, variant: "simd" },
  },
  {
    how: "with the engine inlined under a policy that allows only files as workers",
    ...inline,
    serving: { headers: policy("'self'") },
    info: { ...noWorker, variant: "simd" },
    violations: [/^worker-src blob/],
  },
  {
    how: "with the engine inlined under the same policy, where no worker is asked for",
    ...inline,
    serving: { headers: policy("'self'") },
    options: { worker: false },
    info: { threads: 1, worker: false, variant: "simd" },
  },
];

/** @type {Expected[]} */
const environments = [
  { how: "without any headers", info: oneThread },
  { how: "isolated", serving: { headers: isolation }, options: two, info: twoThreads },
  {
    how: "isolated without credentials",
    serving: { headers: credentialless },
    options: two,
    info: twoThreads,
  },
  ...policies,
  ...missingWorkers,
  ...forbiddenWorkers,
  ...inlined,
];

for (const { name, launch } of browsers) {
  describe(`engines in ${name}`, { timeout: 300000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    for (const { how, info, violations = [], ...environment } of environments) {
      it(`computes ${how}, and says what it is and why`, async () => {
        const computed = await computeInPage(browser, environment);
        checkComputed(computed, info);
        assert.equal(computed.violations.length, violations.length, String(computed.violations));
        violations.forEach((violation, i) => {
          assert.match(String(computed.violations[i]), violation);
        });
      });
    }

    for (const worker of [true, false]) {
      it(`takes threads in the caller's own worker, but for Firefox, ${worker ? "with" : "without"} one of the engine's`, async () => {
        const server = await serveFolder(dist, { headers: isolation });
        const page = await browser.newPage();
        await page.goto(`${server.url}trace.js`);
        const results = await page.evaluate(async (withWorker) => {
          const script = `
            import { createEngine } from "${new URL("index.js", location.href).href}";
            for (const options of [{ threads: 2 }, { variant: "simd-threads" }]) {
              try {
                const engine = await createEngine({ ...options, worker: ${withWorker} });
                postMessage({ ...engine.info, bytes: await engine.heapBytes() });
                await engine.dispose();
              } catch ({ code, message }) {
                postMessage({ code, message });
              }
            }`;
          const blob = new Blob([script], { type: "text/javascript" });
          const own = new Worker(URL.createObjectURL(blob), { type: "module" });
          /** @type {any[]} */
          const found = [];
          await new Promise((resolve) => {
            own.onmessage = ({ data }) => found.push(data) === 2 && resolve(undefined);
          });
          own.terminate();
          return found;
        }, worker);
        await page.close();
        server.close();
        const [auto, named] = results;
        assert.equal(auto.worker, worker);
        assert.ok(auto.bytes > 0);
        if (name === "Firefox") {
          assert.equal(auto.threads, 1);
          assert.match(auto.reason, /^one thread: in Firefox a worker that makes workers hangs/);
          assert.equal(named.code, "unsupported-environment");
          assert.match(named.message, /^createEngine: "simd-threads" needs more: in Firefox/);
        } else {
          assert.deepEqual([auto.threads, auto.reason], [2, "as asked"]);
          assert.equal(named.variant, "simd-threads");
        }
      });
    }

    for (const entry of ["index.js", "inline.js"]) {
      for (const worker of [true, false]) {
        const where = `${entry === "inline.js" ? "inlined " : ""}${worker ? "" : "without a worker "}`;
        it(`names what a policy without wasm-unsafe-eval forbids ${where}`.trim(), async () => {
          const { error, took_ms } = await computeInPage(browser, {
            serving: { headers: policy("'self' blob:", "'self'") },
            entry,
            options: { worker },
          });
          assert.equal(error?.code, "unsupported-environment", error?.message);
          assert.match(
            error?.message ?? "",
            /cannot be compiled here: .*'wasm-unsafe-eval' in script-src/,
          );
          assert.ok(took_ms < patience_ms, `took ${took_ms} ms`);
        });
      }
    }

    it("names a threaded engine that a plain page cannot run", async () => {
      const { error } = await computeInPage(browser, { options: { variant: "simd-threads" } });
      assert.equal(error?.code, "unsupported-environment");
      assert.match(error?.message ?? "", /"simd-threads".*not cross-origin isolated/);
    });
  });
}
