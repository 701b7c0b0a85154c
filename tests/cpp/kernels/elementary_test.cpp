#include "kernels/elementary.h"

#include <catch_amalgamated.hpp>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace headscope {
namespace {

/// A few roundings of the double.
constexpr double kRounding = 2e-15;

/// Angles of both signs and of every size up to `largest`.
template <class Check>
void for_angles(double largest, const Check& check) {
  const UniformSequence numbers(11);
  for (std::uint32_t i = 0; i < 20000; ++i) {
    check(std::copysign(std::pow(largest, std::abs(numbers.at(2 * i))) - 1, numbers.at(2 * i + 1)));
  }
}

}  // namespace

TEST_CASE("sine and cosine are exact up to a hundred million radians") {
  for_angles(1e8, [](double angle) {
    const Turn turn = turn_of(angle);
    if (std::abs(turn.sine - std::sin(angle)) > kRounding) FAIL("sine of " << angle);
    if (std::abs(turn.cosine - std::cos(angle)) > kRounding) FAIL("cosine of " << angle);
  });
  CHECK(turn_of(0).sine == 0.0);
  CHECK(turn_of(0).cosine == 1.0);
}

TEST_CASE("sine and cosine of huge angles stay on the circle") {
  for_angles(1e300, [](double angle) {
    const Turn turn = turn_of(angle);
    if (std::abs(std::hypot(turn.sine, turn.cosine) - 1) > kRounding) FAIL("at " << angle);
  });
  // where float32 rounds angles a hundred times more coarsely than double does
  CHECK(std::abs(turn_of(1e10).sine - std::sin(1e10)) < 1e-6);
  CHECK(turn_of(std::numeric_limits<double>::infinity()).cosine == 1.0);
  CHECK(std::isnan(turn_of(std::nan("")).sine));
}

TEST_CASE("the exponential is exact where a double holds it") {
  const UniformSequence numbers(12);
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const double x = 700 * numbers.at(i), expected = std::exp(x);
    if (std::abs(exponential(x) - expected) > kRounding * expected) FAIL("at " << x);
  }
  CHECK(exponential(0) == 1.0);
  CHECK(exponential(-1e4) == 0.0);
  CHECK(std::isinf(exponential(1e4)));
  CHECK(std::isnan(exponential(std::nan(""))));
}

TEST_CASE("the hyperbolic tangent is exact, and one at both ends") {
  const UniformSequence numbers(13);
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const double x = 20 * numbers.at(i);
    if (std::abs(hyperbolic_tangent(x) - std::tanh(x)) > kRounding) FAIL("at " << x);
  }
  CHECK(hyperbolic_tangent(1e6) == 1.0);
  CHECK(hyperbolic_tangent(-1e6) == -1.0);
}

}  // namespace headscope
