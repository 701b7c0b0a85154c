#pragma once

#include "kernels/simd.h"

namespace headscope {

/// e^x in each lane for x <= 0, to a relative error of 2e-7. Below -87.3, where e^x leaves the normal
/// floats, and for -infinity the result is exactly 0; a NaN stays NaN.
/// x = k ln 2 + r with |r| <= ln 2 / 2; the polynomial in r is the one of Cephes' expf (Moshier).
inline F32x4 exp_nonpositive(F32x4 x) {
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits of the sum.
  const F32x4 rounding = splat(12582912.0f);
  const F32x4 shifted = madd(x, splat(1.44269504f), rounding);
  const F32x4 k = shifted - rounding;
  // ln 2 in two parts; the first has so few bits that its product with k is exact.
  F32x4 r = madd(k, splat(-0.693359375f), x);
  r = madd(k, splat(2.12194440e-4f), r);
  F32x4 p = splat(1.9875691500e-4f);
  p = madd(p, r, splat(1.3981999507e-3f));
  p = madd(p, r, splat(8.3334519073e-3f));
  p = madd(p, r, splat(4.1665795894e-2f));
  p = madd(p, r, splat(1.6666665459e-1f));
  p = madd(p, r, splat(5.0000001201e-1f));
  p = madd(p * r, r, r + splat(1.0f));
  const U32x4 power = (reinterpret_cast<U32x4>(shifted) + U32x4{127, 127, 127, 127}) << 23;
  // For arguments this small (and for infinity) the steps above give garbage, which ends here.
  return zero_where(x < splat(-87.3f), p * reinterpret_cast<F32x4>(power));
}

}  // namespace headscope
