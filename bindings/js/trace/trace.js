import { HeadscopeError } from "./error.js";
import { readGivenAttention } from "./given-attention.js";
import { aFloat32Array, anArray, aRecord, aString, kind, oneOf, readOptions } from "./kinds.js";
import { checkIndex, Matrix } from "./matrix.js";
import { readTraceFile, writeTraceFile } from "./trace-file.js";

/** @typedef {import("./token.js").Token} Token */

/** @typedef {import("./timing.js").Timing} Timing */

/**
 * Where one matrix lies in a trace's data. `layer` and `head` are -1 where there is none.
 *
 * @typedef {{ name: string, layer: number, head: number, rows: number, cols: number,
 *   offset: number }} TraceEntry
 */

/**
 * The part of a model's config that a trace needs. A trace of a run holds the whole config.
 *
 * @typedef {{ n_layers: number, n_heads: number, [key: string]: unknown }} TraceConfig
 */

/**
 * @typedef {object} TraceFields
 * @property {string} text
 * @property {string} [pair]
 * @property {Token[]} tokens
 * @property {TraceConfig} config
 * @property {Float32Array} pooled the sentence vector; empty where there is none
 * @property {Timing} timing
 * @property {Float32Array} data every captured number; kept, not copied
 * @property {TraceEntry[]} entries the entries of one name ordered by layer, then head
 */

const fieldKinds = {
  text: aString,
  tokens: anArray,
  config: aRecord,
  pooled: aFloat32Array,
  timing: aRecord,
  data: aFloat32Array,
  entries: anArray,
};

const saveKinds = { dtype: oneOf(["F16", "F32"]) };

/** Everything that was captured of one run of an encoder over one text. */
export class Trace {
  /** @type {Map<string, Map<number, Map<number, Matrix>>>} name -> layer -> head -> matrix */
  #matrices = new Map();

  /**
   * For the engine; others make traces with `Trace.from` or `Trace.fromBytes`.
   *
   * @param {TraceFields} fields
   */
  constructor(fields) {
    aRecord(fields, "Trace: fields");
    for (const [key, check] of Object.entries(fieldKinds)) {
      check(fields[/** @type {keyof typeof fieldKinds} */ (key)], `Trace: ${key}`);
    }
    const { text, pair, tokens, config, pooled, timing, data, entries } = fields;
    /** @readonly */
    this.text = text;
    /** @readonly */
    this.pair = pair;
    /** @readonly */
    this.tokens = tokens;
    /** @readonly */
    this.config = config;
    /** What `embed()` returns; empty where the model has no sentence vector. @readonly */
    this.pooled = pooled;
    /** @readonly */
    this.timing = timing;
    for (const { name, layer, head, rows, cols, offset } of entries) {
      const matrix = new Matrix(rows, cols, data.subarray(offset, offset + rows * cols));
      upsert(upsert(this.#matrices, name), layer).set(head, matrix);
    }
  }

  /** Tells a trace where instanceof cannot: one of another copy of Headscope. */
  get [Symbol.toStringTag]() {
    return "Trace";
  }

  /** The names of what was captured. @returns {string[]} */
  get names() {
    return [...this.#matrices.keys()];
  }

  /**
   * @param {string} name
   * @returns {boolean} whether anything was captured under that name
   */
  has(name) {
    aString(name, "trace: name");
    return this.#matrices.has(name);
  }

  /**
   * The layers that were captured of a name, ascending; none for `embeddings` and `output`.
   *
   * @param {string} name
   * @returns {number[]}
   */
  layers(name) {
    return [...this.#layersOf(name).keys()].filter((layer) => layer >= 0);
  }

  /**
   * The heads that were captured of a name in one layer, ascending; none where it has no heads.
   *
   * @param {string} name
   * @param {number} [layer] from 0, where the name has layers
   * @returns {number[]}
   * @throws {HeadscopeError} `not-found`: nothing of that name; `bad-argument`: layer out of range
   */
  heads(name, layer) {
    const layers = this.#layersOf(name);
    const place = readPlace(`trace: layer of "${name}"`, layer, layers, this.config.n_layers);
    const heads = layers.get(place)?.keys() ?? [];
    return [...heads].filter((head) => head >= 0);
  }

  /**
   * The attention weights of one head: [T, T], rows are queries and sum to 1.
   *
   * @param {number} layer from 0
   * @param {number} head from 0
   * @returns {Matrix} a view of the trace's buffer
   * @throws {HeadscopeError} `not-found`: not captured; `bad-argument`: out of range
   */
  attention(layer, head) {
    return this.get("attention", layer, head);
  }

  /**
   * One captured matrix; `captures` says which there are and their shapes.
   *
   * @param {string} name
   * @param {number} [layer] from 0, where the name has layers
   * @param {number} [head] from 0, where the name has heads
   * @returns {Matrix} a view of the trace's buffer
   * @throws {HeadscopeError} `not-found`: not captured; `bad-argument`: out of range, missing,
   *   or given where the name has none
   */
  get(name, layer, head) {
    const layers = this.#layersOf(name);
    const place = readPlace(`trace: layer of "${name}"`, layer, layers, this.config.n_layers);
    const heads = layers.get(place);
    if (heads === undefined) {
      throw new HeadscopeError(
        "not-found",
        `trace: "${name}" of layer ${layer} was not captured, only ${listNumbers(layers)}`,
      );
    }
    const seat = readPlace(`trace: head of "${name}"`, head, heads, this.config.n_heads);
    const matrix = heads.get(seat);
    if (matrix === undefined) {
      throw new HeadscopeError(
        "not-found",
        `trace: "${name}" of head ${head} was not captured, only ${listNumbers(heads)}`,
      );
    }
    return matrix;
  }

  /**
   * The trace as a safetensors file: `attention` [L, H, T, T], `hidden` [L, T, D] and so on, or a
   * tensor for each layer (`query.0`) where layers are missing or differ in shape; text, tokens
   * and config as JSON in the metadata.
   *
   * @param {{ dtype?: "F16" | "F32" }} [options] F32 (the default) loses nothing, F16 half the
   *   bytes
   * @returns {Uint8Array<ArrayBuffer>}
   */
  toBytes(options) {
    const { dtype = "F32" } = readOptions(options, "toBytes", saveKinds);
    return writeTraceFile(this, dtype);
  }

  /**
   * Reads a trace that `toBytes` wrote, or a safetensors file by any tool that holds at least
   * `attention` [L, H, T, T] (or another capture) as F32, F16, BF16 or F64. Its metadata may hold
   * `text`, `tokens` (a JSON list of strings or Tokens) and `config`.
   *
   * @param {Uint8Array | ArrayBuffer} bytes
   * @returns {Trace}
   * @throws {HeadscopeError} `bad-checkpoint`, naming the tensor; `bad-argument`: no bytes
   */
  static fromBytes(bytes) {
    return new Trace(readTraceFile(bytes));
  }

  /**
   * Makes a trace of attention weights that come from elsewhere.
   *
   * @param {import("./given-attention.js").GivenAttention} given
   * @returns {Trace}
   * @throws {HeadscopeError} `bad-argument` or `bad-shape`
   */
  static from(given) {
    return new Trace(readGivenAttention(given));
  }

  /**
   * @param {string} name
   * @returns {Map<number, Map<number, Matrix>>}
   */
  #layersOf(name) {
    aString(name, "trace: name");
    const layers = this.#matrices.get(name);
    if (layers !== undefined) return layers;
    const there = this.names.length === 0 ? "nothing was" : `captured: ${this.names.join(", ")}`;
    throw new HeadscopeError("not-found", `trace: "${name}" was not captured (${there})`);
  }
}

/** @type {import("./kinds.js").Kind} */
export const aTrace = kind(
  "a Trace",
  (value) => Object.prototype.toString.call(value) === "[object Trace]",
);

/**
 * The key of a layer or a head: its number, or -1 where the name has none.
 *
 * @param {string} what
 * @param {number | undefined} given
 * @param {Map<number, unknown>} captured
 * @param {number} count of the model
 * @returns {number}
 */
function readPlace(what, given, captured, count) {
  if (!captured.has(-1)) return checkIndex(what, given, count);
  if (given === undefined) return -1;
  throw new HeadscopeError("bad-argument", `${what} is ${given}, expected none: there is only one`);
}

/**
 * @template K, V
 * @param {Map<K, Map<number, V>>} map
 * @param {K} key
 * @returns {Map<number, V>} the inner map at a key, made where it is missing
 */
function upsert(map, key) {
  let inner = map.get(key);
  if (inner === undefined) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}

/**
 * @param {Map<number, unknown>} map
 * @returns {string}
 */
function listNumbers(map) {
  return [...map.keys()].join(", ");
}
