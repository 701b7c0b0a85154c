import { captures, countAxes, isCapture } from "./capture.js";
import { describeValue, HeadscopeError } from "./error.js";
import { findJsonFault } from "./json-keys.js";
import { readFloats, readSafetensorsHeader, writeSafetensors } from "./safetensors.js";
import { readTiming } from "./timing.js";
import { readTokens, spellPieces } from "./token.js";

// How a trace lies in a safetensors file.
//
// A name whose layers were all captured, with one shape, is one tensor: `attention` [L, H, T, T],
// `query` [L, H, T, K], `hidden` [L, T, D]. Where layers are missing or their widths differ, each
// layer is a tensor of its own, named `query.0` [H, T, K] or `hidden.1` [T, D]. `embeddings` and
// `output` are [T, D], `pooled` is [D]. The metadata `text`, `pair`, `tokens`, `config` and
// `timing` are JSON.
//
// A file by another tool may leave out whatever it does not have, all metadata included: tokens
// are then named by their places. Tensors of other names are not read.

/**
 * @typedef {import("./safetensors.js").FloatTensor} FloatTensor
 * @typedef {import("./safetensors.js").TensorInfo} TensorInfo
 * @typedef {import("./token.js").Token} Token
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {import("./trace.js").TraceConfig} TraceConfig
 * @typedef {import("./trace.js").TraceEntry} TraceEntry
 * @typedef {import("./trace.js").TraceFields} TraceFields
 */

/**
 * @param {Trace} trace
 * @param {"F16" | "F32"} dtype
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeTraceFile(trace, dtype) {
  const tensors = trace.names.flatMap((name) => collectTensors(trace, name));
  if (trace.pooled.length > 0) {
    tensors.push({ name: "pooled", shape: [trace.pooled.length], values: trace.pooled });
  }
  const { text, pair, tokens, config, timing } = trace;
  /** @type {Record<string, string>} */
  const metadata = {};
  for (const [key, value] of Object.entries({ text, pair, tokens, config, timing })) {
    if (value !== undefined) metadata[key] = JSON.stringify(value);
  }
  return writeSafetensors(tensors, { dtype, metadata });
}

/**
 * @param {Uint8Array | ArrayBuffer} bytes
 * @returns {TraceFields}
 * @throws {HeadscopeError} `bad-checkpoint`; `bad-argument`: no bytes
 */
export function readTraceFile(bytes) {
  const { tensors, data, metadata } = readSafetensorsHeader(bytes, "trace");
  /** @type {TraceEntry[]} */
  const entries = [];
  /** @type {Float32Array[]} */
  const parts = [];
  let offset = 0;
  /** @type {Float32Array} */
  let pooled = new Float32Array(0);
  for (const tensor of tensors) {
    if (tensor.name === "pooled") pooled = readFloats(data, tensor, "trace");
    const place = parseName(tensor.name);
    if (place === undefined) continue;
    entries.push(...splitTensor(tensor, place, offset));
    const values = readFloats(data, tensor, "trace");
    parts.push(values);
    offset += values.length;
  }
  entries.sort(compareEntries);
  const texts = readTexts(metadata, entries[0]?.rows ?? 0);
  const config = readConfig(metadata, entries);
  checkEntries(entries, texts.tokens.length, config);
  const given = readObject(metadata, "timing");
  const timing = readMetadata(() => readTiming(given, "timing"));
  return { ...texts, config, pooled, timing, data: joinFloats(parts), entries };
}

/**
 * @param {Trace} trace
 * @param {string} name
 * @returns {FloatTensor[]} one for all layers, or one for each
 */
function collectTensors(trace, name) {
  const layers = trace.layers(name);
  if (layers.length === 0) return [joinMatrices(name, [], [trace.get(name)])];
  const parts = layers.map((layer) => {
    const heads = trace.heads(name, layer);
    if (heads.length === 0) return joinMatrices(`${name}.${layer}`, [], [trace.get(name, layer)]);
    const matrices = heads.map((head) => trace.get(name, layer, head));
    return joinMatrices(`${name}.${layer}`, [heads.length], matrices);
  });
  const [first] = /** @type {[FloatTensor]} */ (parts);
  const isWhole = layers.length === trace.config.n_layers;
  if (!isWhole || parts.some(({ shape }) => String(shape) !== String(first.shape))) return parts;
  const values = joinFloats(parts.map((part) => part.values));
  return [{ name, shape: [layers.length, ...first.shape], values }];
}

/**
 * @param {string} name
 * @param {number[]} axes lengths of the axes before rows and columns
 * @param {import("./matrix.js").Matrix[]} matrices of one shape
 * @returns {FloatTensor}
 */
function joinMatrices(name, axes, matrices) {
  const { rows, cols } = /** @type {import("./matrix.js").Matrix} */ (matrices[0]);
  return { name, shape: [...axes, rows, cols], values: joinFloats(matrices.map((m) => m.data)) };
}

/**
 * @param {Float32Array[]} parts
 * @returns {Float32Array}
 */
function joinFloats(parts) {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

/**
 * What a tensor's name says: a captured name, and its layer where it holds only one.
 *
 * @param {string} tensorName
 * @returns {{ name: import("./capture.js").CaptureName, layer?: number } | undefined}
 */
function parseName(tensorName) {
  if (isCapture(tensorName)) return { name: tensorName };
  const [, name = "", layer = ""] = /^(\w+)\.(0|[1-9]\d{0,3})$/.exec(tensorName) ?? [];
  return isCapture(name) && countAxes(name) > 0 ? { name, layer: Number(layer) } : undefined;
}

/**
 * The matrices of a tensor, by layer and head.
 *
 * @param {TensorInfo} tensor
 * @param {{ name: import("./capture.js").CaptureName, layer?: number }} place
 * @param {number} offset of the tensor's first value
 * @returns {TraceEntry[]}
 */
function splitTensor({ name: tensorName, shape }, { name, layer }, offset) {
  const axes = countAxes(name) - (layer === undefined ? 0 : 1);
  if (shape.length !== axes + 2) {
    const letters = ["[L, H, rows, cols]", "[L, rows, cols]", "[rows, cols]"].at(-1 - axes);
    throw wrong(`"${tensorName}" has shape [${shape}], expected ${letters}`);
  }
  const [rows = 0, cols = 0] = shape.slice(axes);
  if (rows > mostTokens) {
    throw wrong(`"${tensorName}" has ${rows} rows, expected at most ${mostTokens}`);
  }
  const hasLayers = layer === undefined && axes > 0;
  const layers = hasLayers ? (shape[0] ?? 0) : 1;
  const hasHeads = countAxes(name) === 2;
  const heads = hasHeads ? (shape[axes - 1] ?? 0) : 1;
  if (layers * heads > mostMatrices) {
    throw wrong(`"${tensorName}" has ${layers * heads} matrices, expected at most ${mostMatrices}`);
  }
  return Array.from({ length: layers * heads }, (_, i) => ({
    name,
    layer: hasLayers ? Math.floor(i / heads) : (layer ?? -1),
    head: hasHeads ? i % heads : -1,
    rows,
    cols,
    offset: offset + i * rows * cols,
  }));
}

/**
 * Without text or columns a matrix takes no bytes, so that a small file could name any number of
 * them, and of any height.
 */
const mostMatrices = 1 << 16;
const mostTokens = 1 << 20;

/**
 * @param {TraceEntry} a
 * @param {TraceEntry} b
 * @returns {number}
 */
function compareEntries(a, b) {
  const order = /** @type {readonly string[]} */ (captures);
  return order.indexOf(a.name) - order.indexOf(b.name) || a.layer - b.layer || a.head - b.head;
}

/**
 * Checks that each matrix stands once, within the model, with a row for each token.
 *
 * @param {TraceEntry[]} entries ordered
 * @param {number} n_tokens
 * @param {TraceConfig} config
 */
function checkEntries(entries, n_tokens, { n_layers, n_heads }) {
  /** @type {TraceEntry | undefined} */
  let before;
  for (const entry of entries) {
    const { name, layer, head, rows, cols } = entry;
    const isSquare = name === "attention" || name === "scores";
    const where = layer < 0 ? `"${name}"` : `"${name}" of layer ${layer}`;
    if (rows !== n_tokens || (isSquare && cols !== n_tokens)) {
      const expected = `${n_tokens} rows${isSquare ? " and columns" : ""}, one for each token`;
      throw wrong(`${where} has shape [${rows},${cols}], expected ${expected}`);
    }
    if (layer >= n_layers) throw wrong(`${where} is there, but the config has ${n_layers} layers`);
    if (head >= n_heads) throw wrong(`${where} has head ${head}, the config ${n_heads} heads`);
    if (before !== undefined && compareEntries(before, entry) === 0) {
      throw wrong(`${where} is there twice`);
    }
    before = entry;
  }
}

/**
 * @param {Record<string, string>} metadata
 * @param {number} n_tokens how many there are where the metadata names none
 * @returns {{ text: string, pair?: string, tokens: Token[] }}
 */
function readTexts(metadata, n_tokens) {
  const text = readText(metadata, "text");
  const pair = readText(metadata, "pair");
  const listed = parseJson(metadata, "tokens");
  const places = () => spellPieces(Array.from({ length: n_tokens }, (_, i) => String(i)));
  return readMetadata(() => {
    const read = listed === undefined ? places() : readTokens(listed, text, "tokens");
    return { ...read, ...(pair === undefined ? {} : { pair }) };
  });
}

/**
 * What is a wrong argument elsewhere is a wrong file here.
 *
 * @template T
 * @param {() => T} read
 * @returns {T}
 */
function readMetadata(read) {
  try {
    return read();
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new HeadscopeError("bad-checkpoint", `trace: ${message}`, { cause: error });
  }
}

/**
 * A text is JSON when Headscope wrote it; other tools may have left the quotes off.
 *
 * @param {Record<string, string>} metadata
 * @param {string} key
 * @returns {string | undefined}
 */
function readText(metadata, key) {
  const raw = metadata[key];
  if (raw === undefined || !raw.startsWith('"')) return raw;
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw;
  }
}

/**
 * @param {Record<string, string>} metadata
 * @param {TraceEntry[]} entries
 * @returns {TraceConfig} with the counts that the tensors have where the metadata names none
 */
function readConfig(metadata, entries) {
  const config = readObject(metadata, "config");
  const n_layers = Math.max(0, ...entries.map(({ layer }) => layer + 1));
  const n_heads = Math.max(0, ...entries.map(({ head }) => head + 1));
  /** @type {TraceConfig} */
  const counted = { n_layers, n_heads, ...config };
  for (const key of /** @type {const} */ (["n_layers", "n_heads"])) {
    if (!Number.isSafeInteger(counted[key]) || counted[key] < 0) {
      throw wrong(`config.${key} is ${describeValue(counted[key])}, expected a whole number`);
    }
  }
  const most = counted.n_layers * Math.max(1, counted.n_heads);
  if (most > mostMatrices) {
    const layers = `${counted.n_layers} layers of ${counted.n_heads} heads`;
    throw wrong(`config has ${layers}, expected at most ${mostMatrices} heads in all`);
  }
  return counted;
}

/**
 * @param {Record<string, string>} metadata
 * @param {string} key
 * @returns {Record<string, unknown>}
 */
function readObject(metadata, key) {
  const value = parseJson(metadata, key) ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return /** @type {any} */ (value);
  throw wrong(`metadata "${key}" is no JSON object`);
}

/**
 * @param {Record<string, string>} metadata
 * @param {string} key
 * @returns {unknown}
 */
function parseJson(metadata, key) {
  const json = metadata[key];
  if (json === undefined) return undefined;
  let value;
  try {
    value = JSON.parse(json);
  } catch {
    throw wrong(`metadata "${key}" is no JSON`);
  }
  const fault = findJsonFault(json);
  if (fault !== undefined) throw wrong(`metadata "${key}" has ${fault}`);
  return value;
}

/**
 * @param {string} fault
 * @returns {HeadscopeError}
 */
function wrong(fault) {
  return new HeadscopeError("bad-checkpoint", `trace: ${fault}`);
}
