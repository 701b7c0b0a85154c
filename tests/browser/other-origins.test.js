// A page that loads the package, or only its engines or its model, from another origin.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { checkComputed, computeInPage, patience_ms } from "./computed-in-page.js";
import { dist, isolation, openToAll, serveFolder } from "./site-server.js";

/** @typedef {import("./computed-in-page.js").Environment} Environment */
/** @typedef {import("./computed-in-page.js").Info} Info */

const resources = { ...openToAll, "Cross-Origin-Resource-Policy": "cross-origin" };
const oneThread = { threads: 1, worker: true, reason: /one thread: / };

/**
 * @param {string} workers
 * @returns {Record<string, string>} a policy that lets the package in
 */
function policy(workers) {
  const origins = "http://127.0.0.1:*";
  const scripts = `script-src ${origins} 'wasm-unsafe-eval'`;
  const directives = ["default-src 'none'", scripts, `connect-src ${origins}`];
  return { "Content-Security-Policy": [...directives, `worker-src ${workers}`].join("; ") };
}

/**
 * @type {(Environment & { how: string,
 *   info: Partial<Omit<Info, "reason">> & { reason?: RegExp } })[]}
 */
const environments = [
  { how: "in a worker", elsewhere: { headers: openToAll }, info: oneThread },
  {
    how: "with threads in an isolated page",
    serving: { headers: isolation },
    elsewhere: { headers: { ...isolation, ...resources } },
    options: { threads: 2 },
    info: { threads: 2, worker: true },
  },
  {
    how: "with threads in an isolated page where that origin says nothing of isolation",
    serving: { headers: isolation },
    elsewhere: { headers: openToAll },
    options: { variant: "simd-threads", threads: 2 },
    info: { threads: 2, worker: true },
  },
  {
    how: "where that origin has no worker",
    elsewhere: {
      headers: openToAll,
      replies: { "/worker.js": { status: 404, body: "not found" } },
    },
    info: { threads: 1, worker: false, reason: /no worker can start here/ },
  },
  {
    how: "in a worker under a policy that allows blobs and that origin as workers",
    serving: { headers: policy("blob: http://127.0.0.1:*") },
    elsewhere: { headers: openToAll },
    info: oneThread,
  },
  {
    how: "under a policy that allows only files as workers",
    serving: { headers: policy("'self'") },
    elsewhere: { headers: openToAll },
    info: { threads: 1, worker: false, reason: /no worker can start here/ },
  },
  {
    how: "in the worker that is named",
    elsewhere: { headers: openToAll },
    worker: "worker.js",
    info: oneThread,
  },
  {
    how: "with the engine inlined, in a worker",
    elsewhere: { headers: openToAll },
    entry: "inline.js",
    info: { ...oneThread, variant: "simd" },
  },
];

for (const { name, launch } of browsers) {
  describe(`the package from another origin in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    for (const { how, info, ...environment } of environments) {
      it(`computes ${how}`, async () => {
        checkComputed(await computeInPage(browser, environment), info);
      });
    }

    for (const worker of [true, false]) {
      const where = worker ? "in a worker" : "without a worker";
      it(`computes with engines alone from there, and names a refusal, ${where}`, async () => {
        const open = await serveFolder(dist, { headers: openToAll });
        const closed = await serveFolder(dist);
        try {
          const options = { worker };
          const path = `${open.url}wasm/`;
          const wasm = { as: /** @type {const} */ ("string"), path };
          checkComputed(await computeInPage(browser, { options, wasm }), { worker, threads: 1 });
          const refused = { ...wasm, path: `${closed.url}wasm/` };
          const { error, took_ms } = await computeInPage(browser, { options, wasm: refused });
          assert.equal(error?.code, "not-found", error?.message);
          assert.match(error?.message ?? "", /^http.*\/wasm\/[a-z]+\.wasm cannot be fetched: /);
          assert.ok(error?.message.includes(closed.url));
          assert.ok(took_ms < patience_ms, `took ${took_ms} ms`);
        } finally {
          open.close();
          closed.close();
        }
      });
    }
  });
}
