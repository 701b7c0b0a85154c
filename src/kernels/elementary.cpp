#include "kernels/elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headscope {
namespace {

// ln 2 and pi / 2 in parts whose products with a whole number of 21 and 26 bits are exact.
constexpr double kLn2[] = {0x1.62e42fecp-1, 0x1.d1cf79abc9e3bp-32};
constexpr double kQuarterTurn[] = {0x1.921fb54p+0, 0x1.10b461p-30, 0x1.a62633145c06ep-58};
constexpr double kFullTurn = 6.283185307179586;
constexpr double kExactAngle = 1e8;
constexpr double kWholeTurns = 0x1p53;

/// 2^exponent of a normal number.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// 1 - z/(last (last-1)) (...): the Taylor series of cos for an even `last`, of sin(x)/x for an
/// odd one; z is x squared.
double alternating_series(double z, int last) {
  double sum = 1.0;
  for (int i = last; i > 1; i -= 2) sum = 1.0 - sum * z / (i * (i - 1));
  return sum;
}

}  // namespace

double exponential(double x) {
  if (std::isnan(x)) return x;
  if (x < -708.0) return 0.0;
  if (x > 709.0) return std::numeric_limits<double>::infinity();
  const double count = std::round(x * 1.4426950408889634);
  const double rest = (x - count * kLn2[0]) - count * kLn2[1];
  double sum = 1.0;
  for (int i = 14; i > 0; --i) sum = 1.0 + sum * rest / i;
  return sum * power_of_two(static_cast<int>(count));
}

Turn turn_of(double angle) {
  if (std::isnan(angle)) return {angle, angle};
  if (std::abs(angle) >= kWholeTurns) return {0.0, 1.0};
  if (std::abs(angle) > kExactAngle) angle -= kFullTurn * std::round(angle / kFullTurn);
  const double count = std::round(angle / kQuarterTurn[0]);
  double rest = angle;
  for (const double part : kQuarterTurn) rest -= count * part;
  const double z = rest * rest;
  const double sine = rest * alternating_series(z, 19), cosine = alternating_series(z, 18);
  switch (static_cast<std::int64_t>(count) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

double hyperbolic_tangent(double x) { return 1.0 - 2.0 / (exponential(2.0 * x) + 1.0); }

}  // namespace headscope
