import { Dispatcher } from "./dispatcher.js";
import { greetingId, transferables } from "./protocol.js";

/** @typedef {import("./protocol.js").Answer} Answer */
/** @typedef {import("./protocol.js").Message} Message */
/** @typedef {import("./runtime.js").Supply} Supply */

/**
 * A worker's end of the channel to its page.
 *
 * @typedef {object} WorkerEnd
 * @property {(answer: Answer, transfer: ArrayBuffer[]) => void} post
 * @property {(onMessage: (message: Message) => void) => void} listen
 */

/**
 * Serves an engine inside a worker.
 *
 * @param {WorkerEnd} end
 * @param {Supply} supply
 */
export function serve(end, supply) {
  const dispatcher = new Dispatcher(supply);
  end.listen(async (message) => {
    dispatcher.noteTurn();
    const answer = await dispatcher.answer(message);
    if (answer !== undefined) end.post(answer, transferables(answer));
  });
  end.post({ id: greetingId, result: __HEADSCOPE_VERSION__ }, []);
}
