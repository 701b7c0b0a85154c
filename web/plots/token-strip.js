import { html } from "./node.js";
import { percentText } from "./number-text.js";
import { inkOn, valueColour } from "./palette.js";
import { continuesWord, shorten, tokenLabel } from "./token-label.js";

/** @typedef {import("../../bindings/js/trace/trace.js").Token} Token */

/**
 * @typedef {object} StripOptions
 * @property {import("./palette.js").Theme} theme
 * @property {number | null} [token] the token that is looked at
 * @property {ArrayLike<number> | null} [weights] how much each token gets from it: shades the
 *   tokens and takes the place of the ids
 * @property {(token: Token) => boolean} [unknown] whether the model does not know a token
 */

/** More tokens than this are set smaller. */
const many = 40;

/** Characters of a token; the rest of a longer one is in its tooltip. */
const longestLabel = 40;
const longestTooltip = 1000;

/**
 * The tokens of a text in their order, as typed, over their ids. Pieces of one word stand close.
 *
 * @param {Token[]} tokens
 * @param {StripOptions} options
 * @returns {HTMLElement}
 */
export function tokenStrip(tokens, options) {
  return html(
    "div",
    {
      class: tokens.length > many ? "plot strip-of-tokens many" : "plot strip-of-tokens",
      dir: "auto",
    },
    ...tokens.map((token, index) => chip(token, index, continuesWord(tokens, index + 1), options)),
  );
}

/**
 * @param {Token} token
 * @param {number} index
 * @param {boolean} goesOn whether the next token belongs to the same word
 * @param {StripOptions} options
 * @returns {HTMLElement}
 */
function chip(token, index, goesOn, { theme, token: chosen = null, weights, unknown }) {
  const strange = unknown?.(token) ?? false;
  const whole = tokenLabel(token);
  const shown = shorten(whole, longestLabel);
  const title = shown === whole ? null : shorten(whole, longestTooltip);
  const label = html("span", { class: strange ? "text unknown" : "text", title }, shown);
  const weight = weights?.[index];
  if (weight !== undefined) {
    label.style.backgroundColor = valueColour(weight, theme);
    label.style.color = inkOn(weight, theme);
  }
  const below = weight === undefined ? idText(token, strange) : percentText(weight);
  const kind = ["token", goesOn ? "goes-on" : "", index === chosen ? "chosen" : ""];
  return html(
    "span",
    {
      class: kind.join(" ").trim(),
      id: `token-${index}`,
      role: "option",
      "aria-selected": String(index === chosen),
      "aria-label": `token ${index}: ${shown}${strange ? ", unknown" : ""}`,
      "data-token": index,
    },
    label,
    html("span", { class: weight === undefined ? "id" : "id share", dir: "ltr" }, below),
  );
}

/**
 * @param {Token} token
 * @param {boolean} strange
 * @returns {string}
 */
function idText(token, strange) {
  if (strange) return "unknown";
  return token.id < 0 ? "" : String(token.id);
}
