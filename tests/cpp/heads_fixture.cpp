#include "heads_fixture.h"

#include <cmath>
#include <utility>

#include "model/multi_head_attention.h"

namespace headscope::fixtures {

void reserve_heads(Trace& trace, Index heads, Index queries, Index keys, Index query_width,
                   Index value_width) {
  trace.reserve(Capture::kQuery, 0, heads, queries, query_width);
  trace.reserve(Capture::kScores, 0, heads, queries, keys);
  trace.reserve(Capture::kAttention, 0, heads, queries, keys);
  trace.reserve(Capture::kContext, 0, heads, queries, value_width);
  trace.reserve(Capture::kConcat, 0, 0, queries, heads * value_width);
  trace.allocate();
}

Heads run_heads(const Json& fixture, const Matrix& x, AttentionOptions options) {
  const Json& in = fixture["in"];
  options.heads = fixture["attrs"]["h"].get<Index>();
  const Matrix wq = matrix(in["Wq"]), wk = matrix(in["Wk"]), wv = matrix(in["Wv"]),
               wo = matrix(in["Wo"]);
  const Matrix memory = in.contains("M") ? matrix(in["M"]) : x;
  const auto bq = vector_or_empty(in, "bq"), bk = vector_or_empty(in, "bk"),
             bv = vector_or_empty(in, "bv"), bo = vector_or_empty(in, "bo"),
             gates = vector_or_empty(in, "gate");
  const auto pointer = [](const std::vector<float>& bias) {
    return bias.empty() ? nullptr : bias.data();
  };
  const Index width = wq.cols() / options.heads;
  Heads result{Matrix(x.rows(), wo.cols()), {}};
  reserve_heads(result.trace, options.heads, x.rows(), memory.rows(), width,
                wv.cols() / options.heads);
  if (options.scale == 0) options.scale = 1.0f / std::sqrt(static_cast<float>(width));
  options.gates = gates;
  Context context(1);
  multi_head_attention(context,
                       {view(x), view(memory), view(wq), view(wk), view(wv), view(wo), pointer(bq),
                        pointer(bk), pointer(bv), pointer(bo)},
                       options, result.trace, view(result.output));
  return result;
}

void check_heads(const Json& fixture, Heads& got) {
  for (Index head = 0; head < fixture["attrs"]["h"].get<Index>(); ++head) {
    check_output(fixture, "weights", read(got.trace.matrix(Capture::kAttention, 0, head)),
                 slice(fixture["out"]["weights"], head));
    if (fixture["out"].contains("context")) {
      check_output(fixture, "context", read(got.trace.matrix(Capture::kContext, 0, head)),
                   slice(fixture["out"]["context"], head));
    }
    if (fixture["out"].contains("gated_context")) {
      const Matrix expected = slice(fixture["out"]["gated_context"], head);
      check_output(fixture, "gated_context",
                   cols_of(read(got.trace.matrix(Capture::kConcat, 0)), head * expected.cols(),
                           expected.cols()),
                   expected);
    }
  }
  check_output(fixture, "output", view(std::as_const(got.output)));
}

}  // namespace headscope::fixtures
