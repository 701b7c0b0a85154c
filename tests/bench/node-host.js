// The contest in a Node process of its own, which the flags for relaxed SIMD were given to: settings
// as JSON in, results into a file.
import { readFile, writeFile } from "node:fs/promises";
import { openContest } from "./contest.js";
import { measureContest } from "./measure.js";
import { modelsFolder } from "./models-folder.js";
import { loadHeadscope, loadOrt } from "./node-libraries.js";

/** @param {{ shape: import("./shapes.js").ShapeName, threads: number }} settings */
async function openInNode(settings) {
  const folder = `${modelsFolder}${settings.shape}/`;
  const [ort, headscope] = await Promise.all([loadOrt(), loadHeadscope()]);
  const read = async (/** @type {string} */ file) => new Uint8Array(await readFile(folder + file));
  return openContest({ ort, headscope, read, folder }, settings);
}

const { out, ...settings } = JSON.parse(process.argv[2] ?? "{}");
const result = await measureContest(openInNode, settings);
await writeFile(out, JSON.stringify(result));
// onnxruntime's threads would keep the process alive.
process.exit(0);
