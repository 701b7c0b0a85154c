#include "kernels/softmax.h"

#include <limits>

#include "kernels/exp.h"
#include "kernels/simd.h"

namespace headscope {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

float row_max(const float* row, Index cols) {
  // Two maxima, so that an operation need not wait for the one before.
  F32x4 even = splat(kMinusInfinity), odd = even;
  Index j = 0;
  HEADSCOPE_KEEP_LOOP
  for (; j + 2 * kLanes <= cols; j += 2 * kLanes) {
    even = max(load(row + j), even);
    odd = max(load(row + j + kLanes), odd);
  }
  if (j + kLanes <= cols) {
    even = max(load(row + j), even);
    j += kLanes;
  }
  odd = max(load_partial(row + j, cols - j, kMinusInfinity), odd);
  return max(max(even, odd));
}

/// Replaces the row by exp(row - largest) and returns its sum.
float exp_row(float* row, Index cols, float largest) {
  const NonpositiveExp exp;
  const F32x4 shift = splat(largest);
  F32x4 total = splat(0.0f);
  Index j = 0;
  HEADSCOPE_KEEP_LOOP
  for (; j + kLanes <= cols; j += kLanes) {
    const F32x4 e = exp(load(row + j) - shift);
    store(row + j, e);
    total += e;
  }
  if (j < cols) {
    const F32x4 e = exp(load_partial(row + j, cols - j, kMinusInfinity) - shift);
    store_partial(row + j, e, cols - j);
    total += e;
  }
  return sum(total);
}

}  // namespace

void exp_rows(MatrixView scores, VectorView inverse_sums) {
  for (Index i = 0; i < scores.rows(); ++i) {
    float* row = scores.data() + i * scores.outerStride();
    const float largest = row_max(row, scores.cols());
    float& inverse_sum = inverse_sums[static_cast<std::size_t>(i)];
    if (largest == kMinusInfinity) {
      // Not a plain fill: a NaN among the -infinities must not turn into a clean 0.
      for (Index j = 0; j < scores.cols(); ++j) row[j] = row[j] < 0.0f ? 0.0f : row[j];
      inverse_sum = 0.0f;
    } else {
      inverse_sum = 1.0f / exp_row(row, scores.cols(), largest);
    }
  }
}

void scale_rows(ConstMatrixView in, ConstVectorView factors, MatrixView out) {
  for (Index i = 0; i < in.rows(); ++i) {
    const float* from = in.data() + i * in.outerStride();
    float* to = out.data() + i * out.outerStride();
    const float factor = factors[static_cast<std::size_t>(i)];
    Index j = 0;
    HEADSCOPE_KEEP_LOOP
    for (; j + kLanes <= in.cols(); j += kLanes) store(to + j, load(from + j) * splat(factor));
    HEADSCOPE_KEEP_LOOP
    for (; j < in.cols(); ++j) to[j] = from[j] * factor;
  }
}

}  // namespace headscope
