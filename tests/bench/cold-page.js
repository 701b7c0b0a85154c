// From import to the first result, in a page that has done nothing before. The bytes of the model
// are in memory; what a page has to fetch besides comes from this machine.
import { feedsOf } from "./contenders.js";
import { hiddenOutput } from "./graph-outputs.js";
import { loadHeadscope, loadOrt, readFile } from "./page-libraries.js";
import { tokenIds } from "./shapes.js";

/** Milliseconds of each stage, and of all up to the first result. @typedef {Record<string, number>} Stages */

const folder = "build/bench/models/minilm/";
const length = 16;

/** @returns {Promise<Stages>} */
export async function startHeadscope() {
  const names = ["config.json", "tokenizer.json", "model.safetensors"];
  const read = await Promise.all(names.map((name) => readFile(folder + name)));
  const files = Object.fromEntries(names.map((name, i) => [name, read[i]]));
  const clock = startClock();
  const { Encoder, defaultEngine } = await loadHeadscope();
  clock.stage("import");
  const loading = Encoder.fromPretrained(files);
  // The same engine; the model's files are read meanwhile.
  await defaultEngine();
  clock.stage("engine");
  const encoder = await loading;
  clock.stage("model");
  const run = async () =>
    (await encoder.run({ ids: tokenIds(length) }, { capture: ["output"] })).get("output").data;
  return clock.finish(run);
}

/** @returns {Promise<Stages>} */
export async function startOrt() {
  const model = await readFile(`${folder}whole.onnx`);
  const clock = startClock();
  const ort = await loadOrt();
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  clock.stage("import");
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ["wasm"],
    logSeverityLevel: 3,
  });
  clock.stage("engine and model");
  const run = async () => (await session.run(feedsOf(ort, session, length)))[hiddenOutput].data;
  return clock.finish(run);
}

function startClock() {
  const start_ms = performance.now();
  let last_ms = start_ms;
  /** @type {Stages} */
  const stages = {};
  const stage = (/** @type {string} */ name) => {
    const now_ms = performance.now();
    stages[name] = now_ms - last_ms;
    last_ms = now_ms;
  };
  /** The first result, which ends the start, and a second one. */
  const finish = async (/** @type {() => Promise<unknown>} */ run) => {
    await run();
    stage("first result");
    const total = last_ms - start_ms;
    await run();
    stage("second result");
    return { ...stages, total };
  };
  return { stage, finish };
}
