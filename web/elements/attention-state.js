import { headRoles } from "../../bindings/js/trace/head-roles.js";
import { roleCaption, roleTitle } from "../plots/head-role-text.js";
import { percentText } from "../plots/number-text.js";
import { tokenName } from "../plots/token-label.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */
/** @typedef {import("../../bindings/js/trace/trace.js").Token} Token */
/** @typedef {import("../../bindings/js/trace/trace.js").Trace} Trace */

/**
 * What is on the screen: a trace, the head and tokens that are chosen or only hovered, and how it
 * is drawn. Made anew for every painting.
 *
 * @typedef {object} AttentionState
 * @property {Trace} trace
 * @property {{ layer: number, head: number }} chosen
 * @property {{ layer: number, head: number } | null} hovered
 * @property {number | null} token the query token that is looked at
 * @property {number | null} key the key token that is looked at
 * @property {import("../plots/palette.js").Theme} theme
 * @property {"one" | "row-max"} scale
 * @property {number | null} threshold
 */

/** @typedef {import("../../bindings/js/trace/head-roles.js").HeadRole} HeadRole */
/** @typedef {import("../plots/head-grid.js").GridHead & { role: HeadRole }} ReadHead */

/**
 * The heads whose attention a trace holds, which need not be all that its config counts.
 *
 * @param {Trace} trace
 * @returns {Map<number, number[]>} by layer, ascending; empty where there is no attention
 */
export function attentionHeads(trace) {
  const layers = trace.has("attention") ? trace.layers("attention") : [];
  return new Map(layers.map((layer) => [layer, trace.heads("attention", layer)]));
}

/**
 * All heads of a trace, with a few words about each. Reading the heads takes a pass over all
 * weights, so it is done once a trace.
 *
 * @param {Trace} trace
 * @returns {ReadHead[]}
 * @throws {HeadscopeError} `not-found`: attention was not captured
 */
export function headsOf(trace) {
  const known = grids.get(trace);
  if (known !== undefined) return known;
  const heads = headRoles([trace]).map((role) => {
    const { layer, head } = role;
    const weights = trace.attention(layer, head);
    const caption = weights.rows < 2 ? "" : roleCaption(role, percentText);
    return { layer, head, weights, caption, role };
  });
  grids.set(trace, heads);
  return heads;
}

/** @type {WeakMap<Trace, ReadHead[]>} */
const grids = new WeakMap();

/**
 * The weights of the head that is shown: the hovered one before the chosen one.
 *
 * @param {AttentionState} state
 * @returns {Matrix}
 */
export function shownWeights({ trace, chosen, hovered }) {
  const { layer, head } = hovered ?? chosen;
  return trace.attention(layer, head);
}

/**
 * What the shown head does, as a title with its number.
 *
 * @param {AttentionState} state
 * @returns {string}
 */
export function headTitle(state) {
  const { layer, head } = state.hovered ?? state.chosen;
  const name = `Layer ${layer}, head ${head}`;
  if (shownWeights(state).rows === 1) return `${name}: the only token looks at itself, 100%`;
  const read = headsOf(state.trace).find((each) => each.layer === layer && each.head === head);
  return `${name} ${roleTitle(/** @type {ReadHead} */ (read).role, percentText)}`;
}

/**
 * What the looked-at token does, in words and numbers.
 *
 * @param {AttentionState} state
 * @returns {string}
 */
export function tokenNote(state) {
  const { token, key, trace } = state;
  const weights = shownWeights(state);
  const name = (/** @type {number} */ index) =>
    tokenName(/** @type {Token} */ (trace.tokens[index]));
  if (token !== null && key !== null) {
    const weight = weights.at(token, key);
    return `${name(token)} gives ${key === token ? "itself" : name(key)} ${weight.toFixed(4)} of its attention.`;
  }
  if (token !== null)
    return `${name(token)} looks at ${strongest(weights.row(token), token, name)}.`;
  if (key !== null) {
    const received = Array.from({ length: weights.rows }, (_, query) => weights.at(query, key));
    return `${name(key)} is looked at most by ${strongest(received, key, name)}.`;
  }
  return "Each query token spreads a weight of 1 over the key tokens.";
}

/**
 * The three strongest of some weights, by name.
 *
 * @param {ArrayLike<number>} weights
 * @param {number} self
 * @param {(index: number) => string} name
 * @returns {string}
 */
function strongest(weights, self, name) {
  return Array.from(weights, (weight, index) => ({ weight, index }))
    .sort((a, b) => b.weight - a.weight)
    .filter(({ weight }, rank) => rank === 0 || (rank < 3 && weight >= 0.05))
    .map(({ weight, index }) => `${index === self ? "itself" : name(index)} ${percentText(weight)}`)
    .join(", ");
}
