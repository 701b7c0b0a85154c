import { ticks } from "d3-array";
import { scaleLinear } from "d3-scale";
import { curveNatural, line } from "d3-shape";
import { svg } from "./node.js";
import { decimalText, lengthText } from "./number-text.js";
import { palettes } from "./palette.js";
import { textWidth } from "./text-width.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */
/** @typedef {import("./palette.js").Theme} Theme */

/**
 * @typedef {object} CurvesOptions
 * @property {number} width in px
 * @property {Theme} theme
 * @property {"interleaved" | "concatenated"} layout which two columns are the sine and the cosine
 *   of one frequency
 * @property {number | null} [position] where the values are read off
 * @property {number} [strips] how many frequencies are drawn at most
 */

const strip = 46;
const gap = 12;
const top = 30;
const left = 46;

/**
 * Position codes as curves over the position: one strip a frequency, with its sine and its cosine.
 *
 * @param {Matrix} codes [T, D]
 * @param {CurvesOptions} options
 * @returns {SVGSVGElement}
 */
export function positionCurves(codes, options) {
  const { width, strips = 8 } = options;
  const pairs = choosePairs(codes, options.layout, strips);
  const right = Math.ceil(textWidth("wavelength 00,000", 12)) + 14;
  const x = scaleLinear([0, Math.max(codes.rows - 1, 1)], [left, width - right]);
  const height = top + pairs.length * (strip + gap) + 20;
  return svg(
    "svg",
    { width, height, class: "plot curves", "aria-hidden": "true" },
    ...pairs.flatMap((pair, index) =>
      drawPair(codes, pair, top + index * (strip + gap), x, options),
    ),
    ...axis(codes.rows, x, height),
    ...cursor(codes, pairs, x, height, options),
    svg("rect", {
      x: left,
      y: top,
      width: width - right - left,
      height: height - top - 20,
      fill: "transparent",
      "data-positions": codes.rows,
    }),
  );
}

/**
 * One frequency: its columns, and the wavelength in positions that the codes themselves show.
 *
 * @typedef {{ sine: number, cosine: number, wavelength: number }} Pair
 */

/**
 * Frequencies evenly spread over all of them, the first and the last included.
 *
 * @param {Matrix} codes
 * @param {"interleaved" | "concatenated"} layout
 * @param {number} most
 * @returns {Pair[]}
 */
function choosePairs(codes, layout, most) {
  const half = Math.floor(codes.cols / 2);
  const count = Math.min(half, most);
  return Array.from({ length: count }, (_, i) => {
    const pair = count < 2 ? 0 : Math.round((i * (half - 1)) / (count - 1));
    const sine = layout === "interleaved" ? 2 * pair : pair;
    const cosine = layout === "interleaved" ? sine + 1 : half + pair;
    return { sine, cosine, wavelength: wavelengthOf(codes, sine, cosine) };
  });
}

/**
 * @param {Matrix} codes
 * @param {number} sine column
 * @param {number} cosine column
 * @returns {number} in positions: a full turn over the angle from position 0 to position 1
 */
function wavelengthOf(codes, sine, cosine) {
  if (codes.rows < 2) return Number.NaN;
  return (2 * Math.PI) / Math.atan2(codes.at(1, sine), codes.at(1, cosine));
}

/**
 * @param {Matrix} codes
 * @param {Pair} pair
 * @param {number} y top of its strip
 * @param {(position: number) => number} x
 * @param {CurvesOptions} options
 * @returns {SVGElement[]}
 */
function drawPair(codes, { sine, cosine, wavelength }, y, x, { theme, width }) {
  const colours = palettes[theme].series;
  const scale = scaleLinear([-1, 1], [y + strip, y]);
  const curve = (/** @type {number} */ column) =>
    line(
      (_, position) => x(position),
      (/** @type {number} */ value) => scale(value),
    ).curve(curveNatural)(columnOf(codes, column));
  const path = (
    /** @type {number} */ column,
    /** @type {number} */ colour,
    /** @type {string} */ kind,
  ) =>
    svg("path", {
      d: curve(column),
      class: `curve ${kind}`,
      fill: "none",
      stroke: colours[colour],
    });
  const end = x(codes.rows - 1) + 12;
  return [
    svg("line", { x1: left, x2: x(codes.rows - 1), y1: scale(0), y2: scale(0), class: "hairline" }),
    svg(
      "text",
      { x: left - 8, y: y + strip / 2 - 3, class: "tick", "text-anchor": "end" },
      String(sine),
    ),
    svg(
      "text",
      { x: left - 8, y: y + strip / 2 + 13, class: "tick", "text-anchor": "end" },
      String(cosine),
    ),
    path(sine, 5, "sine"),
    path(cosine, 6, "cosine"),
    svg(
      "text",
      { x: Math.min(end, width), y: y + strip / 2 + 4, class: "tick" },
      Number.isFinite(wavelength) ? `wavelength ${lengthText(wavelength)}` : "",
    ),
  ];
}

/**
 * @param {Matrix} codes
 * @param {number} column
 * @returns {number[]}
 */
function columnOf(codes, column) {
  return Array.from({ length: codes.rows }, (_, position) => codes.at(position, column));
}

/**
 * @param {number} count of positions
 * @param {(position: number) => number} x
 * @param {number} height
 * @returns {SVGElement[]}
 */
function axis(count, x, height) {
  const last = Math.max(count - 1, 0);
  const wanted = Math.max(2, Math.floor((x(last) - x(0)) / 60));
  return [
    svg("text", { x: left - 8, y: 14, class: "axis", "text-anchor": "end" }, "dim."),
    ...ticks(0, last, wanted)
      .filter(Number.isInteger)
      .map((tick) =>
        svg(
          "text",
          { x: x(tick), y: height - 4, class: "tick", "text-anchor": "middle" },
          tick === 0 ? "position 0" : String(tick),
        ),
      ),
  ];
}

/**
 * @param {Matrix} codes
 * @param {Pair[]} pairs
 * @param {(position: number) => number} x
 * @param {number} height
 * @param {CurvesOptions} options
 * @returns {SVGElement[]}
 */
function cursor(codes, pairs, x, height, { position = null, theme }) {
  if (position === null || position >= codes.rows) return [];
  const colours = palettes[theme].series;
  const at = x(position);
  const turned = at > (x(0) + x(codes.rows - 1)) / 2;
  const marks = pairs.flatMap(({ sine, cosine }, index) => {
    const y = scaleLinear(
      [-1, 1],
      [top + index * (strip + gap) + strip, top + index * (strip + gap)],
    );
    const values = [codes.at(position, sine), codes.at(position, cosine)];
    return [
      ...values.map((value, i) =>
        svg("circle", { cx: at, cy: y(value), r: 3.5, fill: colours[5 + i] ?? "none" }),
      ),
      svg(
        "text",
        {
          x: turned ? at - 8 : at + 8,
          y: y(0) + 4,
          class: "value haloed",
          "text-anchor": turned ? "end" : "start",
        },
        `sin ${decimalText(values[0] ?? 0, 2)}  cos ${decimalText(values[1] ?? 0, 2)}`,
      ),
    ];
  });
  return [
    svg("line", { x1: at, x2: at, y1: top - 4, y2: height - 20, class: "cursor" }),
    svg(
      "text",
      { x: at, y: 14, class: "tick chosen", "text-anchor": "middle" },
      `position ${position}`,
    ),
    ...marks,
  ];
}
