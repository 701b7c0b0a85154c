import { matrixImage } from "./matrix-image.js";
import { html, svg } from "./node.js";
import { weightText } from "./number-text.js";
import { inkOn, valueColour } from "./palette.js";
import { fitLabel, textWidth } from "./text-width.js";
import { tokenLabel } from "./token-label.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */
/** @typedef {import("../../bindings/js/trace/trace.js").Token} Token */

/**
 * @typedef {object} HeatmapOptions
 * @property {Token[]} tokens
 * @property {number} width in px
 * @property {import("./palette.js").Theme} theme
 * @property {"one" | "row-max"} [scale] where the colours end: at 1, or at each row's maximum
 * @property {number | null} [token] the row that is looked at
 * @property {number | null} [key] the column that is looked at
 */

const labelSize = 13;
const valueSize = 12;
const largestCell = 48;
const longestLabel = 14;
/** The part of the width that the labels take at most. */
const labelShare = 0.28;
const slant = Math.SQRT1_2;

/**
 * Attention weights of one head as a heat map: rows are queries, columns are keys, and the values
 * stand in the cells where they fit. The part with `data-rows` and `data-cols` lies exactly over
 * the cells, so that a pointer's place in it tells the cell.
 *
 * @param {Matrix} weights [T, T]
 * @param {HeatmapOptions} options
 * @returns {HTMLElement}
 */
export function attentionHeatmap(weights, options) {
  const frame = measure(weights, options);
  const { left, top, cell, width, height } = frame;
  const count = weights.rows;
  const image = matrixImage(weights, {
    theme: options.theme,
    rowMaximum: options.scale === "row-max",
    room: cell * count * devicePixelRatio,
  });
  image.classList.add("cells");
  place(image, left, top, cell * count, cell * count);
  const over = svg(
    "svg",
    { width, height, class: "over", "aria-hidden": "true" },
    svg("text", { x: left, y: 12, class: "axis" }, "key token →"),
    svg("text", { x: left - 8, y: top - 8, class: "axis", "text-anchor": "end" }, "query ↓"),
    ...columnLabels(frame, options),
    ...rowLabels(frame, options),
    ...values(weights, frame, options),
    ...marks(count, frame, options),
    svg("rect", {
      x: left,
      y: top,
      width: cell * count,
      height: cell * count,
      fill: "transparent",
      "data-rows": count,
      "data-cols": count,
    }),
  );
  const plot = html("div", { class: "plot heatmap" }, image, over);
  plot.style.height = `${height}px`;
  return plot;
}

/**
 * @typedef {object} Frame
 * @property {number} left where the cells begin
 * @property {number} top
 * @property {number} cell side, in px
 * @property {number} width of the whole
 * @property {number} height
 * @property {boolean} slanted whether the labels of the columns are
 * @property {string[]} labels
 */

/**
 * @param {Matrix} weights
 * @param {HeatmapOptions} options
 * @returns {Frame}
 */
function measure(weights, { tokens, width }) {
  const fit = { limit: longestLabel, room: width * labelShare, size: labelSize };
  const labels = tokens.map((token) => fitLabel(tokenLabel(token), fit));
  const widest = Math.max(0, ...labels.map((label) => textWidth(label, labelSize, 600)));
  const left = Math.ceil(Math.max(widest, 48) + 10);
  const count = Math.max(weights.rows, 1);
  const upright = Math.min(largestCell, Math.floor((width - left) / count));
  const slanted = widest + 6 > upright;
  const overhang = slanted ? Math.ceil(widest * slant) : 0;
  const room = (width - left - overhang * (count > 3 ? 0.8 : 1)) / count;
  const cell = slanted ? Math.min(largestCell, room < 8 ? room : Math.floor(room)) : upright;
  const top = slanted ? Math.ceil(widest * slant) + 34 : 42;
  return { left, top, cell, width, height: top + cell * weights.rows + 4, slanted, labels };
}

/**
 * @param {Frame} frame
 * @param {HeatmapOptions} options
 * @returns {SVGTextElement[]}
 */
function columnLabels({ left, top, cell, slanted, labels }, { key = null }) {
  return thin(labels, cell, slanted ? 16 : 0, key).map(({ label, index }) => {
    const x = left + (index + 0.5) * cell;
    const at = slanted ? `translate(${x} ${top - 6}) rotate(-45)` : `translate(${x} ${top - 8})`;
    const anchor = slanted ? "start" : "middle";
    return svg(
      "text",
      { transform: at, class: named(index, key), "text-anchor": anchor, "data-key": index },
      label,
    );
  });
}

/**
 * @param {Frame} frame
 * @param {HeatmapOptions} options
 * @returns {SVGTextElement[]}
 */
function rowLabels({ left, top, cell, labels }, { token = null }) {
  return thin(labels, cell, 15, token).map(({ label, index }) =>
    svg(
      "text",
      {
        x: left - 8,
        y: top + (index + 0.5) * cell,
        dy: "0.35em",
        class: named(index, token),
        "text-anchor": "end",
        "data-token": index,
      },
      label,
    ),
  );
}

/**
 * The labels that have room, always with that of the chosen one.
 *
 * @param {string[]} labels
 * @param {number} cell px from one to the next
 * @param {number} room px that a label needs
 * @param {number | null} chosen
 * @returns {{ label: string, index: number }[]}
 */
function thin(labels, cell, room, chosen) {
  const step = Math.max(1, Math.ceil(room / cell));
  return labels
    .map((label, index) => ({ label, index }))
    .filter(({ index }) => {
      if (chosen === null || step === 1) return index % step === 0;
      return index === chosen || (index % step === 0 && Math.abs(index - chosen) >= step);
    });
}

/**
 * @param {number} index
 * @param {number | null} chosen
 * @returns {string}
 */
function named(index, chosen) {
  return index === chosen ? "label chosen" : "label";
}

/**
 * @param {Matrix} weights
 * @param {Frame} frame
 * @param {HeatmapOptions} options
 * @returns {SVGTextElement[]}
 */
function values(weights, { left, top, cell }, { theme, scale }) {
  if (cell < textWidth("0.00", valueSize) + 3) return [];
  const texts = [];
  for (let r = 0; r < weights.rows; ++r) {
    const row = weights.row(r);
    const end = scale === "row-max" ? Math.max(...row) || 1 : 1;
    for (let c = 0; c < weights.cols; ++c) {
      const weight = /** @type {number} */ (row[c]);
      const text = weightText(weight);
      if (textWidth(text, valueSize) + 2 > cell) continue;
      texts.push(
        svg(
          "text",
          {
            x: left + (c + 0.5) * cell,
            y: top + (r + 0.5) * cell,
            dy: "0.35em",
            class: "value",
            "text-anchor": "middle",
            fill: inkOn(weight / end, theme),
          },
          text,
        ),
      );
    }
  }
  return texts;
}

/**
 * What is looked at: a frame round the row, and round the cell where a key is chosen too.
 *
 * @param {number} count
 * @param {Frame} frame
 * @param {HeatmapOptions} options
 * @returns {SVGRectElement[]}
 */
function marks(count, { left, top, cell }, { token = null, key = null }) {
  const marked = [];
  if (token !== null) {
    marked.push(box(left, top + token * cell, cell * count, cell, "row-mark"));
  }
  if (key !== null && token === null) {
    marked.push(box(left + key * cell, top, cell, cell * count, "row-mark"));
  }
  if (key !== null && token !== null) {
    marked.push(box(left + key * cell, top + token * cell, cell, cell, "cell-mark"));
  }
  return marked;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} kind
 * @returns {SVGRectElement}
 */
function box(x, y, width, height, kind) {
  return svg("rect", { x, y, width, height, class: kind, fill: "none" });
}

/**
 * @param {HTMLElement} node
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function place(node, x, y, width, height) {
  node.style.left = `${x}px`;
  node.style.top = `${y}px`;
  node.style.width = `${width}px`;
  node.style.height = `${height}px`;
}

/**
 * The strip of colours that says what they mean, with both ends named.
 *
 * @param {{ theme: import("./palette.js").Theme, from: string, to: string }} options
 * @returns {HTMLElement}
 */
export function weightKey({ theme, from, to }) {
  const stops = Array.from({ length: 11 }, (_, i) =>
    svg("rect", { x: i * 8, width: 8, height: 10, fill: valueColour(i / 10, theme) }),
  );
  const strip = svg("svg", { width: 88, height: 10, class: "strip", "aria-hidden": "true" });
  strip.append(...stops);
  return html("span", { class: "key" }, from, strip, to);
}
