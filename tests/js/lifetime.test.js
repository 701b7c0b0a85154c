import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { attention } from "headscope/components";
import { tinyConfig } from "./tiny-model.js";

const root = new URL("../../", import.meta.url);
const ids = [3, 1, 4, 1, 5];
const x = [
  [1, 2],
  [3, 4],
];

for (const options of /** @type {const} */ ([
  { variant: "simd" },
  { variant: "simd-threads", threads: 2 },
  { variant: "simd", worker: true },
])) {
  test(`2,000 encoders come and go, and the heap stays: ${JSON.stringify(options)}`, async () => {
    const engine = await createEngine(options);
    let after100 = 0;
    for (let i = 0; i < 2000; ++i) {
      const encoder = await Encoder.fromConfig(tinyConfig, { engine, seed: i });
      await encoder.run({ ids }, { capture: ["attention", "hidden", "scores"] });
      encoder.dispose();
      if (i === 99) after100 = await engine.heapBytes();
    }
    assert.equal(await engine.heapBytes(), after100);
    await engine.dispose();
  });
}

test("encoders that nobody disposes are freed when they are forgotten", async () => {
  const script = `
    import { createEngine, Encoder } from "headscope";
    const engine = await createEngine({ variant: "simd" });
    const config = ${JSON.stringify({ ...tinyConfig, vocab_size: 20000 })};
    const forget = async () => {
      const encoder = await Encoder.fromConfig(config, { engine });
      await encoder.run({ ids: [1, 2] });
    };
    const sizes = [];
    for (let i = 0; i < 300; ++i) {
      await forget();
      gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (i === 99 || i === 299) sizes.push(await engine.heapBytes());
    }
    console.log(sizes[1] - sizes[0]);
  `;
  const { code, output } = await runScript(script, ["--expose-gc"]);
  assert.equal(code, 0, output);
  assert.equal(output.trim(), "0");
});

test("what was given out stays as it was, while the heap grows and after it is gone", async () => {
  for (const variant of /** @type {const} */ (["simd", "simd-threads"])) {
    const engine = await createEngine({ variant });
    const tokenizer = { model: { type: "WordPiece", unk_token: "a", vocab: { a: 0, cat: 1 } } };
    const encoder = await Encoder.fromConfig(tinyConfig, { engine, seed: 1, tokenizer });
    const trace = await encoder.run({ ids }, { capture: ["attention", "hidden", "query"] });
    const parameter = await encoder.parameter("embeddings.token");
    const [embedding = new Float32Array()] = await encoder.embed(["cat"]);
    const { scores, output } = await attention({ query: x, key: x, value: x }, { engine });
    const views = [
      embedding,
      scores.data,
      output.data,
      trace.attention(0, 1).data,
      trace.get("hidden", 2).data,
      trace.pooled,
      parameter.data,
    ];
    const copies = views.map((view) => view.slice());
    for (const view of views) assert(view.buffer instanceof ArrayBuffer, "not shared");
    const before = await engine.heapBytes();
    const large = { ...tinyConfig, vocab_size: 1_000_000 };
    const giant = await Encoder.fromConfig(large, { engine });
    assert((await engine.heapBytes()) > before, "the heap grew");
    giant.dispose();
    encoder.dispose();
    assert.deepEqual(views, copies);
    await engine.dispose();
    assert.deepEqual(views, copies);
  }
});

const start = `
  import { createEngine, Encoder } from "headscope";
  const config = ${JSON.stringify(tinyConfig)};
`;
const engines = [
  "{}",
  "{ worker: true }",
  '{ variant: "simd", worker: true }',
  "{ threads: 2, worker: true }",
];

for (const options of engines) {
  const make = `${start}
    const engine = await createEngine(${options});
    const encoder = await Encoder.fromConfig(config, { engine });`;
  for (const [when, script, expected] of [
    ["a call resolves", "console.log((await encoder.run({ ids: [1, 2] })).tokens.length);", "2"],
    [
      "a call rejects",
      "await encoder.run({ ids: [-1] }).catch(({ code }) => console.log(code));",
      "bad-argument",
    ],
    [
      "two calls that nobody awaited together",
      "for (const n of [1, 2]) encoder.run({ ids: Array(n).fill(1) }).then((t) => console.log(t.tokens.length));",
      "1\n2",
    ],
    [
      "everything is disposed",
      "encoder.dispose(); await engine.dispose(); console.log('gone');",
      "gone",
    ],
  ]) {
    test(`a process with createEngine(${options}) ends by itself after ${when}`, async () => {
      const { code, output, lingered_ms } = await runScript(`${make}\n${script}`);
      assert.equal(code, 0, output);
      assert.equal(output.trim(), expected);
      assert(lingered_ms < 3000, `lived on for ${lingered_ms} ms`);
    });
  }
}

test("importing starts nothing: the process ends at once, and says nothing", async () => {
  for (const entry of ["headscope", "headscope/inline", "headscope/trace"]) {
    const script = `
      const names = () => Object.getOwnPropertyNames(globalThis).length;
      const before = [names(), process.getActiveResourcesInfo().length];
      await import("${entry}");
      await new Promise((resolve) => setTimeout(resolve, 20));
      console.log(names() - before[0], process.getActiveResourcesInfo().length - before[1]);
    `;
    const { code, output } = await runScript(script);
    assert.equal(code, 0, output);
    assert.equal(output.trim(), "0 0");
  }
});

test("engines add nothing to the globals", async () => {
  const script = `${start}
    const before = Object.getOwnPropertyNames(globalThis);
    for (const options of [{ threads: 2 }, { variant: "simd" }, { worker: true }]) {
      const engine = await createEngine(options);
      await (await Encoder.fromConfig(config, { engine })).run({ ids: [1] });
      await engine.dispose();
    }
    console.log(Object.getOwnPropertyNames(globalThis).filter((name) => !before.includes(name)).join());
  `;
  const { code, output } = await runScript(script);
  assert.equal(code, 0, output);
  assert.equal(output.trim(), "");
});

test("the inlined engine computes the same, without a file", async () => {
  const script = `${start}
    import * as inline from "headscope/inline";
    const engine = await inline.createEngine();
    const encoder = await inline.Encoder.fromConfig(config, { engine, seed: 2 });
    const mixed = await Encoder.fromConfig(config, { engine, seed: 2 });
    const own = await Encoder.fromConfig(config, { seed: 2, engine: await createEngine({ variant: "simd" }) });
    const runs = await Promise.all([encoder, mixed, own].map((each) => each.run({ ids: [1, 2, 3] })));
    const [a, b, c] = runs.map(({ pooled }) => pooled.join());
    console.log(engine.info.variant, engine.info.threads, a === b, b === c, encoder instanceof inline.Encoder);
    const { Encoder: Inline } = inline;
    console.log((await Inline.fromConfig(config)).engine === (await inline.defaultEngine()));
  `;
  const { code, output } = await runScript(script);
  assert.equal(code, 0, output);
  assert.equal(output.trim(), "simd 1 true true true\ntrue");
});

/**
 * Runs a module in a process of its own.
 *
 * @param {string} script
 * @param {string[]} [flags]
 * @returns {Promise<{ code: number | null, output: string, lingered_ms: number }>} `lingered_ms`:
 *   from the last output to the end
 */
function runScript(script, flags = []) {
  let last_ms = performance.now();
  const child = spawn(process.execPath, [...flags, "--input-type=module", "-e", script], {
    cwd: root,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
      last_ms = performance.now();
    });
  }
  const timer = setTimeout(() => child.kill(), 60_000);
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, lingered_ms: performance.now() - last_ms });
    });
  });
}
