import { HeadscopeError } from "./error.js";
import { kind, listOf, readOptions, recordOf } from "./kinds.js";
import { aTrace } from "./trace.js";

/**
 * @typedef {import("./matrix.js").Matrix} Matrix
 * @typedef {import("./token.js").Token} Token
 * @typedef {import("./trace.js").Trace} Trace
 */

/**
 * What one head looks at: means over all query tokens of all traces. A mass is a sum of attention
 * weights, between 0 and 1.
 *
 * @typedef {object} HeadRole
 * @property {number} layer
 * @property {number} head
 * @property {number} previous mass on the token before; first tokens are left out
 * @property {number} next mass on the token behind; last tokens are left out
 * @property {number} self mass on the token itself
 * @property {number} first mass on the first token
 * @property {number} last mass on the last token
 * @property {number | null} separator mass on special tokens behind the first place, such as
 *   [SEP]; null where no trace has one
 * @property {number} punctuation mass on tokens of punctuation and symbols alone (Unicode
 *   categories P and S)
 * @property {number} entropy_nats -sum a ln a: 0 for one key alone, ln T for all alike
 * @property {number} distance sum of a |key - query|, in tokens
 * @property {number} confidence the largest weight of a row (Voita et al. 2019)
 * @property {{ offset: number, share: number }} max_offset the commonest key - query of a row's
 *   largest weight, and the share of rows that have it
 * @property {RoleLabel} label
 */

/**
 * @typedef {"previous" | "next" | "self" | "first" | "separator" | "last" | "punctuation" | "broad"
 *   | "mixed"} RoleLabel
 */

/** @typedef {{ share: number, broad: number }} RoleThresholds */

/**
 * When a head has a role: `share` is the mass at one place that gives it that place's name,
 * `broad` the entropy, as a part of the mean ln T, above which it is "broad".
 *
 * @type {Readonly<RoleThresholds>}
 */
export const roleThresholds = Object.freeze({ share: 0.4, broad: 0.85 });

const aPart = kind(
  "a number from 0 to 1",
  (value) => typeof value === "number" && value >= 0 && value <= 1,
);
const roleKinds = { thresholds: recordOf({ share: aPart, broad: aPart }) };

/** The places that name a role. Of two with the same mass the one that comes first here counts. */
const places = /** @type {const} */ ([
  "previous",
  "next",
  "self",
  "first",
  "separator",
  "last",
  "punctuation",
]);

/**
 * Measures what each head looks at, and names it where a threshold is met: by the place that has
 * most of its attention, if that is `share` or more; else "broad", if its entropy is over `broad`
 * of the largest possible; else "mixed". After Clark et al. 2019 (sections 3.1 and 3.2: offsets,
 * separators, entropy) and Voita et al. 2019 (section 4: confidence, positional heads).
 *
 * @example
 * const trace = Trace.from({
 *   tokens: ["a", "b", "c"],
 *   attention: [[[[0.5, 0.25, 0.25], [0.75, 0.25, 0], [0, 1, 0]]]],
 * });
 * const [role] = headRoles([trace]);
 * role.previous; // -> 0.875
 * role.label; // -> "previous"
 *
 * @param {Trace[]} traces with attention of the same layers and heads
 * @param {{ thresholds?: Partial<RoleThresholds> }} [options] `roleThresholds` by default
 * @returns {HeadRole[]} ordered by layer, then head
 * @throws {HeadscopeError} `bad-argument`; `bad-shape`: traces of different models; `not-found`:
 *   attention was not captured
 */
export function headRoles(traces, options) {
  listOf(aTrace)(traces, "headRoles: traces");
  const { thresholds: given } = readOptions(options, "headRoles", roleKinds);
  const thresholds = { ...roleThresholds, ...given };
  const [first] = /** @type {Trace[]} */ (traces);
  if (first === undefined) return [];
  const listed = listHeads(first);
  for (const trace of traces) {
    if (listHeads(trace).join() === listed.join()) continue;
    const message = "headRoles: the traces have attention of different layers or heads";
    throw new HeadscopeError("bad-shape", message);
  }
  return listed.map(([layer, head]) => {
    const sums = new RoleSums();
    for (const trace of traces) sums.add(trace.attention(layer, head), trace.tokens);
    return sums.finish(layer, head, thresholds);
  });
}

/**
 * @param {Trace} trace
 * @returns {[layer: number, head: number][]}
 */
function listHeads(trace) {
  /** @type {[number, number][]} */
  const heads = [];
  for (const layer of trace.layers("attention")) {
    for (const head of trace.heads("attention", layer)) heads.push([layer, head]);
  }
  return heads;
}

/** The sums of one head, over traces. */
class RoleSums {
  #queries = 0;
  /** Queries that have a token before them; as many have one behind them. */
  #followers = 0;
  #previous = 0;
  #next = 0;
  #self = 0;
  #first = 0;
  #last = 0;
  #separator = 0;
  #hasSeparator = false;
  #punctuation = 0;
  #entropy = 0;
  /** What the entropy would be if all keys were alike. */
  #largestEntropy = 0;
  #distance = 0;
  #confidence = 0;
  /** @type {Map<number, number>} rows by the offset of their largest weight */
  #offsets = new Map();

  /**
   * @param {Matrix} attention [T, T]
   * @param {Token[]} tokens
   */
  add(attention, tokens) {
    const size = tokens.length;
    const separators = tokens.map(({ special }, key) => special && key > 0);
    const punctuation = tokens.map(isPunctuation);
    this.#hasSeparator ||= separators.includes(true);
    this.#queries += size;
    this.#followers += Math.max(0, size - 1);
    this.#largestEntropy += size * Math.log(Math.max(1, size));
    for (let query = 0; query < size; ++query) {
      const row = attention.row(query);
      this.#previous += row[query - 1] ?? 0;
      this.#self += row[query] ?? 0;
      this.#next += row[query + 1] ?? 0;
      this.#first += row[0] ?? 0;
      this.#last += row[size - 1] ?? 0;
      this.#addRow(row, query, separators, punctuation);
    }
  }

  /**
   * @param {Float32Array} row
   * @param {number} query
   * @param {boolean[]} separators by key
   * @param {boolean[]} punctuation by key
   */
  #addRow(row, query, separators, punctuation) {
    let strongest = 0;
    row.forEach((weight, key) => {
      if (separators[key]) this.#separator += weight;
      if (punctuation[key]) this.#punctuation += weight;
      if (weight > 0) this.#entropy -= weight * Math.log(weight);
      this.#distance += weight * Math.abs(key - query);
      if (weight > (row[strongest] ?? 0)) strongest = key;
    });
    this.#confidence += row[strongest] ?? 0;
    const offset = strongest - query;
    this.#offsets.set(offset, (this.#offsets.get(offset) ?? 0) + 1);
  }

  /**
   * @param {number} layer
   * @param {number} head
   * @param {RoleThresholds} thresholds
   * @returns {HeadRole}
   */
  finish(layer, head, thresholds) {
    // Without a query all sums are 0, and so are the means.
    const queries = Math.max(1, this.#queries);
    const followers = Math.max(1, this.#followers);
    const role = {
      layer,
      head,
      previous: this.#previous / followers,
      next: this.#next / followers,
      self: this.#self / queries,
      first: this.#first / queries,
      last: this.#last / queries,
      separator: this.#hasSeparator ? this.#separator / queries : null,
      punctuation: this.#punctuation / queries,
      entropy_nats: this.#entropy / queries,
      distance: this.#distance / queries,
      confidence: this.#confidence / queries,
      max_offset: this.#findCommonestOffset(),
    };
    const spread = this.#largestEntropy > 0 ? this.#entropy / this.#largestEntropy : 0;
    return { ...role, label: labelRole(role, spread, thresholds) };
  }

  /** @returns {{ offset: number, share: number }} of two as common, the one met first */
  #findCommonestOffset() {
    let commonest = 0;
    for (const [offset, count] of this.#offsets) {
      if (count > (this.#offsets.get(commonest) ?? 0)) commonest = offset;
    }
    const count = this.#offsets.get(commonest) ?? 0;
    return { offset: commonest, share: count / Math.max(1, this.#queries) };
  }
}

/**
 * @param {Omit<HeadRole, "label">} role
 * @param {number} spread entropy as a part of the largest possible
 * @param {RoleThresholds} thresholds
 * @returns {RoleLabel}
 */
function labelRole(role, spread, { share, broad }) {
  /** @type {typeof places[number]} */
  let strongest = places[0];
  for (const place of places) {
    if ((role[place] ?? 0) > (role[strongest] ?? 0)) strongest = place;
  }
  if ((role[strongest] ?? 0) >= share) return strongest;
  return spread > broad ? "broad" : "mixed";
}

/**
 * @param {Token} token
 * @returns {boolean} whether it is of punctuation and symbols alone
 */
function isPunctuation({ text, piece, special }) {
  // A mark of the vocabulary is a symbol too, but spells a space.
  const spelled = text.trim() === "" ? piece.replace(/^[\u2581\u0120]+/, "") : text.trim();
  return !special && /^[\p{P}\p{S}]+$/u.test(spelled);
}
