// The C++ tests: natively under the sanitizers, and as WebAssembly in this Node.
import { join } from "node:path";
import { buildPreset } from "../build/cmake.js";
import { presetOf, VARIANTS } from "../build/variants.js";
import { ROOT } from "../setup.js";
import { runShown, say } from "../shell.js";
import { relaxedNodeFlags } from "../toolchain/toolchain.js";
import { catchTally } from "./tally.js";

const TARGET = "headscope_tests";
const PLAIN = ["--colour-mode", "none"];

/** @typedef {import("./tally.js").Tally} Tally */

/** @returns {Promise<Tally>} */
export async function testNative() {
  buildPreset("native-debug", [TARGET]);
  const { output, status } = await runShown(join(ROOT, "build/native-debug", TARGET), PLAIN);
  return catchTally(output, status);
}

/** @returns {Promise<Tally[]>} one of each variant that this Node can run */
export async function testWasm() {
  const flags = relaxedNodeFlags();
  const tallies = [];
  for (const variant of VARIANTS) {
    if (variant.startsWith("relaxed") && !runsRelaxed(flags)) {
      say(`${variant}: this Node has no relaxed SIMD; not run`);
      continue;
    }
    const preset = presetOf(variant);
    buildPreset(preset, [TARGET]);
    say(`testing ${preset} in Node ${process.version}`);
    const script = join(ROOT, "build", preset, `${TARGET}.js`);
    const { output, status } = await runShown(process.execPath, [...flags, script, ...PLAIN]);
    tallies.push(catchTally(output, status));
  }
  return tallies;
}

/** Node 20 needs the flag, later ones have it built in. @param {string[]} flags */
function runsRelaxed(flags) {
  return flags.length > 0 || Number(process.versions.node.split(".")[0]) >= 22;
}
