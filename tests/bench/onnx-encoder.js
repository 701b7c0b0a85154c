// The encoders as ONNX graphs, in the styles that onnxruntime runs best.
import { attentionOutput, hiddenOutput } from "./graph-outputs.js";
import { contributed, elementType, OnnxGraph } from "./onnx-graph.js";

/** @typedef {import("headscope").EncoderConfig} EncoderConfig */

/**
 * A parameter: its values, and where they lie in the file of weights.
 *
 * @typedef {{ shape: number[], values: Float32Array,
 *   place?: { file: string, offset: number, length: number } }} Parameter
 */

/** @typedef {"separate" | "Attention" | "MultiHeadAttention"} AttentionStyle */

/**
 * How the same computation is spelled.
 *
 * @typedef {object} Style
 * @property {AttentionStyle} attention separate: as products and a softmax
 * @property {boolean} fused bias, activation and norm in onnxruntime's own fused operators
 * @property {boolean} [maps] every layer's attention weights are outputs
 * @property {boolean} [int8] weights in int8, one scale each; activations quantised as they come
 */

/** @satisfies {Record<string, Style>} */
export const styles = {
  plain: { attention: "separate", fused: false },
  attention: { attention: "Attention", fused: true },
  multihead: { attention: "MultiHeadAttention", fused: true },
  maps: { attention: "separate", fused: true, maps: true },
  int8: { attention: "MultiHeadAttention", fused: true, int8: true },
};

/** @typedef {keyof typeof styles} StyleName */

/**
 * @param {EncoderConfig} config post-norm; learned positions with token types, or sinusoids
 * @param {Map<string, Parameter>} parameters by Headscope's names
 * @param {Style} style
 * @returns {Uint8Array} the .onnx file
 */
export function writeEncoder(config, parameters, style) {
  const writer = new EncoderWriter(config, parameters, style);
  const { int64, float } = elementType;
  const inputNames = ["input_ids"];
  if ((config.token_types ?? 0) > 0) inputNames.push("token_type_ids");
  // Attention alone takes a mask at no cost; the flash form of MultiHeadAttention has none.
  if (style.attention !== "MultiHeadAttention") inputNames.push("attention_mask");
  const inputs = inputNames.map((name) => ({ name, type: int64, dims: [1, "n"] }));
  writer.write();
  const outputs = [{ name: hiddenOutput, type: float, dims: [1, "n", config.d_model] }];
  for (let layer = 0; style.maps && layer < config.n_layers; ++layer) {
    outputs.push({
      name: attentionOutput(layer),
      type: float,
      dims: [1, config.n_heads, "n", "n"],
    });
  }
  return writer.graph.encode(inputs, outputs);
}

class EncoderWriter {
  graph = new OnnxGraph();

  /**
   * @param {EncoderConfig} config
   * @param {Map<string, Parameter>} parameters
   * @param {Style} style
   */
  constructor(config, parameters, style) {
    this.config = config;
    this.parameters = parameters;
    this.style = style;
  }

  write() {
    let hidden = this.embeddings();
    const mask = this.mask();
    for (let layer = 0; layer < this.config.n_layers; ++layer) {
      hidden = this.layer(layer, hidden, mask);
    }
    this.graph.node("Identity", [hidden], { output: hiddenOutput });
  }

  embeddings() {
    const { graph, config } = this;
    const token = graph.node("Gather", [this.parameter("embeddings.token"), "input_ids"]);
    const shape = graph.node("Shape", ["input_ids"]);
    const length = graph.node("Slice", [shape, graph.integers("1", [1]), graph.integers("2", [2])]);
    const firstRows = (/** @type {string} */ table) =>
      graph.node("Slice", [table, graph.integers("0", [0]), length, "0"]);
    if (config.position.kind === "learned") {
      const types = this.parameter("embeddings.token_type");
      const type = graph.node("Gather", [types, "token_type_ids"]);
      const position = firstRows(this.parameter("embeddings.position"));
      const sum = graph.node("Add", [graph.node("Add", [token, type]), position]);
      return this.norm("embedding_norm", sum);
    }
    const size = [config.max_tokens, config.d_model];
    const table = graph.constant("sinusoids", size, sinusoids(config));
    const scale = graph.scalar("embedding_scale", config.embedding_scale ?? 1);
    return graph.node("Add", [graph.node("Mul", [token, scale]), firstRows(table)]);
  }

  /** What attention is given of the mask, in the form that it takes. */
  mask() {
    const { graph } = this;
    const to = (/** @type {number} */ type) =>
      graph.node("Cast", ["attention_mask"], { attributes: { to: type } });
    if (this.style.attention === "MultiHeadAttention") return undefined;
    if (this.style.attention === "Attention") return to(elementType.int32);
    const seen = graph.node("Unsqueeze", [to(elementType.float), graph.integers("1,2", [1, 2])]);
    const hidden = graph.node("Sub", [graph.scalar("one", 1), seen]);
    return graph.node("Mul", [hidden, graph.scalar("lowest", -3.4028234663852886e38)]);
  }

  /**
   * @param {number} layer
   * @param {string} input
   * @param {string | undefined} mask
   */
  layer(layer, input, mask) {
    const { graph, style, config } = this;
    const of = (/** @type {string} */ name) => `layers.${layer}.${name}`;
    const context = this.attention(layer, input, mask);
    const projected = this.product(context, of("attention.wo"));
    const middle = this.addNorm(of("norm1"), projected, of("attention.bo"), input);
    const wide = this.product(middle, of("feed_forward.w1"));
    const bias = this.parameter(of("feed_forward.b1"));
    const isGelu = config.activation === "gelu";
    const active =
      isGelu && style.fused
        ? graph.node("BiasGelu", [wide, bias], { domain: contributed })
        : this.activate(graph.node("Add", [wide, bias]));
    const narrow = this.product(active, of("feed_forward.w2"));
    return this.addNorm(of("norm2"), narrow, of("feed_forward.b2"), middle);
  }

  /**
   * @param {number} layer
   * @param {string} input
   * @param {string | undefined} mask
   * @returns {string} the contexts of all heads, side by side
   */
  attention(layer, input, mask) {
    const { graph, config, style } = this;
    const of = (/** @type {string} */ name) => `layers.${layer}.attention.${name}`;
    const options = { attributes: { num_heads: config.n_heads }, domain: contributed };
    if (style.attention === "Attention") {
      const weight = this.join([of("wq"), of("wk"), of("wv")]);
      const bias = this.join([of("bq"), of("bk"), of("bv")]);
      return graph.node("Attention", [input, weight, bias, mask ?? ""], options);
    }
    const products = ["wq", "wk", "wv"].map((name) => this.product(input, of(name)));
    if (style.attention === "MultiHeadAttention") {
      const bias = this.join([of("bq"), of("bk"), of("bv")]);
      return graph.node("MultiHeadAttention", [...products, bias], options);
    }
    const [query, key, value] = ["bq", "bk", "bv"].map((name, i) =>
      graph.node("Add", [products[i], this.parameter(of(name))]),
    );
    return this.separateAttention(layer, { query, key, value, mask: mask ?? "" });
  }

  /**
   * @param {number} layer
   * @param {{ query: string, key: string, value: string, mask: string }} inputs
   */
  separateAttention(layer, { query, key, value, mask }) {
    const { graph, config } = this;
    const d_head = config.d_model / config.n_heads;
    const split = graph.integers("split", [0, 0, config.n_heads, d_head]);
    const turn = (/** @type {string} */ x, /** @type {number[]} */ perm) =>
      graph.node("Transpose", [x], { attributes: { perm } });
    const heads = (/** @type {string} */ x, /** @type {number[]} */ perm) =>
      turn(graph.node("Reshape", [x, split]), perm);
    const products = graph.node("MatMul", [heads(query, [0, 2, 1, 3]), heads(key, [0, 2, 3, 1])]);
    const scores = graph.node("Div", [products, graph.scalar("root", Math.sqrt(d_head))]);
    const weights = graph.node("Softmax", [graph.node("Add", [scores, mask])], {
      attributes: { axis: -1 },
      output: attentionOutput(layer),
    });
    const context = graph.node("MatMul", [weights, heads(value, [0, 2, 1, 3])]);
    const merged = graph.integers("merge", [0, 0, config.d_model]);
    return graph.node("Reshape", [turn(context, [0, 2, 1, 3]), merged]);
  }

  /** @param {string} x */
  activate(x) {
    const { graph } = this;
    if (this.config.activation === "relu") return graph.node("Relu", [x]);
    const scaled = graph.node("Div", [x, graph.scalar("root2", Math.SQRT2)]);
    const sum = graph.node("Add", [graph.node("Erf", [scaled]), graph.scalar("one", 1)]);
    return graph.node("Mul", [graph.node("Mul", [x, sum]), graph.scalar("half", 0.5)]);
  }

  /**
   * norm(x + bias + residual).
   *
   * @param {string} norm
   * @param {string} x
   * @param {string} bias
   * @param {string} residual
   */
  addNorm(norm, x, bias, residual) {
    const { graph } = this;
    const [gamma, beta, shift] = [`${norm}.gamma`, `${norm}.beta`, bias].map((name) =>
      this.parameter(name),
    );
    if (this.style.fused) {
      return graph.node("SkipLayerNormalization", [x, residual, gamma, beta, shift], {
        floats: { epsilon: this.config.norm_epsilon },
        domain: contributed,
      });
    }
    return this.norm(norm, graph.node("Add", [graph.node("Add", [x, shift]), residual]));
  }

  /** @param {string} name @param {string} x */
  norm(name, x) {
    const input = [x, this.parameter(`${name}.gamma`), this.parameter(`${name}.beta`)];
    return this.graph.node("LayerNormalization", input, {
      attributes: { axis: -1 },
      floats: { epsilon: this.config.norm_epsilon },
    });
  }

  /** @param {string} x @param {string} weight */
  product(x, weight) {
    const { graph } = this;
    if (!this.style.int8) return graph.node("MatMul", [x, this.parameter(weight)]);
    const { shape, values } = this.get(weight);
    const { numbers, scale } = quantise(values);
    graph.constant(weight, shape, numbers);
    const scales = graph.constant(`${weight}.scale`, [1], Float32Array.of(scale));
    const zero = graph.constant("zero", [], Int8Array.of(0));
    const input = [x, weight, scales, zero];
    return graph.node("DynamicQuantizeMatMul", input, { domain: contributed });
  }

  /** @param {string} name */
  parameter(name) {
    const { shape, values, place } = this.get(name);
    if (place === undefined) return this.graph.constant(name, shape, values);
    return this.graph.external(name, shape, place);
  }

  /**
   * Matrices of equal sizes side by side, or vectors one after another.
   *
   * @param {string[]} names
   */
  join(names) {
    const parts = names.map((name) => this.get(name));
    const width = parts[0].shape[parts[0].shape.length - 1];
    const rows = parts[0].values.length / width;
    const values = new Float32Array(parts.length * rows * width);
    for (let row = 0, at = 0; row < rows; ++row) {
      for (const part of parts) {
        values.set(part.values.subarray(row * width, (row + 1) * width), at);
        at += width;
      }
    }
    const shape = [...parts[0].shape.slice(0, -1), parts.length * width];
    return this.graph.constant(names.join("|"), shape, values);
  }

  /** @param {string} name @returns {Parameter} */
  get(name) {
    const found = this.parameters.get(name);
    if (found === undefined) throw new Error(`no parameter "${name}"`);
    return found;
  }
}

/** Even columns are sines, odd ones cosines. @param {EncoderConfig} config */
function sinusoids({ max_tokens, d_model }) {
  const table = new Float32Array(max_tokens * d_model);
  for (let i = 0; i < table.length; ++i) {
    const column = i % d_model;
    const angle = Math.floor(i / d_model) / 10000 ** ((column - (column % 2)) / d_model);
    table[i] = column % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
  }
  return table;
}

/**
 * One symmetric scale for the whole matrix, as onnxruntime's own dynamic quantisation has it.
 *
 * @param {Float32Array} values
 * @returns {{ numbers: Int8Array, scale: number }}
 */
function quantise(values) {
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
  return { numbers: Int8Array.from(values, (value) => Math.round(value / scale)), scale };
}
