// Runs in the installed package's app: what the process has that a package could have added.

import { createHook } from "node:async_hooks";
import { createRequire, syncBuiltinESMExports } from "node:module";

const threads = createRequire(import.meta.url)("node:worker_threads");

/** @type {import("node:worker_threads").Worker[]} */
const workers = [];
/** @type {string[]} */
const started = [];

// A worker that nobody holds the process open for is in no list of Node's.
threads.Worker = class extends threads.Worker {
  /** @param {ConstructorParameters<typeof import("node:worker_threads").Worker>} args */
  constructor(...args) {
    super(...args);
    workers.push(/** @type {any} */ (this));
  }
};
syncBuiltinESMExports();

createHook({
  init: (_, type) => {
    if (/^(Timeout|Immediate|WORKER|MESSAGEPORT)$/.test(type)) started.push(type);
  },
}).enable();

/** @returns {string[]} the workers, timers and channels that were started so far */
export function startedSoFar() {
  return [...started];
}

/** @returns {number} workers that have not ended */
export function livingWorkers() {
  return workers.filter(({ threadId }) => threadId !== -1).length;
}

/**
 * What stands in the host at this moment.
 *
 * @returns {Map<string, unknown>}
 */
export function lookAround() {
  /** @type {[string, unknown][]} */
  const found = [["exit code", process.exitCode]];
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  for (const [name, { value, get }] of Object.entries(globals)) {
    // Node puts the value of some of its own in the place of a getter when it is first asked for.
    found.push([`global ${name}`, get ? lazy : value]);
  }
  for (const name of process.eventNames()) {
    found.push([`on ${String(name)}`, process.listenerCount(name)]);
  }
  return new Map(found);
}

const lazy = Symbol("lazy");

/**
 * @param {Map<string, unknown>} before
 * @returns {string[]} the names of what is another now, or new, or gone
 */
export function changesSince(before) {
  const now = lookAround();
  const names = [...new Set([...before.keys(), ...now.keys()])];
  return names.filter((name) => {
    if (before.has(name) !== now.has(name)) return true;
    return before.get(name) !== lazy && !Object.is(before.get(name), now.get(name));
  });
}

/** What holds the process open, besides its output. @returns {string[]} */
export function openResources() {
  return process.getActiveResourcesInfo().filter((name) => !/^(PipeWrap|TTYWrap)$/.test(name));
}
