#pragma once

#include <vector>

#include "model/position.h"

namespace headscope {

/// The bucket of a distance (key position - query position), 0 .. buckets - 1 (Raffel et al. 2020):
/// small distances have one each, larger ones share logarithmically up to max_distance. Half of the
/// buckets are for keys ahead, unless causal.
Index t5_bucket(Index distance, Index buckets, Index max_distance, bool causal);

/// A learned number per bucket and head, added to the scores.
class T5Position : public Position {
 public:
  /// table [buckets, H] must outlive the position.
  T5Position(const PositionOptions& options, ConstMatrixView table, bool causal)
      : options_(options), table_(table), causal_(causal) {}
  void prepare(Index length) override;
  void add_to_scores(const QueryBlock& block, MatrixView scores) const override;

 private:
  PositionOptions options_;
  ConstMatrixView table_;
  bool causal_;
  Index length_ = 0;
  std::vector<Index> buckets_;  // of distances 1 - length .. length - 1
};

}  // namespace headscope
