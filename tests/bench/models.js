// Writes the models that are measured under build/bench/models: one file of weights, which both
// sides read, and the graphs.
import { mkdirSync, writeFileSync } from "node:fs";

import { readSafetensorsHeader, writeSafetensors } from "../../bindings/js/trace/safetensors.js";
import { modelsFolder } from "./models-folder.js";
import { loadHeadscope } from "./node-libraries.js";
import { styles, writeEncoder } from "./onnx-encoder.js";
import { shapeNames, shapes } from "./shapes.js";

/** @typedef {import("./onnx-encoder.js").Parameter} Parameter */
/** @typedef {import("./shapes.js").ShapeName} ShapeName */
/** @typedef {import("../../bindings/js/trace/safetensors.js").FloatTensor} FloatTensor */

const weightFile = "model.safetensors";
const seed = 20261130;

/** Ids are all that the models are given; a checkpoint without a tokenizer is none. */
const tokenizer = {
  pre_tokenizer: { type: "Whitespace" },
  model: { type: "WordPiece", unk_token: "[UNK]", vocab: { "[UNK]": 0 } },
};

/** Writes all models: the same bytes every time. */
export async function writeModels() {
  const { Encoder, createEngine } = await loadHeadscope();
  const engine = await createEngine({ threads: 1 });
  for (const name of shapeNames) {
    const encoder = await Encoder.fromConfig(shapes[name].config, { engine, seed });
    await writeModel(name, encoder);
    encoder.dispose();
  }
  await engine.dispose();
}

/**
 * @param {ShapeName} name
 * @param {import("headscope").Encoder} encoder with Headscope's own seeded start
 */
async function writeModel(name, encoder) {
  const { config } = shapes[name];
  const folder = `${modelsFolder}${name}/`;
  mkdirSync(folder, { recursive: true });
  const tensors = await readWeights(encoder);
  const file = writeSafetensors(tensors);
  writeFileSync(folder + weightFile, file);
  writeFileSync(`${folder}config.json`, JSON.stringify(config));
  writeFileSync(`${folder}tokenizer.json`, JSON.stringify(tokenizer));
  const whole = new Map(tensors.map(({ name, shape, values }) => [name, { shape, values }]));
  const placed = placeWeights(whole, file);
  for (const [style, settings] of Object.entries(styles)) {
    writeFileSync(`${folder}${style}.onnx`, writeEncoder(config, placed, settings));
  }
  // For the cold start: as models are shipped, in one file.
  writeFileSync(`${folder}whole.onnx`, writeEncoder(config, whole, styles.attention));
}

/**
 * All parameters. Biases and norms, which begin as 0 and 1, are moved so that leaving one out shows.
 *
 * @param {import("headscope").Encoder} encoder
 * @returns {Promise<FloatTensor[]>}
 */
async function readWeights(encoder) {
  const random = uniformNumbers(seed);
  /** @type {FloatTensor[]} */
  const tensors = [];
  for (const name of encoder.parameterNames) {
    const { rows, cols, data } = await encoder.parameter(name);
    const values = rows === 1 ? data.map((value) => value + 0.1 * random()) : data;
    tensors.push({ name, shape: rows === 1 ? [cols] : [rows, cols], values });
  }
  return tensors;
}

/**
 * @param {Map<string, Parameter>} parameters
 * @param {Uint8Array} file that holds them
 * @returns {Map<string, Parameter>} with their places
 */
function placeWeights(parameters, file) {
  const { tensors, data } = readSafetensorsHeader(file);
  return new Map(
    tensors.map(({ name, begin, end }) => {
      const { shape, values } = /** @type {Parameter} */ (parameters.get(name));
      const offset = data.byteOffset - file.byteOffset + begin;
      return [name, { shape, values, place: { file: weightFile, offset, length: end - begin } }];
    }),
  );
}

/**
 * Xorshift (Marsaglia 2003): random enough for weights.
 *
 * @param {number} start
 * @returns {() => number} from -1 to 1
 */
function uniformNumbers(start) {
  let state = start | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  };
}
