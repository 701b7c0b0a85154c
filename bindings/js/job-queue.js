import { HeadscopeError } from "./trace/error.js";

/**
 * What a job asks between two of its steps: gives the event loop a turn when enough time has
 * passed, then throws `aborted` if the job is no longer wanted.
 *
 * @typedef {() => Promise<void>} Checkpoint
 */

/**
 * @template T
 * @typedef {(checkpoint: Checkpoint) => T | Promise<T>} Work
 */

/**
 * Longest computation between two turns of the event loop, where a job has a step to stop at. A turn
 * costs up to 0.3 ms after some milliseconds of computing, so they are not given at every step.
 */
const patience_ms = 30;

/** Jobs, first in first out, one at a time. */
export class JobQueue {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {Set<number>} */
  #waiting = new Set();
  /** @type {Set<number>} */
  #aborted = new Set();
  #closed = false;
  #turn_ms = 0;
  #pause;

  /** @param {() => Promise<void>} pause gives the event loop one turn */
  constructor(pause) {
    this.#pause = pause;
  }

  /**
   * @template T
   * @param {number} id to abort it by
   * @param {Work<T>} work
   * @returns {Promise<T>} settles when the job has ended
   */
  add(id, work) {
    this.#waiting.add(id);
    const job = this.#last.then(async () => {
      try {
        this.#throwIfAborted(id);
        return await work(() => this.#checkpoint(id));
      } finally {
        this.#waiting.delete(id);
        this.#aborted.delete(id);
      }
    });
    // The next job runs whether or not this one failed.
    this.#last = job.catch(() => {});
    return job;
  }

  /**
   * A job that has not begun never does; one that has ends at its next checkpoint.
   *
   * @param {number} id of a job, perhaps one that has ended
   */
  abort(id) {
    if (this.#waiting.has(id)) this.#aborted.add(id);
  }

  /** The event loop has just had a turn: a message that came in tells it, for example. */
  noteTurn() {
    this.#turn_ms = performance.now();
  }

  /** Ends every job as if it were aborted. Nothing may be computed once the threads are gone. */
  close() {
    this.#closed = true;
  }

  /** @param {number} id */
  async #checkpoint(id) {
    if (performance.now() - this.#turn_ms > patience_ms) {
      await this.#pause();
      this.noteTurn();
    }
    this.#throwIfAborted(id);
  }

  /** @param {number} id */
  #throwIfAborted(id) {
    if (this.#closed || this.#aborted.has(id))
      throw new HeadscopeError("aborted", "job: no longer wanted");
  }
}
