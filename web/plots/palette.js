/**
 * Colours: one for each purpose, in light and in dark. `background` is what weight 0 looks like.
 *
 * @typedef {"light" | "dark"} Theme
 * @typedef {object} Palette
 * @property {string} background
 * @property {string} ink text
 * @property {string} muted text of second rank, at least 4.5:1 on the background
 * @property {string} line hairlines that carry no meaning
 * @property {string} accent end of the weights' scale, links, the chosen thing
 * @property {string} counter end of the negative side of the signed scale
 * @property {string} alert text of failures
 * @property {string[]} series the eight Okabe-Ito colours in their order, moved in lightness only
 *   as far as 3:1 on the background asks
 */

/** @type {Record<Theme, Palette>} */
export const palettes = {
  light: {
    background: "#fdfcfa",
    ink: "#1b1d22",
    muted: "#5b6068",
    line: "#dcdad5",
    accent: "#173a9e",
    counter: "#9a3000",
    alert: "#a11d1d",
    series: [
      "#000000",
      "#b87700",
      "#2a8fc9",
      "#008f68",
      "#9a8e00",
      "#0072b2",
      "#d55e00",
      "#c4689b",
    ],
  },
  dark: {
    background: "#14161a",
    ink: "#e9e7e2",
    muted: "#a3a8b0",
    line: "#363a42",
    accent: "#86b6ff",
    counter: "#ff9f68",
    alert: "#ff8f85",
    series: [
      "#ffffff",
      "#e69f00",
      "#56b4e9",
      "#009e73",
      "#f0e442",
      "#3d94cd",
      "#e0701f",
      "#cc79a7",
    ],
  },
};

const steps = 256;

/**
 * Colours of a scale from the background to one strong hue: 256 RGBA bytes each. The hue is laid
 * over whatever is behind, so 0 is the background itself; the opacity of every step is solved for
 * equal steps of lightness (CIELAB L*), which plain opacity does not give.
 *
 * @param {Theme} theme
 * @param {"accent" | "counter"} end
 * @returns {Uint8ClampedArray} [256 * 4]
 */
export function rampTo(theme, end) {
  const known = ramps.get(`${theme} ${end}`);
  if (known !== undefined) return known;
  const behind = channels(palettes[theme].background);
  const over = channels(palettes[theme][end]);
  const from = lightness(behind);
  const to = lightness(over);
  const ramp = new Uint8ClampedArray(steps * 4);
  for (let step = 0; step < steps; ++step) {
    const wanted = from + ((to - from) * step) / (steps - 1);
    ramp.set([...over, 255 * solveOpacity(behind, over, wanted)], step * 4);
  }
  ramps.set(`${theme} ${end}`, ramp);
  return ramp;
}

/** @type {Map<string, Uint8ClampedArray>} */
const ramps = new Map();

/**
 * The colour of a weight, or of a signed value.
 *
 * @param {number} value from -1 to 1; negative ones lie on the side of `counter`
 * @param {Theme} theme
 * @returns {string} a CSS colour
 */
export function valueColour(value, theme) {
  const ramp = rampTo(theme, value < 0 ? "counter" : "accent");
  const at = rampStep(Math.abs(value)) * 4;
  const opacity = /** @type {number} */ (ramp[at + 3] / 255).toFixed(3);
  return `rgb(${ramp[at]} ${ramp[at + 1]} ${ramp[at + 2]} / ${opacity})`;
}

/**
 * Black or white: what is easier to read on a value of a scale; at least 4.5:1 on all of them.
 *
 * @param {number} value from -1 to 1; negative ones lie on the side of `counter`
 * @param {Theme} theme
 * @returns {string} a CSS colour
 */
export function inkOn(value, theme) {
  const palette = palettes[theme];
  const ramp = rampTo(theme, value < 0 ? "counter" : "accent");
  const opacity = /** @type {number} */ (ramp[rampStep(Math.abs(value)) * 4 + 3]) / 255;
  const end = value < 0 ? palette.counter : palette.accent;
  const seen = blend(channels(palette.background), channels(end), opacity);
  return luminance(seen) > 0.179 ? "#000000" : "#ffffff";
}

/**
 * @param {number} value
 * @returns {number} index of the colour of a value from 0 to 1
 */
export function rampStep(value) {
  return Math.round(Math.min(Math.max(value, 0), 1) * (steps - 1));
}

/**
 * Contrast of two colours as WCAG 2 defines it, from 1 to 21.
 *
 * @param {string} one "#rrggbb"
 * @param {string} other "#rrggbb"
 * @returns {number}
 */
export function contrast(one, other) {
  const [dark, light] = [luminance(channels(one)), luminance(channels(other))].sort(
    (a, b) => a - b,
  );
  return /** @type {number} */ (light + 0.05) / /** @type {number} */ (dark + 0.05);
}

/**
 * @param {number[]} behind
 * @param {number[]} over
 * @param {number} wanted lightness
 * @returns {number} opacity of `over` that gives it; lightness is monotone in opacity
 */
function solveOpacity(behind, over, wanted) {
  const rising = lightness(over) > lightness(behind);
  let low = 0;
  let high = 1;
  for (let i = 0; i < 12; ++i) {
    const middle = (low + high) / 2;
    const short = lightness(blend(behind, over, middle)) < wanted === rising;
    if (short) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * @param {string} colour "#rrggbb"
 * @returns {number[]} three bytes
 */
function channels(colour) {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/**
 * @param {number[]} behind
 * @param {number[]} over
 * @param {number} opacity
 * @returns {number[]}
 */
function blend(behind, over, opacity) {
  return over.map((channel, c) => {
    const base = /** @type {number} */ (behind[c]);
    return base + (channel - base) * opacity;
  });
}

/**
 * @param {number[]} colour three bytes, sRGB
 * @returns {number} relative luminance, 0 to 1
 */
function luminance(colour) {
  const [r, g, b] = colour.map((channel) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return (
    0.2126 * /** @type {number} */ (r) +
    0.7152 * /** @type {number} */ (g) +
    0.0722 * /** @type {number} */ (b)
  );
}

/**
 * @param {number[]} colour three bytes, sRGB
 * @returns {number} CIELAB L*, 0 to 100
 */
function lightness(colour) {
  const y = luminance(colour);
  return y <= 216 / 24389 ? (y * 24389) / 27 : 116 * Math.cbrt(y) - 16;
}
