import assert from "node:assert/strict";
import { createEngine, Encoder } from "headscope";
import { tinyConfig } from "../js/tiny-model.js";
import { dist, serveFolder } from "./site-server.js";

/** @typedef {import("headscope").Engine["info"]} Info */
/** @typedef {NonNullable<Parameters<typeof serveFolder>[1]>} Serving */

/**
 * Where and how an engine is made.
 *
 * @typedef {object} Environment
 * @property {Serving} [serving] how the page is served, and the package with it
 * @property {Serving} [elsewhere] how another origin serves the package, which the page loads from
 *   there
 * @property {string} [entry] "index.js" by default
 * @property {{ variant?: import("headscope").EngineOptions["variant"], threads?: number, worker?: boolean }}
 *   [options]
 * @property {string} [worker] the option's script, from where the package is
 * @property {{ as: WasmKind, path: string }} [wasm] the option
 */

/** @typedef {"URL" | "string" | "blob" | "ArrayBuffer" | "Uint8Array" | "Module"} WasmKind */

/**
 * @typedef {object} Computed
 * @property {Info} info
 * @property {number} took_ms until the numbers were there
 * @property {number[]} pooled
 * @property {{ code: string, message: string }} [error]
 * @property {string[]} violations of the page's policy
 */

/** Nobody waits longer than this for an engine, whatever does not work. */
export const patience_ms = 5000;

const ids = [3, 1, 4, 1, 5];

/** What the package computes in Node. */
async function computeReference() {
  const engine = await createEngine({ variant: "simd" });
  const encoder = await Encoder.fromConfig(tinyConfig, { engine, seed: 7 });
  const { pooled } = await encoder.run({ ids });
  await engine.dispose();
  return pooled;
}

const reference = await computeReference();

/**
 * Runs in the page.
 *
 * @param {{ folder: string, entry: string, options: object, worker: string | undefined,
 *   wasm: Environment["wasm"], config: object, ids: number[] }} given
 */
async function compute({ folder, entry, options, worker, wasm, config, ids: numbers }) {
  const start_ms = performance.now();
  const at = (/** @type {string} */ path) => new URL(path, folder);
  const readWasm = async (/** @type {NonNullable<typeof wasm>} */ { as, path }) => {
    if (as === "URL") return at(path);
    if (as === "string") return path;
    const bytes = await (await fetch(at(path))).arrayBuffer();
    if (as === "Module") return WebAssembly.compile(bytes);
    if (as === "blob") return URL.createObjectURL(new Blob([bytes]));
    if (as === "ArrayBuffer") return bytes;
    const within = new Uint8Array(bytes.byteLength + 5);
    within.set(new Uint8Array(bytes), 3);
    return within.subarray(3, 3 + bytes.byteLength);
  };
  try {
    const headscope = await import(at(entry).href);
    const given = wasm === undefined ? undefined : await readWasm(wasm);
    const engine = await headscope.createEngine({
      ...options,
      ...(worker === undefined ? {} : { worker: at(worker) }),
      ...(given === undefined ? {} : { wasm: given }),
    });
    const encoder = await headscope.Encoder.fromConfig(config, { engine, seed: 7 });
    const { pooled } = await encoder.run({ ids: numbers });
    const { info } = engine;
    const took_ms = performance.now() - start_ms;
    await engine.dispose();
    if (given instanceof Uint8Array && given.byteLength === 0) throw new Error("bytes were moved");
    return { info, took_ms, pooled: [...pooled] };
  } catch (error) {
    const { code, message } = /** @type {import("headscope").HeadscopeError} */ (error);
    return { error: { code, message }, took_ms: performance.now() - start_ms };
  }
}

/**
 * Makes an engine in a page of its own, and computes with it.
 *
 * @param {import("puppeteer-core").Browser} browser
 * @param {Environment} environment
 * @returns {Promise<Computed>}
 */
export async function computeInPage(browser, environment) {
  const page = await browser.newPage();
  try {
    await watchViolations(page);
    const computed = await computeOn(page, environment);
    return { ...computed, violations: await readViolations(page) };
  } finally {
    await page.close();
  }
}

/**
 * @param {Pick<import("puppeteer-core").Page, "goto" | "evaluate">} page
 * @param {Environment} environment
 * @returns {Promise<Omit<Computed, "violations">>}
 */
export async function computeOn(page, environment) {
  const { serving = {}, elsewhere, entry = "index.js", options = {}, worker, wasm } = environment;
  const server = await serveFolder(dist, serving);
  const other = elsewhere === undefined ? undefined : await serveFolder(dist, elsewhere);
  try {
    // Any document will do; this one is shown as text.
    await page.goto(`${server.url}trace.js`);
    const folder = (other ?? server).url;
    const given = { folder, entry, options, worker, wasm, config: tinyConfig, ids };
    return /** @type {Computed} */ (await page.evaluate(compute, given));
  } finally {
    other?.close();
    server.close();
  }
}

/**
 * Keeps what breaks the policy of the pages that come.
 *
 * @param {import("puppeteer-core").Page} page
 */
export async function watchViolations(page) {
  await page.evaluateOnNewDocument(() => {
    /** @type {string[]} */
    const violations = [];
    Object.assign(globalThis, { violations });
    addEventListener("securitypolicyviolation", (event) => {
      violations.push(`${event.effectiveDirective} ${event.blockedURI}`);
    });
  });
}

/**
 * @param {import("puppeteer-core").Page} page
 * @returns {Promise<string[]>}
 */
export function readViolations(page) {
  return page.evaluate(() => Object(globalThis).violations);
}

/**
 * Checks that the numbers are right and came in time, from an engine of the kind expected.
 *
 * @param {Omit<Computed, "violations">} computed
 * @param {Partial<Omit<Info, "reason">> & { reason?: RegExp }} info
 */
export function checkComputed({ error, info, took_ms, pooled }, { reason = /./, ...expected }) {
  assert.equal(error, undefined, error?.message);
  assert.match(info.reason, reason);
  for (const [key, value] of Object.entries(expected)) {
    assert.equal(info[/** @type {keyof Info} */ (key)], value, `${key}: ${info.reason}`);
  }
  assert.ok(took_ms < patience_ms, `took ${took_ms} ms`);
  // relaxed SIMD may round each product and sum once instead of twice
  const worst = Math.max(...reference.map((value, i) => Math.abs(value - Number(pooled[i]))));
  assert.ok(worst <= 1e-5, `differs by ${worst}`);
}
