// How the cases of encoder layers and stacks of them are computed through the package.

import { Encoder, Matrix } from "headscope";
import { encoderLayer } from "headscope/components";
import { layerArguments, layerParameters, range } from "./case-arguments.js";
import { values } from "./component-fixtures.js";

/** @typedef {import("./component-fixtures.js").Fixture} Fixture */
/** @typedef {import("./component-fixtures.js").Tensor} Tensor */
/** @typedef {import("./case-arguments.js").Computed} Computed */
/** @typedef {import("./case-arguments.js").On} On */

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
export async function computeLayer(fixture, on) {
  const result = await encoderLayer(layerArguments(fixture), on);
  const { output, weights } = result;
  return { outputs: { output, hidden: output, attention: weights } };
}

/**
 * A stack of layers as an encoder whose token embeddings are the rows of X. Padding is left away,
 * as in batches of different lengths: real rows are compared, at real keys.
 *
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Computed>}
 */
export async function computeStack(fixture, on) {
  const { attrs, in: inputs, out } = fixture;
  const batch = attrs.B ?? 1;
  const encoder = await makeStack(fixture, on);
  const valid = inputs.key_valid === undefined ? undefined : values(inputs.key_valid);
  const ids = Array.from({ length: batch }, (_, b) =>
    range(attrs.n).flatMap((i) => (valid?.[b * attrs.n + i] === 0 ? [] : [b * attrs.n + i])),
  );
  const capture = /** @type {const} */ (["attention", "hidden", "output"]);
  const traces = await encoder.run(
    ids.map((list) => ({ ids: list })),
    { capture: [...capture] },
  );
  encoder.dispose();
  const places = ids.map((list) => list.map((id) => id % attrs.n));
  const layers = range(attrs.L);
  const heads = range(attrs.h);
  const hidden = layers.map((layer) => traces.map((trace) => trace.get("hidden", layer)));
  const attention = layers.map((layer) =>
    traces.map((trace) => heads.map((head) => trace.attention(layer, head))),
  );
  const parts = { places, n: attrs.n, d: attrs.d, heads: attrs.h, layers: attrs.L };
  /** @type {Record<string, number[]>} */
  const expected = {};
  for (const name of Object.keys(out)) {
    expected[name] = realPart(name, values(/** @type {Tensor} */ (out[name])), parts);
  }
  const output = traces.map((trace) => trace.get("output"));
  return { outputs: { hidden, attention, output }, expected };
}

/**
 * The values at real tokens, of a tensor whose last axes are [B, n, d], or [B, h, n, n] for
 * attention.
 *
 * @param {string} name
 * @param {Float32Array} data
 * @param {{ places: number[][], n: number, d: number, heads: number, layers: number }} parts
 * @returns {number[]}
 */
function realPart(name, data, { places, n, d, heads, layers }) {
  const blocks = name === "attention" ? heads : 1;
  const width = name === "attention" ? n : d;
  return range(name === "output" ? 1 : layers).flatMap((layer) =>
    places.flatMap((rows, b) =>
      range(blocks).flatMap((block) =>
        rows.flatMap((row) => {
          const start = (((layer * places.length + b) * blocks + block) * n + row) * width;
          const columns = name === "attention" ? rows : range(width);
          return columns.map((column) => Number(data[start + column]));
        }),
      ),
    ),
  );
}

/**
 * @param {Fixture} fixture
 * @param {On} on
 * @returns {Promise<Encoder>}
 */
async function makeStack(fixture, on) {
  const { attrs, in: inputs } = fixture;
  const embeddings = values(/** @type {Tensor} */ (inputs.X));
  /** @type {Record<string, Float32Array>} */
  const parameters = { "embeddings.token": embeddings };
  for (const layer of range(attrs.L)) {
    for (const [name, value] of Object.entries(layerParameters(fixture, layer))) {
      const room = /^norm/.test(name) ? "" : /^.[12]$/.test(name) ? "feed_forward." : "attention.";
      const key = `layers.${layer}.${room}${name.replace("_", ".")}`;
      parameters[key] = value instanceof Matrix ? value.data : value;
    }
  }
  if (attrs.final_norm) {
    parameters["final_norm.gamma"] = values(/** @type {Tensor} */ (inputs.final_g));
    parameters["final_norm.beta"] = values(/** @type {Tensor} */ (inputs.final_b));
  }
  /** @type {import("../../bindings/js/config.js").EncoderConfig} */
  const config = {
    n_layers: attrs.L,
    n_heads: attrs.h,
    d_model: attrs.d,
    d_ff: attrs.ff,
    vocab_size: embeddings.length / attrs.d,
    max_tokens: attrs.n,
    activation: attrs.activation,
    norm: attrs.placement,
    norm_epsilon: attrs.eps,
    final_norm: attrs.final_norm,
    position: { kind: "none" },
    pooling: "none",
    mask: attrs.causal ? "causal" : "bidirectional",
  };
  return Encoder.fromConfig(config, { ...on, parameters });
}
