/**
 * How close the model that ships is in int8 to the graph that it was converted from. Wide adds nothing
 * that could be seen to the 8 bits of the file. Dot keeps 8 bits of what the weights are multiplied with;
 * the bounds are what was measured (0.99934 and 0.043), and a third.
 *
 * @type {Record<import("../../bindings/js/module.js").Int8Kernel, { cosine: number, attention: number }>}
 */
export const int8Limits = {
  wide: { cosine: 0.999, attention: 0.03 },
  dot: { cosine: 0.999, attention: 0.055 },
};
