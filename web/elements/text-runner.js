import { forgetEncoder, sharedEncoder, stopLoading } from "./encoders.js";

/** @typedef {import("../../bindings/js/index.js").Encoder} Encoder */
/** @typedef {import("../../bindings/js/trace/trace.js").Trace} Trace */
/** @typedef {import("./load-progress.js").LoadProgress} LoadProgress */

/**
 * What has become of a text.
 *
 * @typedef {{ state: "waiting" }
 *   | { state: "loading", progress: LoadProgress | null }
 *   | { state: "shown", trace: Trace, encoder: Encoder, cut: number }
 *   | { state: "stopped" }
 *   | { state: "failed", error: Error, text: string }
 *   | { state: "undrawable", error: Error, text: string }} Outcome
 *   cut: how many tokens were too many for the model; undrawable: there is a trace, but not of what
 *   the view shows
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
    /** @type {Encoder | undefined} */
    let encoder;
    try {
      encoder = await this.#load(source, tell);
      if (signal.aborted) return;
      const trace = await encoder.run(text, { truncate: true, signal });
      const full = trace.tokens.length >= encoder.config.max_tokens;
      const all = full ? (await encoder.tokenize(text)).length : trace.tokens.length;
      tell({ state: "shown", trace, encoder, cut: all - trace.tokens.length });
    } catch (error) {
      if (signal.aborted) return;
      const code = codeOf(error);
      // the worker of the engine may be gone, and nothing brings it back
      const spent = code === "internal" || code === "disposed";
      if (encoder !== undefined && spent) forgetEncoder(source, encoder);
      // not by this runner's signal: another element that waits for the same model has stopped it
      if (code === "aborted") tell({ state: "stopped" });
      else tell({ state: "failed", error: asError(error), text });
    }
  }

  /**
   * @param {import("./encoders.js").Source} source
   * @param {(outcome: Outcome) => void} tell
   * @returns {Promise<Encoder>}
   */
  async #load(source, tell) {
    // an encoder that is there already answers before the timer: then nothing flickers
    const late = setTimeout(() => tell({ state: "loading", progress: null }), 60);
    const loading = sharedEncoder(source, (progress) => {
      clearTimeout(late);
      tell({ state: "loading", progress });
    });
    try {
      return await loading;
    } finally {
      clearTimeout(late);
    }
  }
}

/**
 * @param {unknown} thrown
 * @returns {unknown} the code of a HeadscopeError
 */
function codeOf(thrown) {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

/**
 * @param {unknown} thrown
 * @returns {Error}
 */
function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
