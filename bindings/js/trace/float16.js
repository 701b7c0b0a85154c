/**
 * Widens IEEE 754 binary16 to float32. Exact, subnormals, infinities and NaN included.
 *
 * @param {Uint16Array} halves
 * @returns {Float32Array}
 */
export function widenFloat16(halves) {
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; ++i) bits[i] = widenHalf(/** @type {number} */ (halves[i]));
  return new Float32Array(bits.buffer);
}

/**
 * Widens bfloat16 to float32: its bits are the upper half of a float32's.
 *
 * @param {Uint16Array} halves
 * @returns {Float32Array}
 */
export function widenBfloat16(halves) {
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; ++i) bits[i] = /** @type {number} */ (halves[i]) << 16;
  return new Float32Array(bits.buffer);
}

/**
 * Rounds float32 to IEEE 754 binary16: to nearest, ties to even. What is too large becomes an
 * infinity.
 *
 * @param {Float32Array} values
 * @returns {Uint16Array}
 */
export function roundFloat16(values) {
  const bits = new Uint32Array(values.slice().buffer);
  const halves = new Uint16Array(bits.length);
  for (let i = 0; i < bits.length; ++i) halves[i] = roundToHalf(/** @type {number} */ (bits[i]));
  return halves;
}

/** The largest finite value of binary16. */
export const largestFloat16 = 65504;

/**
 * @param {number} half 16 bits: sign 1, exponent 5 (bias 15), fraction 10
 * @returns {number} 32 bits: sign 1, exponent 8 (bias 127), fraction 23
 */
function widenHalf(half) {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  // A subnormal is fraction * 2^-24. As a float32 it is normal: shift its leading 1 to bit 10.
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13);
}

/**
 * @param {number} bits of a float32
 * @returns {number} bits of the nearest binary16
 */
function roundToHalf(bits) {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  // A quiet NaN keeps the top of its payload, so that it cannot turn into an infinity.
  if (magnitude > 0x7f800000) return sign | 0x7e00 | ((magnitude >> 13) & 0x1ff);
  const exponent = (magnitude >> 23) - 112;
  if (exponent >= 0x1f) return sign | 0x7c00;
  if (exponent > 0) return sign | roundShift(magnitude - (112 << 23), 13);
  if (exponent < -10) return sign;
  return sign | roundShift((magnitude & 0x7fffff) | 0x800000, 14 - exponent);
}

/**
 * Shifts right and rounds to nearest, ties to even. A carry may run into the exponent: that is
 * the next larger number, up to infinity.
 *
 * @param {number} bits
 * @param {number} shift
 * @returns {number}
 */
function roundShift(bits, shift) {
  const half = 1 << (shift - 1);
  const odd = (bits >> shift) & 1;
  return (bits + half - 1 + odd) >> shift;
}
