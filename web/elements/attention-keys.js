/**
 * Where an arrow key leads: a step in the grid of heads, along the tokens, or to another key token.
 *
 * @typedef {{ layers: number[], heads: number, count: number, layer: number, head: number,
 *   token: number | null, key: number | null, rightToLeft: boolean }} Standing
 *   layers: those that were captured; count: of tokens
 * @typedef {{ layer?: number, head?: number, token?: number | null, key?: number | null }} Move
 */

/** @type {Record<string, [number, number]>} steps to the right and down */
const arrows = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * What a key does in a panel: arrows move, Home and End go to the ends, Escape lets go.
 *
 * @param {string} panel
 * @param {string} pressed `KeyboardEvent.key`
 * @param {Standing} standing
 * @returns {Move | null} null where the key means nothing here
 */
export function moveBy(panel, pressed, standing) {
  if (pressed === "Escape") return { token: null, key: null };
  if (panel === "grid") return moveHead(pressed, standing);
  if (standing.count === 0) return null;
  if (pressed === "Home") return { token: 0 };
  if (pressed === "End") return { token: standing.count - 1 };
  const arrow = arrows[pressed];
  if (arrow === undefined) return null;
  const [right, down] = arrow;
  const { token, key, count } = standing;
  if (panel === "tokens") {
    const along = standing.rightToLeft ? -right : right;
    return { token: step(token, along + down, count) };
  }
  if (panel === "heatmap" && right !== 0) return { key: step(key, right, count) };
  return down === 0 ? null : { token: step(token, down, count) };
}

/**
 * @param {string} pressed
 * @param {Standing} standing
 * @returns {Move | null}
 */
function moveHead(pressed, { layers, layer, head, heads }) {
  if (pressed === "Home") return { head: 0 };
  if (pressed === "End") return { head: heads - 1 };
  const arrow = arrows[pressed];
  if (arrow === undefined) return null;
  const [right, down] = arrow;
  const place = step(layers.indexOf(layer), down, layers.length);
  return { layer: /** @type {number} */ (layers[place]), head: step(head, right, heads) };
}

/**
 * @param {number | null} from null enters at the end that the step comes from
 * @param {number} by
 * @param {number} count
 * @returns {number} within [0, count)
 */
function step(from, by, count) {
  if (from === null) return by > 0 ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, from + by));
}
