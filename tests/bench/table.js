// Tables in plain text.

/**
 * @param {string[]} head
 * @param {string[][]} rows of as many cells
 * @returns {string} columns of equal widths; the first one to the left, the others to the right
 */
export function drawTable(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i].length)));
  const draw = (/** @type {string[]} */ row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join("  ")
      .trimEnd();
  return [draw(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(draw)]
    .join("\n")
    .concat("\n");
}

/** Three digits. @param {number} value */
export function digits(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
