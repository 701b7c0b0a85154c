import { abortError } from "./abort.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./protocol.js").Answer} Answer */
/** @typedef {import("./protocol.js").Commands} Commands */
/** @typedef {import("./protocol.js").Message} Message */

/**
 * The near end of a channel to a dispatcher, in a worker or on this thread.
 *
 * @typedef {object} Port
 * @property {(message: Message, transfer: ArrayBuffer[]) => void} post
 * @property {(onAnswer: (answer: Answer) => void, onFailure: (error: Error) => void) => void} listen
 *   `onFailure`: the far end is gone
 * @property {() => void} hold keeps the process alive (Node) until `release`
 * @property {() => void} release
 * @property {() => void} close ends the far end at once
 * @property {string} [script] the address of the worker's script, where it is known
 */

/**
 * @typedef {object} Pending
 * @property {(result: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {number | undefined} encoder whose call it is
 */

/**
 * @typedef {object} CallOptions
 * @property {string} caller the public function that it is for: messages begin with it
 * @property {AbortSignal} [signal]
 * @property {number} [encoder] whose call it is; see `rejectCallsOf`
 * @property {ArrayBuffer[]} [transfer]
 */

/** Calls to an engine: an id for each, and the promise that its answer settles. */
export class Connection {
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  /** @type {HeadscopeError | undefined} why nothing can be called any more */
  #ended;
  #closeWhenIdle = false;
  #nextId = 1;
  #port;

  /** @param {Port} port */
  constructor(port) {
    this.#port = port;
    port.listen(
      (answer) => this.#settle(answer),
      (error) => {
        this.#end(new HeadscopeError("internal", `engine: its worker ended: ${error.message}`));
      },
    );
  }

  /** Whether nothing can be called any more. */
  get ended() {
    return this.#ended !== undefined;
  }

  /**
   * @template {keyof Commands} C
   * @param {C} command
   * @param {Commands[C]["args"]} args
   * @param {CallOptions} options
   * @returns {Promise<Commands[C]["result"]>} rejects at once when the signal aborts
   */
  call(command, args, { caller, signal, encoder, transfer = [] }) {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (signal?.aborted) return Promise.reject(abortError(signal, caller));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#withdraw(id, abortError(/** @type {AbortSignal} */ (signal), caller));
      };
      const settle = (/** @type {() => void} */ outcome) => {
        signal?.removeEventListener("abort", abort);
        outcome();
      };
      signal?.addEventListener("abort", abort);
      if (this.#pending.size === 0) this.#port.hold();
      this.#pending.set(id, {
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
        encoder,
      });
      this.#post({ id, command, args }, transfer, caller);
    });
  }

  /**
   * Rejects what an encoder still waits for; the engine drops the work.
   *
   * @param {number} encoder
   * @param {HeadscopeError} error
   */
  rejectCallsOf(encoder, error) {
    for (const [id, pending] of [...this.#pending]) {
      if (pending.encoder === encoder) this.#withdraw(id, error);
    }
  }

  /** Ends the engine; what is pending rejects with `disposed`. */
  close() {
    this.#end(new HeadscopeError("disposed", "engine: it was disposed"));
  }

  /** Ends the engine as soon as nothing is pending. */
  closeWhenIdle() {
    this.#closeWhenIdle = true;
    if (this.#pending.size === 0) this.close();
  }

  /**
   * @param {Message} message
   * @param {ArrayBuffer[]} transfer
   * @param {string} caller
   */
  #post(message, transfer, caller) {
    try {
      this.#port.post(message, transfer);
    } catch (error) {
      // Arguments that cannot be cloned, for example a detached buffer.
      const reason = error instanceof Error ? error.message : String(error);
      const pending = this.#take(message.id);
      pending?.reject(new HeadscopeError("bad-argument", `${caller}: ${reason}`));
    }
  }

  /** @param {Answer} answer */
  #settle({ id, result, error }) {
    const pending = this.#take(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new HeadscopeError(error.code, error.message));
  }

  /**
   * @param {number} id
   * @param {HeadscopeError} error
   */
  #withdraw(id, error) {
    const pending = this.#take(id);
    if (pending === undefined) return;
    pending.reject(error);
    if (this.#ended !== undefined) return;
    this.#port.post({ id: this.#nextId++, command: "abort", args: { target: id } }, []);
  }

  /**
   * @param {number} id
   * @returns {Pending | undefined} no longer pending; undefined for an answer nobody waits for
   */
  #take(id) {
    const pending = this.#pending.get(id);
    if (!this.#pending.delete(id) || this.#pending.size > 0) return pending;
    this.#port.release();
    if (this.#closeWhenIdle) this.close();
    return pending;
  }

  /** @param {HeadscopeError} error */
  #end(error) {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
    this.#port.close();
  }
}
