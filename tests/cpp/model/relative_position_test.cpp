#include <algorithm>
#include <catch_amalgamated.hpp>
#include <cmath>

#include "heads_fixture.h"
#include "mask_fixture.h"
#include "model/alibi_position.h"
#include "model/shaw_position.h"
#include "model/t5_position.h"

namespace headscope {
namespace {

using fixtures::check_output;
using fixtures::Json;

Matrix matrix_or_empty(const Json& in, const std::string& name) {
  return in.contains(name) ? fixtures::matrix(in[name]) : Matrix();
}

/// The biases of all heads, [H T, T].
Matrix biases(const Position& position, Index heads, Index tokens, bool causal) {
  Matrix all = Matrix::Zero(heads * tokens, tokens);
  const Matrix query = Matrix::Zero(tokens, 0);
  for (Index head = 0; head < heads; ++head) {
    const MatrixView scores = rows_of(view(all), head * tokens, tokens);
    position.add_to_scores({{0, head}, 0, view(query), 1.0f}, scores);
    apply_mask({.causal = causal, .valid_keys = {}, .additive = {}}, head, 0, scores);
  }
  return all;
}

void check_with_position(const Json& fixture, const Position& position, float scale) {
  const fixtures::MaskFixture mask(fixture);
  AttentionOptions options;
  options.scale = scale;
  options.position = &position;
  options.mask = mask.mask();
  fixtures::Heads got = fixtures::run_heads(fixture, fixtures::matrix(fixture["in"]["X"]), options);
  fixtures::check_heads(fixture, got);
}

}  // namespace

TEST_CASE("Shaw's relative keys and values agree with the reference") {
  for (const Json& fixture : fixtures::cases("relative", "shaw-n")) {
    const Json& in = fixture["in"];
    Matrix query = fixtures::matrix(in["Q"]), key = fixtures::matrix(in["K"]);
    const Matrix value = fixtures::matrix(in["V"]), relative_key = fixtures::matrix(in["aK"]),
                 relative_value = matrix_or_empty(in, "aV");
    const ShawPosition position({{view(relative_key), view(relative_value)}});
    Trace trace;
    fixtures::reserve_heads(trace, 1, query.rows(), key.rows(), query.cols(), value.cols());
    AttentionOptions options;
    options.scale = 1.0f / std::sqrt(static_cast<float>(query.cols()));
    options.position = &position;
    Matrix output(query.rows(), value.cols());
    const Sequence sequence{0, query.rows(), 0, key.rows(), &trace};
    Context context(1);
    attend(context, options, {&sequence, 1}, view(query), view(key), view(value), view(output));
    check_output(fixture, "weights", read(trace.matrix(Capture::kAttention, 0)));
    check_output(fixture, "output", view(std::as_const(output)));
  }
}

TEST_CASE("multi-head attention with Shaw's tables agrees with the reference") {
  for (const Json& fixture : fixtures::cases("relative", "shaw-mha")) {
    const Matrix key = fixtures::matrix(fixture["in"]["aK"]),
                 value = fixtures::matrix(fixture["in"]["aV"]);
    check_with_position(fixture, ShawPosition({{view(key), view(value)}}), 0);
  }
}

TEST_CASE("T5 buckets are exact") {
  for (const Json& fixture : fixtures::cases("relative", "t5-buckets")) {
    const Json& attrs = fixture["attrs"];
    const std::vector<int> distances = fixtures::integers(fixture["in"]["distance"]);
    const std::vector<int> expected = fixtures::integers(fixture["out"]["bucket"]);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      INFO(distances[i]);
      CHECK(t5_bucket(distances[i], attrs["num_buckets"].get<Index>(),
                      attrs["max_distance"].get<Index>(),
                      !attrs["bidirectional"].get<bool>()) == expected[i]);
    }
  }
}

TEST_CASE("the T5 bias of a head is its table's entry for the bucket of the distance") {
  for (const Json& fixture : fixtures::cases("relative", "t5-bias")) {
    const Matrix table = fixtures::matrix(fixture["in"]["table"]);
    const std::vector<int> queries = fixtures::integers(fixture["in"]["q_pos"]),
                           keys = fixtures::integers(fixture["in"]["k_pos"]);
    const Index last = std::max(*std::max_element(queries.begin(), queries.end()),
                                *std::max_element(keys.begin(), keys.end()));
    PositionOptions options{.kind = PositionKind::kT5};
    options.buckets = table.rows();
    options.max_distance = fixture["attrs"]["max_distance"].get<Index>();
    T5Position position(options, view(table), false);
    position.prepare(last + 1);
    const Matrix all = biases(position, table.cols(), last + 1, false);
    for (Index head = 0; head < table.cols(); ++head) {
      const Matrix of_head = all.middleRows(head * (last + 1), last + 1);
      const Matrix picked = of_head(queries, keys);
      check_output(fixture, "bias", view(picked), fixtures::slice(fixture["out"]["bias"], head));
    }
  }
}

TEST_CASE("multi-head attention with a T5 bias, unscaled, agrees with the reference") {
  for (const Json& fixture : fixtures::cases("relative", "t5-mha")) {
    const Matrix table = fixtures::matrix(fixture["in"]["table"]);
    PositionOptions options{.kind = PositionKind::kT5};
    options.buckets = table.rows();
    options.max_distance = fixture["attrs"]["max_distance"].get<Index>();
    T5Position position(options, view(table), false);
    position.prepare(fixture["attrs"]["n"].get<Index>());
    check_with_position(fixture, position, 1.0f);
  }
}

TEST_CASE("ALiBi slopes and biases agree with the reference for any number of heads") {
  for (const Json& fixture : fixtures::cases("relative", "alibi-slopes")) {
    const std::vector<float> slopes = alibi_slopes(fixture["attrs"]["h"].get<Index>());
    check_output(fixture, "slopes", view(slopes.data(), 1, static_cast<Index>(slopes.size())));
  }
  for (const Json& fixture : fixtures::cases("relative", "alibi-bias")) {
    const Index heads = fixture["attrs"]["h"].get<Index>();
    const Matrix all = biases(AlibiPosition(heads), heads, fixture["attrs"]["n"].get<Index>(),
                              fixture["attrs"]["causal"].get<bool>());
    check_output(fixture, "bias", view(all));
  }
}

TEST_CASE("multi-head attention with ALiBi, symmetric and causal, agrees with the reference") {
  for (const Json& fixture : fixtures::cases("relative", "alibi-mha")) {
    check_with_position(fixture, AlibiPosition(fixture["attrs"]["h"].get<Index>()), 0);
  }
}

TEST_CASE("relative scores depend on offsets only") {
  // every query and key row alike: then a score is a function of its place alone
  constexpr Index kTokens = 60;
  const Matrix row = Matrix::Random(1, 6), relative = Matrix::Random(9, 6),
               table = Matrix::Random(32, 2);
  Matrix rows(kTokens, 6);
  rows.rowwise() = row.row(0);
  PositionOptions options{.kind = PositionKind::kT5};
  T5Position t5(options, view(table), false);
  t5.prepare(kTokens);
  const ShawPosition shaw({{view(relative), view(relative)}});
  const AlibiPosition alibi(2);
  for (const Position* position :
       {static_cast<const Position*>(&t5), static_cast<const Position*>(&shaw),
        static_cast<const Position*>(&alibi)}) {
    Matrix scores = Matrix::Zero(kTokens, kTokens);
    position->add_to_scores({{0, 1}, 0, view(std::as_const(rows)), 0.5f}, view(scores));
    for (Index i = 1; i < kTokens; ++i) {
      CHECK(scores.row(i).tail(kTokens - 1) == scores.row(i - 1).head(kTokens - 1));
    }
  }
}

}  // namespace headscope
