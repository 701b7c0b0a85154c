/// <reference lib="esnext.disposable" preserve="true" />

import { throwIfAborted } from "./abort.js";
import { freezeConfig } from "./config.js";
import { nameCaller } from "./core-error.js";
import { defaultEngine } from "./default-engine.js";
import { disposal } from "./disposal.js";
import { readInput, readText } from "./encoder-input.js";
import { EncoderText } from "./encoder-text.js";
import { inside } from "./engine.js";
import { disposeIn, loadConfigured, loadPretrained } from "./loaded-encoder.js";
import { embedKinds, readRunOptions, tokenizeKinds } from "./run-options.js";
import { makeTrace } from "./run-result.js";
import { HeadscopeError } from "./trace/error.js";
import { aString, listOf, readOptions } from "./trace/kinds.js";
import { Matrix } from "./trace/matrix.js";

/** @typedef {import("./checkpoint-source.js").Source} Source */
/** @typedef {import("./config.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./connection.js").Connection} Connection */
/** @typedef {import("./encoder-input.js").Input} Input */
/** @typedef {import("./encoder-input.js").TextInput} TextInput */
/** @typedef {import("./loaded-encoder.js").LoadedEncoder} LoadedEncoder */
/** @typedef {import("./loading-options.js").LoadingOptions} LoadingOptions */
/** @typedef {import("./loading-options.js").OwnParameters} OwnParameters */
/** @typedef {import("./module.js").HeadGate} HeadGate */
/** @typedef {import("./protocol.js").Commands} Commands */
/** @typedef {import("./run-options.js").RunOptions} RunOptions */
/** @typedef {import("./trace/token.js").Token} Token */
/** @typedef {import("./trace/trace.js").Trace} Trace */

/** How many texts are computed at once: enough for full products, little to abort. */
const embedBatch = 32;

/** Frees the encoders that nobody holds any more. */
const abandoned = new FinalizationRegistry(
  (/** @type {{ connection: Connection, id: number }} */ { connection, id }) =>
    disposeIn(connection, id),
);

/**
 * For the analysis: what is asked of an encoder, and how messages begin.
 *
 * @typedef {object} Ablation
 * @property {string} what
 * @property {string[]} texts at least one
 * @property {HeadGate[][]} gates
 * @property {boolean} [truncate]
 * @property {AbortSignal} [signal]
 */

/**
 * How close an encoder's sentence vectors stay to the whole model's, as the mean cosine over texts,
 * under each of several lists of gates.
 *
 * @type {(encoder: Encoder, ablation: Ablation) => Promise<number[]>}
 */
export let gatedSimilarities;

/** A Transformer encoder with its parameters, on an engine. */
export class Encoder {
  #connection;
  #id;
  #text;
  #disposed = false;

  /**
   * For `fromPretrained` and `fromConfig`, which make encoders.
   *
   * @param {LoadedEncoder} loaded
   */
  constructor({ engine, encoder, config, names, tokenizer, int8Kernel }) {
    /** @readonly */
    this.engine = engine;
    /** With all defaults filled in. @readonly */
    this.config = freezeConfig(config);
    /** What the weights are kept and multiplied in. @readonly */
    this.dtype = int8Kernel === undefined ? /** @type {const} */ ("f32") : "int8";
    /**
     * How products in int8 are computed, with weights of 8 bits: "wide" rounds what they are multiplied
     * with to 12 bits, "dot" to 8, where WebAssembly's instruction for it is right for whole bytes.
     * Undefined in float32.
     *
     * @readonly
     */
    this.int8Kernel = int8Kernel;
    /** In the order of the computation. @readonly */
    this.parameterNames = names;
    /** How many token ids there are, from 0. @readonly */
    this.vocabularySize = config.vocab_size;
    this.#text = new EncoderText(config, tokenizer);
    this.#connection = inside(engine).connection;
    this.#id = encoder;
    abandoned.register(this, { connection: this.#connection, id: encoder }, this);
  }

  /**
   * Loads a trained encoder: config.json, tokenizer.json and one or more *.safetensors.
   *
   * @param {Source} [source] a model that ships, by name (the default model where it is left
   *   out); a folder, as URL, address or (in Node) path, such as "./my-model"; or the files
   * @param {LoadingOptions} [options]
   * @returns {Promise<Encoder>}
   * @throws {HeadscopeError} `not-found`: a name or a file; `bad-checkpoint`: what is in a file;
   *   `unsupported-model`, `bad-argument`, `aborted`, `out-of-memory`
   */
  static async fromPretrained(source, options) {
    return new Encoder(await loadPretrained(source, options, defaultEngine));
  }

  /**
   * Makes an encoder with parameters given, or with random ones from a seed.
   *
   * @param {EncoderConfig} config
   * @param {LoadingOptions & OwnParameters} [options]
   * @returns {Promise<Encoder>}
   * @throws {HeadscopeError} `bad-argument`: the config, or a parameter missing or unknown;
   *   `bad-shape`: a parameter's size; `bad-checkpoint`: what is in the tokenizer; `not-found`: the
   *   script of tokenizers; `unsupported-model`, `aborted`, `out-of-memory`
   */
  static async fromConfig(config, options) {
    return new Encoder(await loadConfigured(config, options, defaultEngine));
  }

  /**
   * The tokens of a text, with the special tokens of the model. Never `too-long`.
   *
   * @param {string | TextInput} text
   * @param {{ truncate?: boolean }} [options] `truncate`: no more than the model takes
   * @returns {Promise<Token[]>}
   * @throws {HeadscopeError} `unsupported-model`: no tokenizer, or a pair for a model without
   *   separators; `bad-argument`, `disposed`
   */
  async tokenize(text, options) {
    this.#throwIfDisposed();
    const { truncate = false } = readOptions(options, "tokenize", tokenizeKinds);
    return this.#text.tokenize(readText(text, "tokenize: text"), truncate);
  }

  /**
   * @overload
   * @param {Input} input
   * @param {RunOptions} [options]
   * @returns {Promise<Trace>}
   */
  /**
   * @overload
   * @param {Input[]} input
   * @param {RunOptions} [options]
   * @returns {Promise<Trace[]>}
   */
  /**
   * Runs the encoder and keeps what `capture` names. An array is a batch, whose traces share
   * their times. Calls are carried out one after the other.
   *
   * @param {Input | Input[]} input
   * @param {RunOptions} [options]
   * @returns {Promise<Trace | Trace[]>}
   * @throws {HeadscopeError} `bad-argument`, `bad-shape`, `too-long`, `unsupported-model`,
   *   `aborted`, `disposed`, `out-of-memory`
   */
  async run(input, options) {
    this.#throwIfDisposed();
    const { request, order, truncate, signal } = readRunOptions(options);
    const inputs = Array.isArray(input)
      ? Array.from(input, (each, i) => readInput(each, `run: input[${i}]`))
      : [readInput(input, "run: input")];
    const caller = "run";
    throwIfAborted(signal, caller);
    if (inputs.length === 0) return [];
    const start_ms = performance.now();
    const texts = inputs.map((each) => this.#text.read(each, truncate, order));
    const tokenize_ms = performance.now() - start_ms;
    const sequences = texts.map(({ tokens }) => this.#text.numbers(tokens));
    const nameInput = (/** @type {number} */ place) =>
      Array.isArray(input) ? `input[${place}]` : "input";
    const whole = { request: { ...request, sequences } };
    const result = await this.#call("run", whole, { caller, signal, nameInput });
    const { forward_ms, copy_ms } = result;
    const timing = { tokenize_ms, forward_ms, copy_ms };
    const traces = texts.map((text, i) =>
      makeTrace(text, this.config, timing, result.sequences[i]),
    );
    return Array.isArray(input) ? traces : /** @type {Trace} */ (traces[0]);
  }

  /**
   * The model's sentence vector of each text; nothing is captured.
   *
   * @param {string[]} texts
   * @param {{ truncate?: boolean, signal?: AbortSignal }} [options]
   * @returns {Promise<Float32Array[]>} [D] each
   * @throws {HeadscopeError} `unsupported-model`: it has none; else as `run`
   */
  async embed(texts, options) {
    this.#throwIfDisposed();
    const caller = "embed";
    const { truncate = false, signal } = readOptions(options, caller, embedKinds);
    listOf(aString)(texts, `${caller}: texts`);
    throwIfAborted(signal, caller);
    this.#throwIfUnpooled(caller);
    // The caller may change its array between two batches.
    const all = [...texts];
    /** @type {Float32Array[]} */
    const vectors = [];
    for (let first = 0; first < all.length; first += embedBatch) {
      const batch = all.slice(first, first + embedBatch);
      const sequences = this.#numberTexts(batch, truncate);
      const { request } = readRunOptions({ capture: [] });
      const whole = { request: { ...request, sequences } };
      const nameInput = (/** @type {number} */ place) => `texts[${first + place}]`;
      const result = await this.#call("run", whole, { caller, signal, nameInput });
      vectors.push(...result.sequences.map(({ pooled }) => pooled));
    }
    return vectors;
  }

  /**
   * @param {string} name one of `parameterNames`
   * @returns {Promise<Matrix>} a copy; a vector has one row
   * @throws {HeadscopeError} `not-found`, `bad-argument`, `disposed`
   */
  async parameter(name) {
    this.#throwIfDisposed();
    aString(name, "parameter: name");
    const { rows, cols, data } = await this.#call("parameter", { name }, { caller: "parameter" });
    return new Matrix(rows, cols, data);
  }

  /**
   * @param {Ablation} ablation
   * @returns {Promise<number[]>}
   */
  async #similarities({ what, texts, gates, truncate = false, signal }) {
    this.#throwIfDisposed();
    this.#throwIfUnpooled(what);
    throwIfAborted(signal, what);
    const sums = gates.map(() => 0);
    for (let first = 0; first < texts.length; first += embedBatch) {
      const sequences = this.#numberTexts(texts.slice(first, first + embedBatch), truncate);
      const nameInput = (/** @type {number} */ place) => `texts[${first + place}]`;
      const options = { caller: what, signal, nameInput };
      const similarities = await this.#call("analyse", { sequences, gates }, options);
      for (const [i, similarity] of similarities.entries()) {
        sums[i] = Number(sums[i]) + similarity * sequences.length;
      }
    }
    return sums.map((sum) => sum / texts.length);
  }

  /**
   * Frees the parameters; pending calls reject with `disposed`. A second call does nothing.
   */
  dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    abandoned.unregister(this);
    this.#connection.rejectCallsOf(this.#id, disposedError());
    disposeIn(this.#connection, this.#id);
  }

  /** What `using` calls. */
  [disposal]() {
    this.dispose();
  }

  /**
   * @template {"run" | "parameter" | "analyse"} C
   * @param {C} command
   * @param {Omit<Commands[C]["args"], "encoder">} args
   * @param {{ caller: string, signal?: AbortSignal | undefined,
   *   nameInput?: (place: number) => string }} options see `CallOptions` and `nameCaller`
   * @returns {Promise<Commands[C]["result"]>}
   */
  async #call(command, args, { caller, signal, nameInput }) {
    this.#throwIfDisposed();
    const encoder = this.#id;
    const whole = /** @type {Commands[C]["args"]} */ ({ ...args, encoder });
    const options = { caller, encoder, ...(signal ? { signal } : {}) };
    try {
      return await this.#connection.call(command, whole, options);
    } catch (error) {
      throw nameCaller(error, caller, nameInput);
    }
  }

  /**
   * @param {string[]} texts
   * @param {boolean} truncate
   */
  #numberTexts(texts, truncate) {
    return texts.map((text) => this.#text.numbers(this.#text.tokenize({ text }, truncate)));
  }

  #throwIfDisposed() {
    if (this.#disposed) throw disposedError();
  }

  /** @param {string} what */
  #throwIfUnpooled(what) {
    if (this.config.pooling !== "none") return;
    throw new HeadscopeError(
      "unsupported-model",
      `${what}: this model has no sentence vector: its pooling is "none"`,
    );
  }

  static {
    gatedSimilarities = (encoder, ablation) => encoder.#similarities(ablation);
  }
}

/** @returns {HeadscopeError} */
function disposedError() {
  return new HeadscopeError("disposed", "encoder: it was disposed");
}
