#include "model/bias_position.h"

namespace headscope {

void BiasPosition::add_to_scores(const QueryBlock& block, MatrixView scores) const {
  if (bias_.rows() > 0) scores += bias_.middleRows(block.first, scores.rows());
}

}  // namespace headscope
