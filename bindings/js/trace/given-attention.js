import { describeValue, HeadscopeError } from "./error.js";
import { anArray, anything, aRecord, aString, recordOf } from "./kinds.js";
import { readVector } from "./matrix.js";
import { readTiming } from "./timing.js";
import { readTokens } from "./token.js";

/**
 * Attention weights from elsewhere.
 *
 * @typedef {object} GivenAttention
 * @property {(string | import("./token.js").Token)[]} tokens T of them; strings are pieces of a
 *   vocabulary or words
 * @property {Float32Array | number[] | number[][][][]} attention [L, H, T, T], nested or flat;
 *   rows are queries
 * @property {number} [n_layers] needed where attention is flat
 * @property {number} [n_heads] needed where attention is flat
 * @property {string} [text] what the tokens' spans index; spelled from them by default
 * @property {string} [pair]
 * @property {Record<string, unknown>} [config]
 * @property {Float32Array | number[]} [pooled]
 * @property {import("./timing.js").Timing} [timing]
 */

// What is not checked here is where it is read.
const checkGiven = recordOf(
  {
    tokens: anArray,
    attention: anything,
    n_layers: anything,
    n_heads: anything,
    text: aString,
    pair: aString,
    config: aRecord,
    pooled: anything,
    timing: anything,
  },
  { required: ["tokens", "attention"] },
);

/**
 * @param {GivenAttention} given
 * @returns {import("./trace.js").TraceFields}
 * @throws {HeadscopeError} `bad-argument` or `bad-shape`
 */
export function readGivenAttention(given) {
  checkGiven(given, "Trace.from");
  const { pair, config = {}, pooled = [], timing } = given;
  const { text, tokens } = readTokens(given.tokens, given.text, "Trace.from: tokens");
  const { n_layers, n_heads, data } = readWeights(given, tokens.length);
  const entries = Array.from({ length: n_layers * n_heads }, (_, i) => ({
    name: "attention",
    layer: Math.floor(i / n_heads),
    head: i % n_heads,
    rows: tokens.length,
    cols: tokens.length,
    offset: i * tokens.length ** 2,
  }));
  return {
    text,
    ...(pair === undefined ? {} : { pair }),
    tokens,
    config: { ...config, n_layers, n_heads },
    pooled: readVector(pooled, "Trace.from: pooled"),
    timing: readTiming(timing, "Trace.from: timing"),
    data,
    entries,
  };
}

/**
 * @param {GivenAttention} given
 * @param {number} n_tokens
 * @returns {{ n_layers: number, n_heads: number, data: Float32Array }} flat: [L, H, T, T]
 */
function readWeights({ attention, n_layers, n_heads }, n_tokens) {
  const isNested = Array.isArray(attention) && attention.some(Array.isArray);
  const layers = readCount("n_layers", n_layers, isNested ? attention.length : undefined);
  const first = isNested ? /** @type {unknown[][]} */ (attention)[0] : undefined;
  const heads = readCount("n_heads", n_heads, first?.length);
  const shape = [layers, heads, n_tokens, n_tokens];
  const data = isNested
    ? Float32Array.from(flatten(attention, shape, "attention"))
    : readVector(attention, "Trace.from: attention");
  const size = layers * heads * n_tokens ** 2;
  if (data.length !== size) {
    throw new HeadscopeError(
      "bad-shape",
      `Trace.from: attention has ${data.length} values, expected [${shape}] = ${size}`,
    );
  }
  return { n_layers: layers, n_heads: heads, data };
}

/**
 * @param {string} what
 * @param {unknown} given
 * @param {number | undefined} counted in nested attention
 * @returns {number}
 */
function readCount(what, given, counted) {
  const count = given ?? counted;
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 1) {
    throw wrongArgument(`${what} is ${describeValue(count)}, expected a whole number from 1`);
  }
  if (counted === undefined || counted === count) return count;
  const message = `Trace.from: attention has ${counted} for ${what}, expected ${count}`;
  throw new HeadscopeError("bad-shape", message);
}

/**
 * @param {unknown} value
 * @param {number[]} shape expected
 * @param {string} what
 * @returns {number[]}
 */
function flatten(value, shape, what) {
  const [length = 0, ...inner] = shape;
  if (!Array.isArray(value) && !(inner.length === 0 && value instanceof Float32Array)) {
    throw wrongArgument(`${what} is ${describeValue(value)}, expected ${length} entries`);
  }
  if (value.length !== length) {
    throw new HeadscopeError(
      "bad-shape",
      `Trace.from: ${what} has ${value.length} entries, expected ${length}`,
    );
  }
  if (inner.length === 0) return [...readVector(value, `Trace.from: ${what}`)];
  return Array.from(value, (entry, i) => flatten(entry, inner, `${what}[${i}]`)).flat();
}

/**
 * @param {string} fault
 * @returns {HeadscopeError}
 */
function wrongArgument(fault) {
  return new HeadscopeError("bad-argument", `Trace.from: ${fault}`);
}
