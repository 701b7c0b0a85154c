// Both sides, and files, in a page: by address, as the repository's root is what is served.

/** @param {string} path from the repository's root */
export function address(path) {
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
