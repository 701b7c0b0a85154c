import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The package as a user has it: packed, and installed into an empty folder without a network.
 *
 * @returns {{ app: string, remove: () => void }}
 */
export function installPackage() {
  const scratch = mkdtempSync(join(tmpdir(), "headscope package "));
  const app = join(scratch, "app");
  const npm = (/** @type {string[]} */ args, /** @type {string} */ cwd) => {
    const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm ${args.join(" ")}\n${stdout}\n${stderr}`);
    return stdout;
  };
  const [packed] = JSON.parse(npm(["pack", "--json", "--pack-destination", scratch], root));
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  const flags = ["--offline", "--no-audit", "--no-fund"];
  npm(["install", ...flags, join(scratch, packed.filename)], app);
  return { app, remove: () => rmSync(scratch, { recursive: true, force: true }) };
}
