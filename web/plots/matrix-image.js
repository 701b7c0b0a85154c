import { html } from "./node.js";
import { rampStep, rampTo } from "./palette.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */
/** @typedef {import("./palette.js").Theme} Theme */

/**
 * A matrix as a picture with one pixel a value, which CSS then enlarges without smoothing: cells
 * stay sharp whatever the screen's pixel ratio. Values from 0 to 1 run from the background to the
 * accent, values from 0 to -1 to its counter colour.
 *
 * Where the screen has fewer pixels than values, several values share one and the one furthest
 * from 0 is seen: a thin diagonal must not vanish.
 *
 * @param {Matrix} matrix
 * @param {{ theme: Theme, rowMaximum?: boolean, room?: number }} options rowMaximum: every row is
 *   divided by its maximum; room: pixels that the screen has for the wider side
 * @returns {HTMLCanvasElement}
 */
export function matrixImage(matrix, { theme, rowMaximum = false, room = Infinity }) {
  const { rows, cols } = matrix;
  const share = Math.max(1, Math.ceil(Math.max(rows, cols) / Math.max(room, 1)));
  const canvas = html("canvas", {
    width: Math.max(1, Math.ceil(cols / share)),
    height: Math.max(1, Math.ceil(rows / share)),
    "aria-hidden": "true",
  });
  const context = canvas.getContext("2d");
  if (context === null || rows === 0 || cols === 0) return canvas;
  const image = context.createImageData(canvas.width, canvas.height);
  const ramps = { plus: rampTo(theme, "accent"), minus: rampTo(theme, "counter") };
  const seen = share === 1 && !rowMaximum ? matrix.data : condense(matrix, share, rowMaximum);
  for (let i = 0; i < canvas.width * canvas.height; ++i) {
    const value = /** @type {number} */ (seen[i]);
    const ramp = value < 0 ? ramps.minus : ramps.plus;
    const step = rampStep(Math.abs(value)) * 4;
    image.data.set(ramp.subarray(step, step + 4), i * 4);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/**
 * @param {Matrix} matrix
 * @param {number} share values a pixel, along each side
 * @param {boolean} rowMaximum
 * @returns {Float32Array} [ceil(rows / share), ceil(cols / share)]
 */
function condense(matrix, share, rowMaximum) {
  const width = Math.ceil(matrix.cols / share);
  const seen = new Float32Array(width * Math.ceil(matrix.rows / share));
  for (let r = 0; r < matrix.rows; ++r) {
    const row = matrix.row(r);
    const top = rowMaximum ? row.reduce((most, value) => Math.max(most, value), 0) || 1 : 1;
    row.forEach((value, c) => {
      const at = Math.floor(r / share) * width + Math.floor(c / share);
      if (Math.abs(value / top) > Math.abs(seen[at] ?? 0)) seen[at] = value / top;
    });
  }
  return seen;
}
