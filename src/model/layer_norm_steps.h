#pragma once

#include "base/view.h"

namespace headscope {

/// Every step of LayerNorm(x + sublayer), for showing; layer_norm_rows is the fast way to the last
/// one.
struct LayerNormSteps {
  Matrix sum;         // [T, D] x + sublayer
  Matrix mean;        // [1, T]
  Matrix variance;    // [1, T] divided by D
  Matrix normalized;  // [T, D] (sum - mean) / sqrt(variance + epsilon)
  Matrix output;      // [T, D] gamma * normalized + beta
};

/// sum [T, D]: x, or x + sublayer. gamma, beta [D]: null for 1 and 0 (Ba, Kiros, Hinton 2016).
LayerNormSteps layer_norm_steps(Matrix sum, const float* gamma, const float* beta, float epsilon);

}  // namespace headscope
