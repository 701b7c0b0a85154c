import { attentionHeatmap, weightKey } from "../plots/attention-heatmap.js";
import { attentionLines, usualThreshold } from "../plots/attention-lines.js";
import { headGrid } from "../plots/head-grid.js";
import { html } from "../plots/node.js";
import { weightTable } from "../plots/number-table.js";
import { percentText } from "../plots/number-text.js";
import { fitLabel } from "../plots/text-width.js";
import { tokenLabel, tokenName } from "../plots/token-label.js";
import { tokenStrip } from "../plots/token-strip.js";
import { attentionHeads, headsOf, headTitle, shownWeights, tokenNote } from "./attention-state.js";
import { createPanel, say, show } from "./panel.js";

/** @typedef {import("../../bindings/js/trace/trace.js").Token} Token */
/** @typedef {import("./attention-state.js").AttentionState} AttentionState */

/**
 * One view of `<headscope-attention>`.
 *
 * @typedef {object} AttentionPanel
 * @property {string} name
 * @property {HTMLElement} node
 * @property {HTMLElement} [box] what the plot is drawn in
 * @property {(state: AttentionState, width: number) => void} paint width: of the box, in px
 */

/** @returns {AttentionPanel} the tokens as typed */
export function tokensPanel() {
  const panel = createPanel("tokens", {
    role: "listbox",
    label: "tokens",
    orientation: "horizontal",
  });
  return {
    name: "tokens",
    ...panel,
    paint(state) {
      const { trace, token, theme } = state;
      const weights = token === null ? null : shownWeights(state).row(token);
      show(panel, tokenStrip(trace.tokens, { theme, token, weights, unknown: isUnknown }));
      pointTo(panel.box, token === null ? null : `token-${token}`);
    },
  };
}

/** @returns {AttentionPanel} all heads as small heat maps */
export function gridPanel() {
  const panel = createPanel("grid", { role: "listbox", label: "heads" });
  /** @type {unknown[]} */
  let drawn = [];
  return {
    name: "grid",
    ...panel,
    paint({ trace, chosen, hovered, theme, scale }, width) {
      // the other panels change with every token that the pointer passes, this one does not
      const at = hovered ?? { layer: -1, head: -1 };
      const inputs = [trace, chosen.layer, chosen.head, at.layer, at.head, theme, scale, width];
      if (inputs.every((input, index) => input === drawn[index])) return;
      drawn = inputs;
      const held = [...attentionHeads(trace).values()].map((heads) => heads.length);
      const most = counted(Math.max(0, ...held), "head");
      say(panel.title, `${counted(held.length, "layer")} of ${most}`);
      say(
        panel.note,
        "Each square is one head: its rows are query tokens, its columns key tokens.",
      );
      show(panel, headGrid(headsOf(trace), { width, theme, scale, chosen, hovered }));
      pointTo(panel.box, `head-${chosen.layer}-${chosen.head}`);
    },
  };
}

/** @returns {AttentionPanel} what the shown head does, over its plots */
export function headingPanel() {
  const title = html("h3", { "aria-live": "polite" });
  const note = html("p", { class: "note", "aria-live": "polite" });
  return {
    name: "heading",
    node: html("section", { class: "panel heading" }, title, note),
    paint(state) {
      say(title, headTitle(state));
      say(note, tokenNote(state));
    },
  };
}

/** @returns {AttentionPanel} one head as lines */
export function linesPanel() {
  const panel = createPanel("lines", {
    role: "group",
    label: "attention as lines from query tokens to key tokens",
  });
  const foot = html("p", { class: "note foot" });
  panel.node.append(foot);
  /** @type {number | null} */
  let followed = null;
  return {
    name: "lines",
    ...panel,
    paint(state, width) {
      const { trace, token, key } = state;
      const { layer, head } = state.hovered ?? state.chosen;
      say(panel.title, `Layer ${layer}, head ${head} as lines`);
      const threshold = state.threshold ?? usualThreshold(trace.tokens.length, token ?? key);
      show(
        panel,
        attentionLines(shownWeights(state), { tokens: trace.tokens, width, token, key, threshold }),
      );
      say(foot, `Width is weight; lines under ${percentText(threshold)} are left out.`);
      // a frame later: measuring what was just drawn would make the browser lay it out twice
      if (token !== null && token !== followed) {
        requestAnimationFrame(() => follow(panel.box, token));
      }
      followed = token;
    },
  };
}

/**
 * One head as a heat map with values.
 *
 * @param {(scale: "one" | "row-max") => void} onScale another end of the colours is asked for
 * @returns {AttentionPanel}
 */
export function heatmapPanel(onScale) {
  const panel = createPanel("heatmap", {
    role: "group",
    label: "attention as a heat map, rows are query tokens, columns key tokens",
  });
  const legend = html("span", {});
  const toMaximum = html("input", { type: "checkbox" });
  toMaximum.addEventListener("change", () => onScale(toMaximum.checked ? "row-max" : "one"));
  const setting = html("label", { class: "setting" }, toMaximum, "end at each row’s maximum");
  panel.node.append(html("div", { class: "foot legend" }, legend, setting));
  return {
    name: "heatmap",
    ...panel,
    paint(state, width) {
      const { trace, token, key, theme, scale } = state;
      show(
        panel,
        attentionHeatmap(shownWeights(state), {
          tokens: trace.tokens,
          width,
          theme,
          scale,
          token,
          key,
        }),
      );
      const to = scale === "one" ? "1" : "row’s maximum";
      legend.replaceChildren(weightKey({ theme, from: "0", to }));
      toMaximum.checked = scale === "row-max";
    },
  };
}

/** Characters in the name of a column, or of a row where the table is turned. */
const longestColumn = 24;
/** The part of the width that such a name takes at most. */
const labelShare = 0.4;

/** @returns {AttentionPanel} the numbers of all heads of the layer */
export function numbersPanel() {
  const panel = createPanel("numbers-panel", { role: "region", label: "the numbers" });
  return {
    name: "numbers",
    ...panel,
    paint(state, width) {
      const { trace, token } = state;
      const { layer, head } = state.hovered ?? state.chosen;
      const heads = headsOf(trace).filter((each) => each.layer === layer);
      const weights = heads.map((each) =>
        token === null ? meanRow(each.weights) : each.weights.row(token),
      );
      const title =
        token === null
          ? `Layer ${layer}: the weight each token gets, averaged over all query tokens`
          : `Layer ${layer}: where ${tokenName(/** @type {Token} */ (trace.tokens[token]))} looks`;
      say(panel.title, title);
      const rows = heads.map((each, index) => ({
        label: `head ${each.head}`,
        values: [.../** @type {Float32Array} */ (weights[index]), sumOf(weights[index] ?? [])],
        chosen: each.head === head,
      }));
      const fit = { limit: longestColumn, room: width * labelShare, size: 14 };
      const labels = trace.tokens.map((each) => fitLabel(tokenLabel(each), fit));
      const columns = [...labels, "sum"];
      const options = { room: width, chosen: state.key, caption: title };
      show(panel, weightTable({ corner: "key token", columns, rows }, options));
    },
  };
}

/**
 * Tokenizers write what they do not know as their unknown piece, whatever was typed.
 *
 * @param {Token} token
 * @returns {boolean}
 */
function isUnknown({ piece }) {
  return piece === "<unk>" || piece === "[UNK]" || piece === "\uFFFD";
}

/**
 * @param {import("../../bindings/js/trace/matrix.js").Matrix} weights
 * @returns {Float32Array} the mean of the rows
 */
function meanRow(weights) {
  const mean = new Float32Array(weights.cols);
  for (let r = 0; r < weights.rows; ++r) {
    weights.row(r).forEach((weight, c) => {
      mean[c] = /** @type {number} */ (mean[c]) + weight / weights.rows;
    });
  }
  return mean;
}

/**
 * @param {ArrayLike<number>} values
 * @returns {number}
 */
function sumOf(values) {
  return Array.from(values).reduce((sum, value) => sum + value, 0);
}

/**
 * @param {number} count
 * @param {string} noun
 * @returns {string}
 */
function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Scrolls a box so that a token's line in it can be seen; not under a pointer that is in the box.
 *
 * @param {HTMLElement} box
 * @param {number} token
 */
function follow(box, token) {
  const end = box.querySelector(`.end[data-token="${token}"]`);
  if (end === null || box.matches(":hover")) return;
  const [inner, outer] = [end.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + inner.height;
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + inner.height;
}

/**
 * Tells those who do not see it which of the box's options the keyboard is at.
 *
 * @param {HTMLElement} box
 * @param {string | null} id
 */
function pointTo(box, id) {
  if (id === null) box.removeAttribute("aria-activedescendant");
  else box.setAttribute("aria-activedescendant", id);
}
