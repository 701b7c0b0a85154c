#include "model/attention.h"

#include <catch_amalgamated.hpp>
#include <cmath>

#include "heads_fixture.h"
#include "kernels/softmax.h"
#include "mask_fixture.h"

namespace headscope {
namespace {

using fixtures::check_heads;
using fixtures::check_output;
using fixtures::Heads;
using fixtures::Json;
using fixtures::MaskFixture;
using fixtures::reserve_heads;
using fixtures::run_heads;

AttentionOptions masked(const Mask& mask) {
  AttentionOptions options;
  options.scale = 0;
  options.mask = mask;
  return options;
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
  if (fixture["out"].contains("scores"))
    check_output(fixture, "scores", read(trace.matrix(Capture::kScores, 0)));
  if (fixture["out"].contains("output"))
    check_output(fixture, "output", view(std::as_const(output)));
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
    Heads got = run_heads(fixture, fixtures::matrix(fixture["in"]["X"]), masked(mask.mask()));
    check_heads(fixture, got);
  }
}

TEST_CASE(
    "a padded batch of multi-head attention agrees with the reference, sequence by sequence") {
  for (const Json& fixture : fixtures::cases("mha", "batch")) {
    const Index heads = fixture["attrs"]["h"].get<Index>(),
                tokens = fixture["attrs"]["n"].get<Index>();
    const std::vector<int> valid = fixtures::integers(fixture["in"]["key_valid"]);
    for (Index b = 0; b < fixture["attrs"]["B"].get<Index>(); ++b) {
      const std::vector<std::uint8_t> keys(valid.begin() + b * tokens,
                                           valid.begin() + (b + 1) * tokens);
      Heads got = run_heads(fixture, fixtures::slice(fixture["in"]["X"], b),
                            masked({.causal = false, .valid_keys = keys, .additive = {}}));
      const Matrix weights = fixtures::slice(fixture["out"]["weights"], b);
      for (Index head = 0; head < heads; ++head) {
        check_output(fixture, "weights", read(got.trace.matrix(Capture::kAttention, 0, head)),
                     weights.middleRows(head * tokens, tokens));
      }
      check_output(fixture, "output", view(std::as_const(got.output)),
                   fixtures::slice(fixture["out"]["output"], b));
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
