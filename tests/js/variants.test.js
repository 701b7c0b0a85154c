import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { findClusterEnds } from "../../bindings/js/tokens/clusters.js";
import { oldestNode } from "../../bindings/js/trace/baseline.js";
import { detectFeatures, planVariants, variants } from "../../bindings/js/variants.js";

/** @typedef {import("../../bindings/js/variants.js").Facts} Facts */

/** @type {Facts} */
const node = { host: "node", cores: 8, isolated: false, sharedMemory: true };
/** @type {Facts} */
const isolatedPage = { host: "browser", cores: 2, isolated: true, sharedMemory: true };
/** @type {Facts} */
const plainPage = { host: "browser", cores: 8, isolated: false, sharedMemory: false };
const everything = { simd: true, relaxed: true, threads: true };
const auto = /** @type {const} */ ({ variant: "auto", threads: "auto" });

/**
 * @param {ReturnType<typeof planVariants>} planned
 * @returns {string[]}
 */
function list({ plans }) {
  return plans.map(({ variant, threads }) => `${variant} ${threads}`);
}

test("Node has threads without isolation, four at most unless more are asked for", () => {
  const best = ["relaxed-threads 4", "simd-threads 4", "relaxed 1", "simd 1"];
  assert.deepEqual(list(planVariants(auto, node, everything)), best);
  const asked = planVariants({ variant: "auto", threads: 6 }, node, everything);
  assert.equal(list(asked)[0], "relaxed-threads 6");
});

test("an isolated page has threads, a plain one says why it has one", () => {
  assert.equal(list(planVariants(auto, isolatedPage, everything))[0], "relaxed-threads 2");
  const { plans, notes } = planVariants(auto, plainPage, everything);
  assert.deepEqual(list({ plans, notes }), ["relaxed 1", "simd 1"]);
  assert.deepEqual(notes, ["one thread: this page is not cross-origin isolated"]);
});

test("a page that claims isolation without shared memory has one thread", () => {
  const webkit = { ...isolatedPage, sharedMemory: false };
  const { notes } = planVariants(auto, webkit, everything);
  assert.deepEqual(notes, ["one thread: SharedArrayBuffer does not exist here"]);
});

test("without relaxed SIMD the plain one is taken, and the reason says so", () => {
  const { plans, notes } = planVariants(auto, node, { ...everything, relaxed: false });
  assert.deepEqual(list({ plans, notes }), ["simd-threads 4", "simd 1"]);
  assert.deepEqual(notes, ["simd128: WebAssembly has no relaxed SIMD here"]);
});

test("one thread, asked for or all there is, needs no threaded engine", () => {
  const one = planVariants({ variant: "auto", threads: 1 }, node, everything);
  assert.deepEqual(list(one), ["relaxed 1", "simd 1"]);
  const single = planVariants(auto, { ...node, cores: 1 }, everything);
  assert.deepEqual(list(single), ["relaxed 1", "simd 1"]);
  assert.match(single.notes.join(), /offers one core/);
});

test("more threads than pay are cut, and the reason says so", () => {
  const { plans, notes } = planVariants({ variant: "auto", threads: 500 }, node, everything);
  assert.equal(plans[0]?.threads, 16);
  assert.match(notes.join(), /16 threads/);
});

test("a named variant that cannot run here is an error that says what is missing", () => {
  const cases = /** @type {const} */ ([
    ["simd-threads", plainPage, everything, /"simd-threads".*not cross-origin isolated/],
    ["relaxed", node, { ...everything, relaxed: false }, /"relaxed".*no relaxed SIMD/],
    ["relaxed-threads", node, { ...everything, threads: false }, /no shared memory/],
  ]);
  for (const [variant, facts, features, message] of cases) {
    assert.throws(() => planVariants({ variant, threads: "auto" }, facts, features), {
      name: "HeadscopeError",
      code: "unsupported-environment",
      message,
    });
  }
});

test("of one engine that is offered only what can run here is taken", () => {
  const offered = [variants[0]];
  assert.throws(() => planVariants({ ...auto, offered }, plainPage, everything), {
    code: "unsupported-environment",
    message: /relaxed-threads/,
  });
});

test("a text without Intl.Segmenter is an error that names what has it", () => {
  const { Segmenter } = Intl;
  Object.defineProperty(Intl, "Segmenter", { value: undefined, configurable: true });
  try {
    assert.throws(() => findClusterEnds("e\u0301"), {
      name: "HeadscopeError",
      code: "unsupported-environment",
      message: /Intl\.Segmenter does not exist here; .*Firefox 125/,
    });
  } finally {
    Object.defineProperty(Intl, "Segmenter", {
      value: Segmenter,
      configurable: true,
      writable: true,
    });
  }
});

test("the oldest Node is the one that package.json asks for", async () => {
  const json = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  assert.equal(JSON.parse(json).engines.node, `>=${oldestNode}`);
});

test("the probes of the features are valid WebAssembly here", () => {
  const { simd, threads } = detectFeatures();
  assert(simd && threads);
});

test("an environment without SIMD is an error that names what has it", (context) => {
  context.mock.method(WebAssembly, "validate", () => false);
  assert.throws(detectFeatures, { code: "unsupported-environment", message: /Safari 16\.4/ });
});
