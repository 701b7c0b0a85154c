// Both sides in Node. By address: a package of its own, which this folder is, cannot name the one
// around it.

/** @returns {Promise<import("./contenders.js").Ort>} */
export function loadOrt() {
  const path = "node_modules/onnxruntime-web/dist/ort.node.min.mjs";
  return import(new URL(path, import.meta.url).href);
}

/** @returns {Promise<typeof import("headscope")>} */
export function loadHeadscope() {
  return import(new URL("../../dist/node/index.js", import.meta.url).href);
}
