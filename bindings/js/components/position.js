import { HeadscopeError } from "../trace/error.js";
import { isRecord, oneOf, refuse } from "../trace/kinds.js";
import { optional, readRecord } from "./argument.js";
import {
  bucketedDistance,
  bucketTable,
  clipCount,
  columnPairs,
  count,
  integer,
  matrix,
  positive,
  word,
} from "./argument-kinds.js";

/** @typedef {import("../config.js").PositionOptions} PositionOptions */
/** @typedef {import("../trace/matrix.js").MatrixLike} MatrixLike */
/** @typedef {import("./argument.js").Argument} Argument */
/** @typedef {import("./letters.js").Letters} Letters */

/**
 * A position for the attention of a component, with the tables that an encoder has as parameters:
 * of T5 [buckets, H]; of Shaw et al. [2 clip + 1, K] for keys and [2 clip + 1, V] for values, the
 * same for all heads. Under the mask "causal" T5 has all its buckets for keys behind the query. A
 * kind without settings may be given by its name.
 *
 * @typedef {Exclude<PositionOptions, { kind: "learned" | "t5" | "shaw" }>
 *   | { kind: "t5", table: MatrixLike, buckets?: number, max_distance?: number }
 *   | { kind: "shaw", relative_key?: MatrixLike, relative_value?: MatrixLike, clip?: number }
 *   | "none" | "sinusoidal" | "rotary" | "alibi"} PositionLike
 */

/** Where a rotation may start: angles stay exact to 1e-9. */
const largestOffset = 10000000;

/** The settings of each kind. A learned table is added to x before the call. */
const kinds = /** @type {Record<string, Record<string, Argument>>} */ ({
  none: {},
  sinusoidal: {
    base: optional(positive, 10000),
    layout: optional(word("interleaved", "concatenated"), "interleaved"),
  },
  rotary: {
    base: optional(positive, 10000),
    layout: optional(word("interleaved", "half"), "interleaved"),
    dims: optional(columnPairs("K")),
    offset: optional(integer(largestOffset), 0),
  },
  alibi: {},
  t5: {
    buckets: optional(count({ letter: "B" })),
    table: bucketTable(),
    max_distance: optional(bucketedDistance(), 128),
  },
  shaw: {
    clip: optional(clipCount()),
    relative_key: optional(matrix("2 clip + 1", "K")),
    relative_value: optional(matrix("2 clip + 1", "V")),
  },
});

const checkKind = oneOf(Object.keys(kinds));

/** Positions of H heads of width K. @type {Argument} */
export const position = { form: "an object with a kind", read: readPosition };

/**
 * @param {unknown} value
 * @param {string} what
 * @param {Letters} letters with H, K and V
 * @returns {Record<string, unknown>}
 */
function readPosition(value, what, letters) {
  if (typeof value === "string") return readPosition({ kind: value }, what, letters);
  if (!isRecord(value)) return refuse(what, value, "an object with a kind");
  const { kind, ...settings } = value;
  checkKind(kind, `${what}.kind`);
  const takes = /** @type {Record<string, Argument>} */ (kinds[String(kind)]);
  const flat = readRecord(settings, what, `${what}.`, { takes, letters });
  return { kind, ...flat, ...impliedSettings(String(kind), what, letters) };
}

/**
 * What the rows of the tables say, which the core wants to be told.
 *
 * @param {string} kind
 * @param {string} what
 * @param {Letters} letters
 * @returns {{ buckets?: number, clip?: number }}
 */
function impliedSettings(kind, what, letters) {
  if (kind === "t5") return { buckets: Number(letters.sizeOf("B")) };
  if (kind !== "shaw") return {};
  const rows = letters.sizeOf("2 clip + 1");
  if (rows === undefined) {
    throw new HeadscopeError("bad-argument", `${what}.relative_key and relative_value are missing`);
  }
  if (rows % 2 === 1) return { clip: (rows - 1) / 2 };
  throw new HeadscopeError(
    "bad-shape",
    `${what}: its tables have ${rows} rows, expected 2 clip + 1`,
  );
}
