#include "model/attention_cost.h"

#include <cmath>

#include "base/error.h"

namespace headscope {

AttentionCost attention_cost(double length, double d_model, double heads) {
  require(heads >= 1 && std::fmod(d_model, heads) == 0, ErrorCode::kBadArgument,
          "attentionCost: heads, expected a divisor of d_model");
  const double square = length * length, width = d_model / heads;
  return {.score_operations = square * d_model,
          .context_operations = square * d_model,
          .projection_operations = 4 * length * d_model * d_model,
          .score_bytes = 4 * heads * square,
          .parameters = 4 * d_model * d_model,
          .head_score_operations = square * width,
          .head_width = width};
}

}  // namespace headscope
