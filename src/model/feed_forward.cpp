#include "model/feed_forward.h"

namespace headscope {

void compute_hidden(Context& context, const FeedForwardWeights& weights, Activation activation,
                    ConstMatrixView x, HiddenBuffers buffers) {
  if (weights.w_gate.cols() == 0) {
    multiply(context, x, weights.w1, {.bias = weights.b1, .activation = activation},
             buffers.hidden);
    return;
  }
  multiply(context, x, weights.w1, {.bias = weights.b1}, buffers.hidden);
  multiply(context, x, weights.w_gate, {.bias = weights.b_gate, .activation = activation},
           buffers.gate);
  buffers.hidden.array() *= buffers.gate.array();
}

}  // namespace headscope
