#include "model/t5_position.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace headscope {

Index t5_bucket(Index distance, Index buckets, Index max_distance, bool causal) {
  const Index range = causal ? buckets : buckets / 2;
  const Index start = !causal && distance > 0 ? range : 0;
  const Index magnitude = causal ? std::max<Index>(-distance, 0) : std::abs(distance);
  const Index exact = range / 2;
  if (magnitude < exact) return start + magnitude;
  const double steps = std::log(static_cast<double>(magnitude) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(max_distance) / static_cast<double>(exact)) *
                       static_cast<double>(range - exact);
  // a whole number of steps must not fall to the bucket below by rounding
  const Index further = static_cast<Index>(std::floor(steps + 1e-9));
  return start + std::min(range - 1, exact + further);
}

void T5Position::prepare(Index length) {
  if (length <= length_) return;
  std::vector<Index> longer;
  for (Index distance = 1 - length; distance < length; ++distance) {
    longer.push_back(t5_bucket(distance, options_.buckets, options_.max_distance, causal_));
  }
  buckets_.swap(longer);  // whole or not at all, should memory run out
  length_ = length;
}

void T5Position::add_to_scores(const QueryBlock& block, MatrixView scores) const {
  for (Index i = 0; i < scores.rows(); ++i) {
    const Index* buckets = buckets_.data() + length_ - 1 - (block.first + i);  // of key 0
    for (Index j = 0; j < scores.cols(); ++j) scores(i, j) += table_(buckets[j], block.id.head);
  }
}

}  // namespace headscope
