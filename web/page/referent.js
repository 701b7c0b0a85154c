import { tokenLabel } from "../plots/token-label.js";

/** @typedef {import("../../bindings/js/trace/trace.js").Trace} Trace */

/**
 * What the heads of this model do with the pronoun of the sentence with the animal: how much of the
 * weight of "it" goes to "animal" in the head that gives most.
 *
 * @param {Trace} trace
 * @returns {string | null} null for other sentences
 */
export function referentLine(trace) {
  const labels = trace.tokens.map(tokenLabel);
  const query = labels.indexOf("it");
  const key = labels.indexOf("animal");
  if (query < 0 || key < 0) return null;
  const best = { layer: 0, head: 0, weight: -1 };
  for (const layer of trace.layers("attention")) {
    for (const head of trace.heads("attention", layer)) {
      const weight = trace.attention(layer, head).at(query, key);
      if (weight > best.weight) Object.assign(best, { layer, head, weight });
    }
  }
  const share = `${Math.round(best.weight * 100)}%`;
  const where = `layer ${best.layer}, head ${best.head}`;
  return best.weight < 0.4
    ? `This model does not resolve it: the most that any head gives “animal” is ${share}, in ${where}.`
    : `The head that links it to “animal” most is ${where}, with ${share}.`;
}
