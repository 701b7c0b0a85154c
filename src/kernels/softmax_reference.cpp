#include <cmath>
#include <limits>

#include "kernels/softmax.h"

namespace headscope {

void softmax_rows_reference(MatrixView scores) {
  for (Index i = 0; i < scores.rows(); ++i) {
    double largest = -std::numeric_limits<double>::infinity();
    for (Index j = 0; j < scores.cols(); ++j) {
      if (scores(i, j) > largest) largest = scores(i, j);
    }
    double total = 0.0;
    for (Index j = 0; j < scores.cols(); ++j) {
      if (std::isfinite(scores(i, j))) total += std::exp(scores(i, j) - largest);
    }
    for (Index j = 0; j < scores.cols(); ++j) {
      const bool masked = !std::isfinite(scores(i, j));
      scores(i, j) = masked ? 0.0f : static_cast<float>(std::exp(scores(i, j) - largest) / total);
    }
  }
}

}  // namespace headscope
