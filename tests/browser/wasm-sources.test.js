// Everything that the option `wasm` takes, with a worker and without.

import { after, before, describe, it } from "node:test";
import { browsers } from "./browsers.js";
import { checkComputed, computeInPage } from "./computed-in-page.js";
import { isolation } from "./site-server.js";

/** @typedef {import("./computed-in-page.js").WasmKind} WasmKind */

/** @type {{ what: string, wasm: { as: WasmKind, path: string } }[]} */
const sources = [
  { what: "the address of a folder, from the page", wasm: { as: "string", path: "wasm" } },
  { what: "the URL of a folder", wasm: { as: "URL", path: "wasm/" } },
  { what: "the address of an engine", wasm: { as: "string", path: "./wasm/simd.wasm" } },
  { what: "the URL of an engine", wasm: { as: "URL", path: "wasm/simd.wasm?version=1" } },
  { what: "the address of a blob", wasm: { as: "blob", path: "wasm/simd.wasm" } },
  { what: "an ArrayBuffer", wasm: { as: "ArrayBuffer", path: "wasm/simd.wasm" } },
  { what: "a Uint8Array within a buffer", wasm: { as: "Uint8Array", path: "wasm/simd.wasm" } },
  { what: "a WebAssembly.Module", wasm: { as: "Module", path: "wasm/simd.wasm" } },
];

for (const { name, launch } of browsers) {
  describe(`the option wasm in ${name}`, { timeout: 180000 }, () => {
    /** @type {import("puppeteer-core").Browser} */
    let browser;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());

    for (const worker of [true, false]) {
      const where = worker ? "in a worker" : "without a worker";
      for (const { what, wasm } of sources) {
        it(`takes ${what} ${where}`, async () => {
          const computed = await computeInPage(browser, { options: { worker }, wasm });
          const folder = !/simd/.test(wasm.path);
          checkComputed(computed, { worker, threads: 1, ...(folder ? {} : { variant: "simd" }) });
        });
      }

      it(`takes a WebAssembly.Module with threads ${where}`, async () => {
        const computed = await computeInPage(browser, {
          serving: { headers: isolation },
          options: { worker, threads: 2 },
          wasm: { as: "Module", path: "wasm/simd-threads.wasm" },
        });
        checkComputed(computed, { worker, threads: 2, variant: "simd-threads" });
      });

      it(`takes bytes with the engine inlined ${where}`, async () => {
        const computed = await computeInPage(browser, {
          entry: "inline.js",
          options: { worker },
          wasm: { as: "Uint8Array", path: "wasm/simd.wasm" },
        });
        checkComputed(computed, { worker, threads: 1, variant: "simd" });
      });
    }
  });
}
