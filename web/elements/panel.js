import { html } from "../plots/node.js";

/**
 * A place for one plot. The nodes of a panel stay for as long as the element does, and only what
 * is in the box is drawn anew: so focus, scrolling and a press that is under way survive.
 *
 * @typedef {object} Panel
 * @property {HTMLElement} node
 * @property {HTMLElement} title
 * @property {HTMLElement} note a line under the title
 * @property {HTMLElement} key what the colours mean
 * @property {HTMLElement} box what the plot is drawn in; takes the keyboard
 */

/**
 * @param {string} name
 * @param {{ role: string, label: string, orientation?: "horizontal" | "vertical" }} options role
 *   and name of the box for those who do not see it
 * @returns {Panel}
 */
export function createPanel(name, { role, label, orientation }) {
  const title = html("h3", { id: `${name}-title` });
  const note = html("p", { class: "note" });
  const key = html("div", { class: "keys" });
  const box = html("div", {
    class: "box",
    role,
    tabindex: 0,
    "aria-label": label,
    "aria-orientation": orientation,
    "data-panel": name,
  });
  const head = html("div", { class: "panel-head" }, html("div", {}, title, note), key);
  return { node: html("section", { class: `panel ${name}` }, head, box), title, note, key, box };
}

/**
 * The width that a plot in a box has.
 *
 * @param {HTMLElement} box
 * @returns {number} px
 */
export function widthOf(box) {
  const { paddingLeft, paddingRight } = getComputedStyle(box);
  return box.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
}

/**
 * Draws a plot into a panel.
 *
 * @param {Panel} panel
 * @param {Node} plot
 */
export function show(panel, plot) {
  panel.box.replaceChildren(plot);
}

/**
 * Sets a text, unless it is there: a screen reader need not hear it again.
 *
 * @param {HTMLElement} node
 * @param {string} text
 */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Whether a press belongs to the browser: Alt and an arrow goes back, Ctrl and Home to the top.
 *
 * @param {KeyboardEvent} pressed
 * @returns {boolean}
 */
export function isModified({ altKey, ctrlKey, metaKey, shiftKey }) {
  return altKey || ctrlKey || metaKey || shiftKey;
}
