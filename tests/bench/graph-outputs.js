// Names of the outputs of the ONNX graphs, for those who write them and those who read them.

export const hiddenOutput = "last_hidden_state";

/** @param {number} layer */
export function attentionOutput(layer) {
  return `attention_${layer}`;
}
