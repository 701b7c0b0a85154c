import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createEngine, defaultEngine, Encoder, Engine, HeadscopeError } from "headscope";
import { detectFeatures } from "../../bindings/js/variants.js";
import { expectRejection } from "./expect-rejection.js";
import { serveFiles } from "./file-server.js";
import { tinyConfig } from "./tiny-model.js";

/** @typedef {import("../../bindings/js/variants.js").Variant} Variant */

const wasm = new URL("../../dist/wasm/", import.meta.url);
const { version } = JSON.parse(
  await readFile(new URL("../../package.json", import.meta.url), "utf8"),
);
const simd = new Uint8Array(await readFile(new URL("simd.wasm", wasm)));
const ids = [3, 1, 4, 1, 5];

/**
 * Runs the tiny model, as a proof that an engine computes.
 *
 * @param {Engine} engine
 * @returns {Promise<Float32Array>}
 */
async function compute(engine) {
  const encoder = await Encoder.fromConfig(tinyConfig, { engine, seed: 7 });
  const { pooled } = await encoder.run({ ids });
  encoder.dispose();
  return pooled;
}

/**
 * @param {Float32Array} got
 * @param {Float32Array} expected
 * @param {number} tolerance
 */
function closeTo(got, expected, tolerance) {
  assert.equal(got.length, expected.length);
  const worst = Math.max(...got.map((value, i) => Math.abs(value - (expected[i] ?? Number.NaN))));
  assert(worst <= tolerance, `differs by ${worst}`);
}

const reference = await createEngine({ variant: "simd" });
const expected = await compute(reference);
after(() => reference.dispose());

const { relaxed } = detectFeatures();
const possible = /** @type {Variant[]} */ ([
  "simd",
  "simd-threads",
  ...(relaxed ? ["relaxed", "relaxed-threads"] : []),
]);

for (const variant of possible) {
  for (const worker of [false, true]) {
    test(`${variant} computes the same ${worker ? "in a worker" : "without a worker"}`, async () => {
      const engine = await createEngine({ variant, worker });
      const { info } = engine;
      assert(engine instanceof Engine);
      assert.equal(info.variant, variant);
      assert.equal(info.worker, worker);
      assert.equal(info.simd, variant.startsWith("relaxed") ? "relaxed" : "simd128");
      assert.equal(info.version, version);
      assert.match(info.reason, /as asked/);
      // Fused multiply-adds round once where the others round twice.
      closeTo(await compute(engine), expected, variant.startsWith("relaxed") ? 1e-5 : 0);
      await engine.dispose();
    });
  }
}

test("a variant that cannot run here is an error that names it", { skip: relaxed }, async () => {
  const message = /"relaxed" needs more.*no relaxed SIMD/;
  await expectRejection("unsupported-environment", message, createEngine({ variant: "relaxed" }));
});

test("by default the best variant is taken, and the reason says why not a better one", async () => {
  const { info } = await createEngine();
  assert.equal(info.worker, false, "in Node");
  assert.equal(info.variant.startsWith("relaxed"), relaxed);
  if (!relaxed) assert.match(info.reason, /no relaxed SIMD/);
});

test("threads can be asked for one by one", async () => {
  const one = await createEngine({ threads: 1 });
  assert.equal(one.info.threads, 1);
  assert(!one.info.variant.endsWith("threads"));
  const three = await createEngine({ variant: "simd-threads", threads: 3 });
  assert.equal(three.info.threads, 3);
  closeTo(await compute(three), expected, 0);
  await Promise.all([one.dispose(), three.dispose()]);
});

test("a worker that cannot start gives way to the calling thread, with a reason", async () => {
  const engine = await createEngine({ worker: new URL("file:///no/such/worker.js") });
  assert.equal(engine.info.worker, false);
  assert.equal(engine.info.threads, 1);
  assert.match(engine.info.reason, /on the calling thread: no worker can start here/);
  await engine.dispose();
});

test("a worker that stays silent gives way to the calling thread after 3 s", async () => {
  const silent = new URL("data:text/javascript,setInterval(() => {}, 1000)");
  const start_ms = performance.now();
  const engine = await createEngine({ worker: silent });
  assert(performance.now() - start_ms < 5000);
  assert.match(engine.info.reason, /silent for 3 s/);
  await engine.dispose();
});

test("wasm is a folder: as path, address or URL", async () => {
  for (const folder of [fileURLToPath(wasm), wasm.href, wasm, wasm.href.replace(/\/$/, "")]) {
    const engine = await createEngine({ variant: "simd", wasm: folder });
    closeTo(await compute(engine), expected, 0);
    await engine.dispose();
  }
});

test("wasm is one engine: as URL of a file or of data, bytes, buffer or module, also in a worker", async () => {
  const module = await WebAssembly.compile(simd);
  // As some bundlers make them of a file, without its name.
  const data = `data:application/wasm;base64,${Buffer.from(simd).toString("base64")}`;
  const sources = [new URL("simd.wasm", wasm), data, simd, simd.buffer, module];
  for (const source of sources) {
    for (const worker of [false, true]) {
      const engine = await createEngine({ wasm: source, worker });
      assert.equal(engine.info.variant, "simd");
      closeTo(await compute(engine), expected, 0);
      await engine.dispose();
    }
  }
  assert.equal(simd.length, simd.buffer.byteLength, "the caller keeps the bytes");
});

test("an engine served with the wrong MIME type works", async (context) => {
  const { address } = await serveFiles(context, {
    "/simd.wasm": { body: simd, type: "text/plain" },
  });
  const engine = await createEngine({ variant: "simd", wasm: address });
  closeTo(await compute(engine), expected, 0);
  await engine.dispose();
});

test("a page in place of an engine is an error that names the address and the option", async (context) => {
  const page = { body: "<!doctype html><title>app</title>", type: "text/html" };
  const { address } = await serveFiles(context, {}, page);
  const message = /127\.0\.0\.1:\d+\/simd\.wasm.*3c 21 64 6f.*createEngine\(\{ wasm \}\)/;
  await expectRejection("not-found", message, createEngine({ variant: "simd", wasm: address }));
});

test("a missing engine is an error that names the address", async (context) => {
  const { address } = await serveFiles(context, {});
  const message = /127\.0\.0\.1:\d+\/simd\.wasm.*404/;
  await expectRejection("not-found", message, createEngine({ variant: "simd", wasm: address }));
  const path = /no\/such\/folder\/simd\.wasm/;
  await expectRejection(
    "not-found",
    path,
    createEngine({ variant: "simd", wasm: "/no/such/folder" }),
  );
});

test("an engine of another version is refused before it runs", async () => {
  const stamp = Buffer.from(simd).lastIndexOf(version);
  const old = simd.slice();
  old[stamp] = "9".charCodeAt(0);
  const message = new RegExp(`version 9.*expected ${version}`);
  await expectRejection("unsupported-environment", message, createEngine({ wasm: old }));
});

test("bytes that are no engine are refused", async () => {
  const empty = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  await expectRejection("bad-argument", /none of Headscope's/, createEngine({ wasm: empty }));
  const text = new TextEncoder().encode("<html>");
  await expectRejection("bad-argument", /3c 68 74 6d/, createEngine({ wasm: text }));
  await expectRejection("bad-argument", /nothing/, createEngine({ wasm: new Uint8Array() }));
  const page = "data:text/html;base64,PGh0bWw+";
  await expectRejection(
    "bad-argument",
    /the bytes given.*3c 68 74 6d/,
    createEngine({ wasm: page }),
  );
  for (const encoded of ["data:application/wasm,%00asm", "data:application/wasm;base64,%%%"]) {
    const message = /^data:application\/wasm.{0,60}cannot be decoded, expected base64/;
    await expectRejection("bad-argument", message, createEngine({ wasm: encoded }));
  }
  const cut = simd.slice(0, 5000);
  await expectRejection("unsupported-environment", /compiled/, createEngine({ wasm: cut }));
  const other = createEngine({ wasm: simd, variant: "simd-threads" });
  await expectRejection("bad-argument", /"simd", expected "simd-threads"/, other);
});

test("disposing twice is fine; using an engine afterwards is disposed", async () => {
  for (const worker of [false, true]) {
    const engine = await createEngine({ variant: "simd", worker });
    const encoder = await Encoder.fromConfig(tinyConfig, { engine });
    assert((await engine.heapBytes()) > 1 << 20);
    await engine.dispose();
    await engine.dispose();
    await expectRejection("disposed", /engine/, engine.heapBytes());
    await expectRejection("disposed", /engine/, encoder.run({ ids }));
    await expectRejection("disposed", /engine/, Encoder.fromConfig(tinyConfig, { engine }));
    encoder.dispose();
  }
});

test("disposing an engine rejects what is pending", async () => {
  for (const worker of [false, true]) {
    const engine = await createEngine({ variant: "simd", worker });
    const encoder = await Encoder.fromConfig(tinyConfig, { engine });
    const pending = [encoder.run({ ids }), encoder.parameter("embeddings.token")];
    const outcomes = Promise.allSettled(pending);
    await engine.dispose();
    for (const outcome of await outcomes) {
      assert.equal(outcome.status, "rejected");
      assert(outcome.reason instanceof HeadscopeError);
      assert.equal(outcome.reason.code, "disposed");
    }
  }
});

test("an engine that is disposed between two layers of a run stops there", async () => {
  const engine = await createEngine({ variant: "simd-threads", threads: 2 });
  const deep = { ...tinyConfig, n_layers: 60, d_model: 128, d_ff: 512, max_tokens: 512 };
  const encoder = await Encoder.fromConfig(deep, { engine });
  const long = { ids: Array.from({ length: 512 }, (_, i) => i % 40) };
  const start_ms = performance.now();
  await encoder.run(long, { capture: [] });
  const whole_ms = performance.now() - start_ms;
  const run = encoder.run(long, { capture: [] });
  await new Promise((resolve) => setTimeout(resolve, whole_ms / 6));
  const rejection = expectRejection("disposed", /engine/, run);
  const disposed_ms = performance.now();
  await engine.dispose();
  await rejection;
  // A run that went on would hold the thread, and this turn with it, layer after layer.
  for (let turn = 0; turn < 100; ++turn) await new Promise((resolve) => setImmediate(resolve));
  const rest_ms = performance.now() - disposed_ms;
  assert(rest_ms < whole_ms / 2, `computed on for ${rest_ms} of ${whole_ms} ms`);
});

test("a worker that dies fails its calls, and the ones after", async () => {
  const dying = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from "node:worker_threads";
      parentPort.on("message", () => process.exit(3));
      parentPort.postMessage({ id: 0, result: "${version}" });
    `)}`,
  );
  await expectRejection("internal", /worker ended.*3/, createEngine({ worker: dying }));
});

test("the default engine is one for all, and made again after it was disposed", async () => {
  const [one, other] = await Promise.all([defaultEngine(), defaultEngine()]);
  assert.equal(one, other);
  await one.dispose();
  const next = await defaultEngine();
  assert.notEqual(next, one);
  closeTo(await compute(next), expected, 1e-5);
  await next.dispose();
});

test("a symbol disposes where the language has one", { skip: !Symbol.dispose }, async () => {
  const engine = await createEngine({ variant: "simd" });
  const encoder = await Encoder.fromConfig(tinyConfig, { engine });
  const dispose = Symbol.dispose;
  /** @type {any} */ (encoder)[dispose]();
  await expectRejection("disposed", /encoder/, encoder.run({ ids }));
  /** @type {any} */ (engine)[dispose]();
  await expectRejection("disposed", /engine/, engine.heapBytes());
});
