import { ticks } from "d3-array";
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
  const right = Math.ceil(textWidth("wavelength 00,000", 12, 600)) + 14;
  const step = (width - right - left) / Math.max(codes.rows - 1, 1);
  const x = (/** @type {number} */ at) => left + at * step;
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
function drawPair(codes, { sine, cosine, wavelength }, y, x, { theme, position = null }) {
  const colours = palettes[theme].series;
  const scale = heightIn(y);
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
  const middle = y + strip / 2;
  return [
    svg("line", { x1: left, x2: x(codes.rows - 1), y1: scale(0), y2: scale(0), class: "hairline" }),
    tick(left - 8, middle - 3, String(sine), "end"),
    tick(left - 8, middle + 13, String(cosine), "end"),
    path(sine, 5, "sine"),
    path(cosine, 6, "cosine"),
    ...readOff(codes, { sine, cosine, wavelength }, x(codes.rows - 1) + 12, middle, position),
  ];
}

/**
 * What stands to the right of a strip: the wavelength, and the two values at the position that is
 * looked at.
 *
 * @param {Matrix} codes
 * @param {Pair} pair
 * @param {number} x
 * @param {number} y
 * @param {number | null} position
 * @returns {SVGTextElement[]}
 */
function readOff(codes, { sine, cosine, wavelength }, x, y, position) {
  const length = Number.isFinite(wavelength) ? `wavelength ${lengthText(wavelength)}` : "";
  if (position === null) return [tick(x, y + 4, length)];
  const [up, along] = [codes.at(position, sine), codes.at(position, cosine)];
  const values = `sin ${decimalText(up, 2)}  cos ${decimalText(along, 2)}`;
  return [tick(x, y - 4, length), tick(x, y + 12, values, "start", "tick chosen")];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {"start" | "middle" | "end"} [anchor]
 * @param {string} [kind]
 * @returns {SVGTextElement}
 */
function tick(x, y, text, anchor = "start", kind = "tick") {
  return svg("text", { x, y, class: kind, "text-anchor": anchor }, text);
}

/**
 * @param {number} y top of a strip
 * @returns {(value: number) => number} the height of a value from -1 (bottom) to 1 (top) in it
 */
function heightIn(y) {
  return (value) => y + ((1 - value) / 2) * strip;
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
    tick(left - 8, 14, "dim.", "end"),
    ...ticks(0, last, wanted)
      .filter(Number.isInteger)
      .map((at) => tick(x(at), height - 4, at === 0 ? "position 0" : String(at), "middle")),
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
  const dots = pairs.flatMap(({ sine, cosine }, index) => {
    const scale = heightIn(top + index * (strip + gap));
    return [sine, cosine].map((column, i) => {
      const cy = scale(codes.at(position, column));
      return svg("circle", { cx: at, cy, r: 3.5, fill: colours[5 + i] });
    });
  });
  const label = tick(Math.max(at, left + 34), 14, `position ${position}`, "middle", "tick chosen");
  return [
    svg("line", { x1: at, x2: at, y1: top - 4, y2: height - 20, class: "cursor" }),
    label,
    ...dots,
  ];
}
