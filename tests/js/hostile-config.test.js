// config.json as a hostile file: refused as a bad checkpoint by the file's name and the key, never as
// an argument of the caller's. Ranges and words one by one are in errors.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Encoder } from "headscope";
import { areRefused, engine, ids, json, whole } from "./hostile-checkpoint.js";
import { tinyConfig } from "./tiny-model.js";

/** @typedef {import("./hostile-checkpoint.js").Line} Line */

/**
 * @param {string | Uint8Array<ArrayBuffer>} text
 * @returns {import("./hostile-checkpoint.js").Files}
 */
function withConfig(text) {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return { ...whole, "config.json": bytes };
}

/** @param {Record<string, unknown>} change */
function changed(change) {
  return withConfig(json({ ...tinyConfig, ...change }));
}

test("what is no config at all is refused by the file's name", async () => {
  const utf16 = Uint8Array.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]);
  await areRefused([
    ["nothing", withConfig(""), "bad-checkpoint", /^config\.json is no JSON in UTF-8/],
    ["half", withConfig('{"n_layers": 1'), "bad-checkpoint", /^config\.json is no JSON/],
    ["UTF-16", withConfig(utf16), "bad-checkpoint", /^config\.json is no JSON/],
    ["not UTF-8", withConfig(Uint8Array.of(0x22, 0xff, 0x22)), "bad-checkpoint", /no JSON/],
    ["a comment", withConfig("// {}"), "bad-checkpoint", /^config\.json is no JSON/],
    ["NaN", withConfig('{"n_layers":NaN}'), "bad-checkpoint", /^config\.json is no JSON/],
    ["null", withConfig("null"), "bad-checkpoint", /^config\.json is null, expected an object/],
    ["a number", withConfig("7"), "bad-checkpoint", /^config\.json is 7/],
    ["a text", withConfig('"{}"'), "bad-checkpoint", /^config\.json is "\{\}" \(string\)/],
    ["a list", withConfig("[{}]"), "bad-checkpoint", /^config\.json is Array\(1\)/],
    ["an empty object", withConfig("{}"), "bad-checkpoint", /^config\.json\.n_layers is missing/],
    [
      "brackets without end",
      withConfig("[".repeat(1e6)),
      "bad-checkpoint",
      /^config\.json is no JSON|^config\.json is Array/,
    ],
    [
      "brackets in brackets",
      withConfig(`${"[".repeat(1e5)}${"]".repeat(1e5)}`),
      "bad-checkpoint",
      /^config\.json is Array\(1\)/,
    ],
    ["another tool's", withConfig('{"model_type":"bert"}'), "unsupported-model", /type "bert"/],
    [
      "another tool's, very long",
      withConfig(json({ model_type: "x".repeat(1e6) })),
      "unsupported-model",
      /type "x+ \.\.\. x+", expected Headscope's own keys/,
    ],
  ]);
});

test("a key of the wrong kind, out of range or unknown is refused by its name", async () => {
  const deep = JSON.parse(`${"[".repeat(1000)}${"]".repeat(1000)}`);
  const large = "9".repeat(400);
  await areRefused([
    [
      "unknown",
      changed({ hidden_size: 8 }),
      "bad-checkpoint",
      /unknown "hidden_size", known: n_la/,
    ],
    [
      "a prototype",
      withConfig(`{"__proto__":{},${JSON.stringify(tinyConfig).slice(1)}`),
      "bad-checkpoint",
      /^config\.json: unknown "__proto__"/,
    ],
    ["a constructor", changed({ constructor: 1 }), "bad-checkpoint", /unknown "constructor"/],
    [
      "a prototype's kind of position",
      changed({ position: { kind: "toString" } }),
      "bad-checkpoint",
      /position\.kind is "toString"/,
    ],
    [
      "a prototype in a position",
      withConfig(
        JSON.stringify(tinyConfig).replace('"kind"', '"__proto__":{"kind":"alibi"},"kind"'),
      ),
      "bad-checkpoint",
      /position: unknown "__proto__"/,
    ],
    ["a list for a number", changed({ d_ff: [12] }), "bad-checkpoint", /d_ff is Array\(1\)/],
    ["brackets for a number", changed({ d_ff: deep }), "bad-checkpoint", /d_ff is Array\(1\)/],
    ["an object for a word", changed({ norm: { a: 1 } }), "bad-checkpoint", /norm is Object/],
    ["a text for a number", changed({ d_model: "8" }), "bad-checkpoint", /d_model is "8"/],
    ["null", changed({ n_heads: null }), "bad-checkpoint", /config\.json\.n_heads is null/],
    ["true for a number", changed({ n_layers: true }), "bad-checkpoint", /n_layers is true/],
    ["1 for true", changed({ final_norm: 1 }), "bad-checkpoint", /final_norm is 1/],
    ["a fraction", changed({ n_layers: 1.5 }), "bad-checkpoint", /n_layers is 1\.5/],
    ["below 0", changed({ vocab_size: -1 }), "bad-checkpoint", /vocab_size is -1/],
    ["0 heads", changed({ n_heads: 0 }), "bad-checkpoint", /config\.json: config: n_heads is 0/],
    ["past 32 bits", changed({ d_ff: 2 ** 32 + 12 }), "bad-checkpoint", /d_ff is 4294967308/],
    ["past 2^53", changed({ d_ff: 2 ** 60 }), "bad-checkpoint", /d_ff is 1152921504606847000/],
    [
      "past all numbers",
      withConfig(`{"d_ff":${large},${JSON.stringify({ ...tinyConfig, d_ff: undefined }).slice(1)}`),
      "bad-checkpoint",
      /d_ff is Infinity/,
    ],
    ["a thousand layers more", changed({ n_layers: 1001 }), "bad-checkpoint", /n_layers is 1001/],
    ["a width of 2^17", changed({ d_model: 131072 }), "bad-checkpoint", /d_model is 131072/],
    ["no multiple", changed({ n_heads: 3 }), "bad-checkpoint", /d_model is 8, expected a multiple/],
    ["0 in float32", changed({ norm_epsilon: 1e-46 }), "bad-checkpoint", /norm_epsilon is/],
    [
      "past float32",
      changed({ embedding_scale: 1e39 }),
      "bad-checkpoint",
      /embedding_scale is 1e\+39/,
    ],
    [
      "a base of nothing",
      changed({ position: { kind: "sinusoidal", base: 1e-300 } }),
      "bad-checkpoint",
      /position\.base is/,
    ],
    [
      "a clip of 2^31 - 1",
      changed({ position: { kind: "shaw", clip: 0x7fffffff } }),
      "bad-checkpoint",
      /position\.clip is 2147483647/,
    ],
    [
      "other weights",
      changed({ position: { kind: "learned" } }),
      "bad-checkpoint",
      /"embeddings\.position" is missing/,
    ],
    [
      "more layers than weights",
      changed({ n_layers: 1000 }),
      "bad-checkpoint",
      /"layers\.3\..* is missing/,
    ],
    ["fewer", changed({ n_layers: 1 }), "bad-checkpoint", /"layers\.1\..*not a parameter/],
    [
      "more rows than memory",
      changed({ vocab_size: 10_000_000 }),
      "bad-checkpoint",
      /"embeddings\.token" has shape \[40,8\], expected \[10000000,8\]/,
    ],
  ]);
});

test("the last of two equal keys counts, and what a config said stays as it was read", async () => {
  const text = JSON.stringify(tinyConfig).replace("{", '{"n_layers":7,');
  const encoder = await Encoder.fromPretrained(withConfig(text), { engine });
  assert.equal(encoder.config.n_layers, 3);
  assert.equal((await encoder.run({ ids })).tokens.length, ids.length);
  encoder.dispose();
  assert.equal(/** @type {any} */ ({}).kind, undefined, "no prototype was touched");
});
