// The C++ benchmarks, natively and as relaxed WebAssembly in this Node: kernels as a share of what a
// loop that stays in registers reaches.
import { join } from "node:path";
import { buildPreset } from "../../tools/build/cmake.js";
import { ROOT } from "../../tools/setup.js";
import { runShown, SetupError, say } from "../../tools/shell.js";
import { relaxedNodeFlags } from "../../tools/toolchain/toolchain.js";

/**
 * One line of tests/bench/kernels.cpp.
 *
 * @typedef {{ name: string, value: number, unit: string, share?: number }} Line
 */

/** @returns {Promise<Record<string, Line[]>>} by place */
export async function measureKernels() {
  const native = await runBenchmark("native-release", (folder) => [
    join(folder, "headscope_bench"),
    [],
  ]);
  const wasm = await runBenchmark("wasm-relaxed", (folder) => [
    process.execPath,
    [...relaxedNodeFlags(), join(folder, "headscope_bench.js")],
  ]);
  return { native, [`relaxed WebAssembly in Node ${process.versions.node}`]: wasm };
}

/**
 * @param {string} preset
 * @param {(folder: string) => [string, string[]]} command
 * @returns {Promise<Line[]>}
 */
async function runBenchmark(preset, command) {
  buildPreset(preset, ["headscope_bench"]);
  say(`kernels: ${preset}`);
  const { output, status } = await runShown(...command(join(ROOT, "build", preset)));
  if (status !== 0) throw new SetupError(`headscope_bench of ${preset} ended with code ${status}`);
  return readLines(output);
}

/** @param {string} output @returns {Line[]} */
function readLines(output) {
  const pattern = /^(.+?)\s+([\d.]+) (GF\/s|GOP\/s|us|ns an element)(?:\s+(\d+)%)?$/gm;
  return [...output.matchAll(pattern)].map(([, name, value, unit, share]) => ({
    name: name.trim().replaceAll(/\s+/g, " "),
    value: Number(value),
    unit,
    ...(share === undefined ? {} : { share: Number(share) / 100 }),
  }));
}
