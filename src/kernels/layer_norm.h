#pragma once

#include "base/view.h"

namespace headscope {

/// y = gamma * (x - mean) / sqrt(variance + epsilon) + beta for each row (Ba, Kiros, Hinton 2016).
/// x, y: [T, D], may be the same memory. gamma, beta: [D], null for 1 and 0. The variance divides
/// by D.
void layer_norm_rows(ConstMatrixView x, const float* gamma, const float* beta, float epsilon,
                     MatrixView y);

/// Plain-loop form of `layer_norm_rows`, in double, for tests.
void layer_norm_rows_reference(ConstMatrixView x, const float* gamma, const float* beta,
                               float epsilon, MatrixView y);

}  // namespace headscope
