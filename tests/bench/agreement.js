// Whether both sides compute the same. Runs in a page and in Node.

/** @typedef {import("./contenders.js").Output} Output */

/**
 * Largest absolute differences from onnxruntime's float32 hidden states and maps; for int8 the
 * lowest cosine of a token's hidden state, as rounding weights moves single numbers far.
 *
 * @typedef {Record<string, number>} Agreement
 */

/**
 * Hidden states are about 1 in size and sums of up to 2048 products run through six layers: float32
 * leaves some 1e-5. Attention weights are at most 1.
 */
const mostApart = 2e-4;
const mapsApart = 2e-5;
/** Weights of 7 or 8 bits and activations of 8, six layers deep. */
const leastCosine = 0.99;

/**
 * @param {Map<string, Output>} outputs by contender
 * @param {{ length: number, layers: number }} size
 * @returns {Agreement}
 * @throws {Error} where they disagree
 */
export function compareOutputs(outputs, { length, layers }) {
  const output = (/** @type {string} */ name) => /** @type {Output} */ (outputs.get(name));
  const reference = output("ort").hidden;
  /** @type {Agreement} */
  const found = {};
  for (const name of ["ort-maps", "f32", "maps", "simd"]) {
    found[name] = largestDifference(output(name).hidden, reference);
    if (!(found[name] <= mostApart)) refuse(name, length, `is apart by ${found[name]}`);
  }
  const mapsOf = (/** @type {string} */ name) =>
    Array.from({ length: layers }, (_, layer) => output(name).maps?.(layer) ?? refuseMaps(name));
  const theirs = mapsOf("ort-maps");
  found.attention = Math.max(
    ...mapsOf("maps").map((map, layer) => largestDifference(map, theirs[layer])),
  );
  if (!(found.attention <= mapsApart)) {
    refuse("maps", length, `has attention weights that are apart by ${found.attention}`);
  }
  for (const name of ["int8", "ort-int8"]) {
    found[name] = lowestCosine(output(name).hidden, reference, reference.length / length);
    if (!(found[name] >= leastCosine)) refuse(name, length, `has a cosine of ${found[name]}`);
  }
  return found;
}

/**
 * @param {string} name
 * @param {number} length
 * @param {string} fault
 */
function refuse(name, length, fault) {
  throw new Error(`${length} tokens: "${name}" ${fault} from onnxruntime's float32`);
}

/** @param {string} name @returns {never} */
function refuseMaps(name) {
  throw new Error(`"${name}" gave no attention maps`);
}

/** @param {Float32Array} one @param {Float32Array} other */
function largestDifference(one, other) {
  if (one.length !== other.length || one.length === 0) return Number.POSITIVE_INFINITY;
  return one.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i])), 0);
}

/** @param {Float32Array} one @param {Float32Array} other @param {number} width of a row */
function lowestCosine(one, other, width) {
  let lowest = one.length === other.length ? 1 : 0;
  for (let first = 0; first < one.length; first += width) {
    let [product, square, otherSquare] = [0, 0, 0];
    for (let i = first; i < first + width; ++i) {
      product += one[i] * other[i];
      square += one[i] ** 2;
      otherSquare += other[i] ** 2;
    }
    lowest = Math.min(lowest, product / Math.sqrt(square * otherSquare));
  }
  return lowest;
}
