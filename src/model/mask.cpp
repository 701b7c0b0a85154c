#include "model/mask.h"

#include <limits>

namespace headscope {

void apply_mask(const Mask& mask, Index head, Index first, MatrixView scores) {
  constexpr float kForbidden = -std::numeric_limits<float>::infinity();
  if (!mask.additive.empty()) {
    const auto& added =
        mask.additive[mask.additive.size() == 1 ? 0 : static_cast<std::size_t>(head)];
    scores += added.middleRows(first, scores.rows());
  }
  for (Index j = 0; j < static_cast<Index>(mask.valid_keys.size()); ++j) {
    if (!mask.valid_keys[static_cast<std::size_t>(j)]) scores.col(j).setConstant(kForbidden);
  }
  if (!mask.causal) return;
  for (Index i = 0; i < scores.rows(); ++i) {
    const Index hidden = std::max<Index>(scores.cols() - (first + i + 1), 0);
    scores.row(i).tail(hidden).setConstant(kForbidden);
  }
}

}  // namespace headscope
