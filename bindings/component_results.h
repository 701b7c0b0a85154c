#pragma once

#include "bindings/marshal.h"
#include "model/config.h"
#include "model/trace.h"

/// How what a component's trace kept becomes its answer.
namespace headscope::marshal {

struct HeadShape {
  Index queries;
  Index keys;
  Index heads;
  Index key_width;
  Index value_width;
};

/// { output }, of a component with one result.
val only(const val& output);

/// Makes room for everything that multiHeadAttention answers with.
void reserve_heads(Trace& trace, const HeadShape& shape);
/// Sets scores, weights and context, a matrix per head, and query, key, value and concat, a matrix
/// each.
val heads_result(Trace& trace, Index heads, const Matrix& output);

/// Makes room for everything that encoderLayer answers with.
void reserve_layer(Trace& trace, const Config& config, Index tokens);
val layer_result(Trace& trace, const Config& config, const Matrix& output);

}  // namespace headscope::marshal
