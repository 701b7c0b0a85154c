#include "kernels/layer_norm.h"

#include <cmath>

#include "kernels/simd.h"

namespace headscope {
namespace {

/// A row's mean as the sum of two floats. The second matters where the mean is large against the
/// spread; it is exactly 0 for a constant row, whose sum is exact in double.
struct Mean {
  float head;
  float rest;
};

Mean row_mean(const float* row, Index cols) {
  F64x2 even = {0.0, 0.0}, odd = {0.0, 0.0};
  Index j = 0;
  for (; j + kLanes <= cols; j += kLanes) {
    const F32x4 x = load(row + j);
    even += low_as_double(x);
    odd += high_as_double(x);
  }
  even += odd;
  double total = even[0] + even[1];
  for (; j < cols; ++j) total += row[j];
  const double mean = total / static_cast<double>(cols);
  const float head = static_cast<float>(mean);
  return {head, static_cast<float>(mean - head)};
}

float row_variance(const float* row, Index cols, Mean mean) {
  F32x4 first = splat(0.0f), second = splat(0.0f);
  const auto squared = [&](Index j, F32x4 total) {
    const F32x4 deviation = load(row + j) - splat(mean.head) - splat(mean.rest);
    return madd(deviation, deviation, total);
  };
  Index j = 0;
  for (; j + 2 * kLanes <= cols; j += 2 * kLanes) {
    first = squared(j, first);
    second = squared(j + kLanes, second);
  }
  float total = sum(first + second);
  for (; j < cols; ++j) {
    const float deviation = row[j] - mean.head - mean.rest;
    total += deviation * deviation;
  }
  return total / static_cast<float>(cols);
}

/// 1 / sqrt(variance + epsilon), in double where the squares of a row pass the largest float.
float inverse_deviation(const float* row, Index cols, Mean mean, float epsilon) {
  const float variance = row_variance(row, cols, mean);
  if (std::isfinite(variance)) return 1.0f / std::sqrt(variance + epsilon);
  double total = 0;
  for (Index j = 0; j < cols; ++j) {
    const double deviation = static_cast<double>(row[j]) - mean.head - mean.rest;
    total += deviation * deviation;
  }
  return static_cast<float>(1 / std::sqrt(total / static_cast<double>(cols) + epsilon));
}

/// The row's factors and offsets at columns j .. j + count.
F32x4 weights_at(const float* weights, Index j, Index count, float otherwise) {
  if (weights == nullptr) return splat(otherwise);
  return count == kLanes ? load(weights + j) : load_partial(weights + j, count, otherwise);
}

}  // namespace

void layer_norm_rows(ConstMatrixView x, const float* gamma, const float* beta, float epsilon,
                     MatrixView y) {
  const Index cols = x.cols();
  for (Index i = 0; i < x.rows(); ++i) {
    const float* from = x.data() + i * x.outerStride();
    float* to = y.data() + i * y.outerStride();
    const Mean mean = row_mean(from, cols);
    const F32x4 rstd = splat(inverse_deviation(from, cols, mean, epsilon));
    const auto normed = [&](F32x4 values, Index j, Index count) {
      // (x - mean) * rstd, not x * rstd - mean * rstd: the difference of two large numbers would be
      // noise.
      const F32x4 z = (values - splat(mean.head) - splat(mean.rest)) * rstd;
      return madd(z, weights_at(gamma, j, count, 1.0f), weights_at(beta, j, count, 0.0f));
    };
    Index j = 0;
    for (; j + kLanes <= cols; j += kLanes) store(to + j, normed(load(from + j), j, kLanes));
    const Index rest = cols - j;
    if (rest > 0) store_partial(to + j, normed(load_partial(from + j, rest, 0.0f), j, rest), rest);
  }
}

}  // namespace headscope
