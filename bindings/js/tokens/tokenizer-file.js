import { HeadscopeError } from "../trace/error.js";
import { aString, aWholeNumber, isRecord, kind, listOf, refuse } from "../trace/kinds.js";
import { mayExplode } from "./pattern-time.js";

// The library takes a tokenizer.json as it is: what is wrong in it would show as any error at all, at
// any time, or not at all, or hold the page. So what the library relies on is checked here. Steps and
// models that it does not know it refuses itself; keys that it does not read may say anything.

/** @typedef {import("../trace/kinds.js").Kind} Kind */

/** Ids that the core has room for. */
const mostIds = 10_000_000;

/** Steps inside steps. */
const deepest = 8;

/** Letters of a pattern, or of what is written in the place of one letter. */
const longest = 10_000;

const anId = kind(`a whole number below ${mostIds}`, isId);
const aLength = kind(
  "a whole number from 1",
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);
/** Splitting a word takes a time that grows with its length to the third. */
const aWordLength = kind(
  "a number up to 1000",
  (value) => Number.isFinite(value) && Number(value) <= 1000,
);
const aShortString = kind(
  `a string of at most ${longest} letters`,
  (value) => isString(value) && value.length <= longest,
);
const aStringOrNull = kind("a string or null", (value) => value === null || isString(value));
const aScoredPiece = kind("a piece and its score", (value) => {
  return Array.isArray(value) && isString(value[0]) && Number.isFinite(value[1]);
});
const aSpecialToken = kind("a token and its id", (value) => {
  return Array.isArray(value) && isString(value[0]);
});
const aMerge = kind("two pieces", (value) => {
  if (Array.isArray(value)) return value.length === 2 && value.every(isString);
  return isString(value);
});

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isId(value) {
  return Number.isInteger(value) && 0 <= Number(value) && Number(value) < mostIds;
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isString(value) {
  return typeof value === "string";
}

/**
 * A record that has these keys, among others perhaps.
 *
 * @param {Record<string, Kind>} required
 * @param {Record<string, Kind>} [optional]
 * @returns {Kind}
 */
function having(required, optional = {}) {
  return (value, what) => {
    if (!isRecord(value)) refuse(what, value, "an object");
    for (const [key, check] of Object.entries(required)) check(own(value, key), `${what}.${key}`);
    for (const [key, check] of Object.entries(optional)) {
      const given = own(value, key);
      if (given !== undefined && given !== null) check(given, `${what}.${key}`);
    }
  };
}

/**
 * @param {Record<string, unknown>} record
 * @param {string} key
 * @returns {unknown} what the file says, not what all objects have
 */
function own(record, key) {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** @type {Kind} */
function aPattern(value, what) {
  if (!isRecord(value)) refuse(what, value, "an object");
  const regex = own(value, "Regex");
  if (regex === undefined) return aShortString(own(value, "String"), `${what}.String`);
  aShortString(regex, `${what}.Regex`);
  if (!mayExplode(/** @type {string} */ (regex))) return;
  throw new HeadscopeError(
    "unsupported-model",
    `${what}.Regex is ${JSON.stringify(regex)}, which can match one text in too many ways`,
  );
}

/**
 * A step, or one that is made of others.
 *
 * @param {Record<string, Kind>} kinds by type
 * @param {string} inner the key of the steps of a sequence
 * @returns {Kind}
 */
function stepOf(kinds, inner) {
  /** @type {(value: unknown, what: string, depth: number) => void} */
  const check = (value, what, depth) => {
    if (value === null) return;
    if (!isRecord(value)) refuse(what, value, "an object with a type, or null");
    const type = own(value, "type");
    if (type !== "Sequence") {
      if (isString(type) && Object.hasOwn(kinds, type)) kinds[type]?.(value, what);
      return;
    }
    if (depth === deepest) throw new HeadscopeError("bad-argument", `${what} nests too deep`);
    const steps = own(value, inner);
    if (!Array.isArray(steps)) return refuse(`${what}.${inner}`, steps, "an array");
    steps.forEach((step, i) => {
      if (step === null) refuse(`${what}.${inner}[${i}]`, step, "an object with a type");
      check(step, `${what}.${inner}[${i}]`, depth + 1);
    });
  };
  return (value, what) => check(value, what, 0);
}

const replacing = having({ pattern: aPattern }, { content: aShortString });

const aNormalizer = stepOf(
  { Replace: replacing, Prepend: having({ prepend: aShortString }) },
  "normalizers",
);

const aPreTokenizer = stepOf(
  {
    Replace: replacing,
    Split: having({ pattern: aPattern }, { behavior: aString }),
    Metaspace: having(
      {},
      { replacement: aShortString, str_rep: aShortString, prepend_scheme: aString },
    ),
    FixedLength: having({ length: aLength }),
  },
  "pretokenizers",
);

/**
 * What a template puts together: each text once at most, or their tokens would be there twice.
 *
 * @param {string[]} texts
 * @returns {Kind}
 */
function aTemplate(texts) {
  return (value, what) => {
    listOf(kind("an object", isRecord))(value, what);
    const left = new Set(texts);
    /** @type {Record<string, unknown>[]} */ (value).forEach((item, i) => {
      const where = `${what}[${i}]`;
      if (Object.hasOwn(item, "SpecialToken")) {
        having({ id: aString, type_id: aWholeNumber })(item.SpecialToken, `${where}.SpecialToken`);
        return;
      }
      const { Sequence: sequence } = item;
      having({ id: aString, type_id: aWholeNumber })(sequence, `${where}.Sequence`);
      const { id } = /** @type {{ id: string }} */ (sequence);
      if (!left.delete(id)) refuse(`${where}.Sequence.id`, id, `each of ${texts} once`);
    });
  };
}

const bracketing = having({ sep: aSpecialToken, cls: aSpecialToken });

const aPostProcessor = stepOf(
  {
    TemplateProcessing: having({ single: aTemplate(["A"]), pair: aTemplate(["A", "B"]) }),
    BertProcessing: bracketing,
    RobertaProcessing: bracketing,
  },
  "processors",
);

/** @type {Kind} */
function aVocabulary(value, what) {
  if (!isRecord(value)) refuse(what, value, "an object of pieces and ids");
  for (const [piece, id] of Object.entries(value)) {
    // Names are for messages: vocabularies are long.
    if (!isId(id)) anId(id, `${what}[${JSON.stringify(piece)}]`);
  }
}

const suffixes = {
  unk_token: aStringOrNull,
  continuing_subword_prefix: aString,
  continuing_subword_suffix: aString,
  end_of_word_suffix: aString,
};
const unigram = having({ vocab: listOf(aScoredPiece) }, { unk_id: anId });
const wordPiece = having(
  { vocab: aVocabulary },
  { ...suffixes, max_input_chars_per_word: aWordLength },
);
const bpe = having({ vocab: aVocabulary, merges: listOf(aMerge) }, suffixes);
const models = { Unigram: unigram, WordPiece: wordPiece, BPE: bpe };

/** @type {Kind} */
function aModel(value, what) {
  if (!isRecord(value)) refuse(what, value, "an object");
  const type = own(value, "type");
  const vocab = own(value, "vocab");
  if (isString(type) && Object.hasOwn(models, type)) {
    models[/** @type {keyof typeof models} */ (type)](value, what);
  } else if (vocab !== undefined) {
    // Old files name no type; the library tells it by the keys.
    if (Array.isArray(vocab)) unigram(value, what);
    else if (Object.hasOwn(value, "merges")) bpe(value, what);
    else wordPiece(value, what);
  }
  const unknown = own(value, "unk_id");
  const count = Array.isArray(vocab) ? vocab.length : mostIds;
  if (Number(unknown) >= count) refuse(`${what}.unk_id`, unknown, `less than ${count}`);
}

const anAddedToken = having({ id: anId, content: aString });

const aTokenizerFile = having(
  { model: aModel },
  {
    added_tokens: listOf(anAddedToken),
    normalizer: aNormalizer,
    pre_tokenizer: aPreTokenizer,
    post_processor: aPostProcessor,
  },
);

/**
 * Checks everything in a tokenizer.json that the library relies on.
 *
 * @param {unknown} json the parsed file
 * @throws {HeadscopeError} `bad-checkpoint`; `unsupported-model`: a pattern that may take for ever
 */
export function checkTokenizerFile(json) {
  try {
    aTokenizerFile(json, "tokenizer.json");
  } catch (error) {
    if (error instanceof HeadscopeError && error.code === "unsupported-model") throw error;
    const { message } = /** @type {Error} */ (error);
    throw new HeadscopeError("bad-checkpoint", message, { cause: error });
  }
}
