// The threads of an engine in a worker. Their workers are made outside of it, by the page (or by whatever
// worker the engine's was made in), which hands on what both sides say: Firefox sometimes never returns
// from `new Worker` in a worker that has made a shared memory.

/** @typedef {import("./runtime.js").Thread} Thread */
/** @typedef {import("./variants.js").ThreadedVariant} ThreadedVariant */

/**
 * What a thread's worker runs.
 *
 * @typedef {object} ThreadScript
 * @property {ThreadedVariant} variant
 * @property {string} [script] its address; missing where a bundler has moved the engine, and only the
 *   page's own code knows where to
 */

/**
 * What the engine's worker says of a thread: first `open`. `ask` wants a sign that all that was said
 * before has been done.
 *
 * @typedef {{ thread: number, open: ThreadScript }
 *   | { thread: number, message: unknown }
 *   | { thread: number, end: true }
 *   | { thread: number, ask: true }} ThreadRequest
 */

/**
 * What it is told: what the thread said, why there is none, or the sign.
 *
 * @typedef {{ thread: number, message: unknown } | { thread: number, error: string }
 *   | { thread: number, done: true }} ThreadReport
 */

/**
 * Whether a message is of a thread and no part of the protocol. A worker of somebody else's may say
 * anything.
 *
 * @param {unknown} data
 * @returns {boolean}
 */
export function isOfThread(data) {
  return typeof data === "object" && data !== null && "thread" in data;
}

/** The page's side: the workers. */
export class PageThreads {
  /** @type {Map<number, Worker>} */
  #workers = new Map();
  #ended = false;
  #report;
  #open;

  /**
   * @param {(report: ThreadReport) => void} report to the engine's worker
   * @param {(script: ThreadScript) => Worker} open
   */
  constructor(report, open) {
    this.#report = report;
    this.#open = open;
  }

  /** @param {ThreadRequest} request */
  take(request) {
    if (this.#ended) return;
    const { thread } = request;
    if ("open" in request) this.#start(thread, request.open);
    else if ("ask" in request) this.#report({ thread, done: true });
    else if ("end" in request) {
      this.#workers.get(thread)?.terminate();
      this.#workers.delete(thread);
    } else this.#attempt(thread, () => this.#workers.get(thread)?.postMessage(request.message));
  }

  /** Ends the workers; nothing is taken any more. */
  end() {
    this.#ended = true;
    for (const worker of this.#workers.values()) worker.terminate();
  }

  /**
   * @param {number} thread
   * @param {ThreadScript} script
   */
  #start(thread, script) {
    this.#attempt(thread, () => {
      const worker = this.#open(script);
      this.#workers.set(thread, worker);
      worker.onmessage = ({ data }) => this.#report({ thread, message: data });
      worker.onmessageerror = () => this.#report({ thread, error: "a message could not be read" });
      worker.onerror = (event) => {
        event.preventDefault();
        this.#report({ thread, error: event.message });
      };
    });
  }

  /**
   * @param {number} thread
   * @param {() => void} step whose failure is the thread's
   */
  #attempt(thread, step) {
    try {
      step();
    } catch (error) {
      this.#report({ thread, error: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** The side of the engine's worker: what stands for them there. */
export class DistantThreads {
  /** @type {((report: ThreadReport) => void)[]} */
  #receivers = [];
  #request;

  /** @param {(request: ThreadRequest) => void} request to the page */
  constructor(request) {
    this.#request = request;
  }

  /** @param {ThreadReport} report */
  take(report) {
    this.#receivers[report.thread](report);
  }

  /**
   * @param {ThreadScript} script
   * @param {(error: Error) => void} onError
   * @returns {Thread} as the glue uses a worker
   */
  open(script, onError) {
    const thread = this.#receivers.length;
    const distant = {
      onmessage: (/** @type {{ data: unknown }} */ _event) => {},
      // Emscripten's list of what to move is empty: nothing is drawn in threads.
      postMessage: (/** @type {unknown} */ message) => this.#request({ thread, message }),
      terminate: () => this.#request({ thread, end: true }),
    };
    this.#receivers.push((report) => {
      if ("error" in report) onError(new Error(report.error));
      else if ("message" in report) distant.onmessage({ data: report.message });
    });
    this.#request({ thread, open: script });
    return distant;
  }

  /** @returns {Promise<void>} settles when the page has done all that it was asked for before */
  reach() {
    const thread = this.#receivers.length;
    return new Promise((resolve) => {
      this.#receivers.push(() => resolve());
      this.#request({ thread, ask: true });
    });
  }
}
