import { html } from "./node.js";
import { decimalText } from "./number-text.js";
import { textWidth } from "./text-width.js";

/**
 * @typedef {object} NumberTable
 * @property {string} corner what the names of the columns are
 * @property {string[]} columns names of the columns
 * @property {{ label: string, values: ArrayLike<number>, chosen?: boolean }[]} rows
 */

/**
 * @typedef {object} TableOptions
 * @property {number[]} decimals of each column
 * @property {number | null} [chosen] the column that is looked at
 * @property {string} caption for those who hear the table
 * @property {boolean} [total] whether the last row is set apart as the sum of the others
 */

/**
 * Numbers with the decimals that they need, aligned at the point.
 *
 * @param {NumberTable} table
 * @param {TableOptions} options
 * @returns {HTMLTableElement}
 */
export function numberTable({ corner, columns, rows }, { decimals, chosen, caption, total }) {
  const mark = (/** @type {number} */ c) => (c === chosen ? "chosen" : null);
  return html(
    "table",
    { class: total ? "plot numbers with-total" : "plot numbers" },
    html("caption", { class: "heard" }, caption),
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        html("th", { scope: "col" }, corner),
        ...columns.map((name, c) => html("th", { scope: "col", class: mark(c) }, name)),
      ),
    ),
    html(
      "tbody",
      {},
      ...rows.map((row) =>
        html(
          "tr",
          { class: row.chosen ? "chosen" : null },
          html("th", { scope: "row", dir: "auto" }, row.label),
          ...Array.from(row.values, (value, c) =>
            html("td", { class: mark(c) }, decimalText(value, decimals[c] ?? 4)),
          ),
        ),
      ),
    ),
  );
}

const padding = 20;

/**
 * Weights with four decimals, the sum of each row in its last column. Turned, with the rows as
 * columns, where the columns do not fit beside each other.
 *
 * @param {NumberTable} table
 * @param {{ room: number, chosen?: number | null, caption: string }} options room: in px
 * @returns {HTMLTableElement}
 */
export function weightTable(table, { room, chosen, caption }) {
  const { corner, columns, rows } = table;
  const names = [corner, ...columns];
  const least = textWidth("0.0000", 14, 600);
  const width = names.reduce((sum, name) => {
    return sum + padding + Math.max(least, textWidth(name, 14, 600));
  }, 0);
  const decimals = names.map(() => 4);
  if (width <= room) return numberTable(table, { decimals, chosen, caption });
  const turned = {
    corner,
    columns: rows.map(({ label }) => label),
    rows: columns.map((label, c) => ({
      label,
      values: rows.map(({ values }) => /** @type {number} */ (values[c])),
      chosen: c === chosen,
    })),
  };
  const row = rows.findIndex((each) => each.chosen);
  return numberTable(turned, { decimals, chosen: row, caption, total: true });
}
