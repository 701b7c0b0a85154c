import { Encoder } from "headscope";
import { encodeTensor, joinTensors } from "./weight-file.js";

/** @typedef {import("../../bindings/js/config.js").EncoderConfig} EncoderConfig */

/** A model so small that thousands of them can be made. @type {EncoderConfig} */
export const tinyConfig = {
  n_layers: 3,
  n_heads: 2,
  d_model: 8,
  d_ff: 12,
  vocab_size: 40,
  max_tokens: 16,
  activation: "relu",
  norm: "pre",
  norm_epsilon: 1e-6,
  final_norm: true,
  position: { kind: "sinusoidal" },
  pooling: "mean",
};

/** The contents of a tokenizer.json whose ids the tiny model has rows for. */
const tinyTokenizer = {
  pre_tokenizer: { type: "Whitespace" },
  model: { type: "WordPiece", unk_token: "[UNK]", vocab: { "[UNK]": 0, a: 1, cat: 2, dog: 3 } },
};

/** Where the build leaves the models. */
export const modelFolder = new URL("../../dist/models/use-lite/", import.meta.url);
export const floatModelFolder = new URL("../../build/models/use-lite-f32/", import.meta.url);

/**
 * The files of a checkpoint of the tiny model: random parameters, and a tokenizer of a few words.
 *
 * @param {import("headscope").Engine} engine
 * @param {{ config?: Partial<EncoderConfig>, shards?: number,
 *   dtype?: import("./weight-file.js").WeightType }} [options]
 * @returns {Promise<Record<string, Uint8Array<ArrayBuffer>>>}
 */
export async function makeCheckpoint(engine, { config = {}, shards = 1, dtype = "F32" } = {}) {
  const whole = { ...tinyConfig, ...config };
  const encoder = await Encoder.fromConfig(whole, { engine, seed: 5 });
  const tensors = await Promise.all(
    encoder.parameterNames.map(async (name) => {
      const { rows, cols, data } = await encoder.parameter(name);
      const shape = rows === 1 ? [cols] : [rows, cols];
      return encodeTensor({ name, shape, values: data }, dtype);
    }),
  );
  encoder.dispose();
  const encode = (/** @type {unknown} */ value) => new TextEncoder().encode(JSON.stringify(value));
  const common = {
    "config.json": encode(whole),
    "tokenizer.json": encode(tinyTokenizer),
  };
  if (shards === 1) return { ...common, "model.safetensors": joinTensors(tensors.flat()) };
  /** @type {Record<string, string>} */
  const weight_map = {};
  /** @type {Record<string, Uint8Array<ArrayBuffer>>} */
  const files = {};
  for (let shard = 0; shard < shards; ++shard) {
    const file = `model-0000${shard + 1}-of-0000${shards}.safetensors`;
    const part = tensors.filter((_, i) => i % shards === shard).flat();
    for (const { name } of part) weight_map[name] = file;
    files[file] = joinTensors(part);
  }
  return { ...common, ...files, "model.safetensors.index.json": encode({ weight_map }) };
}
