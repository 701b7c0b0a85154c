#include "model/layer_norm_steps.h"

#include <utility>

#include "kernels/layer_norm.h"

namespace headscope {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;  // divided by the count
};
Moments moments_of(const float* values, Index count) {
  Moments moments;
  for (Index j = 0; j < count; ++j) moments.mean += values[j];
  moments.mean /= static_cast<double>(count);
  for (Index j = 0; j < count; ++j) {
    const double distance = values[j] - moments.mean;
    moments.variance += distance * distance;
  }
  moments.variance /= static_cast<double>(count);
  return moments;
}

}  // namespace

LayerNormSteps layer_norm_steps(Matrix sum, const float* gamma, const float* beta, float epsilon) {
  LayerNormSteps steps;
  steps.sum = std::move(sum);
  const Index rows = steps.sum.rows(), cols = steps.sum.cols();
  steps.mean.resize(1, rows);
  steps.variance.resize(1, rows);
  for (Index i = 0; i < rows; ++i) {
    const Moments moments = moments_of(steps.sum.row(i).data(), cols);
    steps.mean(0, i) = static_cast<float>(moments.mean);
    steps.variance(0, i) = static_cast<float>(moments.variance);
  }
  steps.normalized.resize(rows, cols);
  steps.output.resize(rows, cols);
  layer_norm_rows(view(std::as_const(steps.sum)), nullptr, nullptr, epsilon,
                  view(steps.normalized));
  layer_norm_rows(view(std::as_const(steps.sum)), gamma, beta, epsilon, view(steps.output));
  return steps;
}

}  // namespace headscope
