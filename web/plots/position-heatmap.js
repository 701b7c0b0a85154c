import { ticks } from "d3-array";
import { matrixImage } from "./matrix-image.js";
import { html, svg } from "./node.js";
import { decimalText } from "./number-text.js";
import { inkOn, valueColour } from "./palette.js";
import { textWidth } from "./text-width.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */
/** @typedef {import("./palette.js").Theme} Theme */

/**
 * @typedef {object} PositionHeatmapOptions
 * @property {number} width in px
 * @property {Theme} theme
 * @property {number | null} [position] the row that is looked at
 * @property {number | null} [dimension] the column that is looked at
 */

const left = 54;
const top = 36;
const tallest = 420;
const valueSize = 12;

/**
 * Position codes as a heat map: a row a position, a column a dimension, -1 to 1 on two hues with
 * the background at 0. The part with `data-rows` and `data-cols` lies exactly over the cells.
 *
 * @param {Matrix} codes [T, D]
 * @param {PositionHeatmapOptions} options
 * @returns {HTMLElement}
 */
export function positionHeatmap(codes, { width, theme, position = null, dimension = null }) {
  const wide = Math.min(56, (width - left) / Math.max(codes.cols, 1));
  const high = Math.max(2, Math.min(28, tallest / Math.max(codes.rows, 1)));
  const frame = {
    wide: wide > 6 ? Math.floor(wide) : wide,
    high: high > 4 ? Math.floor(high) : high,
  };
  const right = frame.wide * codes.cols;
  const bottom = frame.high * codes.rows;
  const image = matrixImage(codes, { theme, room: Math.max(right, bottom) * devicePixelRatio });
  image.classList.add("cells");
  image.style.left = `${left}px`;
  image.style.top = `${top}px`;
  image.style.width = `${right}px`;
  image.style.height = `${bottom}px`;
  const over = svg(
    "svg",
    { width, height: top + bottom + 4, class: "over", "aria-hidden": "true" },
    svg("text", { x: left, y: 12, class: "axis" }, "dimension →"),
    svg("text", { x: left - 8, y: 12, class: "axis", "text-anchor": "end" }, "pos. ↓"),
    ...columnTicks(codes.cols, frame.wide, dimension),
    ...rowTicks(codes.rows, frame.high, position),
    ...values(codes, frame, theme),
    position === null
      ? null
      : svg("rect", {
          x: left,
          y: top + position * frame.high,
          width: right,
          height: frame.high,
          class: "row-mark",
          fill: "none",
        }),
    svg("rect", {
      x: left,
      y: top,
      width: right,
      height: bottom,
      fill: "transparent",
      "data-rows": codes.rows,
      "data-cols": codes.cols,
    }),
  );
  const plot = html("div", { class: "plot heatmap" }, image, over);
  plot.style.height = `${top + bottom + 4}px`;
  return plot;
}

/**
 * @param {number} count
 * @param {number} cell px
 * @param {number | null} chosen
 * @returns {SVGTextElement[]}
 */
function columnTicks(count, cell, chosen) {
  const room = textWidth("000", 12) + 10;
  return tickIndices(count, Math.min(count, (cell * count) / room), chosen, room / cell).map(
    (index) =>
      svg(
        "text",
        {
          x: left + (index + 0.5) * cell,
          y: top - 8,
          class: index === chosen ? "tick chosen" : "tick",
          "text-anchor": "middle",
        },
        String(index),
      ),
  );
}

/**
 * @param {number} count
 * @param {number} cell px
 * @param {number | null} chosen
 * @returns {SVGTextElement[]}
 */
function rowTicks(count, cell, chosen) {
  return tickIndices(count, Math.min(count, (cell * count) / 22), chosen, 16 / cell).map((index) =>
    svg(
      "text",
      {
        x: left - 8,
        y: top + (index + 0.5) * cell,
        dy: "0.35em",
        class: index === chosen ? "tick chosen" : "tick",
        "text-anchor": "end",
      },
      String(index),
    ),
  );
}

/**
 * Round whole numbers from 0 to count - 1, with the chosen one instead of those it would touch.
 *
 * @param {number} count
 * @param {number} wanted how many have room
 * @param {number | null} chosen
 * @param {number} apart least distance
 * @returns {number[]}
 */
function tickIndices(count, wanted, chosen, apart) {
  const round = ticks(0, Math.max(count - 1, 0), Math.max(1, Math.floor(wanted))).filter(
    (tick) => Number.isInteger(tick) && (chosen === null || Math.abs(tick - chosen) >= apart),
  );
  return chosen === null ? round : [...round, chosen];
}

/**
 * @param {Matrix} codes
 * @param {{ wide: number, high: number }} frame
 * @param {Theme} theme
 * @returns {SVGTextElement[]} none where they do not fit
 */
function values(codes, { wide, high }, theme) {
  if (wide < textWidth("\u22120.00", valueSize) + 4 || high < 16) return [];
  return Array.from(codes.data, (value, i) =>
    svg(
      "text",
      {
        x: left + ((i % codes.cols) + 0.5) * wide,
        y: top + (Math.floor(i / codes.cols) + 0.5) * high,
        dy: "0.35em",
        class: "value",
        "text-anchor": "middle",
        fill: inkOn(value, theme),
      },
      decimalText(value, 2),
    ),
  );
}

/**
 * The strip of colours from -1 to 1 with its ends and middle named.
 *
 * @param {{ theme: Theme }} options
 * @returns {HTMLElement}
 */
export function signedKey({ theme }) {
  const strip = svg("svg", { width: 104, height: 10, class: "strip", "aria-hidden": "true" });
  for (let i = 0; i < 13; ++i) {
    const fill = valueColour(i / 6 - 1, theme);
    strip.append(svg("rect", { x: i * 8, width: 8, height: 10, fill }));
  }
  return html("span", { class: "key" }, "\u22121", strip, "1");
}
