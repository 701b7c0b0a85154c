/**
 * How long the caller waits for a worker whose threads are starting: longer than the worker itself
 * does, which gives up after 3 s unless it is blocked.
 */
const patience_ms = 4000;

/** A worker that hangs in the middle of starting its threads. */
export class BlockedWorker extends Error {}

/**
 * Watches the start of threads from outside of the worker that starts them: Firefox sometimes never
 * returns from `new Worker` in a worker that has made a shared memory, and what is blocked cannot
 * watch itself.
 */
export class ThreadsWatch {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {(error: BlockedWorker) => void} */
  #fail = () => {};

  constructor() {
    /** @type {Promise<never>} rejects with a BlockedWorker, and never settles otherwise */
    this.blocked = new Promise((_, reject) => {
      this.#fail = reject;
    });
  }

  /** @param {boolean} starting whether threads are about to start, or no longer */
  tell(starting) {
    clearTimeout(this.#timer);
    if (!starting) return;
    const seconds = patience_ms / 1000;
    const error = new BlockedWorker(`the worker was blocked for ${seconds} s by its threads`);
    this.#timer = setTimeout(() => this.#fail(error), patience_ms);
  }
}
