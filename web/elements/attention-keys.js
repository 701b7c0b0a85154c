/**
 * Where an arrow key leads: a step in the grid of heads, along the tokens, or to another key token.
 *
 * @typedef {{ heads: Map<number, number[]>, count: number, layer: number, head: number,
 *   token: number | null, key: number | null, rightToLeft: boolean }} Standing
 *   heads: those that were captured, by layer; count: of tokens
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
 * What a key does in a panel: arrows move, Home and End go to the ends, Escape lets go. In the
 * numbers they scroll, as they do in any long text.
 *
 * @param {string} panel
 * @param {string} pressed `KeyboardEvent.key`
 * @param {Standing} standing
 * @returns {Move | null} null where the key means nothing here
 */
export function moveBy(panel, pressed, standing) {
  if (pressed === "Escape") return { token: null, key: null };
  if (panel === "grid") return moveHead(pressed, standing);
  if (panel === "numbers-panel" || standing.count === 0) return null;
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
function moveHead(pressed, { layer, head, heads }) {
  const row = heads.get(layer) ?? [];
  if (row.length === 0) return null;
  if (pressed === "Home") return { head: row[0] ?? 0 };
  if (pressed === "End") return { head: row.at(-1) ?? 0 };
  const arrow = arrows[pressed];
  if (arrow === undefined) return null;
  const [right, down] = arrow;
  return {
    layer: along([...heads.keys()], layer, down),
    head: along(row, head, right),
  };
}

/**
 * @param {number[]} captured
 * @param {number} from
 * @param {number} by
 * @returns {number} the one so many steps further
 */
function along(captured, from, by) {
  return captured[step(captured.indexOf(from), by, captured.length)] ?? from;
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
