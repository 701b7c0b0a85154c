#pragma once

#include "model/position.h"

namespace headscope {

/// A given matrix [T, M] added to the scaled scores of every head; an empty one adds nothing.
class BiasPosition : public Position {
 public:
  /// `bias` must outlive the position.
  explicit BiasPosition(ConstMatrixView bias) : bias_(bias) {}
  void add_to_scores(const QueryBlock& block, MatrixView scores) const override;

 private:
  ConstMatrixView bias_;
};

}  // namespace headscope
