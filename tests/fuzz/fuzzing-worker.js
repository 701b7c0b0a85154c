// Fuzzes one target until its time is over or a promise is broken. The thread that started it watches
// the counter: an input that does not come to an end holds this thread for good.
import { parentPort, workerData } from "node:worker_threads";
import { Fuzzing } from "./fuzzing.js";

/** @type {{ target: string, seed: number, first: number, count: number, seconds: number,
 *   counter: Int32Array }} */
const { target, seed, first, count, seconds, counter } = workerData;
const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);

const fuzzing = await Fuzzing.start();
/** @type {Record<string, number>} */
const outcomes = {};
const end_ms = performance.now() + 1000 * seconds;
let iteration = first;
try {
  for (; iteration < first + count && performance.now() < end_ms; ++iteration) {
    Atomics.store(counter, 0, iteration);
    const outcome = await fuzzing.check(target, seed, iteration);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  port.postMessage({ iterations: iteration - first, outcomes });
} catch (error) {
  const fault = error instanceof Error ? String(error.stack) : String(error);
  port.postMessage({ iterations: iteration - first, outcomes, fault });
}
await fuzzing.dispose();
