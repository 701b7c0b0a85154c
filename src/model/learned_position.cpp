#include "model/learned_position.h"

#include "base/error.h"

namespace headscope {

void LearnedPosition::prepare(Index length) {
  if (length <= table_.rows()) return;
  fail(ErrorCode::kTooLong,
       {"positions: the learned table has ", table_.rows(), " rows, got ", length, " tokens"});
}

void LearnedPosition::add_to_embeddings(MatrixView x) const { x += table_.topRows(x.rows()); }

}  // namespace headscope
