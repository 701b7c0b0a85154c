import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { startRuntime } from "../../bindings/js/runtime.js";

// What is tested here is how a start goes wrong. The glue is the real one, put wrong on purpose.

/** @typedef {import("../../bindings/js/module.js").ModuleFactory} ModuleFactory */
/** @typedef {import("../../bindings/js/runtime.js").Supply} Supply */

const wasm = new URL("../../dist/wasm/", import.meta.url);
const { version } = JSON.parse(
  await readFile(new URL("../../package.json", import.meta.url), "utf8"),
);
// The build writes the version into the code; here the sources run as they are.
Object.assign(globalThis, { __HEADSCOPE_VERSION__: version });

const auto = /** @type {const} */ ({ variant: "auto", threads: 2 });

/**
 * @param {string} variant
 * @param {(error: Error) => void} onError
 * @returns {Worker}
 */
function openThread(variant, onError) {
  const options = { workerData: "em-pthread", execArgv: [] };
  return new Worker(new URL(`${variant}.node.mjs`, wasm), options).on("error", onError);
}

/**
 * @param {(variant: string, factory: ModuleFactory) => ModuleFactory} spoil
 * @returns {Supply}
 */
function spoiltSupply(spoil) {
  return {
    variants: ["simd-threads", "simd"],
    loadGlue: async (variant) => {
      const glue = await import(new URL(`${variant}.node.mjs`, wasm).href);
      return spoil(variant, glue.default);
    },
    engineUrl: (variant) => new URL(`${variant}.wasm`, wasm),
    readFile: async (address) => new Uint8Array(await readFile(new URL(address))),
    facts: () => ({ host: "node", cores: 2, isolated: false, sharedMemory: true }),
    pause: async () => {},
    openThread,
  };
}

test("threads that never start give way to one thread after 3 s", async () => {
  /** @type {ModuleFactory} */
  const silent = () => new Promise(() => {});
  const supply = spoiltSupply((variant, glue) => (variant === "simd" ? glue : silent));
  const start_ms = performance.now();
  const { info, close } = await startRuntime(auto, supply);
  const took_ms = performance.now() - start_ms;
  assert.equal(info.variant, "simd");
  assert.equal(info.threads, 1);
  assert.match(info.notes.join(), /one thread: its workers took over 3 s/);
  assert(took_ms > 2900 && took_ms < 5000, `took ${took_ms} ms`);
  close();
});

for (const [what, spoil] of /** @type {[string, (glue: ModuleFactory) => ModuleFactory][]} */ ([
  [
    "a shared memory that cannot be allocated",
    () => async () => {
      throw new RangeError("could not allocate memory");
    },
  ],
  [
    "threads that the engine cannot start",
    (glue) => async (options) => {
      const module = await glue(options);
      const error = {
        code: /** @type {const} */ ("internal"),
        message: "could not allocate memory",
      };
      return { ...module, startThreads: () => ({ error }) };
    },
  ],
])) {
  test(`${what} give way to one thread under "auto", with the reason`, async () => {
    const supply = spoiltSupply((variant, glue) => (variant === "simd" ? glue : spoil(glue)));
    const { info, close } = await startRuntime(auto, supply);
    assert.equal(info.variant, "simd");
    assert.equal(info.threads, 1);
    assert.match(info.notes.join(), /one thread: threads could not start \(could not allocate/);
    close();
    const named = { variant: /** @type {const} */ ("simd-threads"), threads: 2 };
    await assert.rejects(startRuntime(named, supply), {
      code: "unsupported-environment",
      message: /^engine: "simd-threads" failed: threads could not start \(could not allocate/,
    });
  });
}

test("threads that a busy page lets begin late are waited for from then on", async () => {
  /** @type {(variant: string, factory: ModuleFactory) => ModuleFactory} */
  const late = (variant, glue) => async (options) => {
    if (variant !== "simd") await new Promise((resolve) => setTimeout(resolve, 3500));
    return glue(options);
  };
  let reached = 0;
  const reachOpener = async () => {
    ++reached;
  };
  const { info, close } = await startRuntime(auto, { ...spoiltSupply(late), reachOpener });
  assert.deepEqual([info.variant, info.threads, reached], ["simd-threads", 2, 1]);
  close();
});

test("a worker's error gives way to one thread at once, and no worker stays", async () => {
  let exits = 0;
  /** @type {Supply["openThread"]} */
  const openBlocked = (variant, onError) => {
    const worker = openThread(variant, onError);
    worker.once("exit", () => ++exits);
    queueMicrotask(() => worker.emit("error", new Error("blocked")));
    return worker;
  };
  const supply = { ...spoiltSupply((_, glue) => glue), openThread: openBlocked };
  const start_ms = performance.now();
  const { info } = await startRuntime(auto, supply);
  assert.equal(info.variant, "simd");
  assert.match(info.notes.join(), /one thread: a worker could not start \(blocked\)/);
  assert(performance.now() - start_ms < 2000);
  // The worker does not keep the process alive while it ends.
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(exits, 1);
});

test("an engine that computes wrongly is not used", async () => {
  const supply = spoiltSupply((variant, glue) => async (options) => {
    const module = await glue(options);
    return variant === "simd" ? module : { ...module, selfTest: () => ({ value: false }) };
  });
  const { info } = await startRuntime(auto, supply);
  assert.equal(info.variant, "simd");
  assert.match(info.notes.join(), /"simd-threads" computes wrongly here/);
  const named = { variant: /** @type {const} */ ("simd-threads"), threads: 2 };
  await assert.rejects(startRuntime(named, supply), {
    code: "unsupported-environment",
    message: /"simd-threads" failed.*wrongly/,
  });
});
