// The contest in a page: what the modules of both sides are called there.
import { openContest } from "./contest.js";

/** @param {string} path from the repository's root, which is served */
function address(path) {
  return new URL(`../../${path}`, import.meta.url).href;
}

/** @returns {Promise<import("./contenders.js").Ort>} */
export async function loadOrt() {
  const folder = "tests/bench/node_modules/onnxruntime-web/dist/";
  const ort = await import(address(`${folder}ort.wasm.min.mjs`));
  ort.env.wasm.wasmPaths = address(folder);
  return ort;
}

/** @returns {Promise<typeof import("headscope")>} */
export function loadHeadscope() {
  return import(address("dist/index.js"));
}

/** @param {string} path @returns {Promise<Uint8Array>} */
export async function readFile(path) {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error(`${path}: status ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** @param {{ shape: import("./shapes.js").ShapeName, threads: number }} settings */
export async function openInPage(settings) {
  if (!crossOriginIsolated) throw new Error("this page is not cross-origin isolated");
  const folder = `build/bench/models/${settings.shape}/`;
  const [ort, headscope] = await Promise.all([loadOrt(), loadHeadscope()]);
  const read = (/** @type {string} */ file) => readFile(folder + file);
  return openContest({ ort, headscope, read, folder: address(folder) }, settings);
}
