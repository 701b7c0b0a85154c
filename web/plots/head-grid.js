import { matrixImage } from "./matrix-image.js";
import { html } from "./node.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */

/**
 * One head of the grid.
 *
 * @typedef {object} GridHead
 * @property {number} layer
 * @property {number} head
 * @property {Matrix} weights [T, T]
 * @property {string} [caption] a few words under the picture
 */

/**
 * @typedef {object} GridOptions
 * @property {number} width in px
 * @property {import("./palette.js").Theme} theme
 * @property {"one" | "row-max"} [scale]
 * @property {{ layer: number, head: number } | null} [chosen]
 * @property {{ layer: number, head: number } | null} [hovered]
 */

const gap = 12;
const largest = 132;
/** What a finger hits. */
const smallest = 24;

/**
 * All heads as small heat maps, a row a layer: the same rows, columns and colours in each, so that
 * they can be compared at a glance.
 *
 * @param {GridHead[]} heads ordered by layer, then head
 * @param {GridOptions} options
 * @returns {HTMLElement}
 */
export function headGrid(heads, options) {
  const layers = [...new Set(heads.map(({ layer }) => layer))];
  const most = Math.max(1, ...layers.map((layer) => of(heads, layer).length));
  const { side, columns } = fitPictures(options.width, most);
  const rowOf = (/** @type {number} */ layer) => {
    const pictures = of(heads, layer).map((head) => picture(head, side, options));
    const row = html("div", { class: "layer", role: "presentation" }, ...pictures);
    row.style.gridTemplateColumns = `repeat(${columns}, ${side}px)`;
    return row;
  };
  return html(
    "div",
    { class: "plot heads" },
    ...layers.flatMap((layer) => [
      html("div", { class: "axis", id: `layer-${layer}` }, `layer ${layer}`),
      rowOf(layer),
    ]),
  );
}

/**
 * The largest pictures that fit beside each other; where they would be too small to hit, the heads
 * of a layer go on in as few further rows as it takes.
 *
 * @param {number} width px
 * @param {number} most heads of a layer
 * @returns {{ side: number, columns: number }} side: px
 */
function fitPictures(width, most) {
  let columns = most;
  let side = 0;
  for (let rows = 1; side < smallest; ++rows) {
    columns = Math.ceil(most / rows);
    side = Math.floor((width - gap * (columns - 1)) / columns);
    if (columns === 1) side = Math.max(side, smallest);
  }
  return { side: Math.min(largest, side), columns };
}

/**
 * @param {GridHead[]} heads
 * @param {number} layer
 * @returns {GridHead[]}
 */
function of(heads, layer) {
  return heads.filter((head) => head.layer === layer);
}

/**
 * @param {GridHead} shown
 * @param {number} side px
 * @param {GridOptions} options
 * @returns {HTMLElement}
 */
function picture({ layer, head, weights, caption = "" }, side, options) {
  const { theme, scale, chosen = null, hovered = null } = options;
  const image = matrixImage(weights, {
    theme,
    rowMaximum: scale === "row-max",
    room: side * devicePixelRatio,
  });
  image.classList.add("cells");
  image.style.width = `${side}px`;
  image.style.height = `${side}px`;
  const is = (/** @type {{ layer: number, head: number } | null} */ at) =>
    at !== null && at.layer === layer && at.head === head;
  const name = side < 44 ? String(head) : `head ${head}`;
  const option = html(
    "div",
    {
      class: `head${is(chosen) ? " chosen" : ""}${is(hovered) ? " hovered" : ""}`,
      id: `head-${layer}-${head}`,
      role: "option",
      "aria-selected": String(is(chosen)),
      "aria-label": `layer ${layer}, head ${head}${caption === "" ? "" : `: ${caption}`}`,
      "data-layer": layer,
      "data-head": head,
    },
    image,
    html("div", { class: "name" }, name),
    side < 60 ? null : html("div", { class: "caption" }, caption),
  );
  option.style.width = `${side}px`;
  return option;
}
