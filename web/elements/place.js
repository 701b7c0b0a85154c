/**
 * What a pointer is over, as far as plots say: a head, a query token, a key token, a position.
 *
 * @typedef {{ layer?: number, head?: number, token?: number, key?: number, row?: number,
 *   col?: number, position?: number }} Place
 */

/**
 * Reads the place of a pointer from the data attributes of what lies under it. A node with
 * `data-rows` and `data-cols` is a picture of a matrix: its place comes from the coordinates.
 *
 * @param {{ clientX: number, clientY: number }} pointer
 * @param {Element | null} under the innermost element under the pointer
 * @returns {Place}
 */
export function placeOf(pointer, under) {
  const node = under?.closest(
    "[data-head], [data-token], [data-key], [data-rows], [data-positions], [data-row]",
  );
  if (!(node instanceof HTMLElement || node instanceof SVGElement)) return {};
  const { layer, head, token, key, rows, cols, positions, row } = node.dataset;
  if (rows !== undefined && cols !== undefined) return cellAt(pointer, node, +rows, +cols);
  if (positions !== undefined) {
    const box = node.getBoundingClientRect();
    const share = (pointer.clientX - box.left) / box.width;
    return {
      position: Math.min(+positions - 1, Math.max(0, Math.round(share * (+positions - 1)))),
    };
  }
  return withoutUndefined({
    layer: numberOf(layer),
    head: numberOf(head),
    token: numberOf(token),
    key: numberOf(key),
    row: numberOf(row),
  });
}

/**
 * @param {{ clientX: number, clientY: number }} pointer
 * @param {Element} node
 * @param {number} rows
 * @param {number} cols
 * @returns {Place}
 */
function cellAt(pointer, node, rows, cols) {
  const box = node.getBoundingClientRect();
  const row = Math.floor(((pointer.clientY - box.top) / box.height) * rows);
  const col = Math.floor(((pointer.clientX - box.left) / box.width) * cols);
  return { row: Math.min(rows - 1, Math.max(0, row)), col: Math.min(cols - 1, Math.max(0, col)) };
}

/**
 * @param {string | undefined} text
 * @returns {number | undefined}
 */
function numberOf(text) {
  return text === undefined ? undefined : Number(text);
}

/**
 * @param {Record<string, number | undefined>} place
 * @returns {Place}
 */
function withoutUndefined(place) {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
}
