#pragma once

namespace headscope {

// In double, for tables that are computed once. The standard library's own serve every argument and
// rounding to the last bit, and with their tables they take a tenth of the module.

/// e^x, to 2e-15 of its value; 0 below -708 and infinity above 709, the ends of normal doubles.
double exponential(double x);

struct Turn {
  double sine;
  double cosine;
};
/// Sine and cosine of an angle in radians, to 2e-15 up to 1e8. Beyond, where the angle itself is
/// rounded to more than float32 shows, to the rounding of the angle; from 2^53 on, where
/// neighbouring doubles are radians apart, and of infinities those of 0.
Turn turn_of(double angle);

/// tanh, to 2e-15.
double hyperbolic_tangent(double x);

}  // namespace headscope
