// Finds or makes what compiles the C++ core, and leaves one folder that CMake's presets name:
// .toolchain/native.cmake and .toolchain/wasm.cmake. A second run only compares a stamp.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, SetupError, say, tryRun } from "../shell.js";
import { distribution, installPackages } from "./apt.js";
import { unpackToolchain } from "./debian-recipe.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, ".toolchain");
const STAMP = join(FOLDER, "stamp");
const OLDEST_EMSCRIPTEN = [3, 1, 69];

const BUILD_PACKAGES = [
  ...["clang-19", "lld-19", "llvm-19", "libclang-rt-19-dev", "g++", "cmake", "ninja-build"],
  ...["libeigen3-dev", "nlohmann-json3-dev", "python3", "xz-utils"],
];
const CHECK_PACKAGES = ["clang-format-19", "clang-tidy-19"];

const HELP = `No Emscripten of at least ${OLDEST_EMSCRIPTEN.join(".")} was found.
Debian 12 gets a private one by itself. Elsewhere install emsdk (see "Download and install" in
Emscripten's documentation: ./emsdk install latest && ./emsdk activate latest, then source
emsdk_env.sh) or, on Debian 13, run apt-get install emscripten; then try again.`;

/** The flags that this Node needs to run relaxed SIMD. @returns {string[]} */
export function relaxedNodeFlags() {
  const flag = "--experimental-wasm-relaxed-simd";
  return tryRun(process.execPath, [flag, "-e", "0"]) === null ? [] : [flag];
}

/** Installs the formatter and linter of C++ where apt can. */
export function ensureCheckTools() {
  if (isDebian()) installPackages(CHECK_PACKAGES, "to check C++");
}

/**
 * Makes .toolchain/ complete.
 * @throws {SetupError} saying what to do
 */
export function ensureToolchain() {
  const stamp = expectedStamp();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) return;
  const started = Date.now();
  if (isDebian()) installPackages(BUILD_PACKAGES, "to build");
  const emscripten = findEmscripten() ?? privateEmscripten();
  writeCMakeFiles(emscripten, findCatch());
  writeFileSync(STAMP, stamp);
  say(
    `toolchain ready: Emscripten at ${emscripten} (${Math.round((Date.now() - started) / 1000)} s)`,
  );
}

function isDebian() {
  return distribution()?.id === "debian";
}

/** Anything that would make another toolchain: the recipe, this Node, an emcc on PATH. */
function expectedStamp() {
  const hash = createHash("sha256");
  for (const name of ["toolchain.js", "debian-recipe.js", "apt.js"])
    hash.update(readFileSync(new URL(name, import.meta.url)));
  hash.update(`${process.version} ${process.execPath} ${process.env.EMSDK ?? ""} ${ROOT}`);
  return hash.digest("hex");
}

/** @param {string} emcc @returns {boolean} */
function isNewEnough(emcc) {
  const version = tryRun(emcc, ["--version"])?.match(/(\d+)\.(\d+)\.(\d+)/);
  if (!version) return false;
  const found = version.slice(1).map(Number);
  const differing = found.findIndex((part, i) => part !== OLDEST_EMSCRIPTEN[i]);
  return differing < 0 || found[differing] > OLDEST_EMSCRIPTEN[differing];
}

/** @returns {string | null} the folder of an emcc on PATH that is new enough */
function findEmscripten() {
  const onPath = tryRun("sh", ["-c", "command -v emcc"])?.trim();
  return onPath && isNewEnough(onPath) ? dirname(realpathSync(onPath)) : null;
}

/** @returns {string} the folder of the private emcc, unpacked first where it is not there yet */
function privateEmscripten() {
  const own = distribution();
  if (own?.id !== "debian" || own.version !== "12" || process.arch !== "x64")
    throw new SetupError(HELP);
  const folder = join(FOLDER, "debian");
  const emscripten = join(folder, "root/usr/share/emscripten");
  const recipe = readFileSync(new URL("debian-recipe.js", import.meta.url));
  const recipeHash = createHash("sha256").update(recipe).digest("hex");
  const unpacked = join(folder, "unpacked");
  if (!existsSync(unpacked) || readFileSync(unpacked, "utf8") !== recipeHash) {
    unpackToolchain(folder);
    writeFileSync(unpacked, recipeHash);
  }
  configureEmscripten(emscripten, join(folder, "root"));
  if (!isNewEnough(join(emscripten, "emcc")))
    throw new SetupError(`${emscripten}/emcc does not run; delete .toolchain/ and try again`);
  return emscripten;
}

/** @param {string} emscripten @param {string} root */
function configureEmscripten(emscripten, root) {
  const node = [process.execPath, ...relaxedNodeFlags()].map((word) => `'${word}'`).join(", ");
  writeFileSync(
    join(emscripten, ".emscripten"),
    [
      "LLVM_ROOT = '/usr/bin'",
      "LLVM_ADD_VERSION = '19'",
      "CLANG_ADD_VERSION = '19'",
      `BINARYEN_ROOT = '${join(root, "binaryen")}'`,
      "FROZEN_CACHE = True",
      `NODE_JS = [${node}]`,
      "",
    ].join("\n"),
  );
}

/** @returns {string} the folder with Catch2's amalgamated sources */
function findCatch() {
  const given = process.env.HEADSCOPE_CATCH2_DIR;
  const candidates = [given, join(FOLDER, "debian/catch2/extras")].filter((path) => path);
  for (const folder of candidates)
    if (existsSync(join(String(folder), "catch_amalgamated.cpp"))) return String(folder);
  throw new SetupError(
    "Catch2 3 is missing: set HEADSCOPE_CATCH2_DIR to the folder `extras` of its sources (3.7.1)",
  );
}

/** @param {string} emscripten @param {string} catch2 */
function writeCMakeFiles(emscripten, catch2) {
  mkdirSync(FOLDER, { recursive: true });
  const shared = [
    `set(HEADSCOPE_CATCH2_DIR "${catch2}")`,
    `set(HEADSCOPE_NODE "${process.execPath}")`,
  ];
  const clang = tryRun("clang++-19", ["--version"]) === null ? "clang++" : "clang++-19";
  const native = [`set(CMAKE_CXX_COMPILER ${clang})`, ...shared, ""];
  const emulator = [process.execPath, ...relaxedNodeFlags()].join(";");
  const wasm = [
    `include("${emscripten}/cmake/Modules/Platform/Emscripten.cmake")`,
    `set(CMAKE_CROSSCOMPILING_EMULATOR "${emulator}")`,
    ...(existsSync("/usr/share/eigen3/cmake") ? ["set(Eigen3_DIR /usr/share/eigen3/cmake)"] : []),
    ...shared,
    "",
  ];
  // Emscripten's own scripts are CommonJS; without this the repository's "type": "module" reaches them.
  writeFileSync(join(FOLDER, "package.json"), '{ "type": "commonjs" }\n');
  writeFileSync(join(FOLDER, "native.cmake"), native.join("\n"));
  writeFileSync(join(FOLDER, "wasm.cmake"), wasm.join("\n"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    ensureToolchain();
    run("cmake", ["--version"]);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
