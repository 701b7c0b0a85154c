#include "model/attention.h"

#include <catch_amalgamated.hpp>
#include <cmath>

#include "kernels/softmax.h"
#include "mask_fixture.h"
#include "model/multi_head_attention.h"

namespace headscope {
namespace {

using fixtures::check_output;
using fixtures::Json;
using fixtures::MaskFixture;

void reserve_heads(Trace& trace, Index heads, Index queries, Index keys, Index query_width, Index value_width) {
  trace.reserve(Capture::kQuery, 0, heads, queries, query_width);
  trace.reserve(Capture::kScores, 0, heads, queries, keys);
  trace.reserve(Capture::kAttention, 0, heads, queries, keys);
  trace.reserve(Capture::kContext, 0, heads, queries, value_width);
  trace.reserve(Capture::kConcat, 0, 0, queries, heads * value_width);
  trace.allocate();
}

void check_attention(const Json& fixture) {
  Matrix query = fixtures::matrix(fixture["in"]["Q"]), key = fixtures::matrix(fixture["in"]["K"]);
  const Matrix value = fixtures::matrix(fixture["in"]["V"]);
  const MaskFixture mask(fixture);
  Trace trace;
  reserve_heads(trace, 1, query.rows(), key.rows(), query.cols(), value.cols());
  AttentionOptions options;
  options.scale = 1.0f / std::sqrt(static_cast<float>(query.cols()));
  options.mask = mask.mask();
  Matrix output(query.rows(), value.cols());
  const Sequence sequence{0, query.rows(), 0, key.rows(), &trace};
  Context context(1);
  attend(context, options, {&sequence, 1}, view(query), view(key), view(value), view(output));

  check_output(fixture, "weights", read(trace.matrix(Capture::kAttention, 0)));
  if (fixture["out"].contains("scores")) check_output(fixture, "scores", read(trace.matrix(Capture::kScores, 0)));
  if (fixture["out"].contains("output")) check_output(fixture, "output", view(std::as_const(output)));
}

/// One sequence of a multi-head case; x and the mask are the sequence's own.
struct Heads {
  Matrix output;
  Trace trace;
};
Heads run_heads(const Json& fixture, const Matrix& x, const Mask& mask) {
  const Json& in = fixture["in"];
  const Index heads = fixture["attrs"]["h"].get<Index>();
  const Matrix wq = fixtures::matrix(in["Wq"]), wk = fixtures::matrix(in["Wk"]), wv = fixtures::matrix(in["Wv"]),
               wo = fixtures::matrix(in["Wo"]);
  const Matrix memory = in.contains("M") ? fixtures::matrix(in["M"]) : x;
  const auto bq = fixtures::vector_or_empty(in, "bq"), bk = fixtures::vector_or_empty(in, "bk"),
             bv = fixtures::vector_or_empty(in, "bv"), bo = fixtures::vector_or_empty(in, "bo"),
             gates = fixtures::vector_or_empty(in, "gate");
  const auto pointer = [](const std::vector<float>& bias) { return bias.empty() ? nullptr : bias.data(); };
  Heads result{Matrix(x.rows(), wo.cols()), {}};
  reserve_heads(result.trace, heads, x.rows(), memory.rows(), wq.cols() / heads, wv.cols() / heads);
  AttentionOptions options;
  options.heads = heads;
  options.scale = 1.0f / std::sqrt(static_cast<float>(wq.cols() / heads));
  options.mask = mask;
  options.gates = gates;
  Context context(1);
  multi_head_attention(context,
                       {view(x), view(memory), view(wq), view(wk), view(wv), view(wo), pointer(bq), pointer(bk),
                        pointer(bv), pointer(bo)},
                       options, result.trace, view(result.output));
  return result;
}

void check_heads(const Json& fixture, Heads& got) {
  for (Index head = 0; head < fixture["attrs"]["h"].get<Index>(); ++head) {
    check_output(fixture, "weights", read(got.trace.matrix(Capture::kAttention, 0, head)),
                 fixtures::slice(fixture["out"]["weights"], head));
    if (fixture["out"].contains("context")) {
      check_output(fixture, "context", read(got.trace.matrix(Capture::kContext, 0, head)),
                   fixtures::slice(fixture["out"]["context"], head));
    }
    if (fixture["out"].contains("gated_context")) {
      const Matrix expected = fixtures::slice(fixture["out"]["gated_context"], head);
      check_output(fixture, "gated_context",
                   cols_of(read(got.trace.matrix(Capture::kConcat, 0)), head * expected.cols(), expected.cols()),
                   expected);
    }
  }
  check_output(fixture, "output", view(std::as_const(got.output)));
}

}  // namespace

TEST_CASE("softmax rows agree with the reference, and a forbidden entry is exactly 0") {
  for (const Json& fixture : fixtures::cases("attention", "softmax-rows")) {
    Matrix rows = fixtures::matrix(fixture["in"]["X"]);
    std::vector<float> inverse(static_cast<std::size_t>(rows.rows()));
    exp_rows(view(rows), inverse);
    scale_rows(view(std::as_const(rows)), inverse, view(rows));
    check_output(fixture, "Y", view(std::as_const(rows)));
  }
}

TEST_CASE("one head under every mask agrees with the reference") {
  for (const Json& fixture : fixtures::cases("attention")) {
    if (fixture["in"].contains("Q")) check_attention(fixture);
  }
}

TEST_CASE("multi-head attention with masks, gates and memory agrees with the reference") {
  for (const Json& fixture : fixtures::cases("mha")) {
    if (fixture["attrs"].contains("B")) continue;
    const MaskFixture mask(fixture);
    Heads got = run_heads(fixture, fixtures::matrix(fixture["in"]["X"]), mask.mask());
    check_heads(fixture, got);
  }
}

TEST_CASE("a padded batch of multi-head attention agrees with the reference, sequence by sequence") {
  for (const Json& fixture : fixtures::cases("mha", "batch")) {
    const Index heads = fixture["attrs"]["h"].get<Index>(), tokens = fixture["attrs"]["n"].get<Index>();
    const std::vector<int> valid = fixtures::integers(fixture["in"]["key_valid"]);
    for (Index b = 0; b < fixture["attrs"]["B"].get<Index>(); ++b) {
      const std::vector<std::uint8_t> keys(valid.begin() + b * tokens, valid.begin() + (b + 1) * tokens);
      Heads got = run_heads(fixture, fixtures::slice(fixture["in"]["X"], b), Mask{.causal = false, .valid_keys = keys, .additive = {}});
      const Matrix weights = fixtures::slice(fixture["out"]["weights"], b);
      for (Index head = 0; head < heads; ++head) {
        check_output(fixture, "weights", read(got.trace.matrix(Capture::kAttention, 0, head)),
                     weights.middleRows(head * tokens, tokens));
      }
      check_output(fixture, "output", view(std::as_const(got.output)), fixtures::slice(fixture["out"]["output"], b));
    }
  }
}

TEST_CASE("a query that may see no key has weights 0 and context 0") {
  Matrix query = Matrix::Random(3, 4), key = Matrix::Random(5, 4), output(3, 2);
  const Matrix value = Matrix::Random(5, 2);
  const std::vector<std::uint8_t> none(5, 0);
  Trace trace;
  reserve_heads(trace, 1, 3, 5, 4, 2);
  AttentionOptions options;
  options.mask.valid_keys = none;
  const Sequence sequence{0, 3, 0, 5, &trace};
  Context context(1);
  attend(context, options, {&sequence, 1}, view(query), view(key), view(value), view(output));
  CHECK(trace.matrix(Capture::kAttention, 0).isZero(0));
  CHECK(output.isZero(0));
}

}  // namespace headscope
