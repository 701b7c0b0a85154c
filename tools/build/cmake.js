// Configures and builds a CMake preset; ninja decides what is out of date.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { run, say } from "../shell.js";

/**
 * @param {string} preset
 * @param {string[]} [targets] all by default
 */
export function buildPreset(preset, targets = []) {
  const ninja = join(ROOT, "build", preset, "build.ninja");
  if (isStale(ninja)) {
    say(`configuring ${preset}`);
    run("cmake", ["--preset", preset], { cwd: ROOT });
  }
  const choice = targets.flatMap((target) => ["--target", target]);
  say(`building ${preset}`);
  run("cmake", ["--build", "--preset", preset, ...choice], { cwd: ROOT, show: true });
}

/** Ninja itself notices changed CMake files, but not another preset or toolchain file. @param {string} ninja */
function isStale(ninja) {
  if (!existsSync(ninja)) return true;
  const built = statSync(ninja).mtimeMs;
  const inputs = ["CMakePresets.json", ".toolchain/native.cmake", ".toolchain/wasm.cmake"];
  return inputs.some((name) => statSync(join(ROOT, name)).mtimeMs > built);
}
