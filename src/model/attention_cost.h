#pragma once

#include "base/view.h"

namespace headscope {

/// What one multi-head attention layer costs; operations are multiply-adds, kept in doubles because
/// they outgrow 32 bits.
struct AttentionCost {
  double score_operations;       // Q K^T of all heads: T^2 D, whatever H is
  double context_operations;     // weights times values: T^2 D
  double projection_operations;  // W^Q, W^K, W^V, W^O: 4 T D^2
  double score_bytes;            // H float32 matrices [T, T]: 4 H T^2
  double parameters;             // 4 D^2, without biases
  double head_score_operations;  // T^2 K
  double head_width;             // K = D / H
};

/// Throws bad-argument where heads does not divide d_model.
AttentionCost attention_cost(double length, double d_model, double heads);

}  // namespace headscope
