#include "model/layer_norm_steps.h"

#include <utility>

#include "kernels/layer_norm.h"

namespace headscope {

LayerNormSteps layer_norm_steps(Matrix sum, const float* gamma, const float* beta, float epsilon) {
  LayerNormSteps steps;
  steps.sum = std::move(sum);
  const Eigen::MatrixXd wide = steps.sum.cast<double>();
  const Eigen::VectorXd mean = wide.rowwise().mean();
  const Eigen::VectorXd variance = (wide.colwise() - mean).array().square().rowwise().mean();
  steps.mean = mean.transpose().cast<float>();
  steps.variance = variance.transpose().cast<float>();
  steps.normalized.resize(steps.sum.rows(), steps.sum.cols());
  steps.output.resize(steps.sum.rows(), steps.sum.cols());
  layer_norm_rows(view(std::as_const(steps.sum)), nullptr, nullptr, epsilon,
                  view(steps.normalized));
  layer_norm_rows(view(std::as_const(steps.sum)), gamma, beta, epsilon, view(steps.output));
  return steps;
}

}  // namespace headscope
