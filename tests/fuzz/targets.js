import { Encoder } from "headscope";
import { mutateJsonFile, mutateTensorFile } from "./byte-mutation.js";
import { mutateJson, writeJson } from "./json-mutation.js";
import { checkEncoder, checkTrace } from "./oracle.js";
import { baseConfig } from "./seeds.js";

/** @typedef {import("headscope").Engine} Engine */
/** @typedef {import("./random.js").Random} Random */
/** @typedef {import("./seeds.js").Files} Files */
/** @typedef {import("./seeds.js").Seeds} Seeds */

/**
 * One kind of hostile input.
 *
 * @typedef {object} Target
 * @property {(seeds: Seeds, random: Random) => Files} make the input, as files
 * @property {(files: Files, engine: Engine, random: Random) => Promise<string>} check throws where
 *   a promise is broken; says how the input ended otherwise
 */

const index = "model.safetensors.index.json";
const dtypes = /** @type {const} */ (["f32", "int8"]);

/** @type {Target["check"]} */
function loadFiles(files, engine, random) {
  const loading = Encoder.fromPretrained(files, { engine, dtype: random.pick(dtypes) });
  return checkEncoder(loading, random, { takesText: true });
}

/**
 * @param {Files} files
 * @param {string} name
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>} mutate
 * @returns {Files} with that one changed
 */
function change(files, name, mutate) {
  const bytes = files[name];
  return bytes === undefined ? files : { ...files, [name]: mutate(bytes) };
}

/**
 * @param {Files} files
 * @param {Random} random
 * @returns {string} one of the weight files
 */
function pickWeights(files, random) {
  return random.pick(Object.keys(files).filter((name) => name.endsWith(".safetensors")));
}

/** A file is missing, has another's place, or is there twice. */
function shuffleFiles(/** @type {Files} */ files, /** @type {Random} */ random) {
  const changed = { ...files };
  const [one, other] = [random.pick(Object.keys(files)), pickWeights(files, random)];
  const bytes = files[one] ?? new Uint8Array();
  if (random.chance(0.3)) delete changed[one];
  else if (random.chance(0.5)) changed[other] = bytes;
  else changed[random.pick(["stray.safetensors", "../x.safetensors", "model.safetensors"])] = bytes;
  return changed;
}

/** @type {Record<string, Target>} */
export const targets = {
  safetensors: {
    make: ({ checkpoints }, random) => {
      const files = random.pick(checkpoints);
      const name = pickWeights(files, random);
      return change(files, name, (bytes) => mutateTensorFile(bytes, random));
    },
    check: loadFiles,
  },
  index: {
    make: ({ checkpoints }, random) => {
      const files = random.pick(checkpoints.filter((each) => index in each));
      const changed = change(files, index, (bytes) => mutateJsonFile(bytes, random));
      return random.chance(0.4)
        ? shuffleFiles(random.chance(0.5) ? changed : files, random)
        : changed;
    },
    check: loadFiles,
  },
  config: {
    make: ({ checkpoints }, random) =>
      change(random.pick(checkpoints), "config.json", (bytes) => mutateJsonFile(bytes, random)),
    check: async (files, engine, random) => {
      if (random.chance(0.3)) return loadFiles(files, engine, random);
      // Without weights, which would have to fit.
      const config = parse(files["config.json"]);
      const loading = Encoder.fromConfig(config, { engine, dtype: random.pick(dtypes), seed: 1 });
      return checkEncoder(loading, random, { takesText: false });
    },
  },
  tokenizer: {
    make: ({ checkpoints, tokenizers }, random) => {
      const files = { ...checkpoints[0], "tokenizer.json": random.pick(tokenizers) };
      return change(files, "tokenizer.json", (bytes) => mutateJsonFile(bytes, random));
    },
    check: loadFiles,
  },
  trace: {
    make: ({ traces }, random) => ({
      trace: mutateTensorFile(random.pick(traces), random, (header) =>
        random.chance(0.5) ? mutateJson(header, random) : mutateMetadata(header, random),
      ),
    }),
    check: async ({ trace = new Uint8Array() }) => checkTrace(trace),
  },
};

/**
 * @param {Uint8Array | undefined} bytes
 * @returns {any} the base config where they are no JSON
 */
function parse(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return baseConfig;
  }
}

/**
 * Changes what the texts of a trace's metadata say: they are JSON inside JSON.
 *
 * @param {any} header
 * @param {Random} random
 * @returns {unknown}
 */
function mutateMetadata(header, random) {
  const metadata = header.__metadata__;
  const key = random.pick(Object.keys(metadata));
  const value = mutateJson(JSON.parse(metadata[key]), random);
  return { ...header, __metadata__: { ...metadata, [key]: writeJson(value) } };
}
