// The contest in a page of Chromium.

import { fileURLToPath } from "node:url";
import { browsers } from "../browser/browsers.js";
import { isolation, serveFolder } from "../browser/site-server.js";
import { measureContest } from "./measure.js";

/** @typedef {import("./measure.js").Contestants} Contestants */
/** @typedef {import("./measure.js").ContestResult} ContestResult */
/** @typedef {import("./measure.js").RemoteContest} RemoteContest */
/** @typedef {import("puppeteer-core").Page} Page */

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Opens a page of a fresh Chromium for as long as it is needed.
 *
 * @template T
 * @param {{ isolated: boolean }} options
 * @param {(page: Page) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withPage({ isolated }, use) {
  const server = await serveFolder(root, isolated ? { headers: isolation } : {});
  const chromium = browsers.find(({ name }) => name === "Chromium");
  const browser = await /** @type {import("../browser/browsers.js").TestedBrowser} */ (
    chromium
  ).launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}tests/bench/page.html`);
    return await use(page);
  } finally {
    await browser.close();
    server.close();
  }
}

/**
 * @param {Contestants & { lengths: number[], rounds: number }} settings
 * @returns {Promise<ContestResult>}
 */
export function measureInChromium(settings) {
  return withPage({ isolated: true }, (page) =>
    measureContest((contestants) => openThere(page, contestants), {
      ...settings,
      place: "Chromium",
    }),
  );
}

/**
 * @param {Page} page
 * @param {Contestants} contestants
 * @returns {Promise<RemoteContest>}
 */
async function openThere(page, contestants) {
  const there = await page.evaluateHandle(async (settings) => {
    const { openInPage } = await import(/** @type {any} */ ("./page-host.js"));
    return /** @type {import("./contest.js").Contest} */ (await openInPage(settings));
  }, contestants);
  return {
    facts: there.evaluate(({ facts }) => facts),
    warm: () => there.evaluate((contest) => contest.warm()),
    compare: (length) => there.evaluate((contest, each) => contest.compare(each), length),
    round: (length, options) =>
      there.evaluate((contest, each, how) => contest.round(each, how), length, options),
    close: () => there.evaluate((contest) => contest.close()),
  };
}
