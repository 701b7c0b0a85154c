#include "model/attention_cost.h"

#include <cmath>

#include "base/error.h"

namespace headscope {

AttentionCost attention_cost(double length, double d_model, double heads) {
  const double square = length * length, width = d_model / heads;
  if (!(heads >= 1 && width == std::floor(width))) {
    fail(ErrorCode::kBadArgument,
         {"attentionCost: heads is ", heads, ", expected a divisor of d_model = ", d_model});
  }
  return {.score_operations = square * d_model,
          .context_operations = square * d_model,
          .projection_operations = 4 * length * d_model * d_model,
          .score_bytes = 4 * heads * square,
          .parameters = 4 * d_model * d_model,
          .head_score_operations = square * width,
          .head_width = width};
}

}  // namespace headscope
