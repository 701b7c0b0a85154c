import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import puppeteer from "puppeteer-core";

/** @typedef {import("puppeteer-core").Browser} Browser */

/**
 * A browser that the tests run in.
 *
 * @typedef {{ name: string, launch: () => Promise<Browser> }} TestedBrowser
 */

/** @type {TestedBrowser[]} */
export const browsers = [
  { name: "Chromium", launch: launchChromium },
  { name: "Firefox", launch: launchFirefox },
];

/** @returns {Promise<Browser>} */
function launchChromium() {
  return puppeteer.launch({
    executablePath: findProgram("chromium", "chromium-browser", "google-chrome"),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** @returns {Promise<Browser>} */
function launchFirefox() {
  return puppeteer.launch({
    browser: "firefox",
    executablePath: findProgram("firefox-esr", "firefox"),
    headless: true,
    // puppeteer turns the policy off, and then a file may do what it may not for a reader
    extraPrefsFirefox: { "security.fileuri.strict_origin_policy": true },
  });
}

/**
 * @param {...string} names the same program under different names
 * @returns {string} where it is
 */
export function findProgram(...names) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not in this folder
      }
    }
  }
  throw new Error(`none of ${names.join(", ")} is on the PATH: install it to run these tests`);
}
