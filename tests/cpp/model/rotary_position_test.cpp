#include "model/rotary_position.h"

#include <catch_amalgamated.hpp>

#include "heads_fixture.h"

namespace headscope {
namespace {

using fixtures::Json;

PositionOptions options_of(const Json& attrs) {
  PositionOptions options{.kind = PositionKind::kRotary};
  options.base = attrs["base"].get<double>();
  options.dims = attrs["rotary_dims"].get<Index>();
  options.offset = attrs.value("offset", 0);
  options.layout = attrs["layout"] == "half" ? PositionLayout::kHalf : PositionLayout::kInterleaved;
  return options;
}

Matrix turned(const PositionOptions& options, Matrix rows, double position) {
  const std::vector<double> positions(static_cast<std::size_t>(rows.rows()), position);
  rotate_rows(options, positions, view(rows));
  return rows;
}

}  // namespace

TEST_CASE("rotary rows agree with the reference in both layouts, partial and offset") {
  for (const std::string layout : {"interleaved", "half"}) {
    for (const Json& fixture : fixtures::cases("rotary", layout)) {
      Matrix x = fixtures::matrix(fixture["in"]["x"]);
      const std::vector<int> stored = fixtures::integers(fixture["in"]["positions"]);
      const std::vector<double> positions(stored.begin(), stored.end());
      rotate_rows(options_of(fixture["attrs"]), positions, view(x));
      fixtures::check_output(fixture, "y", view(std::as_const(x)));
    }
  }
}

TEST_CASE("rotary scores agree with the reference and depend only on the offset") {
  for (const Json& fixture : fixtures::cases("rotary", "scores")) {
    const PositionOptions options = options_of(fixture["attrs"]);
    const Matrix q = fixtures::matrix(fixture["in"]["q"]), k = fixtures::matrix(fixture["in"]["k"]);
    const std::vector<int> pairs = fixtures::integers(fixture["in"]["pairs"]);
    Matrix scores(1, static_cast<Index>(pairs.size() / 2));
    for (Index i = 0; i < scores.cols(); ++i) {
      const int m = pairs[static_cast<std::size_t>(2 * i)],
                n = pairs[static_cast<std::size_t>(2 * i + 1)];
      scores(0, i) = turned(options, q, m).row(0).dot(turned(options, k, n).row(0));
      const float moved = turned(options, q, m + 11).row(0).dot(turned(options, k, n + 11).row(0));
      // two rotations of float32 rows, each rounded
      CHECK(std::abs(moved - scores(0, i)) < 1e-5f);
    }
    fixtures::check_output(fixture, "score", view(std::as_const(scores)));
  }
}

TEST_CASE("multi-head attention with rotary positions agrees with the reference") {
  for (const Json& fixture : fixtures::cases("rotary", "mha")) {
    const Matrix x = fixtures::matrix(fixture["in"]["X"]);
    RotaryPosition position(options_of(fixture["attrs"]),
                            {x.cols() / fixture["attrs"]["h"].get<Index>()});
    position.prepare(x.rows());
    AttentionOptions options;
    options.scale = 0;
    options.position = &position;
    fixtures::Heads got = fixtures::run_heads(fixture, x, options);
    fixtures::check_heads(fixture, got);
  }
}

}  // namespace headscope
