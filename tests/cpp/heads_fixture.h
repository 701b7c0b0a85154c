#pragma once

#include "fixtures.h"
#include "model/attention.h"

namespace headscope::fixtures {

/// What multi-head attention gave for one sequence of a case.
struct Heads {
  Matrix output;
  Trace trace;
};

/// Makes room for query, scores, attention and context of each head, and for concat.
void reserve_heads(Trace& trace, Index heads, Index queries, Index keys, Index query_width,
                   Index value_width);

/// Runs a case with Wq .. bo (and M, gate where given) on x. heads and gates are the case's; scale
/// is 1 / sqrt(K) where the options leave it 0.
Heads run_heads(const Json& fixture, const Matrix& x, AttentionOptions options);

/// Checks weights, context, gated_context and output, as far as the case stores them.
void check_heads(const Json& fixture, Heads& got);

}  // namespace headscope::fixtures
