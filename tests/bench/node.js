// The contest in Node, in a process of its own per model: it takes the flags that relaxed SIMD needs
// there, and its memory goes with it.
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runShown, SetupError } from "../../tools/shell.js";
import { relaxedNodeFlags } from "../../tools/toolchain/toolchain.js";

/** @typedef {import("./measure.js").Contestants} Contestants */
/** @typedef {import("./measure.js").ContestResult} ContestResult */

const script = fileURLToPath(new URL("node-host.js", import.meta.url));

/**
 * @param {Contestants & { lengths: number[], rounds: number }} settings
 * @param {string} folder for its results
 * @returns {Promise<ContestResult>}
 */
export async function measureInNode(settings, folder) {
  const out = `${folder}node-process.json`;
  const all = JSON.stringify({ ...settings, place: `Node ${process.versions.node}`, out });
  const { status } = await runShown(process.execPath, [...relaxedNodeFlags(), script, all]);
  if (status !== 0) throw new SetupError(`the contest in Node ended with code ${status}`);
  const result = JSON.parse(readFileSync(out, "utf8"));
  rmSync(out);
  return result;
}
