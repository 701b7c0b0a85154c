// The packed package in small apps, each with its bundler, opened in Chromium.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { browsers } from "../browser/browsers.js";
import { largestDifference, referenceOf, tolerance } from "../browser/fixture.js";
import { waitForText } from "../browser/screen.js";
import { isolation, serveFolder } from "../browser/site-server.js";
import { packPackage } from "../packaging/installed-package.js";
import { buildApp, prepareApp } from "./app.js";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {{ url: string, close: () => unknown }} Served */

const text = "the cat sat on the mat";
/** No app lies at the root of its server. */
const base = "/some/where/";

const scratch = mkdtempSync(join(tmpdir(), "headscope bundlers "));
let tarball = "";
/** @type {import("puppeteer-core").Browser} */
let browser;

before(async () => {
  tarball = packPackage(scratch).tarball;
  browser = await browsers[0].launch();
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A script is classic where it is told of the engine, which nobody can tell an element of. */
const classic = /classic$/;

/** @type {{ app: string, scripts: string[] }[]} */
const bundlers = [
  { app: "vite", scripts: ["build"] },
  // With Vite 5, which splits no workers.
  { app: "vitepress", scripts: ["build"] },
  { app: "webpack", scripts: ["build"] },
  { app: "rollup", scripts: ["build"] },
  { app: "esbuild", scripts: ["build", "build:classic"] },
  { app: "next", scripts: ["build", "build:turbopack"] },
];

for (const { app, scripts } of bundlers) {
  describe(`the ${app} app`, { timeout: 600000 }, () => {
    const folder = join(scratch, app);
    before(() => prepareApp(app, folder, tarball));
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const script of scripts) {
      describe(`made by npm run ${script}`, () => {
        before(() => buildApp(folder, script));
        const out = join(folder, "out");
        itComputes((headers) => serveFolder(out, { headers, base }), !classic.test(script));
      });
    }
    if (app === "vite") {
      describe("served while it is developed", () => {
        itComputes((headers) => serveByVite(folder, headers), true);
      });
    }
  });
}

/**
 * @param {string} folder
 * @param {Record<string, string>} headers
 * @returns {Promise<Served>}
 */
async function serveByVite(folder, headers) {
  const vite = join(folder, "node_modules/vite/dist/node/index.js");
  const { createServer } = await import(pathToFileURL(vite).href);
  const server = await createServer({
    root: folder,
    base,
    logLevel: "error",
    server: { host: "127.0.0.1", headers },
  });
  await server.listen(0);
  return { url: server.resolvedUrls.local[0], close: () => server.close() };
}

/**
 * @param {(headers: Record<string, string>) => Promise<Served>} serve
 * @param {boolean} hasElement whether the page has a `<headscope-attention>`
 */
function itComputes(serve, hasElement) {
  for (const isolated of [false, true]) {
    const how = isolated ? "with threads where it is isolated" : "on a page without any headers";
    it(`computes the model's numbers in a worker, ${how}`, async () => {
      const server = await serve(isolated ? isolation : {});
      const page = await browser.newPage();
      try {
        const faults = listenToFaults(page);
        await page.goto(server.url);
        await check(page, isolated);
        if (hasElement) await waitForText(page, text);
        assert.deepEqual(faults, []);
      } finally {
        await page.close();
        await server.close();
      }
    });
  }
}

/**
 * @param {Page} page
 * @returns {string[]} what goes wrong on the page from now on
 */
function listenToFaults(page) {
  /** @type {string[]} */
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (/^(warn|error)/.test(message.type())) faults.push(message.text());
  });
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  return faults;
}

/**
 * @param {Page} page of an app
 * @param {boolean} isolated
 */
async function check(page, isolated) {
  await page.waitForSelector("#report:not(:empty)", { timeout: 60000 });
  const report = JSON.parse(await page.$eval("#report", (node) => node.textContent ?? ""));
  assert.equal(report.error, undefined);
  assert.ok(largestDifference(report.attention, referenceOf(text).attention) <= tolerance);
  const weight = 1 / (1 + Math.exp(-1 / Math.SQRT2));
  // A softmax of two in float32.
  assert.ok(Math.abs(report.weights[0] - weight) < 1e-6, `${report.weights[0]}`);
  assert.deepEqual(report.elements, ["headscope-attention", "headscope-positions"]);
  const { worker, threads, reason } = report.info;
  assert.equal(worker, true, reason);
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  assert.equal(threads > 1, isolated && cores > 1, reason);
}
