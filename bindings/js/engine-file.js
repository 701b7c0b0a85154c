import { decodeDataUrl } from "./data-url.js";
import { advise } from "./file-advice.js";
import { bytesOf } from "./trace/bytes.js";
import { HeadscopeError } from "./trace/error.js";
import { variants } from "./variants.js";

/** @typedef {import("./variants.js").Variant} Variant */

/**
 * Where the engines are: the address of their folder or of one `.wasm`, the bytes of one, or one
 * that is already compiled.
 *
 * @typedef {string | ArrayBuffer | Uint8Array | WebAssembly.Module} EngineSource
 */

/** @typedef {import("./fetched-file.js").ReadOptions} ReadOptions */
/** @typedef {(address: string, options?: ReadOptions) => Promise<Uint8Array>} ReadFile */

/**
 * A compiled engine and which one it is.
 *
 * @typedef {{ compiled: WebAssembly.Module, variant: Variant }} EngineFile
 */

const magic = [0x00, 0x61, 0x73, 0x6d];
export const advice =
  "createEngine({ wasm }) takes the folder of Headscope's engines, or the bytes of one";

/**
 * Whether a source is one engine, so that nothing is left to choose.
 *
 * @param {EngineSource} source
 * @returns {boolean}
 */
export function isOneEngine(source) {
  if (typeof source !== "string" || /^(data|blob):/.test(source)) return true;
  return new URL(source).pathname.endsWith(".wasm");
}

/**
 * Reads and compiles an engine. Bytes are compiled whatever MIME type they came with.
 *
 * @param {EngineSource} source
 * @param {ReadFile} readFile
 * @returns {Promise<EngineFile>}
 * @throws {HeadscopeError} `not-found`: nothing there, or a web page in its place;
 *   `bad-argument`: no engine of Headscope's; `unsupported-environment`: it cannot be compiled
 *   here, or it is of another version than this JavaScript
 */
export async function readEngine(source, readFile) {
  if (source instanceof WebAssembly.Module) return readStamp(source, "wasm: the module given");
  const isElsewhere = typeof source === "string" && !source.startsWith("data:");
  const name = isElsewhere ? source : "wasm: the bytes given";
  const bytes = isElsewhere ? await advise(readFile(source), advice) : givenBytes(source);
  if (!magic.every((byte, i) => bytes[i] === byte)) {
    const start = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0"));
    throw new HeadscopeError(
      isElsewhere ? "not-found" : "bad-argument",
      `engine: ${name} is no WebAssembly: it begins with ${start.join(" ") || "nothing"}, ` +
        `expected 00 61 73 6d. Some servers answer with a page where a file is missing; ${advice}`,
    );
  }
  return readStamp(await compile(bytes, name), name);
}

/**
 * @param {string | ArrayBuffer | Uint8Array} source a data: URL, if it is a string
 * @returns {Uint8Array}
 */
function givenBytes(source) {
  return typeof source === "string" ? decodeDataUrl(source) : bytesOf(source);
}

/**
 * @param {Uint8Array} bytes
 * @param {string} name
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(bytes, name) {
  try {
    return await WebAssembly.compile(/** @type {Uint8Array<ArrayBuffer>} */ (bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Chromium asks for more than it takes, 'unsafe-eval'.
    const isPolicy = /\bCSP\b|content security policy/i.test(reason);
    const need = isPolicy ? "; the page's policy must have 'wasm-unsafe-eval' in script-src" : "";
    throw new HeadscopeError(
      "unsupported-environment",
      `engine: ${name} cannot be compiled here: ${reason}${need}`,
      { cause: error },
    );
  }
}

/**
 * Reads the stamp that the build leaves in each engine, "VARIANT VERSION". Glue of one version
 * with an engine of another would fail in ways that nobody can read.
 *
 * @param {WebAssembly.Module} compiled
 * @param {string} name
 * @returns {EngineFile}
 */
function readStamp(compiled, name) {
  const [section] = WebAssembly.Module.customSections(compiled, "headscope");
  const [variant, version] = new TextDecoder().decode(section).split(" ");
  const known = variants.find((each) => each === variant);
  if (known === undefined) {
    throw new HeadscopeError("bad-argument", `engine: ${name} is none of Headscope's; ${advice}`);
  }
  if (version !== __HEADSCOPE_VERSION__) {
    throw new HeadscopeError(
      "unsupported-environment",
      `engine: ${name} is of version ${version}, expected ${__HEADSCOPE_VERSION__} as this ` +
        `JavaScript; ${advice}`,
    );
  }
  return { compiled, variant: known };
}
