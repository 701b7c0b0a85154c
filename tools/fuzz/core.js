// The C++ targets, each a program of libFuzzer's.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildPreset } from "../build/cmake.js";
import { ROOT } from "../setup.js";
import { runShown, say } from "../shell.js";

const PRESET = "native-fuzz";

/** Longer inputs name more tensors and tokens, and nothing new. */
const LONGEST_INPUT = 4096;

export const coreTargets = ["checkpoint", "run"];

/**
 * @param {string} target
 * @param {{ seed: number, seconds: number }} options
 * @returns {Promise<boolean>} whether every promise held; libFuzzer names the input otherwise
 */
export async function fuzzCore(target, { seed, seconds }) {
  const program = `headscope_${target}_fuzzer`;
  buildPreset(PRESET, [program]);
  // The inputs that reached something new are kept for the next time.
  const corpus = join(ROOT, "build/fuzz", target);
  mkdirSync(corpus, { recursive: true });
  const options = [
    `-seed=${seed}`,
    `-max_total_time=${seconds}`,
    `-max_len=${LONGEST_INPUT}`,
    "-len_control=20",
    "-timeout=20",
    "-rss_limit_mb=4096",
    "-print_final_stats=1",
    `-artifact_prefix=${corpus}-`,
  ];
  const env = { ASAN_OPTIONS: "allocator_may_return_null=1" };
  const path = join(ROOT, "build", PRESET, program);
  const { status } = await runShown(path, [corpus, ...options], { cwd: ROOT, env });
  if (status !== 0) say(`${target}: the input is ${corpus}-*; give it to ${path}`);
  return status === 0;
}
