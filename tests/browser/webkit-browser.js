// WebKitGTK, which puppeteer does not drive: WebDriver, spoken by hand.

import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { findProgram } from "./browsers.js";

/** A cold start of WebKit on a busy machine. */
const patience_ms = 60000;

/** Without a graphics card and, in a container, without room for WebKit's own sandbox. */
const environment = {
  LIBGL_ALWAYS_SOFTWARE: "1",
  WEBKIT_DISABLE_COMPOSITING_MODE: "1",
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
};

/**
 * The one page of a WebKit, with those of puppeteer's methods that the tests read screens by.
 *
 * @typedef {object} WebKitPage
 * @property {(address: string) => Promise<null>} goto
 * @property {import("puppeteer-core").Page["evaluate"]} evaluate
 * @property {(check: (...args: any[]) => unknown, options: { timeout: number }, ...args: unknown[]) =>
 *   Promise<unknown>} waitForFunction
 * @property {(selector: string, text: string) => Promise<void>} type with the keys of a keyboard
 */

/**
 * @returns {Promise<{ page: WebKitPage, close: () => Promise<void> }>}
 */
export async function launchWebKit() {
  const port = await findPort();
  const driver = spawn(
    findProgram("xvfb-run"),
    ["-a", findProgram("WebKitWebDriver"), `--port=${port}`, "--host=127.0.0.1"],
    { env: { ...process.env, ...environment }, stdio: "ignore", detached: true },
  );
  // the display and the driver are of one group
  const end = () => process.kill(-Number(driver.pid));
  const call = (/** @type {[string, string, object?]} */ ...request) => send(port, ...request);
  try {
    await waitUntil(async () => (await call("GET", "/status").catch(() => null)) !== null);
    const options = { binary: findMiniBrowser(), args: ["--automation"] };
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": options } };
    const { sessionId } = await call("POST", "/session", { capabilities });
    const session = `/session/${sessionId}`;
    const close = async () => {
      await call("DELETE", session).finally(end);
    };
    return { page: makePage((method, path, body) => call(method, session + path, body)), close };
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * @param {(method: string, path: string, body?: object) => Promise<any>} call
 * @returns {WebKitPage}
 */
function makePage(call) {
  const evaluate = async (/** @type {Function} */ work, /** @type {unknown[]} */ ...args) => {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve((${work})(...Array.from(arguments).slice(0, -1))).then(
        (value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await call("POST", "/execute/async", { script, args });
    if (error !== undefined) throw new Error(error);
    return value;
  };
  return {
    goto: (url) => call("POST", "/url", { url }),
    evaluate: /** @type {WebKitPage["evaluate"]} */ (evaluate),
    waitForFunction: (check, { timeout }, ...args) =>
      waitUntil(() => evaluate(check, ...args), timeout),
    type: async (selector, text) => {
      const found = await call("POST", "/element", { using: "css selector", value: selector });
      const [id] = Object.values(found);
      await call("POST", `/element/${id}/clear`, {});
      await call("POST", `/element/${id}/value`, { text });
    },
  };
}

/**
 * @param {number} port
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function send(port, method, path, body) {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const { value } = /** @type {{ value: any }} */ (await response.json());
  if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
  return value;
}

/**
 * @param {() => Promise<unknown>} check
 * @param {number} [timeout_ms]
 * @returns {Promise<unknown>} what it gives once that is true
 */
async function waitUntil(check, timeout_ms = patience_ms) {
  const end = performance.now() + timeout_ms;
  while (performance.now() < end) {
    const value = await check();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it was not so within ${timeout_ms / 1000} s`);
}

/** @returns {Promise<number>} a port that nobody listens at */
async function findPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @returns {string} WebKit's own small browser, beside its library and not on the PATH */
function findMiniBrowser() {
  const libraries = readdirSync("/usr/lib").map((name) => join("/usr/lib", name));
  for (const folder of [...libraries, "/usr/lib", "/usr/libexec"]) {
    for (const version of ["webkit2gtk-4.1", "webkitgtk-6.0"]) {
      const path = join(folder, version, "MiniBrowser");
      if (existsSync(path)) return path;
    }
  }
  throw new Error("WebKitGTK's MiniBrowser is not there: install libwebkit2gtk-4.1-0");
}
