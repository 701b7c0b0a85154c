import { sharedEncoder, stopLoading } from "./encoders.js";

/** @typedef {import("../../bindings/js/index.js").Encoder} Encoder */
/** @typedef {import("../../bindings/js/trace/trace.js").Trace} Trace */
/** @typedef {import("./encoders.js").Progress} Progress */

/**
 * What has become of a text.
 *
 * @typedef {{ state: "waiting" }
 *   | { state: "loading", progress: Progress | null }
 *   | { state: "shown", trace: Trace, encoder: Encoder, cut: number }
 *   | { state: "stopped" }
 *   | { state: "failed", error: Error, text: string }} Outcome
 *   cut: how many tokens were too many for the model
 */

/** Runs texts through an encoder. Only the outcome of the last text is ever told. */
export class TextRunner {
  /** @type {AbortController | null} */
  #current = null;
  #tell;

  /** @param {(outcome: Outcome) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Gives up what is under way; nothing more is told of it. */
  stop() {
    this.#current?.abort();
    this.#current = null;
  }

  /**
   * Stops the load of a model, because the reader asks for it.
   *
   * @param {import("./encoders.js").Source} source
   */
  stopLoading(source) {
    this.stop();
    stopLoading(source);
    this.#tell({ state: "stopped" });
  }

  /**
   * @param {string} text
   * @param {import("./encoders.js").Source} source
   */
  async run(text, source) {
    this.stop();
    const current = new AbortController();
    this.#current = current;
    const { signal } = current;
    const tell = (/** @type {Outcome} */ outcome) => {
      if (this.#current === current) this.#tell(outcome);
    };
    try {
      const encoder = await this.#load(source, tell);
      if (signal.aborted) return;
      const trace = await encoder.run(text, { truncate: true, signal });
      const full = trace.tokens.length >= encoder.config.max_tokens;
      const all = full ? (await encoder.tokenize(text)).length : trace.tokens.length;
      tell({ state: "shown", trace, encoder, cut: all - trace.tokens.length });
    } catch (error) {
      if (!signal.aborted) tell({ state: "failed", error: asError(error), text });
    }
  }

  /**
   * @param {import("./encoders.js").Source} source
   * @param {(outcome: Outcome) => void} tell
   * @returns {Promise<Encoder>}
   */
  async #load(source, tell) {
    const loading = sharedEncoder(source, (progress) => tell({ state: "loading", progress }));
    // an encoder that is there already answers before the timer: then nothing flickers
    const late = setTimeout(() => tell({ state: "loading", progress: null }), 60);
    try {
      return await loading;
    } finally {
      clearTimeout(late);
    }
  }
}

/**
 * @param {unknown} thrown
 * @returns {Error}
 */
function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
