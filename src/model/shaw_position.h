#pragma once

#include <vector>

#include "model/position.h"

namespace headscope {

/// Relative position representations (Shaw et al. 2018, eq. 3-4): the key of query i and key j
/// gains the vector of clip(j - i, -k, k), and the value likewise. All heads of a layer share the
/// tables.
class ShawPosition : public Position {
 public:
  /// One pair of tables per layer; the memory they view must outlive the position.
  explicit ShawPosition(std::vector<ShawTables> tables) : tables_(std::move(tables)) {}
  void add_to_scores(const QueryBlock& block, MatrixView scores) const override;
  void add_to_context(const QueryBlock& block, ConstMatrixView weights,
                      MatrixView context) const override;

 private:
  std::vector<ShawTables> tables_;
};

}  // namespace headscope
