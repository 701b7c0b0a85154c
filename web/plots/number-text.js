const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * A weight as it stands in a cell: two decimals, and what would round to 0.00 as "<0.01".
 *
 * @param {number} weight from 0 to 1
 * @returns {string}
 */
export function weightText(weight) {
  if (weight === 0) return "0";
  return weight < 0.005 ? "<0.01" : weight.toFixed(2);
}

/**
 * A share as a whole percentage; what would round to 0 as "<1%".
 *
 * @param {number} share from 0 to 1
 * @returns {string}
 */
export function percentText(share) {
  if (share === 0) return "0%";
  return share < 0.005 ? "<1%" : `${Math.round(share * 100)}%`;
}

/**
 * A value with a fixed number of decimals and a true minus sign; never "-0.0000".
 *
 * @param {number} value
 * @param {number} decimals
 * @returns {string}
 */
export function decimalText(value, decimals) {
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? `\u2212${text}` : text;
}

/**
 * How many decimals a column of values between -1 and 1 needs: four, or as many more as it takes
 * to see how far the nearest one is from 1.
 *
 * @param {ArrayLike<number>} values
 * @returns {number} 4 to 7, which is what a float32 near 1 carries
 */
export function decimalsToTellFromOne(values) {
  const gaps = Array.from(values, (value) => 1 - Math.abs(value)).filter((gap) => gap > 1e-7);
  const needed = Math.ceil(-Math.log10(Math.min(...gaps, 1)));
  return Math.min(7, Math.max(4, needed));
}

/**
 * A length in positions: three digits that say something, thousands grouped.
 *
 * @param {number} length
 * @returns {string}
 */
export function lengthText(length) {
  return length < 100 ? length.toPrecision(3) : grouped.format(length);
}

/**
 * Bytes in the unit a reader thinks in.
 *
 * @param {number} bytes
 * @returns {string}
 */
export function bytesText(bytes) {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
