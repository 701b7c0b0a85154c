import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Packs the package as it is published.
 *
 * @param {string} folder where to
 * @returns {{ tarball: string, files: string[], size: number, unpackedSize: number }} sizes in bytes
 */
export function packPackage(folder) {
  const [packed] = JSON.parse(runNpm(["pack", "--json", "--pack-destination", folder], root));
  const { filename, files, size, unpackedSize } = packed;
  return {
    tarball: join(folder, filename),
    files: files.map((/** @type {{ path: string }} */ { path }) => path),
    size,
    unpackedSize,
  };
}

/**
 * The package as a user has it: packed, and installed into an empty folder without a network.
 *
 * @returns {{ app: string, remove: () => void } & ReturnType<typeof packPackage>}
 */
export function installPackage() {
  const scratch = mkdtempSync(join(tmpdir(), "headscope package "));
  const app = join(scratch, "app");
  const packed = packPackage(scratch);
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  runNpm(["install", "--offline", "--no-audit", "--no-fund", packed.tarball], app);
  return { ...packed, app, remove: () => rmSync(scratch, { recursive: true, force: true }) };
}

/** @returns {string[]} the Nodes that the package must run in */
export function nodes() {
  const other = process.env.HEADSCOPE_OTHER_NODE;
  return other ? [process.execPath, other] : [process.execPath];
}

/**
 * The entries that are modules.
 *
 * @param {string} app that the package is installed in
 * @returns {string[]} as they are imported
 */
export function entriesOf(app) {
  const manifest = join(app, "node_modules/headscope/package.json");
  return Object.keys(JSON.parse(readFileSync(manifest, "utf8")).exports)
    .filter((entry) => !/\.(json|wasm)$/.test(entry))
    .map((entry) => join("headscope", entry));
}

/**
 * @param {string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} [env] besides this process's
 * @returns {string} what it wrote to stdout
 */
export function runNpm(args, cwd, env) {
  const options = { cwd, encoding: /** @type {const} */ ("utf8"), env: { ...process.env, ...env } };
  const { status, stdout, stderr } = spawnSync("npm", args, options);
  if (status !== 0) throw new Error(`npm ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}
