#pragma once

#include <span>

#include "base/context.h"
#include "base/view.h"
#include "model/mask.h"
#include "model/position.h"
#include "model/trace.h"

namespace headscope {

/// Where one sequence lies among the rows of a batch, and what keeps its intermediates (null:
/// nothing).
struct Sequence {
  Index first_query;
  Index queries;
  Index first_key;
  Index keys;
  Trace* trace = nullptr;
};

struct AttentionOptions {
  Index layer = 0;
  Index heads = 1;
  float scale = 1.0f;                  // multiplies the scores, 1 / sqrt(K) as a rule
  const Position* position = nullptr;  // null: no positions
  Mask mask;                           // of every sequence alike
  std::span<const float> gates;        // [H], multiplies each head's context; empty: all 1
};

/// Multi-head scaled dot-product attention of every sequence, without the projections.
/// query [queries, H K], key [keys, H K], value [keys, H V]: head h owns the columns from h K (h
/// V). concat (out) [queries, H V]: the gated contexts side by side. Scores are scale * Q K^T
/// (Vaswani et al. 2017, eq. 1); a query with no key to see has weights 0 and context 0. A rotary
/// position turns `query` and `key` in place. Kept in each sequence's trace, where reserved: query,
/// key, value, scores, attention, context.
void attend(Context& context, const AttentionOptions& options, std::span<const Sequence> sequences,
            MatrixView query, MatrixView key, ConstMatrixView value, MatrixView concat);

}  // namespace headscope
