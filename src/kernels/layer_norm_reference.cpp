#include <cmath>

#include "kernels/layer_norm.h"

namespace headscope {

void layer_norm_rows_reference(ConstMatrixView x, const float* gamma, const float* beta,
                               float epsilon, MatrixView y) {
  const double d = static_cast<double>(x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    double mean = 0.0;
    for (Index j = 0; j < x.cols(); ++j) mean += x(i, j) / d;
    double variance = 0.0;
    for (Index j = 0; j < x.cols(); ++j) variance += (x(i, j) - mean) * (x(i, j) - mean) / d;
    const double rstd = 1.0 / std::sqrt(variance + epsilon);
    for (Index j = 0; j < x.cols(); ++j) {
      const double normed = (x(i, j) - mean) * rstd;
      y(i, j) = static_cast<float>(normed * (gamma ? gamma[j] : 1.0) + (beta ? beta[j] : 0.0));
    }
  }
}

}  // namespace headscope
