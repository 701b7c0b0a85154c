import { aConfig } from "./config.js";
import { describeValue, HeadscopeError } from "./trace/error.js";
import { isRecord } from "./trace/kinds.js";
import { readSafetensorsHeader } from "./trace/safetensors.js";

/** @typedef {import("./checkpoint-source.js").CheckpointSource} CheckpointSource */
/** @typedef {import("./checkpoint-source.js").ReadingOptions} ReadingOptions */
/** @typedef {import("./config.js").EncoderConfig} EncoderConfig */
/** @typedef {import("./module.js").Tensor} Tensor */

/**
 * The tensors of one safetensors file, and its data section. `own`: the bytes may be given away.
 *
 * @typedef {{ tensors: Tensor[], bytes: Uint8Array, own: boolean }} WeightFile
 */

/**
 * @typedef {object} Checkpoint
 * @property {EncoderConfig} config
 * @property {unknown} tokenizer the contents of tokenizer.json
 * @property {WeightFile[]} files
 */

const wholeFile = "model.safetensors";
const indexFile = "model.safetensors.index.json";

/**
 * Reads a checkpoint: config.json, tokenizer.json, and the weights. Those are model.safetensors,
 * or the files that model.safetensors.index.json names, or, where the files are given one by one,
 * every *.safetensors among them.
 *
 * @param {CheckpointSource} source
 * @param {ReadingOptions} options `signal`: a failure of one file does not end the reading of the
 *   others; an abort does
 * @returns {Promise<Checkpoint>}
 * @throws {HeadscopeError} `not-found`, `bad-checkpoint`, `unsupported-model`, `aborted`
 */
export async function readCheckpoint(source, options) {
  const [config, tokenizer, files] = await Promise.all([
    readConfig(source, options),
    readJson(source, "tokenizer.json", options),
    readWeights(source, options),
  ]);
  return { config, tokenizer, files };
}

/**
 * @param {CheckpointSource} source
 * @param {string} name
 * @param {ReadingOptions} options
 * @returns {Promise<unknown>}
 */
async function readJson(source, name, options) {
  const { bytes } = await source.read(name, options);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeadscopeError(
      "bad-checkpoint",
      `${source.describe(name)} is no JSON in UTF-8: ${reason}`,
      { cause: error },
    );
  }
}

/**
 * @param {CheckpointSource} source
 * @param {ReadingOptions} options
 * @returns {Promise<EncoderConfig>}
 */
async function readConfig(source, options) {
  const name = source.describe("config.json");
  const config = await readJson(source, "config.json", options);
  if (isRecord(config) && typeof config.model_type === "string") {
    throw new HeadscopeError(
      "unsupported-model",
      `${name} describes a model of type "${config.model_type}", expected Headscope's own keys`,
    );
  }
  try {
    aConfig(config, name);
  } catch (error) {
    const reason = /** @type {Error} */ (error).message;
    throw new HeadscopeError("bad-checkpoint", reason, { cause: error });
  }
  return /** @type {EncoderConfig} */ (config);
}

/**
 * @param {CheckpointSource} source
 * @param {ReadingOptions} options
 * @returns {Promise<WeightFile[]>}
 */
async function readWeights(source, options) {
  const { names } = source;
  if (names?.includes(indexFile)) return readShards(source, options);
  if (names !== undefined) {
    const given = names.filter((name) => name.endsWith(".safetensors"));
    if (given.length === 0) {
      const there = names.join(", ") || "no files at all";
      throw new HeadscopeError("not-found", `checkpoint: no *.safetensors; there are: ${there}`);
    }
    return Promise.all(given.map((name) => readWeightFile(source, name, options)));
  }
  try {
    return [await readWeightFile(source, wholeFile, options)];
  } catch (error) {
    if (!(error instanceof HeadscopeError) || error.code !== "not-found") throw error;
    try {
      return await readShards(source, options);
    } catch (other) {
      // The plain file is the one that most readers expected.
      if (other instanceof HeadscopeError && other.code === "not-found") throw error;
      throw other;
    }
  }
}

/**
 * @param {CheckpointSource} source
 * @param {string} name
 * @param {ReadingOptions} options
 * @returns {Promise<WeightFile>}
 */
async function readWeightFile(source, name, options) {
  const { bytes, own } = await source.read(name, options);
  const { tensors, data } = readSafetensorsHeader(bytes, source.describe(name));
  return { tensors, bytes: data, own };
}

/**
 * Reads the files that an index names, and holds it to its word: a stale index, or a file of
 * another checkpoint among the right ones, must not go unseen.
 *
 * @param {CheckpointSource} source
 * @param {ReadingOptions} options
 * @returns {Promise<WeightFile[]>}
 */
async function readShards(source, options) {
  const index = readIndex(await readJson(source, indexFile, options), source.describe(indexFile));
  const names = [...new Set(index.values())];
  const stray = source.names?.find(
    (name) => name.endsWith(".safetensors") && !names.includes(name),
  );
  if (stray !== undefined) {
    throw new HeadscopeError("bad-checkpoint", `checkpoint: ${stray} is not in ${indexFile}`);
  }
  const files = await Promise.all(names.map((name) => readWeightFile(source, name, options)));
  const left = new Set(index.keys());
  files.forEach(({ tensors }, i) => {
    for (const { name } of tensors) {
      const expected = index.get(name);
      if (expected !== names[i]) {
        refuseIndex(`"${name}" is in ${names[i]}, expected ${expected ?? "nowhere"}`);
      }
      left.delete(name);
    }
  });
  for (const name of left)
    refuseIndex(`"${name}" is not in ${index.get(name)}, where it should be`);
  return files;
}

/**
 * @param {string} fault
 * @returns {never}
 */
function refuseIndex(fault) {
  throw new HeadscopeError("bad-checkpoint", `checkpoint: ${fault} according to ${indexFile}`);
}

/**
 * @param {unknown} json
 * @param {string} what
 * @returns {Map<string, string>} tensor -> file
 */
function readIndex(json, what) {
  const map = isRecord(json) ? json.weight_map : undefined;
  if (!isRecord(map)) {
    throw new HeadscopeError("bad-checkpoint", `${what} has no weight_map of tensors to files`);
  }
  return new Map(
    Object.entries(map).map(([tensor, file]) => {
      // A file beside the index, never a path out of the folder.
      if (typeof file === "string" && /^[^/\\:]+\.safetensors$/.test(file)) return [tensor, file];
      throw new HeadscopeError(
        "bad-checkpoint",
        `${what}: "${tensor}" names ${describeValue(file)}, expected a *.safetensors file`,
      );
    }),
  );
}
