import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm } from "../packaging/installed-package.js";

const sources = fileURLToPath(new URL("./apps/", import.meta.url));

/** What npm need not do for a test, and must whatever NODE_ENV says. */
const quick = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--include=dev"];

/**
 * Makes an app complete: its sources, its bundler from npm, and the package from its tarball.
 *
 * @param {string} name of its folder in apps/
 * @param {string} folder that the app goes to; one outside of this repository, whose settings some
 *   bundlers would take for the app's
 * @param {string} tarball
 */
export function prepareApp(name, folder, tarball) {
  cpSync(join(sources, "shared"), folder, { recursive: true });
  cpSync(join(sources, name), folder, { recursive: true });
  runNpm(["install", "--no-save", ...quick, tarball], folder);
}

/**
 * @param {string} folder of an app
 * @param {string} script of its package.json
 */
export function buildApp(folder, script) {
  rmSync(join(folder, "out"), { recursive: true, force: true });
  // Vite's server leaves its own NODE_ENV in the process that it runs in.
  const env = { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  runNpm(["run", script], folder, env);
}
