// Both sides as functions of the same form: token ids in, numbers in JavaScript's hands out. Runs in
// a page and in Node.
import { attentionOutput, hiddenOutput } from "./graph-outputs.js";
import { shapes, tokenIds } from "./shapes.js";

/** @typedef {import("./shapes.js").ShapeName} ShapeName */

/**
 * The parts of onnxruntime-web that are used.
 *
 * @typedef {{ data: Float32Array, dispose?: () => void }} OrtTensor
 * @typedef {{ inputNames: string[], release: () => Promise<void>,
 *   run: (feeds: Record<string, OrtTensor>) => Promise<Record<string, OrtTensor>> }} OrtSession
 * @typedef {{ env: any, InferenceSession: { create: (model: Uint8Array, options: object) =>
 *   Promise<OrtSession> }, Tensor: new (type: string, data: BigInt64Array, dims: number[]) =>
 *   OrtTensor }} Ort
 */

/**
 * What the place where it runs supplies.
 *
 * @typedef {object} Host
 * @property {Ort} ort
 * @property {typeof import("headscope")} headscope
 * @property {(file: string) => Promise<Uint8Array>} read a file of the model
 * @property {string} folder of the model, as `Encoder.fromPretrained` takes it
 */

/**
 * @typedef {object} Output
 * @property {Float32Array} hidden [T, D] after the last layer
 * @property {(layer: number) => Float32Array} [maps] [H, T, T]
 * @property {import("../../bindings/js/trace/timing.js").Timing} [timing] what Headscope says of its own time
 */

/** @typedef {{ name: string, run: (length: number) => Promise<Output>, end: () => unknown }} Contender */

/**
 * One of onnxruntime's graphs.
 *
 * @param {Host} host
 * @param {ShapeName} shape
 * @param {string} style
 * @param {Uint8Array} weights the file that the graph points to
 * @returns {Promise<Contender>}
 */
export async function openOrt({ ort, read }, shape, style, weights) {
  const { config } = shapes[shape];
  const session = await ort.InferenceSession.create(await read(`${style}.onnx`), {
    executionProviders: ["wasm"],
    graphOptimizationLevel: "all",
    logSeverityLevel: 3,
    externalData: [{ path: "model.safetensors", data: weights }],
  });
  const layers = Array.from({ length: config.n_layers }, (_, layer) => attentionOutput(layer));
  const run = async (/** @type {number} */ length) => {
    const result = await session.run(feedsOf(ort, session, length));
    return {
      hidden: result[hiddenOutput].data,
      maps: (/** @type {number} */ layer) => result[layers[layer]].data,
    };
  };
  return { name: `ort-${style}`, run, end: () => session.release() };
}

/**
 * The inputs that a graph asks for: ids, all seen, all of the first type.
 *
 * @param {Ort} ort
 * @param {OrtSession} session
 * @param {number} length
 */
export function feedsOf(ort, session, length) {
  const values = {
    input_ids: () => BigInt64Array.from(tokenIds(length), BigInt),
    attention_mask: () => new BigInt64Array(length).fill(1n),
    token_type_ids: () => new BigInt64Array(length),
  };
  return Object.fromEntries(
    session.inputNames.map((name) => {
      const data = values[/** @type {keyof typeof values} */ (name)]();
      return [name, new ort.Tensor("int64", data, [1, length])];
    }),
  );
}

/**
 * @param {Host} host
 * @param {import("headscope").Engine} engine
 * @param {{ dtype: "f32" | "int8" }} options
 * @returns {Promise<{ plain: Contender, maps: Contender, int8Kernel: string | undefined }>} the same
 *   encoder, asked for its result alone and for all attention maps
 */
export async function openHeadscope({ headscope, folder }, engine, { dtype }) {
  const encoder = await headscope.Encoder.fromPretrained(folder, { engine, dtype });
  const { n_heads } = encoder.config;
  const end = () => encoder.dispose();
  const plain = async (/** @type {number} */ length) => {
    const trace = await encoder.run({ ids: tokenIds(length) }, { capture: ["output"] });
    return { hidden: trace.get("output").data, timing: trace.timing };
  };
  const maps = async (/** @type {number} */ length) => {
    const capture = /** @type {const} */ (["attention", "output"]);
    const trace = await encoder.run({ ids: tokenIds(length) }, { capture: [...capture] });
    return {
      hidden: trace.get("output").data,
      timing: trace.timing,
      maps: (/** @type {number} */ layer) =>
        joinHeads(Array.from({ length: n_heads }, (_, head) => trace.attention(layer, head).data)),
    };
  };
  const { int8Kernel } = encoder;
  return {
    int8Kernel,
    plain: { name: dtype, run: plain, end },
    maps: { name: "maps", run: maps, end },
  };
}

/** For the comparison, which is not timed. @param {Float32Array[]} heads */
function joinHeads(heads) {
  const joined = new Float32Array(heads.length * heads[0].length);
  for (const [head, values] of heads.entries()) joined.set(values, head * values.length);
  return joined;
}
