#pragma once

#include "base/context.h"
#include "base/view.h"
#include "kernels/activation.h"
#include "model/weight.h"

namespace headscope {

/// Weights of a position-wise feed-forward network; biases may be null, w_gate is empty unless
/// gated.
struct FeedForwardWeights {
  Weight w1;      // [D, F]
  Weight w2;      // [F, D]
  Weight w_gate;  // [D, F]
  const float* b1 = nullptr;
  const float* b2 = nullptr;
  const float* b_gate = nullptr;
};

/// Where the hidden rows go; gate is used only in gated networks.
struct HiddenBuffers {
  MatrixView hidden;  // [T, F]
  MatrixView gate;    // [T, F]
};

/// hidden = act(x w1 + b1), or act(x w_gate + b_gate) * (x w1 + b1) where gated (Vaswani et al.
/// 2017 eq. 2; Shazeer 2020 eq. 5-6). x [T, D]. The network's output is hidden w2 + b2.
void compute_hidden(Context& context, const FeedForwardWeights& weights, Activation activation,
                    ConstMatrixView x, HiddenBuffers buffers);

}  // namespace headscope
