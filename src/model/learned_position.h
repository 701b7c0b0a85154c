#pragma once

#include "model/position.h"

namespace headscope {

/// A trained vector for every position, added to the embeddings; there is none past the table's
/// end.
class LearnedPosition : public Position {
 public:
  /// table [max_tokens, D_in]; must outlive the position.
  explicit LearnedPosition(ConstMatrixView table) : table_(table) {}
  /// Throws too-long where the table has fewer rows.
  void prepare(Index length) override;
  void add_to_embeddings(MatrixView x) const override;

 private:
  ConstMatrixView table_;
};

}  // namespace headscope
