// Builds everything that ships into dist/, and the float32 model into build/.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { say } from "../shell.js";
import { bundledPackages, bundleModules, NODE_ENTRIES, WEB_ENTRIES } from "./bundles.js";
import { buildEngines } from "./engines.js";
import { writeLicenses } from "./licenses.js";
import { buildModels } from "./models.js";
import { buildSinglePage, buildSite } from "./site.js";
import { buildTypes } from "./types.js";

const DIST = join(ROOT, "dist");

/**
 * @param {{ types: boolean }} options types: also the declarations, which the page does not need
 */
export async function build({ types }) {
  const started = Date.now();
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  mkdirSync(DIST, { recursive: true });
  mkdirSync(join(DIST, "models"), { recursive: true });
  buildModels(join(DIST, "models"));
  buildEngines(join(DIST, "wasm"), version);
  say("bundling");
  removeBundles();
  const web = await bundleModules(WEB_ENTRIES, DIST, "browser", version);
  await bundleModules(NODE_ENTRIES, join(DIST, "node"), "node", version);
  writeLicenses(bundledPackages(web));
  await buildSite(version);
  await buildSinglePage(version);
  if (types) buildTypes();
  say(`built dist/ (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

/** Chunks carry hashes in their names: old ones would stay and ship. The list of models is no bundle. */
function removeBundles() {
  rmSync(join(DIST, "node"), { recursive: true, force: true });
  for (const name of readdirSync(DIST))
    if (/\.js$|\.LEGAL\.txt$/.test(name) && name !== "models.js") rmSync(join(DIST, name));
}
