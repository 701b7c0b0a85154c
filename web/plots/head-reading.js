/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */

/**
 * Where one head looks, in one number: the mean weight at the place that gets the most of it.
 *
 * @typedef {object} HeadReading
 * @property {"previous" | "self" | "next" | "first" | "last" | "broad" | "mixed"} place
 * @property {number} share mean weight there over the query tokens that have such a place; the
 *   largest such share where no place stands out
 */

const standsOut = 0.4;
const broadFrom = 0.85;

/**
 * Reads a head's weights: the place (previous, self, next, first or last token) that takes at
 * least 0.4 of the weight; else "broad" where the mean entropy is over 0.85 of ln T, else "mixed".
 *
 * @param {Matrix} weights [T, T]
 * @returns {HeadReading}
 */
export function readHead(weights) {
  const count = weights.rows;
  /** @type {[HeadReading["place"], number][]} */
  const shares = [
    ["self", meanAt(weights, (query) => query)],
    ["previous", meanAt(weights, (query) => query - 1)],
    ["next", meanAt(weights, (query) => query + 1)],
    ["first", meanAt(weights, () => 0)],
    ["last", meanAt(weights, () => count - 1)],
  ];
  const [place, share] = shares.reduce((most, each) => (each[1] > most[1] ? each : most));
  if (share >= standsOut) return { place, share };
  const broad = count > 1 && meanEntropy(weights) > broadFrom * Math.log(count);
  return { place: broad ? "broad" : "mixed", share: meanLargest(weights) };
}

/**
 * @param {Matrix} weights
 * @param {(query: number) => number} keyOf
 * @returns {number} mean over the queries whose key exists; 0 where none does
 */
function meanAt(weights, keyOf) {
  let sum = 0;
  let count = 0;
  for (let query = 0; query < weights.rows; ++query) {
    const key = keyOf(query);
    if (key < 0 || key >= weights.cols) continue;
    sum += weights.at(query, key);
    ++count;
  }
  return count === 0 ? 0 : sum / count;
}

/**
 * @param {Matrix} weights
 * @returns {number} in nats
 */
function meanEntropy(weights) {
  let sum = 0;
  for (const weight of weights.data) if (weight > 0) sum -= weight * Math.log(weight);
  return weights.rows === 0 ? 0 : sum / weights.rows;
}

/**
 * @param {Matrix} weights
 * @returns {number} mean of the rows' maxima
 */
function meanLargest(weights) {
  let sum = 0;
  for (let query = 0; query < weights.rows; ++query) sum += Math.max(...weights.row(query));
  return weights.rows === 0 ? 0 : sum / weights.rows;
}

/** @type {Record<HeadReading["place"], string>} */
const captions = {
  previous: "prev.",
  self: "itself",
  next: "next",
  first: "first",
  last: "last",
  broad: "broad",
  mixed: "mixed",
};

/** @type {Record<HeadReading["place"], string>} */
const places = {
  previous: "looks at the previous token",
  self: "looks at the token itself",
  next: "looks at the next token",
  first: "looks at the first token",
  last: "looks at the last token",
  broad: "looks everywhere: its strongest weight averages",
  mixed: "keeps to no fixed place: its strongest weight averages",
};

/**
 * A few words for under a small picture.
 *
 * @param {HeadReading} reading
 * @param {(share: number) => string} percent
 * @returns {string}
 */
export function readingCaption({ place, share }, percent) {
  return place === "broad" || place === "mixed"
    ? captions[place]
    : `${captions[place]} ${percent(share)}`;
}

/**
 * The sentence over a head's plots, with its number.
 *
 * @param {HeadReading} reading
 * @param {(share: number) => string} percent
 * @returns {string}
 */
export function readingTitle({ place, share }, percent) {
  const fixed = place !== "broad" && place !== "mixed";
  return `${places[place]}${fixed ? ":" : ""} ${percent(share)}`;
}
