const breaks = new Set(["\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"]);

/**
 * What draws nothing of its own and may change how the text around it is drawn: controls, half of
 * a surrogate pair, overrides of the direction, marks that join or part words. Joiners of letters
 * and emoji are not among them.
 */
const unseen =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const onlyIgnorable = /^\p{Default_Ignorable_Code_Point}+$/u;

/** No script sets more marks than this on one letter; a hundred of them run over the lines around. */
const piledMarks = /(\p{M}{6})\p{M}+/gu;

/**
 * A text in which everything can be seen and nothing reaches beyond it, so that it may stand beside
 * others: a line break becomes "↵", a tab "⇥", what else is unseen its code point, "[U+202E]"; a mark
 * without a letter gets a dotted circle to sit on.
 *
 * @param {string} text
 * @returns {string}
 */
export function visibleText(text) {
  if (onlyIgnorable.test(text)) return Array.from(text, codePointText).join("");
  const seen = text.replace(unseen, markOf).replace(piledMarks, "$1…");
  return /^\p{M}/u.test(seen) ? `\u25cc${seen}` : seen;
}

/**
 * @param {string} character
 * @returns {string}
 */
function markOf(character) {
  if (character === "\t") return "⇥";
  return breaks.has(character) ? "↵" : codePointText(character);
}

/**
 * @param {string} character
 * @returns {string} as Unicode writes it
 */
function codePointText(character) {
  const code = character.codePointAt(0) ?? 0;
  return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}
