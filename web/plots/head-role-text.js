/** @typedef {import("../../bindings/js/trace/head-roles.js").HeadRole} HeadRole */
/** @typedef {import("../../bindings/js/trace/head-roles.js").RoleLabel} RoleLabel */

/** @type {Record<RoleLabel, string>} */
const captions = {
  previous: "prev.",
  next: "next",
  self: "itself",
  first: "first",
  separator: "special",
  last: "last",
  punctuation: "punct.",
  broad: "broad",
  mixed: "mixed",
};

/** @type {Record<RoleLabel, string>} */
const titles = {
  previous: "looks at the previous token:",
  next: "looks at the next token:",
  self: "looks at the token itself:",
  first: "looks at the first token:",
  separator: "looks at special tokens:",
  last: "looks at the last token:",
  punctuation: "looks at punctuation:",
  broad: "looks everywhere: its strongest weight averages",
  mixed: "keeps to no fixed place: its strongest weight averages",
};

/**
 * A few words for under a small picture.
 *
 * @param {HeadRole} role
 * @param {(share: number) => string} percent
 * @returns {string}
 */
export function roleCaption(role, percent) {
  const { label } = role;
  return label === "broad" || label === "mixed"
    ? captions[label]
    : `${captions[label]} ${percent(shareOf(role))}`;
}

/**
 * The sentence over a head's plots, with its number.
 *
 * @param {HeadRole} role
 * @param {(share: number) => string} percent
 * @returns {string}
 */
export function roleTitle(role, percent) {
  return `${titles[role.label]} ${percent(shareOf(role))}`;
}

/**
 * @param {HeadRole} role
 * @returns {number} the mass at the place that names the head; the mean largest weight where none
 *   does
 */
function shareOf(role) {
  const { label } = role;
  return label === "broad" || label === "mixed" ? role.confidence : (role[label] ?? 0);
}
