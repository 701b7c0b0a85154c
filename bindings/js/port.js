import { Dispatcher } from "./dispatcher.js";
import { greetingId } from "./protocol.js";

/** @typedef {import("./connection.js").Port} Port */
/** @typedef {import("./engine.js").EngineSupply} EngineSupply */
/** @typedef {import("./protocol.js").Answer} Answer */

/** A worker's script that has not begun within this time will not. */
const patience_ms = 3000;

/**
 * Opens the worker and waits until its script runs.
 *
 * @param {true | URL} worker
 * @param {EngineSupply} supply
 * @param {string[]} notes
 * @returns {Promise<Port | undefined>} undefined, with a note, where it cannot be had
 */
export async function openWorker(worker, supply, notes) {
  /** @type {Port | undefined} */
  let port;
  try {
    port = supply.openWorker(worker === true ? undefined : worker);
    await greeting(port);
    return port;
  } catch (error) {
    port?.close();
    const reason = error instanceof Error ? error.message : String(error);
    const script = port?.script ?? "its script";
    notes.push(
      `on the calling thread: no worker can start here (${script}: ${reason}; ` +
        "createEngine({ worker }) takes the address of worker.js)",
    );
    return undefined;
  }
}

/**
 * @param {Port} port
 * @returns {Promise<void>} settles when the far end speaks, fails, or stays silent for too long. A
 *   script of another version, from a stale copy or cache, fails: it speaks another protocol
 */
function greeting(port) {
  return new Promise((resolve, reject) => {
    const silence = new Error(`it was silent for ${patience_ms / 1000} s`);
    const timer = setTimeout(() => reject(silence), patience_ms);
    const settle = (/** @type {() => void} */ outcome) => {
      clearTimeout(timer);
      outcome();
    };
    port.listen(
      ({ id, result }) => {
        if (id !== greetingId) return;
        const expected = __HEADSCOPE_VERSION__;
        if (result === expected) settle(resolve);
        else settle(() => reject(new Error(`it is of version ${result}, expected ${expected}`)));
      },
      (error) => settle(() => reject(error)),
    );
  });
}

/**
 * The same protocol without a worker.
 *
 * @param {EngineSupply} supply
 * @returns {Port}
 */
export function openLocal(supply) {
  const dispatcher = new Dispatcher(supply);
  /** @type {(answer: Answer) => void} */
  let receive = () => {};
  return {
    post: (message) => {
      dispatcher.answer(message).then((answer) => answer !== undefined && receive(answer));
    },
    listen: (onAnswer) => {
      receive = onAnswer;
    },
    hold: () => {},
    release: () => {},
    close: () => dispatcher.close(),
  };
}
