import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createEngine, Encoder } from "headscope";
import {
  groupWords,
  headRoles,
  mergeWords,
  roleThresholds,
  rollout,
  Trace,
} from "../../bindings/js/trace/index.js";
import { fails, makeTrace, seedRandom } from "./make-trace.js";
import { floatModelFolder } from "./tiny-model.js";

/** @typedef {import("../../bindings/js/trace/token.js").Token} Token */

/**
 * A trace of one head.
 *
 * @param {(string | Token)[]} tokens
 * @param {number[][]} weights
 * @param {string} [text]
 */
function oneHead(tokens, weights, text) {
  return Trace.from({ tokens, attention: [[weights]], ...(text === undefined ? {} : { text }) });
}

/**
 * @param {ArrayLike<number>} got
 * @param {number[]} expected
 */
function close(got, expected) {
  assert.equal(got.length, expected.length);
  // Sums of a few float32 weights.
  for (const [i, value] of expected.entries()) {
    assert(Math.abs((got[i] ?? NaN) - value) < 1e-6, `${got[i]}, expected ${value}`);
  }
}

/**
 * Tokens over a text, given as spans.
 *
 * @param {string} text
 * @param {[start: number, end: number][]} spans
 * @returns {Token[]}
 */
function cut(text, spans) {
  return spans.map(([start, end], id) => {
    const typed = text.slice(start, end);
    return { id, piece: typed, text: typed, start, end, segment: 0, special: false };
  });
}

test("attention to a word is the sum over its pieces, from a word the mean", () => {
  const trace = oneHead(
    ["▁un", "able", "▁cat"],
    [
      [0.5, 0.25, 0.25],
      [0, 0.5, 0.5],
      [0.25, 0.25, 0.5],
    ],
  );
  const merged = mergeWords(trace);
  close(merged.attention(0, 0).data, [0.625, 0.375, 0.5, 0.5]);
  assert.equal(merged.text, "unable cat");
  assert.deepEqual(merged.tokens[0], {
    id: -1,
    piece: "unable",
    text: "unable",
    start: 0,
    end: 6,
    segment: 0,
    special: false,
  });
  assert.equal(merged.tokens[1], trace.tokens[2]);
  assert.deepEqual(merged.config, trace.config);
  assert.deepEqual(merged.names, ["attention"]);
});

test("words end at spaces and at punctuation, not within don't or 3.14", () => {
  /** @type {[string, string[], string[]][]} */
  const table = [
    ["don't stop.", ["don", "'", "t", "stop", "."], ["don't", "stop", "."]],
    ["3.14 and 1,000", ["3.", "14", "and", "1", ",", "000"], ["3.14", "and", "1,000"]],
    ["e-mail", ["e", "-", "mail"], ["e", "-", "mail"]],
    ["naïve", ["na", "ï", "ve"], ["naïve"]],
    ["a 👩‍👩‍👧", ["a", "👩‍👩‍👧"], ["a", "👩‍👩‍👧"]],
  ];
  for (const [text, pieces, words] of table) {
    let end = 0;
    const spans = pieces.map((piece) => {
      const start = text.indexOf(piece, end);
      end = start + piece.length;
      return /** @type {[number, number]} */ ([start, end]);
    });
    const weights = pieces.map(() => pieces.map(() => 1 / pieces.length));
    const merged = mergeWords(oneHead(cut(text, spans), weights, text));
    assert.deepEqual(
      merged.tokens.map((token) => token.text),
      words,
    );
    for (let r = 0; r < words.length; ++r) {
      close(
        [
          merged
            .attention(0, 0)
            .row(r)
            .reduce((a, b) => a + b),
        ],
        [1],
      );
    }
  }
});

test("tokens of spaces and shared characters are in a word, special ones alone", () => {
  const text = " x  ½ ";
  const tokens = cut(text, [
    [0, 0],
    [0, 1],
    [1, 2],
    [2, 3],
    [4, 5],
    [5, 5],
    [5, 6],
  ]);
  const special = { ...tokens[0], special: true };
  const all = /** @type {Token[]} */ ([special, ...tokens, { ...special, start: 6, end: 6 }]);
  const weights = all.map(() => all.map(() => 1 / all.length));
  const trace = oneHead(all, weights, text);
  assert.deepEqual(groupWords(trace), [[0], [1, 2, 3], [4, 5, 6], [7], [8]]);
  assert.deepEqual(
    mergeWords(trace).tokens.map((token) => token.text),
    ["", "x", "½", " ", ""],
  );
});

test("words of a pair stay apart, and so do tokens that an order has moved", () => {
  const tokens = cut("ab ab", [
    [0, 1],
    [1, 2],
  ]);
  const weights = [
    [0.5, 0.5, 0, 0],
    [1, 0, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
  ];
  const paired = [
    ...tokens,
    ...tokens.map((token) => ({ ...token, segment: /** @type {1} */ (1) })),
  ];
  const trace = Trace.from({ tokens: paired, text: "ab", pair: "ab", attention: [[weights]] });
  assert.deepEqual(groupWords(trace), [
    [0, 1],
    [2, 3],
  ]);
  assert.equal(mergeWords(trace).pair, "ab");
  const moved = [tokens[1], tokens[0]].map((token) => /** @type {Token} */ (token));
  assert.deepEqual(
    groupWords(
      oneHead(
        moved,
        [
          [1, 0],
          [0, 1],
        ],
        "ab",
      ),
    ),
    [[0], [1]],
  );
});

test("merging keeps rows that sum to 1, in every layer and head that was captured", () => {
  const random = seedRandom(3);
  const text = "abc def";
  const tokens = cut(text, [
    [0, 1],
    [1, 3],
    [4, 5],
    [5, 6],
    [6, 7],
  ]);
  const attention = Array.from({ length: 3 }, () =>
    Array.from({ length: 2 }, () =>
      tokens.map(() => {
        const row = tokens.map(random);
        return row.map((weight) => weight / row.reduce((a, b) => a + b));
      }),
    ),
  );
  const merged = mergeWords(Trace.from({ tokens, text, attention }));
  for (const layer of [0, 1, 2]) {
    for (const head of [0, 1]) {
      const weights = merged.attention(layer, head);
      assert.deepEqual([weights.rows, weights.cols], [2, 2]);
      close([weights.at(0, 0) + weights.at(0, 1), weights.at(1, 0) + weights.at(1, 1)], [1, 1]);
    }
  }
  const some = makeTrace({ n_layers: 3, n_heads: 2, length: 4, layers: [0, 2] });
  assert.deepEqual(mergeWords(some).layers("attention"), [0, 2]);
  assert.deepEqual(mergeWords(some).attention(2, 1).data, some.attention(2, 1).data);
  const without = makeTrace({ n_layers: 1, n_heads: 1, length: 2, names: ["hidden"] });
  fails("not-found", /"attention" was not captured/, () => mergeWords(without));
});

test("rollout multiplies 0.5 A + 0.5 I over the layers", () => {
  const trace = Trace.from({
    tokens: ["a", "b"],
    attention: [
      [
        [
          [0, 1],
          [0, 1],
        ],
      ],
      [
        [
          [1, 0],
          [1, 0],
        ],
      ],
    ],
  });
  // Layer 0: [[.5, .5], [0, 1]]; layer 1: [[1, 0], [.5, .5]]; layer 1 times layer 0.
  close(rollout(trace).data, [0.5, 0.5, 0.25, 0.75]);
  const heads = Trace.from({
    tokens: ["a", "b"],
    attention: [
      [
        [
          [0, 1],
          [1, 0],
        ],
        [
          [1, 0],
          [1, 0],
        ],
      ],
    ],
  });
  close(rollout(heads).data, [0.75, 0.25, 0.5, 0.5]);
  assert.equal(rollout(makeTrace({ n_layers: 2, n_heads: 2, length: 0 })).data.length, 0);
  const some = makeTrace({ n_layers: 2, n_heads: 1, length: 2, layers: [1] });
  fails("not-found", /layer 0 was not captured/, () => rollout(some));
});

test("roles of a head are means over its queries", () => {
  const trace = oneHead(
    ["a", ",", "c"],
    [
      [0.5, 0.25, 0.25],
      [0.75, 0.25, 0],
      [0, 1, 0],
    ],
  );
  const [role] = headRoles([trace]);
  assert(role);
  const ln = Math.log;
  close(
    [role.previous, role.next, role.self, role.first, role.last, role.punctuation],
    [0.875, 0.125, 0.25, 1.25 / 3, 0.25 / 3, 0.5],
  );
  close([role.distance, role.confidence], [(0.25 + 0.5 + 0.75 + 1) / 3, 2.25 / 3]);
  const entropy = 0.5 * ln(2) + 0.5 * ln(4) - 0.75 * ln(0.75) + 0.25 * ln(4);
  close([role.entropy_nats], [entropy / 3]);
  assert.deepEqual(role.max_offset, { offset: -1, share: 2 / 3 });
  assert.equal(role.separator, null);
  assert.equal(role.label, "previous");
  // Over two traces each query counts the same, not each trace.
  const [both] = headRoles([trace, oneHead(["x"], [[1]])]);
  close([both?.self ?? 0, both?.previous ?? 0], [(0.75 + 1) / 4, 0.875]);
});

test("a label needs its threshold: a share at one place, else a high entropy, else mixed", () => {
  const label = (/** @type {number[][]} */ weights, /** @type {any} */ options = {}) =>
    headRoles([oneHead(["a", "b", "c", "d"].slice(0, weights.length), weights)], options)[0]?.label;
  assert.deepEqual(roleThresholds, { share: 0.4, broad: 0.85 });
  const even = Array.from({ length: 4 }, () => [0.25, 0.25, 0.25, 0.25]);
  assert.equal(label(even), "broad");
  assert.equal(label(even, { thresholds: { broad: 1 } }), "mixed");
  assert.equal(label(even, { thresholds: { share: 0.25 } }), "previous");
  assert.equal(
    label(
      [
        [0, 1],
        [1, 0],
      ],
      {},
    ),
    "previous",
  );
  assert.equal(
    label([
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
    ]),
    "first",
  );
  assert.equal(
    label([
      [0, 0, 1],
      [0, 0, 1],
      [0, 0, 1],
    ]),
    "last",
  );
  assert.equal(
    label([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]),
    "self",
  );
  assert.equal(
    label([
      [0, 0, 1, 0],
      [0, 0, 0, 1],
      [1, 0, 0, 0],
      [0, 1, 0, 0],
    ]),
    "mixed",
  );
});

test("separators are special tokens behind the first place", () => {
  const weights = [
    [0, 0.3, 0.7],
    [0, 0.3, 0.7],
    [0, 0.3, 0.7],
  ];
  const [role] = headRoles([oneHead(["[CLS]", "a", "[SEP]"], weights)]);
  close([role?.separator ?? 0, role?.last ?? 0, role?.punctuation ?? 1], [0.7, 0.7, 0]);
  assert.equal(role?.label, "separator");
  assert.equal(
    headRoles([
      oneHead(
        ["[CLS]", "a"],
        [
          [1, 0],
          [0, 1],
        ],
      ),
    ])[0]?.separator,
    null,
  );
});

test("roles of nothing are zeros, and of models that differ an error", () => {
  assert.deepEqual(headRoles([]), []);
  const [role] = headRoles([makeTrace({ n_layers: 1, n_heads: 1, length: 0 })]);
  assert(role && Object.values(role).every((value) => !Number.isNaN(value)));
  assert.equal(role.label, "mixed");
  const trace = makeTrace({ n_layers: 1, n_heads: 1, length: 2 });
  const other = makeTrace({ n_layers: 1, n_heads: 2, length: 2 });
  fails("bad-shape", /different layers or heads/, () => headRoles([trace, other]));
  const without = makeTrace({ n_layers: 1, n_heads: 1, length: 2, names: ["hidden"] });
  fails("not-found", /"attention" was not captured/, () => headRoles([without]));
});

test("roles of the default model's heads are those of the reference", async () => {
  const reference = JSON.parse(
    readFileSync(new URL("../fixtures/use-lite-roles.json", import.meta.url), "utf8"),
  );
  const engine = await createEngine({ threads: 1 });
  const encoder = await Encoder.fromPretrained(floatModelFolder, { engine });
  /** @type {string[]} */
  const sentences = reference.sentences.map((/** @type {any} */ { sentence }) => sentence);
  const traces = await encoder.run(sentences, { capture: ["attention"] });
  for (const [i, { tokens }] of traces.entries()) {
    assert.deepEqual(
      tokens.map((/** @type {Token} */ { id }) => id),
      reference.sentences[i].ids,
    );
  }
  const roles = headRoles(traces);
  assert.equal(roles.length, 8);
  for (const expected of reference.heads) {
    const role = roles.find(
      ({ layer, head }) => layer === expected.layer && head === expected.head,
    );
    assert(role);
    for (const [key, value] of Object.entries(/** @type {Record<string, any>} */ (expected))) {
      /** @type {any} */
      const got = Reflect.get(role, key);
      if (key === "max_offset") {
        assert.equal(got.offset, value.offset);
        assert(Math.abs(got.share - value.share) < 1e-4);
      } else {
        // The reference was computed in float64; its own tolerance.
        assert(Math.abs(got - value) < 1e-4, `${role.layer}.${role.head} ${key}: ${got}, ${value}`);
      }
    }
  }
  assert.deepEqual(
    roles.map(({ label }) => label),
    ["mixed", "self", "next", "self", "mixed", "mixed", "mixed", "broad"],
  );
  await engine.dispose();
});
