import { defaultModel, models } from "#models";
import { throwIfAborted } from "./abort.js";
import { decodeDataUrl } from "./data-url.js";
import { advise, locateOwnFile } from "./file-advice.js";
import { bytesOf, isBytes } from "./trace/bytes.js";
import { describeValue, HeadscopeError } from "./trace/error.js";
import { isRecord, refuse } from "./trace/kinds.js";

/** @typedef {import("./engine.js").EngineSupply} EngineSupply */

/**
 * Where the files of a checkpoint are: the name of a model that ships; a folder, as URL, address
 * or (in Node) path, where a string with a slash in it is a folder; or the files themselves.
 *
 * @typedef {string | URL | File[] | Record<string, ArrayBuffer | Uint8Array | Blob>} Source
 */

/**
 * How much of a file has come in; `total_bytes` is 0 as long as it is not known (as in
 * a ProgressEvent).
 *
 * @typedef {{ loaded_bytes: number, total_bytes: number, file: string }} Progress
 */

/** @typedef {{ signal?: AbortSignal, onProgress?: (progress: Progress) => void }} ReadingOptions */

/** @typedef {URL | ArrayBuffer | Uint8Array | Blob} FileSource */

const expected = "the name of a model, a folder (address or URL), File[] or a record of files";
const advice = "fromPretrained(source) takes the folder of a checkpoint, or its files";

/** The files of a checkpoint, by name. */
export class CheckpointSource {
  #files;
  #folder;
  #supply;

  /**
   * @param {{ files?: ReadonlyMap<string, FileSource>, folder?: URL }} place
   * @param {EngineSupply} supply
   */
  constructor({ files, folder }, supply) {
    this.#files = files;
    this.#folder = folder;
    this.#supply = supply;
  }

  /** The files there are; undefined for a folder, which cannot be listed. */
  get names() {
    return this.#files === undefined ? undefined : [...this.#files.keys()];
  }

  /**
   * How messages name one of the files.
   *
   * @param {string} name
   * @returns {string}
   */
  describe(name) {
    const file = this.#locate(name);
    return file instanceof URL && file.protocol !== "data:" ? file.href : name;
  }

  /**
   * @param {string} name
   * @param {ReadingOptions} options
   * @returns {Promise<{ bytes: Uint8Array, own: boolean }>} `own`: nobody else holds the bytes
   * @throws {HeadscopeError} `not-found`: no such file, or a web page in its place; `aborted`
   */
  async read(name, { signal, onProgress = () => {} }) {
    const file = this.#locate(name);
    if (file === undefined) {
      const there = this.names?.join(", ") || "no files at all";
      throw new HeadscopeError("not-found", `checkpoint: ${name} is missing; there are: ${there}`);
    }
    const report = (/** @type {number} */ loaded, /** @type {number} */ total) =>
      onProgress({ loaded_bytes: loaded, total_bytes: total, file: name });
    if (!(file instanceof URL) || file.protocol === "data:") {
      const read = await readInMemory(file, name);
      throwIfAborted(signal, "fromPretrained");
      report(read.bytes.length, read.bytes.length);
      return read;
    }
    const options = { onProgress: report, ...(signal === undefined ? {} : { signal }) };
    return { bytes: await advise(this.#fetch(file.href, options), advice), own: true };
  }

  /**
   * @param {string} address
   * @param {import("./fetched-file.js").ReadOptions} options
   * @returns {Promise<Uint8Array>}
   */
  async #fetch(address, options) {
    const bytes = await this.#supply.readFile(address, options);
    if (!isWebPage(bytes)) return bytes;
    throw new HeadscopeError(
      "not-found",
      `${address} is a web page. Some servers answer so where a file is missing`,
    );
  }

  /**
   * @param {string} name
   * @returns {FileSource | undefined}
   */
  #locate(name) {
    return this.#folder === undefined ? this.#files?.get(name) : new URL(name, this.#folder);
  }
}

/**
 * @param {unknown} source as `Source`; undefined is the default model
 * @param {EngineSupply} supply
 * @returns {CheckpointSource}
 * @throws {HeadscopeError} `bad-argument`; `not-found`: no model of that name ships
 */
export function openSource(source, supply) {
  if (source === undefined) return openShipped(defaultModel, supply);
  if (typeof source === "string") {
    if (source === "") refuse("fromPretrained: source", source, expected);
    const bare = /^[^/\\:.][^/\\:]*$/.test(source);
    return bare ? openShipped(source, supply) : openFolder(supply.resolveAddress(source), supply);
  }
  if (source instanceof URL) return openFolder(source.href, supply);
  if (Array.isArray(source)) return new CheckpointSource({ files: readFiles(source) }, supply);
  if (!isRecord(source)) return refuse("fromPretrained: source", source, expected);
  return new CheckpointSource({ files: readRecord(source) }, supply);
}

/**
 * @param {string} name
 * @param {EngineSupply} supply
 * @returns {CheckpointSource}
 */
function openShipped(name, supply) {
  const files = Object.hasOwn(models, name) ? models[name] : undefined;
  if (files !== undefined) {
    const located = Object.entries(files).map(
      ([file, locate]) => /** @type {const} */ ([file, locateOwnFile(locate, advice)]),
    );
    return new CheckpointSource({ files: new Map(located) }, supply);
  }
  const there = Object.keys(models).join(", ");
  throw new HeadscopeError(
    "not-found",
    `fromPretrained: no model "${name}" ships, only ${there}; a folder is "./${name}"`,
  );
}

/**
 * @param {string} address
 * @param {EngineSupply} supply
 * @returns {CheckpointSource}
 */
function openFolder(address, supply) {
  const folder = new URL(address);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return new CheckpointSource({ folder }, supply);
}

/**
 * @param {unknown[]} files
 * @returns {Map<string, FileSource>}
 */
function readFiles(files) {
  /** @type {Map<string, FileSource>} */
  const named = new Map();
  for (const [i, file] of files.entries()) {
    const what = `fromPretrained: source[${i}]`;
    if (!isBlob(file) || !("name" in file)) return refuse(what, file, "a File");
    const name = String(file.name);
    if (named.has(name)) {
      throw new HeadscopeError("bad-argument", `${what} is another ${describeValue(name)}`);
    }
    named.set(name, file);
  }
  return named;
}

/**
 * @param {Record<string, unknown>} record
 * @returns {Map<string, FileSource>}
 */
function readRecord(record) {
  return new Map(
    Object.entries(record).map(([name, file]) => {
      if (isBytes(file) || isBlob(file)) return [name, file];
      return refuse(`fromPretrained: "${name}"`, file, "an ArrayBuffer, a Uint8Array or a Blob");
    }),
  );
}

/**
 * @param {unknown} value
 * @returns {value is Blob}
 */
function isBlob(value) {
  return isRecord(value) && typeof value.arrayBuffer === "function";
}

/**
 * @param {FileSource} file
 * @param {string} name
 * @returns {Promise<{ bytes: Uint8Array, own: boolean }>}
 * @throws {HeadscopeError} `not-found`: a File that has changed or gone since it was chosen
 */
async function readInMemory(file, name) {
  if (file instanceof URL) return { bytes: decodeDataUrl(file.href), own: true };
  if (isBytes(file)) return { bytes: bytesOf(file), own: false };
  try {
    return { bytes: new Uint8Array(await file.arrayBuffer()), own: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeadscopeError("not-found", `${name} cannot be read: ${reason}`, { cause: error });
  }
}

/**
 * No file of a checkpoint begins like this.
 *
 * @param {Uint8Array} bytes
 * @returns {boolean}
 */
function isWebPage(bytes) {
  const start = new TextDecoder().decode(bytes.subarray(0, 100));
  return /^\s*<(!doctype|html|\?xml)/i.test(start);
}
