import { shorten } from "./token-label.js";

/** What all text on plots is set in; the same as in style.js. */
export const fontFamily = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/**
 * How wide a line of text is drawn.
 *
 * @param {string} text
 * @param {number} size in px
 * @param {number} [weight] of the font
 * @returns {number} px
 */
export function textWidth(text, size, weight = 400) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (ruler === null) return text.length * size * 0.6;
  ruler.font = `${weight} ${size}px ${fontFamily}`;
  return ruler.measureText(text).width;
}

/**
 * A label cut until it fits.
 *
 * @param {string} label
 * @param {{ limit: number, room: number, size: number }} options limit: characters; room: px; size:
 *   of the font, whose bold letters are the widest
 * @returns {string} at least one character
 */
export function fitLabel(label, { limit, room, size }) {
  let fitted = shorten(label, limit);
  for (let fewer = limit - 1; fewer > 1 && textWidth(fitted, size, 600) > room; --fewer) {
    fitted = shorten(label, fewer);
  }
  return fitted;
}
