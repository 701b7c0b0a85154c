// What every command needs before it can start: a new enough Node, the pinned packages, the toolchain.
// Only Node's own modules here: it runs right after a clone.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, SetupError, say } from "./shell.js";
import { ensureToolchain } from "./toolchain/toolchain.js";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * @throws {SetupError} saying what to do
 */
export function setUp() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 6))
    throw new SetupError(`Node ${process.version} is too old: install Node 20.6 or newer`);
  installPackages(ROOT);
  ensureToolchain();
}

/**
 * Installs what a folder's lock file pins, where something of it is missing.
 * @param {string} folder
 */
export function installPackages(folder) {
  if (arePackagesInstalled(folder)) return;
  say("installing the pinned packages (npm ci)");
  run("npm", ["ci"], { cwd: folder, show: true });
}

/**
 * Whether each package of the lock file is there in its version; those of other platforms need not be.
 * @param {string} folder
 */
function arePackagesInstalled(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return Object.entries(packages).every(([path, { version, optional }]) => {
    if (path === "") return true;
    const manifest = join(folder, path, "package.json");
    if (!existsSync(manifest)) return optional === true;
    return JSON.parse(readFileSync(manifest, "utf8")).version === version;
  });
}

/**
 * Runs a command of this repository; a failure that the person can mend is shown without a stack.
 * @param {() => Promise<void>} command
 */
export async function runCommand(command) {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n[headscope] ${error.message}\n`);
    process.exitCode = 1;
  }
}
