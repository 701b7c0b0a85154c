#pragma once

#include "base/view.h"
#include "kernels/activation.h"

namespace headscope {

/// What happens to a product on its way to memory.
struct Epilogue {
  float scale = 1.0f;                             // multiplies the product
  const float* bias = nullptr;                    // [N], added after scaling
  Activation activation = Activation::kIdentity;  // applied after the bias
  const float* residual = nullptr;                // [M, N], added last; may be c itself
  Index residual_stride = 0;
};

/// The value that a plain loop writes to (i, j) for the product's sum there, for tests.
float finish_reference(const Epilogue& epilogue, Index i, Index j, float sum);

}  // namespace headscope
