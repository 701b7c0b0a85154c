// What docstrings say: the examples run and give what they show, the arguments are those of the
// table of signatures, with its shapes and defaults, and results have the shapes that it names.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import * as headscope from "headscope";
import * as analysis from "headscope/analysis";
import * as components from "headscope/components";
import * as traces from "headscope/trace";
import { signatures } from "../../bindings/js/components/signatures.js";

const engine = await headscope.defaultEngine();
after(() => engine.dispose());

const folder = new URL("../../bindings/js/", import.meta.url);
const files = [
  ...["attention", "layers", "positions"].map((name) => `components/${name}.js`),
  ...["head-roles", "rollout", "words"].map((name) => `trace/${name}.js`),
  "permutation-residual.js",
  "analysis.js",
];
const sources = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));

/** What an example may use. */
const scope = { ...traces, ...headscope, ...components, ...analysis };
/** @type {Record<string, (given: any) => Promise<any>>} */
const functions = { ...components };

/**
 * @param {string} comment
 * @returns {string} its lines without the margin
 */
function unwrap(comment) {
  return comment.replace(/^\s*\* ?/gm, "");
}

/** The docstring of each exported function. @type {Map<string, string>} */
const docstrings = new Map(
  sources.flatMap((source) =>
    [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:async )?function (\w+)/g)].map(
      ([, comment = "", name = ""]) => /** @type {const} */ ([name, unwrap(comment)]),
    ),
  ),
);

/** The docstring of each type that is an object. @type {Map<string, string>} */
const types = new Map(
  sources.flatMap((source) =>
    [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*@typedef \{object\} (\w+)[\s\S]*?)\*\//g)].map(
      ([, comment = "", name = ""]) => /** @type {const} */ ([name, unwrap(comment)]),
    ),
  ),
);

/**
 * @param {string} docstring
 * @returns {string} the code of its example
 */
function exampleOf(docstring) {
  return docstring.match(/@example\n([\s\S]*?)\n\n/)?.[1] ?? "";
}

/**
 * Numbers as arrays, so that they compare with what an example shows.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
function show(value) {
  if (value instanceof headscope.Matrix) {
    return Array.from({ length: value.rows }, (_, row) => [...value.row(row)]);
  }
  if (value instanceof Float32Array) return [...value];
  if (Array.isArray(value)) return value.map(show);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, show(entry)]));
}

/**
 * @param {unknown} got
 * @param {any} shown
 * @param {string} where
 */
function agrees(got, shown, where) {
  if (typeof got === "number" && typeof shown === "number") {
    // Five decimals are shown.
    assert(Math.abs(got - shown) <= 1e-5, `${where} is ${got}, shown as ${shown}`);
  } else if (typeof shown === "object" && typeof got === "object" && got !== null) {
    assert.deepEqual(Object.keys(got), Object.keys(shown), where);
    for (const [key, value] of Object.entries(got)) agrees(value, shown[key], `${where}.${key}`);
  } else assert.equal(got, shown, where);
}

/**
 * Runs an example; each `expression; // -> value` is checked.
 *
 * @param {string} code
 * @returns {Promise<number>} how many values were checked
 */
async function runExample(code) {
  let checked = 0;
  const check = (/** @type {unknown} */ value, /** @type {string} */ shown) => {
    agrees(show(value), JSON.parse(shown), shown);
    checked += 1;
  };
  const program = code.replace(
    /^(.+); \/\/ -> (.+)$/gm,
    (_, expression, shown) => `check(${expression}, ${JSON.stringify(shown)});`,
  );
  const names = Object.keys(scope);
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  await new AsyncFunction("check", ...names, program)(check, ...Object.values(scope));
  return checked;
}

test("every function of the components and of the analysis has a docstring", () => {
  const exported = Object.entries({ ...components, ...analysis });
  const expected = exported.filter(([, value]) => typeof value === "function");
  assert.deepEqual([...docstrings.keys()].sort(), expected.map(([name]) => name).sort());
});

// "Voita et al. 2019", "Abnar & Zuidema 2020", "Smith (2018)": a name, then a year.
const citation =
  /\p{Lu}[\p{L}-]+(?:\s+et\s+al\.|\s+(?:&|and)\s+\p{Lu}[\p{L}-]+)?,?\s+\(?(?:19[89]|20[0-3])\d\b/u;
// What is not out of a paper: code that is cited, and an identity that follows by itself.
const otherSource = /tensor2tensor|PE\(p \+ offset\)/;

test("a number is no citation", () => {
  for (const text of ["10000 by default", "Shape 2048", "Width 1536", "up to 2019", "O 12017"]) {
    assert.doesNotMatch(text, citation);
  }
  for (const text of ["(Abnar & Zuidema 2020, section 3)", "Su et al. (2021)", "Shazeer 2020"]) {
    assert.match(text, citation);
  }
});

for (const [name, docstring] of docstrings) {
  test(`the example of ${name} gives what it shows`, async () => {
    assert((await runExample(exampleOf(docstring))) > 0, "an example that shows nothing");
  });

  test(`the docstring of ${name} has a source where there is one, and the errors`, () => {
    assert.match(docstring, /@throws \{.*HeadscopeError\}/);
    if (!otherSource.test(docstring)) assert.match(docstring, citation);
  });
}

test("an example that shows something wrong fails", async () => {
  const wrong = "await alibiSlopes({ heads: 1 }); // -> [0.5]";
  await assert.rejects(runExample(wrong), /is 0\.00390625, shown as 0\.5/);
});

/**
 * The arguments that a docstring lists.
 *
 * @param {string} docstring of a function with `given.` arguments, or of a type with properties
 * @returns {Record<string, { optional: boolean, shape?: string, fallback?: string }>}
 */
function documented(docstring) {
  const line = /@(?:param|property) \{([^{}]*)\} (\[?)(?:given\.)?(\w+)\]?(?: \[([^\]]*)\])?(.*)/g;
  return Object.fromEntries(
    [...docstring.matchAll(line)]
      .filter(([, type]) => type !== "object" && !/Options|Arguments/.test(String(type)))
      .map(([, , bracket, name, shape, rest]) => {
        const fallback = rest?.match(/(\S+) by default/)?.[1];
        return [name, { optional: bracket === "[", shape, fallback }];
      }),
  );
}

/**
 * @param {Record<string, import("../../bindings/js/components/argument.js").Argument>} takes
 * @param {string} docstring
 */
function checkArguments(takes, docstring) {
  const said = documented(docstring);
  assert.deepEqual(Object.keys(said).sort(), Object.keys(takes).sort());
  for (const [name, { form, optional = false, fallback }] of Object.entries(takes)) {
    assert.equal(said[name]?.optional, optional, `${name}: optional`);
    if (form.startsWith("[")) assert.equal(`[${said[name]?.shape}]`, form, `${name}: shape`);
    if (fallback !== undefined) {
      const word = typeof fallback === "string" ? `"${fallback}"` : String(fallback);
      assert.equal(
        Number(said[name]?.fallback) || said[name]?.fallback,
        Number(word) || word,
        name,
      );
    }
  }
}

for (const [name, { takes }] of Object.entries(signatures)) {
  test(`the docstring of ${name} lists the arguments of its signature`, () => {
    const docstring = String(docstrings.get(name));
    const type = docstring.match(/@param \{(\w+Arguments)\} given/)?.[1];
    checkArguments(takes, type === undefined ? docstring : String(types.get(type)));
  });
}

test("the type of a layer's parameters lists those of the signature", () => {
  const parameters = signatures.encoderLayer?.takes.parameters;
  const names = parameters?.form.match(/\{ (.*) \}/)?.[1]?.split(", ");
  assert.deepEqual(
    Object.keys(documented(String(types.get("LayerParameters")))).sort(),
    names?.sort(),
  );
});

/** Sizes that all differ, by letter. @type {Record<string, number>} */
const sizes = { T: 3, M: 5, D: 12, E: 7, "D'": 8, "D''": 4, H: 2, V: 2, F: 9, O: 10, K: 4 };

/**
 * @param {string} form "[T, K]"
 * @param {Record<string, number>} own
 * @returns {headscope.Matrix | Float32Array} zeros of that shape
 */
function zeros(form, own) {
  const [rows = 0, cols] = form
    .slice(1, -1)
    .split(", ")
    .map((letter) => own[letter] ?? 0);
  return cols === undefined ? new Float32Array(rows) : new headscope.Matrix(rows, cols);
}

/** What else the functions need, and letters that have another size there. */
const needs = /** @type {Record<string, { given?: object, own?: Record<string, number> }>} */ ({
  multiHeadAttention: { given: { heads: 2 } },
  feedForward: { given: { activation: "silu" } },
  encoderLayer: {
    given: { heads: 2, norm: "pre", activation: "silu" },
    own: { K: 6 },
  },
  shawAttention: { given: { clip: 1 }, own: { "2 clip + 1": 3 } },
  sinusoidalPositions: { given: { length: 3, d_model: 12 } },
  positionRotation: { given: { d_model: 12, offset: 1 } },
  alibiSlopes: { given: { heads: 2 } },
  alibiBias: { given: { heads: 2, length: 3 } },
  t5Buckets: { given: { length: 3 } },
  t5Bias: { given: { length: 3, max_distance: 9 }, own: { B: 6 } },
});

/**
 * @param {Record<string, import("../../bindings/js/components/argument.js").Argument>} takes
 * @param {Record<string, number>} own
 * @returns {Record<string, unknown>} zeros for every argument with a shape
 */
function zerosFor(takes, own) {
  const shaped = Object.entries(takes).filter(([, { form }]) => form.startsWith("["));
  return Object.fromEntries(shaped.map(([name, { form }]) => [name, zeros(form, own)]));
}

/**
 * @param {unknown} result
 * @returns {number[]} [heads, rows, cols], as far as there are such
 */
function shapeOf(result) {
  if (Array.isArray(result)) return [result.length, ...shapeOf(result[0])];
  if (result instanceof headscope.Matrix) return [result.rows, result.cols];
  return [/** @type {Float32Array} */ (result).length];
}

for (const [name, { takes, gives }] of Object.entries(signatures)) {
  if (name === "attentionCost") continue;
  test(`the results of ${name} have the shapes of its signature`, async () => {
    const { given = {}, own = {} } = needs[name] ?? {};
    const all = { ...sizes, ...own };
    const parameters = {
      ...(takes.parameters ? { parameters: zerosFor(layerParameters(), all) } : {}),
    };
    const result = await functions[name]?.({ ...zerosFor(takes, all), ...parameters, ...given });
    const results = typeof gives === "string" ? { "": result } : result;
    const shapes = typeof gives === "string" ? { "": gives } : gives;
    assert.deepEqual(Object.keys(results).sort(), Object.keys(shapes).sort());
    for (const [part, shape] of Object.entries(shapes)) {
      assert.deepEqual(
        shapeOf(results[part]),
        shape.split(" ").map((letter) => all[letter]),
        `${name}: ${part}`,
      );
    }
  });
}

/** @returns {Record<string, any>} the shapes of a layer's parameters, as its type says */
function layerParameters() {
  const said = documented(String(types.get("LayerParameters")));
  const shapes = Object.entries(said).map(([name, { shape }]) => [name, { form: `[${shape}]` }]);
  return Object.fromEntries(shapes);
}
