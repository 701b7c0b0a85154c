import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createEngine, Encoder } from "headscope";
import { loadPretrained } from "../../bindings/js/loaded-encoder.js";
import { HeadscopeError } from "../../bindings/js/trace/error.js";
import { expectRejection } from "./expect-rejection.js";
import { serveFiles } from "./file-server.js";
import { makeCheckpoint, modelFolder, tinyConfig } from "./tiny-model.js";

/** @typedef {import("../../bindings/js/checkpoint-source.js").Progress} Progress */
/** @typedef {Record<string, Uint8Array<ArrayBuffer>>} Files */

const engine = await createEngine({ variant: "simd" });
const inWorker = await createEngine({ variant: "simd", worker: true });
after(() => Promise.all([engine.dispose(), inWorker.dispose()]));

const whole = await makeCheckpoint(engine);
const sharded = await makeCheckpoint(engine, { shards: 3 });
const index = "model.safetensors.index.json";
const ids = [3, 1, 4, 1, 5];
const { pooled } = await run(await Encoder.fromPretrained(whole, { engine }));

/** @param {Encoder} encoder */
async function run(encoder) {
  const trace = await encoder.run({ ids });
  encoder.dispose();
  return trace;
}

/**
 * @param {import("../../bindings/js/checkpoint-source.js").Source} source
 * @param {import("../../bindings/js/loading-options.js").LoadingOptions} [options]
 */
async function loads(source, options = {}) {
  const encoder = await Encoder.fromPretrained(source, { engine, ...options });
  assert.deepEqual((await run(encoder)).pooled, pooled);
}

/**
 * @param {Files} files
 * @returns {Record<string, import("./file-server.js").Reply>}
 */
function replies(files) {
  return Object.fromEntries(
    Object.entries(files).map(([name, body]) => [`/model/${name}`, { body }]),
  );
}

/** @param {Files} files */
function without(/** @type {string} */ name, files = whole) {
  const { [name]: _, ...rest } = files;
  return rest;
}

/** @param {unknown} value */
function json(value) {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** @returns {any} */
function parse(/** @type {Uint8Array | undefined} */ bytes) {
  return JSON.parse(new TextDecoder().decode(bytes));
}

test("a bare name is a model that ships; left out, the default one", async () => {
  const named = await Encoder.fromPretrained("use-lite", { engine });
  const unnamed = await Encoder.fromPretrained(undefined, { engine });
  assert.deepEqual(named.config, unnamed.config);
  named.dispose();
  unnamed.dispose();
  await expectRejection(
    "not-found",
    /no model "bert" ships, only use-lite; a folder is "\.\/bert"/,
    Encoder.fromPretrained("bert", { engine }),
  );
});

test("a folder is a path, a file: URL or an address, with or without a last slash", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "headscope model "));
  context.after(() => rm(folder, { recursive: true }));
  for (const [name, bytes] of Object.entries(whole)) await writeFile(join(folder, name), bytes);
  const { address } = await serveFiles(context, replies(whole));
  const url = pathToFileURL(folder);
  for (const source of [folder, `${folder}/`, url, url.href, `${address}model`])
    await loads(source);
  await loads(new URL(`${address}model/`));
});

test("files can be bytes, buffers, blobs or File objects, which the caller keeps", async () => {
  for (const home of [engine, inWorker]) {
    await loads(whole, { engine: home });
    const buffers = Object.entries(whole).map(([name, { buffer, byteOffset, byteLength }]) => {
      return [name, buffer.slice(byteOffset, byteOffset + byteLength)];
    });
    await loads(Object.fromEntries(buffers), { engine: home });
    const blobs = Object.entries(whole).map(([name, bytes]) => [name, new Blob([bytes])]);
    await loads(Object.fromEntries(blobs), { engine: home });
    const pooled = Object.entries(whole).map(([name, bytes]) => [name, Buffer.from(bytes)]);
    await loads(Object.fromEntries(pooled), { engine: home });
  }
  for (const bytes of Object.values(whole)) assert(bytes.length > 0, "not transferred");
  const files = Object.entries(whole).map(([name, bytes]) =>
    Object.assign(new Blob([bytes]), { name, lastModified: 0 }),
  );
  await loads(/** @type {any} */ (files));
});

test("weights may come in several files with an index", async (context) => {
  await loads(sharded);
  const { address, paths } = await serveFiles(context, replies(sharded));
  await loads(`${address}model`);
  assert(paths.includes("/model/model-00002-of-00003.safetensors"));
});

test("without an index every *.safetensors that is given counts", async () => {
  await loads(without(index, sharded));
  const { "model.safetensors": weights, ...rest } = whole;
  await loads({ ...rest, "other.safetensors": /** @type {Uint8Array} */ (weights) });
});

test("an index is held to its word", async () => {
  const { weight_map } = parse(sharded[index]);
  const [tensor, file] = /** @type {[string, string]} */ (Object.entries(weight_map)[0]);
  const other = Object.values(weight_map).find((name) => name !== file);
  const wrong = /** @type {[Files, RegExp][]} */ ([
    [{ [index]: json({ weight_map: { ...weight_map, [tensor]: other } }) }, new RegExp(tensor)],
    [{ [index]: json({ weight_map: { ...weight_map, extra: file } }) }, /"extra" is not in model/],
    [{ "stray.safetensors": /** @type {Uint8Array} */ (sharded[file]) }, /stray\.safetensors/],
    [{ [index]: json({ weight_map: { [tensor]: "../secret.safetensors" } }) }, /secret/],
    [{ [index]: json([]) }, /no weight_map/],
  ]);
  for (const [change, message] of wrong) {
    const source = { ...sharded, ...change };
    await expectRejection("bad-checkpoint", message, Encoder.fromPretrained(source, { engine }));
  }
  const missing = without(file, sharded);
  await expectRejection("not-found", /model-0/, Encoder.fromPretrained(missing, { engine }));
});

test("a missing file is named, with what is there", async (context) => {
  for (const name of Object.keys(whole)) {
    const source = without(name);
    const message = new RegExp(name === "model.safetensors" ? "\\*\\.safetensors" : name);
    await expectRejection("not-found", message, Encoder.fromPretrained(source, { engine }));
    const { address } = await serveFiles(context, replies(source));
    const remote = Encoder.fromPretrained(`${address}model`, { engine });
    await expectRejection("not-found", new RegExp(`http.*/model/${name}`), remote);
  }
  await expectRejection("not-found", /no files at all/, Encoder.fromPretrained({}, { engine }));
  await expectRejection("not-found", /no\/such/, Encoder.fromPretrained("/no/such", { engine }));
});

test("a page in place of a file counts as missing, and a sharded model behind it loads", async (context) => {
  const page = { body: "<!DOCTYPE html><title>app</title>", type: "text/html" };
  const { address } = await serveFiles(context, {}, page);
  const remote = Encoder.fromPretrained(`${address}model`, { engine });
  await expectRejection("not-found", /http.*is a web page/, remote);
  const shards = await serveFiles(context, replies(sharded), page);
  await loads(`${shards.address}model`);
});

test("what is wrong in a file is said with its name, and nothing is half loaded", async () => {
  const config = parse(whole["config.json"]);
  const weights = /** @type {Uint8Array} */ (whole["model.safetensors"]);
  const cut = weights.slice(0, -4);
  const { final_norm: _, ...incomplete } = config;
  const wrong = /** @type {[Files, import("headscope").HeadscopeError["code"], RegExp][]} */ ([
    [{ "config.json": new TextEncoder().encode("{") }, "bad-checkpoint", /config\.json is no JSON/],
    [{ "config.json": Uint8Array.from([0xff]) }, "bad-checkpoint", /config\.json is no JSON/],
    [{ "config.json": json([]) }, "bad-checkpoint", /config\.json is Array/],
    [{ "config.json": json(incomplete) }, "bad-checkpoint", /config\.json\.final_norm is missing/],
    [{ "config.json": json({ ...config, n_heads: 3 }) }, "bad-checkpoint", /config\.json.*n_heads/],
    [{ "config.json": json({ ...config, n_heads: "2" }) }, "bad-checkpoint", /n_heads is "2"/],
    [{ "config.json": json({ ...config, colour: 1 }) }, "bad-checkpoint", /unknown "colour"/],
    [{ "config.json": json({ model_type: "gpt2" }) }, "unsupported-model", /"gpt2"/],
    [
      { "config.json": json({ ...config, d_ff: 16 }) },
      "bad-checkpoint",
      /feed_forward\.w1.*\[8,12\].*\[8,16\]/,
    ],
    [{ "config.json": json({ ...config, n_layers: 4 }) }, "bad-checkpoint", /layers\.3\..*missing/],
    [{ "config.json": json({ ...config, n_layers: 2 }) }, "bad-checkpoint", /layers\.2\./],
    [{ "tokenizer.json": json({}) }, "bad-checkpoint", /tokenizer/],
    [{ "tokenizer.json": json([]) }, "bad-checkpoint", /tokenizer/],
    [{ "model.safetensors": cut }, "bad-checkpoint", /model\.safetensors.*cut short/],
    [{ "model.safetensors": new Uint8Array() }, "bad-checkpoint", /model\.safetensors has 0 bytes/],
    [{ "more.safetensors": weights }, "bad-checkpoint", /comes twice/],
  ]);
  for (const home of [engine, inWorker]) {
    const before = await home.heapBytes();
    for (const [change, code, message] of wrong) {
      const source = { ...whole, ...change };
      await expectRejection(code, message, Encoder.fromPretrained(source, { engine: home }));
    }
    await loads(whole, { engine: home });
    assert.equal(await home.heapBytes(), before);
  }
});

test("progress is told per file, up to its whole size", async (context) => {
  const { address } = await serveFiles(context, replies(whole));
  for (const source of [`${address}model`, whole]) {
    /** @type {Map<string, Progress[]>} */
    const told = new Map();
    const onProgress = (/** @type {Progress} */ progress) => {
      told.set(progress.file, [...(told.get(progress.file) ?? []), progress]);
    };
    await loads(source, { onProgress });
    assert.deepEqual([...told.keys()].sort(), Object.keys(whole).sort());
    for (const [file, steps] of told) {
      const size = whole[file]?.length;
      assert.deepEqual(steps.at(-1), { loaded_bytes: size, total_bytes: size, file });
      const loaded = steps.map(({ loaded_bytes }) => loaded_bytes);
      assert.deepEqual(
        loaded,
        [...loaded].sort((a, b) => a - b),
      );
    }
  }
});

test("what the caller's onProgress throws is reported as it is", async (context) => {
  const { address } = await serveFiles(context, replies(whole));
  const folder = await mkdtemp(join(tmpdir(), "headscope-"));
  context.after(() => rm(folder, { recursive: true }));
  for (const [name, bytes] of Object.entries(whole)) await writeFile(join(folder, name), bytes);
  const mine = new TypeError("mine");
  const onProgress = () => {
    throw mine;
  };
  for (const source of [whole, folder, `${address}model`]) {
    await assert.rejects(Encoder.fromPretrained(source, { engine, onProgress }), (error) => {
      assert.equal(error, mine);
      return true;
    });
  }
});

test("an engine that cannot start ends the downloads", async (context) => {
  const slow = replies(whole);
  const file = "/model/model.safetensors";
  slow[file] = { body: /** @type {Uint8Array} */ (whole["model.safetensors"]), delay_ms: 4000 };
  const { address, ended } = await serveFiles(context, slow);
  const broken = new HeadscopeError("unsupported-environment", "engine: not here");
  /** @type {() => void} */
  let fail = () => {};
  const begun = new Promise((resolve) => {
    fail = () => resolve(undefined);
  });
  const onProgress = (/** @type {Progress} */ { file: name }) => {
    if (name === "model.safetensors") fail();
  };
  const loading = loadPretrained(`${address}model`, { onProgress }, async () => {
    await begun;
    throw broken;
  });
  await assert.rejects(loading, (error) => error === broken);
  const start_ms = performance.now();
  while (!ended.includes(file)) {
    assert(performance.now() - start_ms < 3000, "the download goes on");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});

test("a tokenizer with ids that the embeddings have no row for is refused", async () => {
  const tokenizer = await readFile(new URL("tokenizer.json", modelFolder));
  const source = { ...whole, "tokenizer.json": tokenizer };
  for (const home of [engine, inWorker]) {
    const before = await home.heapBytes();
    await expectRejection(
      "bad-checkpoint",
      /^config\.json: tokenizer: the largest id is 7999, expected at most 39 as vocab_size is 40$/,
      Encoder.fromPretrained(source, { engine: home }),
    );
    const options = { engine: home, tokenizer: parse(tokenizer) };
    await expectRejection(
      "bad-argument",
      /^tokenizer: the largest id is 7999, expected at most 39 as vocab_size is 40$/,
      Encoder.fromConfig(tinyConfig, options),
    );
    assert.equal(await home.heapBytes(), before);
  }
});

test("an abort while files come in rejects at once and ends the downloads", async (context) => {
  const slow = replies(whole);
  slow["/model/model.safetensors"] = {
    body: /** @type {Uint8Array} */ (whole["model.safetensors"]),
    delay_ms: 20_000,
  };
  const { address } = await serveFiles(context, slow);
  const controller = new AbortController();
  const onProgress = () => controller.abort();
  const { signal } = controller;
  const start_ms = performance.now();
  const loading = Encoder.fromPretrained(`${address}model`, { engine, signal, onProgress });
  await expectRejection("aborted", /fromPretrained/, loading);
  assert(performance.now() - start_ms < 5000);
  await expectRejection("aborted", /./, Encoder.fromPretrained(whole, { engine, signal }));
});

test("an abort while parameters are placed leaves no encoder behind", async () => {
  const before = await inWorker.heapBytes();
  for (let i = 0; i < 50; ++i) {
    const controller = new AbortController();
    const loading = Encoder.fromPretrained(whole, { engine: inWorker, signal: controller.signal });
    setTimeout(() => controller.abort(), i / 5);
    await loading.then((encoder) => encoder.dispose()).catch(() => {});
  }
  await loads(whole, { engine: inWorker });
  assert.equal(await inWorker.heapBytes(), before);
});
