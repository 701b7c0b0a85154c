import { Dispatcher } from "./dispatcher.js";
import { greetingId, threadsId, transferables } from "./protocol.js";

/** @typedef {import("./protocol.js").Answer} Answer */
/** @typedef {import("./protocol.js").Message} Message */
/** @typedef {import("./runtime.js").Supply} Supply */

/**
 * Serves an engine inside a worker.
 *
 * @param {{ post: (answer: Answer, transfer: ArrayBuffer[]) => void,
 *   listen: (onMessage: (message: Message) => void) => void }} end of the worker
 * @param {Supply} supply
 */
export function serve(end, supply) {
  const onThreads = (/** @type {boolean} */ starting) =>
    end.post({ id: threadsId, result: starting }, []);
  const dispatcher = new Dispatcher({ ...supply, onThreads });
  end.listen(async (message) => {
    dispatcher.noteTurn();
    const answer = await dispatcher.answer(message);
    if (answer !== undefined) end.post(answer, transferables(answer));
  });
  end.post({ id: greetingId, result: __HEADSCOPE_VERSION__ }, []);
}
