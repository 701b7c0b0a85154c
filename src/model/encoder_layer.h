#pragma once

#include <span>

#include "base/context.h"
#include "model/attention.h"
#include "model/config.h"
#include "model/feed_forward.h"
#include "model/parameters.h"

namespace headscope {

/// Gain and shift of one layer norm; null for 1 and 0.
struct NormWeights {
  const float* gamma = nullptr;
  const float* beta = nullptr;
};

/// The weights of one layer as the products want them.
struct LayerWeights {
  Weight qkv;  // [D_in, 3 D_in]: W^Q | W^K | W^V
  std::vector<float> qkv_bias;
  Weight wo;
  const float* bo = nullptr;
  Weight w_residual;  // empty where D_in = D
  const float* b_residual = nullptr;
  FeedForwardWeights feed_forward;
  NormWeights norm1;
  NormWeights norm2;
};

/// Makes the weights of layer `layer` the homes of its matrices (the address of `weights` must not
/// change afterwards).
void home_layer(const Config& config, Index layer, WeightFormat format, Parameters& parameters,
                LayerWeights& weights);

/// Gives the weights of layer `layer` its vectors, once these are complete. The parameters must
/// outlive the weights.
void link_vectors(const Config& config, Index layer, const Parameters& parameters,
                  LayerWeights& weights);

/// What a layer takes from its encoder's config.
struct LayerOptions {
  AttentionOptions attention;
  NormPlacement norm = NormPlacement::kPre;
  float epsilon = 1e-5f;
  Activation activation = Activation::kRelu;
};
LayerOptions layer_options(const Config& config, Index layer);

/// Memory that layers work in, for up to N rows (all sequences of a batch together).
struct LayerBuffers {
  LayerBuffers(const Config& config, Index rows);
  Matrix stream;  // [N, D] the sum that residuals carry
  Matrix normed;  // [N, max(D_in, D)] normalised input, or the attention's output
  Matrix qkv;     // [N, 3 max(D_in, D)]
  Matrix concat;  // [N, max(D_in, D)]
  Matrix hidden;  // [N, F]
  Matrix gate;    // [N, F] where gated
};

/// One encoder layer over every sequence of a batch.
/// pre-LN:  a = r(x) + MHA(LN1(x));   y = a + FFN(LN2(a))          (Xiong et al. 2020)
/// post-LN: a = LN1(r(x) + MHA(x));   y = LN2(a + FFN(a))          (Vaswani et al. 2017)
/// r is the identity, or x w_residual + b_residual where D_in differs from D.
/// x [N, D_in]; y (out) [N, D], which may be x where D_in = D.
void run_encoder_layer(Context& context, const LayerWeights& weights, const LayerOptions& options,
                       std::span<const Sequence> sequences, LayerBuffers& buffers,
                       ConstMatrixView x, MatrixView y);

}  // namespace headscope
