#include "model/shaw_position.h"

#include <algorithm>

namespace headscope {
namespace {

/// Table row of query position i and key position j, in a table of 2k + 1 rows.
Index relative_row(Index i, Index j, Index rows) {
  const Index k = rows / 2;
  return std::clamp(j - i, -k, k) + k;
}

}  // namespace

void ShawPosition::add_to_scores(const QueryBlock& block, MatrixView scores) const {
  const ConstMatrixView& key = tables_[static_cast<std::size_t>(block.id.layer)].key;
  if (key.rows() == 0) return;
  for (Index i = 0; i < scores.rows(); ++i) {
    // rows of the table come in ascending order along the keys, so each product is made once
    Index row = -1;
    float product = 0;
    for (Index j = 0; j < scores.cols(); ++j) {
      const Index next = relative_row(block.first + i, j, key.rows());
      if (next != row) product = block.scale * block.query.row(i).dot(key.row(next));
      row = next;
      scores(i, j) += product;
    }
  }
}

void ShawPosition::add_to_context(const QueryBlock& block, ConstMatrixView weights,
                                  MatrixView context) const {
  const ConstMatrixView& value = tables_[static_cast<std::size_t>(block.id.layer)].value;
  if (value.rows() == 0) return;
  for (Index i = 0; i < weights.rows(); ++i) {
    Index j = 0;
    while (j < weights.cols()) {
      const Index row = relative_row(block.first + i, j, value.rows());
      float weight = 0;
      for (; j < weights.cols() && relative_row(block.first + i, j, value.rows()) == row; ++j)
        weight += weights(i, j);
      context.row(i) += weight * value.row(row);
    }
  }
}

}  // namespace headscope
