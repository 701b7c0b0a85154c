#pragma once

#include <vector>

#include "model/position.h"

namespace headscope {

/// Slopes of the heads (Press et al. 2022): 2^(-8(a+1)/H) for a power of two H; otherwise those of
/// the largest power of two c below H, then every other slope for 2c heads.
std::vector<float> alibi_slopes(Index heads);

/// Attention with linear biases: score(i, j) falls by slope |i - j|. For keys behind the query this
/// is the paper's causal bias; the symmetric form for encoders is its authors' extension.
class AlibiPosition : public Position {
 public:
  explicit AlibiPosition(Index heads) : slopes_(alibi_slopes(heads)) {}
  void add_to_scores(const QueryBlock& block, MatrixView scores) const override;

 private:
  std::vector<float> slopes_;
};

}  // namespace headscope
