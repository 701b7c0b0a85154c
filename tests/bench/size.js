// What a reader downloads of an engine: the module, its glue and the worker's script, compressed.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import { variants } from "../../bindings/js/variants.js";
import { judgeLeast } from "./pairs.js";
import { drawTable } from "./table.js";

/** Kilobytes of 1000 bytes. */
const limits = { must: 60, better: 40 };
const dist = new URL("../../dist/", import.meta.url);

/** @typedef {{ variant: string, wasm_bytes: number, glue_bytes: number, worker_bytes: number }} Size */

/** @returns {Promise<Size[]>} */
export async function measureSizes() {
  const sizes = variants.map((variant) => ({
    variant,
    wasm_bytes: compressedSize(`wasm/${variant}.wasm`),
    glue_bytes: compressedSize(`wasm/${variant}.web.js`),
    worker_bytes: compressedSize("worker.js"),
  }));
  const kilobytes = (/** @type {number} */ bytes) => (bytes / 1000).toFixed(1);
  const rows = sizes.map(({ variant, wasm_bytes, glue_bytes, worker_bytes }) => {
    const all = wasm_bytes + glue_bytes + worker_bytes;
    return [
      variant,
      ...[wasm_bytes, glue_bytes, worker_bytes, all].map(kilobytes),
      String(limits.must),
      String(limits.better),
      judgeLeast(all / 1000, limits),
    ];
  });
  const head = [
    "engine, KB in brotli",
    "wasm",
    "glue",
    "worker",
    "all",
    "must",
    "better",
    "verdict",
  ];
  process.stdout.write(`\n${drawTable(head, rows)}\n`);
  return sizes;
}

/** @param {string} path in dist/ */
function compressedSize(path) {
  const bytes = readFileSync(new URL(path, dist));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).length;
}
