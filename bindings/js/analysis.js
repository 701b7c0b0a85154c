/**
 * `headscope/analysis`: what an encoder's heads do, from finished traces or from runs under gates.
 *
 * @module
 */
import { Encoder, gatedSimilarities } from "./encoder.js";
import { HeadscopeError } from "./trace/error.js";
import {
  aBoolean,
  aFiniteNumber,
  aSignal,
  aString,
  aWholeNumber,
  listOf,
  oneOf,
  readOptions,
  recordOf,
  refuse,
} from "./trace/kinds.js";
import { checkIndex } from "./trace/matrix.js";

export { permutationResidual } from "./permutation-residual.js";
export { headRoles, roleThresholds } from "./trace/head-roles.js";
export { rollout } from "./trace/rollout.js";
export { groupWords, mergeWords } from "./trace/words.js";

/** @typedef {{ layer: number, head: number }} HeadPlace */
/** @typedef {HeadPlace & { importance: number }} HeadImportance */

/** @typedef {{ truncate?: boolean, signal?: AbortSignal }} AnalysisOptions as those of `embed` */

const analysisKinds = { truncate: aBoolean, signal: aSignal };
const importanceKinds = { ...analysisKinds, method: oneOf(["ablation"]) };

// A ranking that headImportance gave may be handed on as it is.
const headKinds = { layer: aWholeNumber, head: aWholeNumber, importance: aFiniteNumber };
const pruneKinds = {
  ...analysisKinds,
  order: listOf(recordOf(headKinds, { required: ["layer", "head"] })),
};

/**
 * How much each head matters to the sentence vectors: 1 minus the mean cosine, over texts, between
 * the vector with that one head gated to 0 and the whole model's (ablation of single heads as in
 * Michel et al. 2019, section 3.2, with the cosine in place of a task's score).
 *
 * @example
 * const encoder = await Encoder.fromPretrained();
 * const heads = await headImportance(encoder, ["dog bites man", "man bites dog"]);
 * heads.length; // -> 8
 * heads.every(({ importance }) => importance > 0.01 && importance < 1); // -> true
 *
 * @param {Encoder} encoder
 * @param {string[]} texts at least one
 * @param {AnalysisOptions & { method?: "ablation" }} [options]
 * @returns {Promise<HeadImportance[]>} ordered by layer, then head; 0 for a head without effect, at
 *   most 2
 * @throws {HeadscopeError} `unsupported-model`: the model has no sentence vector; `bad-argument`,
 *   `too-long`, `aborted`, `disposed`
 */
export async function headImportance(encoder, texts, options) {
  const what = "headImportance";
  const { method: _, ...rest } = readOptions(options, what, importanceKinds);
  checkSubject(encoder, texts, what);
  return measureImportance(encoder, { what, texts: [...texts], ...rest });
}

/**
 * How the sentence vectors change while heads are removed one after the other and stay removed: the
 * mean cosine to the whole model's (Voita et al. 2019, section 6, prune so, while they train).
 * Heads are ranked once, by `headImportance`, and the least important goes first.
 *
 * @example
 * const encoder = await Encoder.fromPretrained();
 * const curve = await pruneCurve(encoder, ["dog bites man"], { order: [{ layer: 1, head: 2 }] });
 * curve[0]; // -> { "removed": 0, "similarity": 1 }
 * curve[1].removed; // -> 1
 *
 * @param {Encoder} encoder
 * @param {string[]} texts at least one
 * @param {AnalysisOptions & { order?: HeadPlace[] }} [options] `order`: the heads to remove instead,
 *   first to last
 * @returns {Promise<({ removed: number, similarity: number } & Partial<HeadPlace>)[]>} how many
 *   heads are removed, and which one was the last; the first entry is the whole model
 * @throws {HeadscopeError} as `headImportance`
 */
export async function pruneCurve(encoder, texts, options) {
  const what = "pruneCurve";
  const { order, ...rest } = readOptions(options, what, pruneKinds);
  checkSubject(encoder, texts, what);
  const ablation = { what, texts: [...texts], ...rest };
  if (order !== undefined) checkOrder(order, encoder);
  const ranked = (order ?? (await rankHeads(encoder, ablation))).map(({ layer, head }) => {
    return { layer, head };
  });
  const steps = ranked.map((_, last) => ranked.slice(0, last + 1));
  const gates = [[], ...steps].map((heads) => heads.map((head) => ({ ...head, gate: 0 })));
  const similarities = await gatedSimilarities(encoder, { ...ablation, gates });
  return similarities.map((similarity, removed) => {
    return { removed, ...ranked[removed - 1], similarity };
  });
}

/**
 * @param {Encoder} encoder
 * @param {Omit<import("./encoder.js").Ablation, "gates">} ablation
 * @returns {Promise<HeadPlace[]>} least important first
 */
async function rankHeads(encoder, ablation) {
  const heads = await measureImportance(encoder, ablation);
  return heads.sort((a, b) => a.importance - b.importance);
}

/**
 * @param {Encoder} encoder
 * @param {Omit<import("./encoder.js").Ablation, "gates">} ablation
 * @returns {Promise<HeadImportance[]>}
 */
async function measureImportance(encoder, ablation) {
  const { n_layers, n_heads } = encoder.config;
  const heads = Array.from({ length: n_layers * n_heads }, (_, i) => ({
    layer: Math.floor(i / n_heads),
    head: i % n_heads,
  }));
  const gates = heads.map((head) => [{ ...head, gate: 0 }]);
  const similarities = await gatedSimilarities(encoder, { ...ablation, gates });
  return heads.map((head, i) => ({ ...head, importance: 1 - Number(similarities[i]) }));
}

/**
 * @param {unknown} encoder
 * @param {unknown} texts
 * @param {string} what
 */
function checkSubject(encoder, texts, what) {
  if (!(encoder instanceof Encoder)) refuse(`${what}: encoder`, encoder, "an Encoder");
  listOf(aString)(texts, `${what}: texts`);
  if (/** @type {string[]} */ (texts).length > 0) return;
  throw new HeadscopeError("bad-argument", `${what}: texts is empty, expected at least one text`);
}

/**
 * @param {HeadPlace[]} order
 * @param {Encoder} encoder
 */
function checkOrder(order, { config: { n_layers, n_heads } }) {
  const seen = new Set();
  for (const [i, { layer, head }] of order.entries()) {
    const what = `pruneCurve: order[${i}]`;
    checkIndex(`${what}.layer`, layer, n_layers);
    checkIndex(`${what}.head`, head, n_heads);
    if (seen.has(layer * n_heads + head)) {
      const again = `${what} is layer ${layer}, head ${head} again, expected each head once`;
      throw new HeadscopeError("bad-argument", again);
    }
    seen.add(layer * n_heads + head);
  }
}
