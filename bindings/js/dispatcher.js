import { carryOut } from "./commands.js";
import { JobQueue } from "./job-queue.js";
import { startRuntime } from "./runtime.js";
import { HeadscopeError } from "./trace/error.js";

/** @typedef {import("./module.js").ErrorCode} ErrorCode */
/** @typedef {import("./module.js").Module} Module */
/** @typedef {import("./protocol.js").Answer} Answer */
/** @typedef {import("./protocol.js").Message} Message */
/** @typedef {import("./runtime.js").Runtime} Runtime */
/** @typedef {import("./runtime.js").RuntimeSettings} RuntimeSettings */
/** @typedef {import("./runtime.js").Supply} Supply */

/** Carries out messages, one job at a time. */
export class Dispatcher {
  /** @type {Runtime | undefined} */
  #runtime;
  #jobs;
  #supply;

  /** @param {Supply} supply where the engine's parts come from */
  constructor(supply) {
    this.#supply = supply;
    this.#jobs = new JobQueue(supply.pause);
  }

  /**
   * @param {Message} message
   * @returns {Promise<Answer | undefined>} nothing after `abort`; never rejects
   */
  async answer(message) {
    const { id } = message;
    if (message.command === "abort") {
      this.#jobs.abort(message.args.target);
      return undefined;
    }
    try {
      const { command, args } = message;
      const result = await this.#jobs.add(id, (checkpoint) => {
        if (command === "start") return this.#start(/** @type {RuntimeSettings} */ (args));
        return carryOut(command, this.#module(), args, checkpoint);
      });
      return { id, result };
    } catch (error) {
      return { id, error: asPlainError(error) };
    }
  }

  /** For a message that the event loop brought: nothing need wait for a turn at once. */
  noteTurn() {
    this.#jobs.noteTurn();
  }

  /** Ends the threads; the memory goes with the last reference to the module. */
  close() {
    this.#jobs.close();
    this.#runtime?.close();
    this.#runtime = undefined;
  }

  /** @param {RuntimeSettings} settings */
  async #start(settings) {
    this.#runtime = await startRuntime(settings, this.#supply);
    return this.#runtime.info;
  }

  /** @returns {Module} */
  #module() {
    if (this.#runtime !== undefined) return this.#runtime.module;
    throw new HeadscopeError("disposed", "engine: it was disposed");
  }
}

/**
 * An error as a message can carry it: a HeadscopeError by its code, memory of JavaScript's that cannot
 * be had as `out-of-memory`, anything else as `internal`.
 *
 * @param {unknown} error
 * @returns {{ code: ErrorCode, message: string }}
 */
function asPlainError(error) {
  if (error instanceof HeadscopeError) return { code: error.code, message: error.message };
  const code = error instanceof RangeError ? "out-of-memory" : "internal";
  return { code, message: `engine: ${error instanceof Error ? error.message : error}` };
}
