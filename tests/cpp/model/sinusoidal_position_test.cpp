#include "model/sinusoidal_position.h"

#include <catch_amalgamated.hpp>
#include <cmath>

#include "fixtures.h"

namespace headscope {
namespace {

using fixtures::Json;

PositionOptions options_of(const Json& attrs) {
  PositionOptions options{.kind = PositionKind::kSinusoidal};
  options.base = attrs.value("base", 10000.0);
  if (attrs["layout"] == "concat_t2t") options.layout = PositionLayout::kConcatenated;
  return options;
}

}  // namespace

TEST_CASE("position codes agree with the reference in both layouts") {
  for (const std::string layout : {"interleaved", "concat-t2t"}) {
    for (const Json& fixture : fixtures::cases("positions", layout)) {
      const std::vector<int> positions = fixtures::integers(fixture["in"]["positions"]);
      Matrix table(static_cast<Index>(positions.size()), fixture["attrs"]["d"].get<Index>());
      for (std::size_t i = 0; i < positions.size(); ++i) {
        sinusoidal_table(options_of(fixture["attrs"]), positions[i],
                         rows_of(view(table), static_cast<Index>(i), 1));
      }
      fixtures::check_output(fixture, "PE", view(std::as_const(table)));
    }
  }
}

TEST_CASE("R_k takes every position to the one k further on") {
  for (const Json& fixture : fixtures::cases("positions", "rotation")) {
    const std::vector<int> offsets = fixtures::integers(fixture["in"]["k"]);
    const Index d = fixture["attrs"]["d"].get<Index>();
    const PositionOptions options = options_of(fixture["attrs"]);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      Matrix rotation(d, d), from(40, d), to(40, d);
      sinusoidal_rotation(options, offsets[i], view(rotation));
      fixtures::check_output(fixture, "R", view(std::as_const(rotation)),
                             fixtures::slice(fixture["out"]["R"], static_cast<Index>(i)));
      sinusoidal_table(options, 3, view(from));
      sinusoidal_table(options, 3 + offsets[i], view(to));
      CHECK((from * rotation.transpose() - to).cwiseAbs().maxCoeff() < 1e-6f);
    }
  }
}

TEST_CASE("the product of two codes depends on their distance only") {
  for (const Json& fixture : fixtures::cases("positions", "dot")) {
    const Index d = fixture["attrs"]["d"].get<Index>();
    const std::vector<int> pairs = fixtures::integers(fixture["in"]["pairs"]);
    Matrix dots(1, static_cast<Index>(pairs.size() / 2)), a(1, d), b(1, d);
    for (Index i = 0; i < dots.cols(); ++i) {
      sinusoidal_table(options_of(fixture["attrs"]), pairs[static_cast<std::size_t>(2 * i)],
                       view(a));
      sinusoidal_table(options_of(fixture["attrs"]), pairs[static_cast<std::size_t>(2 * i + 1)],
                       view(b));
      dots(0, i) = a.row(0).dot(b.row(0));
    }
    fixtures::check_output(fixture, "dot", view(std::as_const(dots)));
  }
}

TEST_CASE("every code is bounded by 1, and row 1 of width 4 is the article's") {
  Matrix table(2000, 64), four(2, 4);
  const PositionOptions options{.kind = PositionKind::kSinusoidal};
  sinusoidal_table(options, 0, view(table));
  CHECK(table.cwiseAbs().maxCoeff() <= 1.0f);
  sinusoidal_table(options, 0, view(four));
  Matrix expected(1, 4);
  expected << 0.8415f, 0.5403f, 0.0100f, 0.99995f;
  CHECK((four.row(1) - expected).cwiseAbs().maxCoeff() < 5e-5f);
}

}  // namespace headscope
