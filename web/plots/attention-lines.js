import { linkHorizontal } from "d3-shape";
import { svg } from "./node.js";
import { percentText } from "./number-text.js";
import { fitLabel, textWidth } from "./text-width.js";
import { tokenLabel } from "./token-label.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */
/** @typedef {import("../../bindings/js/trace/trace.js").Token} Token */

/**
 * @typedef {object} LinesOptions
 * @property {Token[]} tokens
 * @property {number} width in px
 * @property {number | null} [token] the query token whose lines alone stand out, with their weights
 * @property {number | null} [key] where no token is chosen: the key token, seen from all queries
 * @property {number} [threshold] lines of less weight are left out; `usualThreshold` by default
 */

const labelSize = 14;
const longestLabel = 12;
/** What the lines need between the labels, to be told apart. */
const leastSpan = 72;
/** What a finger hits: rows of a long text go on under each other, and their box scrolls. */
const leastRow = 24;
const top = 26;

const link = linkHorizontal();

/**
 * The least weight that becomes a line where nothing else is asked for. A long text has hundreds
 * of weights just over 0.01: too many to tell apart, until one token is looked at.
 *
 * @param {number} count of tokens
 * @param {number | null} chosen the token that is looked at
 * @returns {number}
 */
export function usualThreshold(count, chosen) {
  if (chosen !== null || count <= 12) return 0.01;
  return count <= 40 ? 0.03 : 0.05;
}

/**
 * Attention of one head as lines from each query token (left) to the key tokens (right). The width
 * of a line is its weight.
 *
 * @param {Matrix} weights [T, T]
 * @param {LinesOptions} options
 * @returns {SVGSVGElement}
 */
export function attentionLines(weights, options) {
  const { tokens, width, token = null, key = null } = options;
  const share = Math.ceil(textWidth("100%", labelSize) + 8);
  const room = (width - share - leastSpan) / 2 - 10;
  const labels = tokens.map((each) =>
    fitLabel(tokenLabel(each), { limit: longestLabel, room, size: labelSize }),
  );
  const widest = Math.max(36, ...labels.map((label) => textWidth(label, labelSize, 600)));
  const row = tokens.length > 12 ? leastRow : 30;
  const left = Math.ceil(widest) + 10;
  const right = width - Math.ceil(widest) - 10 - share;
  const height = top + row * tokens.length + 4;
  return svg(
    "svg",
    { width, height, class: "plot lines", "aria-hidden": "true" },
    svg("text", { x: left - 10, y: 12, class: "axis", "text-anchor": "end" }, "query"),
    svg("text", { x: right + 10, y: 12, class: "axis" }, "key"),
    ...links(weights, options, { left, right, row }),
    ...labels.flatMap((label, index) => [
      end(label, { index, x: left - 8, row, side: "query", chosen: token }),
      end(label, { index, x: right + 8, row, side: "key", chosen: key }),
    ]),
    ...(token !== null || key !== null
      ? shareTexts(weights, options, { left, right, row, widest })
      : []),
  );
}

/**
 * @param {Matrix} weights
 * @param {LinesOptions} options
 * @param {{ left: number, right: number, row: number }} frame
 * @returns {SVGPathElement[]} thin ones first, so that the strong lie on top
 */
function links(weights, { token = null, key = null, threshold }, { left, right, row }) {
  const paths = [];
  const least = threshold ?? usualThreshold(weights.rows, token ?? key);
  const leastFaint = Math.max(least, usualThreshold(weights.rows, null));
  const thickest = Math.min(12, row * 0.55);
  for (let query = 0; query < weights.rows; ++query) {
    for (let to = 0; to < weights.cols; ++to) {
      const weight = weights.at(query, to);
      const lit = token !== null ? query === token : key === null || to === key;
      if (weight < (lit ? least : leastFaint)) continue;
      paths.push({ query, to, weight, lit });
    }
  }
  paths.sort((a, b) => Number(a.lit) - Number(b.lit) || a.weight - b.weight);
  return paths.map(({ query, to, weight, lit }) =>
    svg("path", {
      d: link({ source: [left, middle(query, row)], target: [right, middle(to, row)] }),
      class: lit ? "link" : "link faint",
      fill: "none",
      "stroke-width": (weight * thickest).toFixed(2),
      "data-token": query,
      "data-to": to,
    }),
  );
}

/**
 * @param {number} index
 * @param {number} row
 * @returns {number} y of a token's middle
 */
function middle(index, row) {
  return top + (index + 0.5) * row;
}

/**
 * A token's name at one end, over a target as high as its row.
 *
 * @param {string} label
 * @param {{ index: number, x: number, row: number, side: "query" | "key",
 *   chosen: number | null }} options
 * @returns {SVGGElement}
 */
function end(label, { index, x, row, side, chosen }) {
  const y = middle(index, row);
  const wide = 120;
  return svg(
    "g",
    { [side === "query" ? "data-token" : "data-key"]: index, class: "end" },
    svg("rect", {
      x: side === "query" ? x - wide : x,
      y: y - row / 2,
      width: wide,
      height: row,
      fill: "transparent",
    }),
    svg(
      "text",
      {
        x,
        y,
        dy: "0.35em",
        class: index === chosen ? "label chosen" : "label",
        "text-anchor": side === "query" ? "end" : "start",
      },
      label,
    ),
  );
}

/**
 * The weights of the chosen token's lines, beside the tokens at their other end.
 *
 * @param {Matrix} weights
 * @param {LinesOptions} options
 * @param {{ left: number, right: number, row: number, widest: number }} frame
 * @returns {SVGTextElement[]}
 */
function shareTexts(weights, { token = null, key = null }, { left, right, row, widest }) {
  const texts = [];
  for (let index = 0; index < weights.rows; ++index) {
    const weight = token !== null ? weights.at(token, index) : weights.at(index, Number(key));
    const x = token !== null ? right + 16 + widest : left + 4;
    if (weight < 0.005) continue;
    texts.push(
      svg("text", { x, y: middle(index, row), dy: "0.35em", class: "share" }, percentText(weight)),
    );
  }
  return texts;
}
