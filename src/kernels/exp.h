#pragma once

#include "kernels/simd.h"

namespace headscope {

/// e^x in each lane for x <= 0, to a relative error of 1.2e-7. Below -87.3, where e^x leaves the
/// normal floats, and for -infinity the result is exactly 0; a NaN stays NaN. x = k ln 2 + r with
/// |r| <= ln 2 / 2, and e^r = 1 + r + r^2 q(r) with the q that makes the largest relative error
/// least (3e-9).
inline F32x4 exp_nonpositive(F32x4 x) {
  // Adding 1.5 * 2^23 rounds to an integer k and leaves it in the low bits of the sum; 127 more
  // make them the exponent field of 2^k.
  const F32x4 rounding = splat(12582912.0f + 127.0f);
  const F32x4 shifted = madd(x, splat(1.44269504f), rounding);
  const F32x4 k = shifted - rounding;
  // ln 2 in two parts; the first has so few bits that its product with k is exact.
  F32x4 r = madd(k, splat(-0.693359375f), x);
  r = madd(k, splat(2.12194440e-4f), r);
  // Short chains of dependent operations: one after the other (Horner) they would take twice as
  // long.
  const F32x4 square = r * r;
  F32x4 high = madd(r, splat(0.00836874545f), splat(0.041668389f));
  high = madd(square, splat(0.00138145406f), high);
  const F32x4 low = madd(r, splat(0.166665211f), splat(0.49999994f));
  const F32x4 p = madd(square, madd(square, high, low), r + splat(1.0f));
  const U32x4 power = reinterpret_cast<U32x4>(shifted) << 23;
  // For arguments this small (and for infinity) the steps above give garbage, which ends here.
  return zero_where(x < splat(-87.3f), p * reinterpret_cast<F32x4>(power));
}

}  // namespace headscope
