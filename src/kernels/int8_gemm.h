#pragma once

#include <cstdint>

#include "base/context.h"
#include "base/view.h"
#include "kernels/epilogue.h"
#include "kernels/int8_matrix.h"
#include "kernels/quantise.h"

namespace headscope {

/// The largest integer of a row that is multiplied with a weight of this depth: 2047 in the wide
/// kernel up to a depth of 8256, 127 in the dot kernel up to 66311, and less beyond, so that a sum
/// of 32 bits cannot overflow.
std::int32_t row_limit(Int8Kernel kernel, Index depth);

/// c = activation(scale * a b + bias) + residual, where the rows of a [M, K] become integers with
/// one scale each. The sums are exact; every element depends on its row and column alone, and is
/// equal to the bit for any number of threads. Uses the context's scratch.
void multiply(Context& context, ConstMatrixView a, Int8View b, const Epilogue& epilogue,
              MatrixView c);

/// Plain-loop form of `multiply`, for tests.
void multiply_reference(ConstMatrixView a, Int8View b, const Epilogue& epilogue, MatrixView c);

}  // namespace headscope
