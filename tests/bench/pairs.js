// Who is measured against whom, and what the ratio has to be.

/**
 * What a ratio must be and should be: onnxruntime's time through Headscope's.
 *
 * @typedef {object} Pair
 * @property {string} title
 * @property {string} headscope the contender
 * @property {string} ort the contender
 * @property {{ mean?: number, lowest?: number }} must geometric mean over lengths; lowest of them
 * @property {number} better
 * @property {number} [longest] longer ones do not count
 */

/** @satisfies {Record<string, Pair>} */
export const pairs = {
  f32: {
    title: "float32",
    headscope: "f32",
    ort: "ort",
    must: { mean: 1.65, lowest: 1.5 },
    better: 1.8,
  },
  maps: {
    title: "float32, all attention maps",
    headscope: "maps",
    ort: "ort-maps",
    must: { lowest: 1.5 },
    better: 1.6,
  },
  simd: {
    title: "float32, baseline SIMD",
    headscope: "simd",
    ort: "ort",
    must: { mean: 1.12 },
    better: 1.25,
  },
  int8: {
    title: "int8 to onnxruntime's float32",
    headscope: "int8",
    ort: "ort",
    must: { mean: 4.5 },
    better: 5,
    longest: 128,
  },
  int8_int8: {
    title: "int8 to onnxruntime's int8",
    headscope: "int8",
    ort: "ort-int8",
    must: { mean: 2.7 },
    better: 3,
    longest: 128,
  },
};

/** @typedef {keyof typeof pairs} PairName */

/** The order of turns: the two of every pair are neighbours in one of the chains. */
export const chains = [
  ["f32", "ort", "simd"],
  ["maps", "ort-maps"],
  ["ort", "int8", "ort-int8"],
];

/**
 * The verdict on a figure that should be small.
 *
 * @param {number} figure
 * @param {{ must: number, better: number }} limits
 */
export function judgeLeast(figure, { must, better }) {
  if (figure <= better) return "better";
  return figure <= must ? "reached" : "SHORT";
}
