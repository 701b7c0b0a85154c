/**
 * `headscope/analysis`: what an encoder's heads do, from finished traces or from runs under gates.
 *
 * @module
 */
import { Encoder, gatedSimilarities } from "./encoder.js";
import {
  aBoolean,
  aSignal,
  aString,
  aWholeNumber,
  listOf,
  oneOf,
  readOptions,
  recordOf,
  refuse,
} from "./kinds.js";

export { permutationResidual } from "./permutation-residual.js";
export { headRoles, roleThresholds } from "./trace/head-roles.js";
export { rollout } from "./trace/rollout.js";
export { groupWords, mergeWords } from "./trace/words.js";

/** @typedef {{ layer: number, head: number }} HeadPlace */

/** @typedef {{ truncate?: boolean, signal?: AbortSignal }} AnalysisOptions as those of `embed` */

const analysisKinds = { truncate: aBoolean, signal: aSignal };
const aHead = recordOf(
  { layer: aWholeNumber, head: aWholeNumber },
  { required: ["layer", "head"] },
);

/**
 * How much each head matters to the sentence vectors: 1 minus the mean cosine, over texts, between
 * the vector with that one head gated to 0 and the whole model's (ablation, as in Michel et al.
 * 2019, section 3.2).
 *
 * @param {Encoder} encoder
 * @param {string[]} texts
 * @param {AnalysisOptions & { method?: "ablation" }} [options]
 * @returns {Promise<(HeadPlace & { importance: number })[]>} ordered by layer, then head
 * @throws {import("./trace/error.js").HeadscopeError} `unsupported-model`: no sentence vector;
 *   else as `embed`
 */
export async function headImportance(encoder, texts, options) {
  const kinds = { ...analysisKinds, method: oneOf(["ablation"]) };
  const { method: _, ...rest } = readOptions(options, "headImportance", kinds);
  checkSubject(encoder, texts, "headImportance");
  return measureImportance(encoder, texts, rest);
}

/**
 * How the sentence vectors change while heads are removed one after the other and stay removed, as
 * in Voita et al. 2019: the mean cosine to the whole model's. Heads are ranked once, least
 * important first.
 *
 * @param {Encoder} encoder
 * @param {string[]} texts
 * @param {AnalysisOptions & { order?: HeadPlace[] }} [options] `order`: in which heads are removed
 * @returns {Promise<({ removed: number, similarity: number } & Partial<HeadPlace>)[]>} each entry
 *   with the head removed last; the first, of the whole model, has none
 * @throws {import("./trace/error.js").HeadscopeError} as `headImportance`
 */
export async function pruneCurve(encoder, texts, options) {
  const kinds = { ...analysisKinds, order: listOf(aHead) };
  const { order, ...rest } = readOptions(options, "pruneCurve", kinds);
  checkSubject(encoder, texts, "pruneCurve");
  const ranked = order ?? (await rankHeads(encoder, texts, rest));
  const steps = ranked.map((_, last) =>
    ranked.slice(0, last + 1).map(({ layer, head }) => ({ layer, head, gate: 0 })),
  );
  const similarities = await gatedSimilarities(encoder, texts, [[], ...steps], rest);
  return similarities.map((similarity, removed) => {
    const { layer, head } = ranked[removed - 1] ?? {};
    return layer === undefined || head === undefined
      ? { removed, similarity }
      : { removed, layer, head, similarity };
  });
}

/**
 * @param {Encoder} encoder
 * @param {string[]} texts
 * @param {AnalysisOptions} options
 * @returns {Promise<HeadPlace[]>} least important first
 */
async function rankHeads(encoder, texts, options) {
  const heads = await measureImportance(encoder, texts, options);
  return heads.sort((a, b) => a.importance - b.importance);
}

/**
 * @param {Encoder} encoder
 * @param {string[]} texts
 * @param {AnalysisOptions} options
 * @returns {Promise<(HeadPlace & { importance: number })[]>}
 */
async function measureImportance(encoder, texts, options) {
  const { n_layers, n_heads } = encoder.config;
  const heads = Array.from({ length: n_layers * n_heads }, (_, i) => ({
    layer: Math.floor(i / n_heads),
    head: i % n_heads,
  }));
  const gates = heads.map((head) => [{ ...head, gate: 0 }]);
  const similarities = await gatedSimilarities(encoder, texts, gates, options);
  return heads.map((head, i) => ({ ...head, importance: 1 - (similarities[i] ?? 0) }));
}

/**
 * @param {unknown} encoder
 * @param {unknown} texts
 * @param {string} what
 */
function checkSubject(encoder, texts, what) {
  if (!(encoder instanceof Encoder)) refuse(`${what}: encoder`, encoder, "an Encoder");
  listOf(aString)(texts, `${what}: texts`);
}
