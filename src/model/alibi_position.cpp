#include "model/alibi_position.h"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace headscope {

std::vector<float> alibi_slopes(Index heads) {
  const Index power = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(heads)));
  std::vector<float> slopes;
  double ratio = 0x1p-8;  // 2^(-8 / power)
  for (Index p = power; p > 1; p /= 2) ratio = std::sqrt(ratio);
  double slope = 1.0;
  for (Index a = 0; a < power; ++a) slopes.push_back(static_cast<float>(slope *= ratio));
  slope = 1.0 / std::sqrt(ratio);
  for (Index a = power; a < heads; ++a) slopes.push_back(static_cast<float>(slope *= ratio));
  return slopes;
}

void AlibiPosition::add_to_scores(const QueryBlock& block, MatrixView scores) const {
  const float slope = slopes_[static_cast<std::size_t>(block.id.head)];
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.cols(); ++j) {
      scores(i, j) -= slope * static_cast<float>(std::abs(block.first + i - j));
    }
  }
}

}  // namespace headscope
