// The engines: one .wasm per variant, stamped with its name and version, and its glue per kind of host.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { SetupError } from "../shell.js";
import { buildPreset } from "./cmake.js";
import { isThreaded, moduleFolder, presetOf, VARIANTS } from "./variants.js";

/** How the glue of Emscripten 3.1.69 makes a worker for a thread. */
const MAKES_WORKER =
  /var workerOptions=\{[^{}]*\};(\w+)=new Worker\(new URL\("[^"]+",import\.meta\.url\),workerOptions\)/;

/** How it gets its module, at the end of a function. */
const LOADS_MODULE =
  /if\(Module\["instantiateWasm"\]\)\{try\{return (Module\["instantiateWasm"\]\(info,receiveInstance\))\}catch.*?;return\{\}\}/;

/**
 * Builds the four modules and writes them to `folder`: VARIANT.wasm, VARIANT.web.js (many servers know
 * no .mjs, and browsers take no script of an unknown type), VARIANT.node.mjs and, of those without
 * threads, VARIANT.classic.js.
 * @param {string} folder
 * @param {string} version
 */
export function buildEngines(folder, version) {
  mkdirSync(folder, { recursive: true });
  for (const variant of VARIANTS) {
    const kinds = isThreaded(variant) ? ["web", "node"] : ["web", "node", "classic"];
    buildPreset(
      presetOf(variant),
      kinds.map((kind) => `module_${kind}`),
    );
    writeIfChanged(join(folder, `${variant}.wasm`), engineBytes(variant, kinds, version));
    for (const kind of kinds) {
      const linked = `${variant}.${kind}${kind === "classic" ? ".js" : ".mjs"}`;
      const glue = readFileSync(join(moduleFolder(variant), linked), "utf8");
      const name = `${variant}.${kind}${kind === "node" ? ".mjs" : ".js"}`;
      writeIfChanged(join(folder, name), minify(patchGlue(glue, variant, kind, version), variant));
    }
  }
}

/**
 * The one .wasm that serves every glue of a variant.
 * @param {string} variant @param {string[]} kinds @param {string} version
 * @returns {Uint8Array}
 */
function engineBytes(variant, kinds, version) {
  const [first, ...others] = kinds.map((kind) =>
    readFileSync(join(moduleFolder(variant), `${variant}.${kind}.wasm`)),
  );
  if (others.some((other) => !other.equals(first)))
    throw new SetupError(
      `the links ${kinds.join(", ")} of ${variant} made different .wasm files: one must serve all, ` +
        "so their flags may differ in the host's environment only",
    );
  return Buffer.concat([first, customSection("headscope", stampOf(variant, version))]);
}

/** @param {string} name @param {string} content @returns {Uint8Array} */
function customSection(name, content) {
  const body = [name.length, ...Buffer.from(name), ...Buffer.from(content)];
  if (body.length > 127) throw new Error("a section of this length needs a longer size field");
  return Uint8Array.from([0, body.length, ...body]);
}

/**
 * Leaves out what nothing uses any more, and the long names of local variables.
 * @param {string} glue @param {string} variant @returns {string}
 */
function minify(glue, variant) {
  const parts = glue.split(/var moduleRtn;|return moduleRtn;/);
  if (parts.length !== 3) refuseGlue(variant, "moduleRtn once");
  const [head, body, tail] = parts;
  // As a module of its own: unused parts are left out at the top of a module only.
  const shaken = transformSync(`var moduleRtn;${body};export{moduleRtn}`, {
    minify: true,
    treeShaking: true,
    format: "esm",
    target: "es2022",
  });
  const returned = replaceOrFail(
    shaken.code,
    /export\{(\w+) as moduleRtn\};\s*$/,
    (_, name) => `return ${name};`,
    variant,
  );
  return transformSync(head + returned + tail, { minify: true, target: "es2022" }).code;
}

/**
 * @param {string} glue @param {string} variant @param {string} kind @param {string} version
 * @returns {string}
 */
export function patchGlue(glue, variant, kind, version) {
  const wasm = new RegExp(`${variant}\\.${kind}\\.wasm`, "g");
  const named = replaceOrFail(glue, wasm, `${variant}.wasm`, variant);
  // The module comes compiled: what would load it is left out.
  const given = replaceOrFail(named, LOADS_MODULE, (_, call) => `return ${call}}`, variant);
  const patched = isThreaded(variant) ? patchThreads(given, variant, kind) : given;
  // A classic script exports nothing; it travels inside of what uses it.
  if (kind === "classic") return patched;
  return `${patched}export const stamp = "${stampOf(variant, version)}";\n`;
}

/** @param {string} glue @param {string} variant @param {string} kind @returns {string} */
function patchThreads(glue, variant, kind) {
  // Whoever makes the module makes its workers: the glue's way is one that bundlers do not follow.
  const opening = (/** @type {string[]} */ ...[, worker]) => `${worker}=Module["openThread"]()`;
  const opened = replaceOrFail(glue, MAKES_WORKER, opening, variant);
  if (kind !== "node") return opened;
  // The host's globals are left alone.
  return replaceOrFail(opened, "global.Worker=worker_threads.Worker;", "", variant);
}

/**
 * What an engine and its glue say of themselves: files of two versions do not fit together.
 * @param {string} variant @param {string} version @returns {string}
 */
function stampOf(variant, version) {
  return `${variant} ${version}`;
}

/**
 * @param {string} text
 * @param {string | RegExp} pattern
 * @param {string | ((...groups: string[]) => string)} replacement
 * @param {string} variant
 */
function replaceOrFail(text, pattern, replacement, variant) {
  // A function, so that a dollar sign in the replacement stays one.
  const replace = typeof replacement === "string" ? () => replacement : replacement;
  const replaced = text.replace(pattern, replace);
  if (replaced === text) refuseGlue(variant, pattern);
  return replaced;
}

/** @param {string} variant @param {string | RegExp} missing @returns {never} */
function refuseGlue(variant, missing) {
  throw new SetupError(
    `the glue of ${variant} does not hold ${missing}: this Emscripten writes it in another way; ` +
      "use the version that the toolchain script makes, or adapt tools/build/engines.js",
  );
}

/** Unchanged files keep their time, so that later steps see nothing new. @param {string} path @param {string | Uint8Array} content */
export function writeIfChanged(path, content) {
  const bytes = Buffer.from(content);
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  writeFileSync(path, bytes);
}
