// tokenizer.json as a hostile file: broken, of wrong types, without end, or slow on purpose.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Encoder } from "headscope";
import { mayExplode } from "../../bindings/js/tokens/pattern-time.js";
import { createTokenizer } from "../../bindings/js/tokens/tokenizer.js";
import { slowPatterns } from "../fuzz/slow-patterns.js";
import { expectRejection } from "./expect-rejection.js";
import { areRefused, engine, json, whole } from "./hostile-checkpoint.js";
import { fails } from "./make-trace.js";

/** @typedef {import("./hostile-checkpoint.js").Line} Line */

const vocab = { "[UNK]": 0, a: 1, cat: 2, dog: 3 };
const model = { type: "WordPiece", unk_token: "[UNK]", vocab };
const fine = { pre_tokenizer: { type: "Whitespace" }, model };

/** @param {object} change */
function changed(change) {
  return { ...whole, "tokenizer.json": json({ ...fine, ...change }) };
}

/** @param {string} text */
function withText(text) {
  return { ...whole, "tokenizer.json": new TextEncoder().encode(text) };
}

/** @param {string} key @param {unknown} step @param {number} depth */
function nest(key, step, depth) {
  let nested = step;
  for (let i = 0; i < depth; ++i) nested = { type: "Sequence", [key]: [nested] };
  return nested;
}

/** @param {string} Regex */
const splitting = (Regex) => ({ type: "Split", pattern: { Regex }, behavior: "Isolated" });

test("a vocabulary that is none is refused by the piece", async () => {
  const ofVocab = (/** @type {unknown} */ given) => changed({ model: { ...model, vocab: given } });
  await areRefused([
    ["no JSON", withText("{"), "bad-checkpoint", /tokenizer\.json is no JSON in UTF-8/],
    [
      "a list",
      withText("[]"),
      "bad-checkpoint",
      /tokenizer\.json is Array\(0\), expected an object/,
    ],
    ["no model", withText("{}"), "bad-checkpoint", /expected an object with a model/],
    ["model null", changed({ model: null }), "bad-checkpoint", /model is null, expected an object/],
    ["no vocabulary", ofVocab(undefined), "bad-checkpoint", /model\.vocab is undefined/],
    ["an empty one", ofVocab({}), "bad-checkpoint", /has no vocabulary/],
    ["a list of words", ofVocab(["a"]), "bad-checkpoint", /model\.vocab is Array\(1\)/],
    ["an id below 0", ofVocab({ a: -1 }), "bad-checkpoint", /vocab\["a"\] is -1, expected a whole/],
    ["half an id", ofVocab({ a: 0.5 }), "bad-checkpoint", /vocab\["a"\] is 0\.5/],
    ["an id in words", ofVocab({ a: "1" }), "bad-checkpoint", /vocab\["a"\] is "1" \(string\)/],
    ["an id of 2^32", ofVocab({ a: 2 ** 32 }), "bad-checkpoint", /vocab\["a"\] is 4294967296/],
    [
      "an id past the model's",
      ofVocab({ a: 40 }),
      "bad-checkpoint",
      /the largest id is 40, expected at most 39/,
    ],
    [
      "a unigram of words",
      changed({ model: { type: "Unigram", unk_id: 0, vocab: ["a"] } }),
      "bad-checkpoint",
      /vocab\[0\] is "a" \(string\), expected a piece and its score/,
    ],
    [
      "a unigram without its unknown",
      changed({ model: { type: "Unigram", unk_id: 9, vocab: [["a", -1]] } }),
      "bad-checkpoint",
      /unk_id is 9, expected less than 1/,
    ],
    [
      "merges of numbers",
      changed({ model: { type: "BPE", vocab, merges: [1] } }),
      "bad-checkpoint",
      /merges\[0\] is 1, expected two pieces/,
    ],
    [
      "words without end",
      changed({ model: { ...model, max_input_chars_per_word: 1e9 } }),
      "bad-checkpoint",
      /max_input_chars_per_word is 1000000000, expected a number up to 1000/,
    ],
    [
      "no merges",
      changed({ model: { type: "BPE", vocab } }),
      "bad-checkpoint",
      /merges is undefined/,
    ],
    ["an unknown model", changed({ model: { type: "Magic" } }), "unsupported-model", /Magic/],
    ["added: a number", changed({ added_tokens: [7] }), "bad-checkpoint", /added_tokens\[0\] is 7/],
    [
      "added: no text",
      changed({ added_tokens: [{ id: 4, content: null }] }),
      "bad-checkpoint",
      /added_tokens\[0\]\.content is null/,
    ],
    [
      "added: an id without end",
      changed({ added_tokens: [{ id: 1e9, content: "x" }] }),
      "bad-checkpoint",
      /added_tokens\[0\]\.id is 1000000000/,
    ],
    [
      "a piece of a million letters",
      ofVocab({ ["x".repeat(1e6)]: -1 }),
      "bad-checkpoint",
      /vocab\["x+ \.\.\. x+"\] is -1/,
    ],
  ]);
});

test("a step of the wrong kind is refused by its place", async () => {
  const before = (/** @type {unknown} */ step) => changed({ normalizer: step });
  const splits = (/** @type {unknown} */ step) => changed({ pre_tokenizer: step });
  const after = (/** @type {unknown} */ step) => changed({ post_processor: step });
  const special = { SpecialToken: { id: "[UNK]", type_id: 0 } };
  const first = { Sequence: { id: "A", type_id: 0 } };
  const second = { Sequence: { id: "B", type_id: 1 } };
  const template = (/** @type {object} */ change) =>
    after({ type: "TemplateProcessing", single: [first], pair: [first, second], ...change });
  await areRefused([
    ["a word", before("NFC"), "bad-checkpoint", /normalizer is "NFC" \(string\)/],
    ["no type", before({}), "unsupported-model", /Unknown Normalizer type: undefined/],
    ["a prototype's", before({ type: "constructor" }), "unsupported-model", /Unknown Normalizer/],
    ["no steps", before({ type: "Sequence" }), "bad-checkpoint", /normalizers is undefined/],
    [
      "null among steps",
      before({ type: "Sequence", normalizers: [null] }),
      "bad-checkpoint",
      /normalizers\[0\] is null/,
    ],
    [
      "too deep",
      before(nest("normalizers", { type: "NFC" }, 9)),
      "bad-checkpoint",
      /nests too deep/,
    ],
    [
      "far too deep",
      before(nest("normalizers", { type: "NFC" }, 2000)),
      "bad-checkpoint",
      /nests too deep/,
    ],
    [
      "no pattern",
      before({ type: "Replace", content: "" }),
      "bad-checkpoint",
      /pattern is undefined/,
    ],
    [
      "a pattern of nothing",
      before({ type: "Replace", pattern: {} }),
      "bad-checkpoint",
      /pattern\.String is undefined/,
    ],
    [
      "a number to prepend",
      before({ type: "Prepend", prepend: 1 }),
      "bad-checkpoint",
      /prepend is 1/,
    ],
    [
      "a wrong expression",
      splits(splitting("(")),
      "bad-checkpoint",
      /cannot be read: Invalid regular/,
    ],
    [
      "pieces of length 0",
      splits({ type: "FixedLength", length: 0 }),
      "bad-checkpoint",
      /length is 0/,
    ],
    ["of length -1", splits({ type: "FixedLength", length: -1 }), "bad-checkpoint", /length is -1/],
    [
      "a number for a mark",
      splits({ type: "Metaspace", replacement: 1 }),
      "bad-checkpoint",
      /replacement is 1/,
    ],
    ["an unknown split", splits({ type: "Magic" }), "unsupported-model", /Unknown PreTokenizer/],
    ["template: no list", template({ single: "A" }), "bad-checkpoint", /single is "A" \(string\)/],
    ["template: numbers", template({ single: [1] }), "bad-checkpoint", /single\[0\] is 1/],
    [
      "template: a text twice",
      template({ single: [first, first] }),
      "bad-checkpoint",
      /single\[1\]\.Sequence\.id is "A"/,
    ],
    [
      "template: an unknown text",
      template({ single: [{ Sequence: { id: "C", type_id: 0 } }] }),
      "bad-checkpoint",
      /id is "C"/,
    ],
    [
      "template: no name",
      template({ single: [{ SpecialToken: { id: 5, type_id: 0 } }] }),
      "bad-checkpoint",
      /SpecialToken\.id is 5/,
    ],
    [
      "template: nothing",
      template({ pair: [{}] }),
      "bad-checkpoint",
      /pair\[0\]\.Sequence is undefined/,
    ],
    [
      "brackets: no token",
      after({ type: "BertProcessing", sep: [1, 2], cls: ["a", 1] }),
      "bad-checkpoint",
      /sep is Array\(2\)/,
    ],
    [
      "a token that is nowhere",
      changed({
        model: { ...model, unk_token: null },
        post_processor: {
          type: "TemplateProcessing",
          single: [{ SpecialToken: { id: "[CLS]", type_id: 0 } }],
          pair: [special],
        },
      }),
      "bad-checkpoint",
      /no piece "\[CLS\]" and no unknown token/,
    ],
  ]);
});

/** Regular expressions of tokenizers that are in use, and others that cannot go wrong. */
const honest = [
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}",
  " ?[^(\\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+",
  "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))",
  "(?=(\\d{3})+(?!\\d))",
  "\\p{L}+(?:'\\p{L}+)*",
  "(?:\\r\\n|\\n)+",
  "(?:\\p{L}|\\p{M})+",
  "(.|\\n)*!",
  "(abc|def)+",
  "(?:ab){2,}",
  "(?:(?!\\n)\\s)+",
  "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*",
  "\\d+(?:[.,]\\d+)*",
  " {2,}",
];

test("a regular expression that may take for ever is refused, one in use is not", async () => {
  for (const regex of honest) assert.equal(mayExplode(regex), false, regex);
  for (const regex of slowPatterns) assert.equal(mayExplode(regex), true, regex);
  const lines = slowPatterns.flatMap((regex) => [
    [
      regex,
      changed({ pre_tokenizer: splitting(regex) }),
      "unsupported-model",
      /Regex is .* which can match one text in too many ways/,
    ],
    [
      regex,
      changed({ normalizer: { type: "Replace", pattern: { Regex: regex }, content: "" } }),
      "unsupported-model",
      /normalizer\.pattern\.Regex is/,
    ],
  ]);
  await areRefused(/** @type {Line[]} */ (lines));
  const text = `${"a".repeat(5000)}!`;
  for (const regex of honest) {
    const tokenizer = createTokenizer({ ...fine, pre_tokenizer: splitting(regex) });
    assert(tokenizer.tokenize(text).length > 0);
  }
});

test("steps that each double a text end in an error, not in the end of memory", async () => {
  const doubling = { type: "Replace", pattern: { String: "a" }, content: "aa" };
  const steps = Array(60).fill(doubling);
  const message = /tokenizer\.json makes \d+ letters of \d+, expected at most \d+/;
  for (const change of [
    { normalizer: { type: "Sequence", normalizers: steps } },
    { pre_tokenizer: { type: "Sequence", pretokenizers: steps } },
  ]) {
    const encoder = await Encoder.fromPretrained(changed(change), { engine });
    await expectRejection("bad-checkpoint", message, encoder.tokenize("a cat"));
    await expectRejection("bad-checkpoint", message, encoder.run("a cat"));
    assert.equal((await encoder.run({ ids: [1, 2] })).tokens.length, 2);
    encoder.dispose();
  }
  const added = { id: 4, content: "a", normalized: true };
  fails("bad-checkpoint", message, () =>
    createTokenizer({
      ...fine,
      normalizer: { type: "Sequence", normalizers: steps },
      added_tokens: [added],
    }),
  );
});

test("pieces are called what they are called, also as methods of all objects are", () => {
  const named = JSON.parse('{"[UNK]":0,"__proto__":1,"constructor":2,"toString":3}');
  const tokenizer = createTokenizer({
    ...fine,
    pre_tokenizer: { type: "WhitespaceSplit" },
    model: { ...model, vocab: named },
  });
  assert.deepEqual(
    tokenizer.tokenize("__proto__ constructor toString valueOf").map(({ id }) => id),
    [1, 2, 3, 0],
  );
});
