import "headscope/elements";
import { Encoder } from "headscope";
import { attention } from "headscope/components";

/**
 * Everything that an app may use of the package, each with a number to prove it.
 *
 * @param {string} text
 * @param {string | URL} [model] the model that ships by default
 * @param {{ engine?: import("headscope").Engine }} [options]
 */
export async function compute(text, model, options = {}) {
  const encoder = await Encoder.fromPretrained(model, options);
  const trace = await encoder.run(text);
  const { n_layers, n_heads } = trace.config;
  const query = [[1, 0]];
  const key = [
    [1, 0],
    [0, 1],
  ];
  const value = [[1], [2]];
  const { weights } = await attention({ query, key, value }, options);
  return {
    info: encoder.engine.info,
    attention: Array.from({ length: n_layers }, (_, layer) =>
      Array.from({ length: n_heads }, (_, head) => {
        const matrix = trace.attention(layer, head);
        return trace.tokens.map((_, query) => Array.from(matrix.row(query)));
      }),
    ),
    weights: Array.from(weights.data),
    elements: ["headscope-attention", "headscope-positions"].filter((name) =>
      customElements.get(name),
    ),
  };
}
