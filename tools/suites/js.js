// The suites of node --test: JavaScript in each Node, packaging, browsers.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { runShown, SetupError, say } from "../shell.js";
import { node22 } from "./npm-program.js";
import { nodeTally } from "./tally.js";

/** @typedef {import("./tally.js").Tally} Tally */

/**
 * @param {string} folder under tests/
 * @returns {string[]} its test files
 */
function testFiles(folder) {
  const path = join(ROOT, "tests", folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".test.js"))
    .sort()
    .map((name) => join(path, name));
}

/**
 * @param {string} folder
 * @param {{ node?: string, env?: NodeJS.ProcessEnv, concurrency?: number }} [options]
 * @returns {Promise<Tally>}
 * @throws {SetupError} where the folder holds no test: a suite that runs nothing proves nothing
 */
export async function testFolder(folder, { node = process.execPath, env, concurrency = 2 } = {}) {
  const files = testFiles(folder);
  if (files.length === 0) throw new SetupError(`tests/${folder} holds no *.test.js`);
  say(`testing tests/${folder} with ${node}`);
  const options = ["--test-reporter=spec", `--test-concurrency=${concurrency}`];
  const { output, status } = await runShown(node, ["--test", ...options, ...files], {
    cwd: ROOT,
    env,
  });
  return nodeTally(output, status);
}

/** @returns {Promise<Tally[]>} in this Node and, where this is another, in Node 22 */
export async function testJs() {
  const tallies = [await testFolder("js")];
  const other = node22();
  if (other) tallies.push(await testFolder("js", { node: other }));
  return tallies;
}

/** @returns {Promise<Tally>} */
export function testPackaging() {
  const other = node22();
  return testFolder("packaging", { env: other ? { HEADSCOPE_OTHER_NODE: other } : {} });
}

/** @returns {Promise<Tally>} one app at a time, each for itself takes all the cores there are */
export function testBundlers() {
  return testFolder("bundlers", { concurrency: 1 });
}

/** @returns {Promise<Tally>} */
export function testBrowsers() {
  return testFolder("browser", { concurrency: 1 });
}
