#include "bindings/component_results.h"

#include <utility>

namespace headscope::marshal {
namespace {

/// The heads of one capture as an array of matrices.
val per_head(Trace& trace, Capture capture, Index heads) {
  const val list = val::array();
  for (Index head = 0; head < heads; ++head)
    push(list, copy_out(Matrix(trace.matrix(capture, 0, head))));
  return list;
}

/// The heads of one capture side by side, [T, H K].
val side_by_side(Trace& trace, Capture capture, Index heads) {
  const MatrixView first = trace.matrix(capture, 0);
  Matrix all(first.rows(), heads * first.cols());
  for (Index head = 0; head < heads; ++head) {
    all.middleCols(head * first.cols(), first.cols()) = trace.matrix(capture, 0, head);
  }
  return copy_out(all);
}

constexpr std::pair<const char*, Capture> kLayerMatrices[] = {
    {"normed1", Capture::kNormed1},
    {"attention_output", Capture::kAttentionOutput},
    {"after_attention", Capture::kAfterAttention},
    {"normed2", Capture::kNormed2},
    {"hidden", Capture::kFeedForwardHidden},
    {"feed_forward", Capture::kFeedForward},
};

}  // namespace

val only(const val& output) {
  const val result = val::object();
  set(result, "output", output);
  return result;
}

void reserve_heads(Trace& trace, const HeadShape& shape) {
  trace.reserve(Capture::kQuery, 0, shape.heads, shape.queries, shape.key_width);
  trace.reserve(Capture::kKey, 0, shape.heads, shape.keys, shape.key_width);
  trace.reserve(Capture::kValue, 0, shape.heads, shape.keys, shape.value_width);
  trace.reserve(Capture::kScores, 0, shape.heads, shape.queries, shape.keys);
  trace.reserve(Capture::kAttention, 0, shape.heads, shape.queries, shape.keys);
  trace.reserve(Capture::kContext, 0, shape.heads, shape.queries, shape.value_width);
  trace.reserve(Capture::kConcat, 0, 0, shape.queries, shape.heads * shape.value_width);
  trace.allocate();
}

val heads_result(Trace& trace, Index heads, const Matrix& output) {
  const val result = only(copy_out(output));
  set(result, "query", side_by_side(trace, Capture::kQuery, heads));
  set(result, "key", side_by_side(trace, Capture::kKey, heads));
  set(result, "value", side_by_side(trace, Capture::kValue, heads));
  set(result, "concat", copy_out(Matrix(trace.matrix(Capture::kConcat, 0))));
  set(result, "scores", per_head(trace, Capture::kScores, heads));
  set(result, "weights", per_head(trace, Capture::kAttention, heads));
  set(result, "context", per_head(trace, Capture::kContext, heads));
  return result;
}

void reserve_layer(Trace& trace, const Config& config, Index tokens) {
  trace.reserve(Capture::kAttention, 0, config.n_heads, tokens, tokens);
  trace.reserve(Capture::kContext, 0, config.n_heads, tokens, config.head_width(0));
  for (const auto& [name, capture] : kLayerMatrices) {
    const bool pre_only = capture == Capture::kNormed1 || capture == Capture::kNormed2;
    if (pre_only && config.norm != NormPlacement::kPre) continue;
    trace.reserve(capture, 0, 0, tokens,
                  capture == Capture::kFeedForwardHidden ? config.d_ff : config.d_model);
  }
  trace.allocate();
}

val layer_result(Trace& trace, const Config& config, const Matrix& output) {
  const val result = only(copy_out(output));
  for (const auto& [name, capture] : kLayerMatrices) {
    if (trace.has(capture, 0)) set(result, name, copy_out(Matrix(trace.matrix(capture, 0))));
  }
  set(result, "weights", per_head(trace, Capture::kAttention, config.n_heads));
  set(result, "context", per_head(trace, Capture::kContext, config.n_heads));
  return result;
}

}  // namespace headscope::marshal
