#include "model/alibi_position.h"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace headscope {

std::vector<float> alibi_slopes(Index heads) {
  const Index power = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(heads)));
  std::vector<float> slopes;
  for (Index a = 0; a < power; ++a) {
    slopes.push_back(static_cast<float>(
        std::exp2(-8.0 * static_cast<double>(a + 1) / static_cast<double>(power))));
  }
  for (Index a = 0; power + a < heads; ++a) {
    slopes.push_back(static_cast<float>(
        std::exp2(-8.0 * static_cast<double>(2 * a + 1) / static_cast<double>(2 * power))));
  }
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
