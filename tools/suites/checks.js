// What `npm run check` looks at, each by the tool that knows it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPreset } from "../build/cmake.js";
import { ROOT } from "../setup.js";
import { run, runShown, tryRun } from "../shell.js";

const BIOME = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const TIDY_STAMPS = join(ROOT, "build/tidy");
const TIDY_JOBS = 2;

/** @type {Record<string, () => Promise<boolean>>} each says whether all is fine, and shows what is not */
export const checks = {
  "format of C++": async () =>
    isFine(llvmTool("clang-format"), ["--dry-run", "-Werror", ...sources()]),
  "format and lint of JavaScript": async () =>
    isFine(process.execPath, [BIOME, "ci", "--colors=off", "--error-on-warnings"]),
  "names in C++": checkNames,
  types: async () => isFine(process.execPath, [TSC, "-p", "tsconfig.json"]),
  arrows: async () => isFine(process.execPath, ["--test", "tests/js/arrows.test.js"]),
};

export function formatAll() {
  run(llvmTool("clang-format"), ["-i", ...sources()], { cwd: ROOT, show: true });
  run(process.execPath, [BIOME, "check", "--write"], { cwd: ROOT, show: true });
}

/** @param {string} program @param {string[]} args @returns {Promise<boolean>} */
async function isFine(program, args) {
  return (await runShown(program, args, { cwd: ROOT })).status === 0;
}

/** Debian names them by version. @param {string} name */
function llvmTool(name) {
  return tryRun(`${name}-19`, ["--version"]) === null ? name : `${name}-19`;
}

/** @returns {string[]} the C++ files, from the repository's root */
function sources() {
  return ["src", "bindings", "tests/cpp", "tests/bench", "tests/fuzz"]
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((name) =>
        join(folder, String(name)),
      ),
    )
    .filter((name) => /\.(h|cpp)$/.test(name))
    .sort();
}

/** clang-tidy reads Eigen anew for each file: one that was fine and has not changed is not read again. */
async function checkNames() {
  buildPreset("native-debug", ["headscope_core"]);
  const hash = createHash("sha256").update(readFileSync(join(ROOT, ".clang-tidy")));
  for (const name of sources().filter((each) => each.endsWith(".h")))
    hash.update(readFileSync(join(ROOT, name)));
  const headers = hash.digest("hex");
  mkdirSync(TIDY_STAMPS, { recursive: true });
  const queue = sources().filter((name) => name.startsWith("src/") && name.endsWith(".cpp"));
  let allFine = true;
  const worker = async () => {
    for (let name = queue.shift(); name; name = queue.shift())
      allFine = (await isTidy(name, headers)) && allFine;
  };
  await Promise.all(Array.from({ length: TIDY_JOBS }, worker));
  return allFine;
}

/** @param {string} name @param {string} headers hash of all of them @returns {Promise<boolean>} */
async function isTidy(name, headers) {
  const content = createHash("sha256")
    .update(headers)
    .update(readFileSync(join(ROOT, name)));
  const stamp = join(TIDY_STAMPS, name.replaceAll("/", "-"));
  const expected = content.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === expected) return true;
  const { status } = await runShown(
    llvmTool("clang-tidy"),
    ["-p", "build/native-debug", "--quiet", "--warnings-as-errors=*", name],
    { cwd: ROOT },
  );
  if (status === 0) writeFileSync(stamp, expected);
  return status === 0;
}
