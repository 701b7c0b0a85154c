#pragma once

#include "kernels/simd.h"

namespace headscope {

/// e^x in each lane for x <= 0, to a relative error of 1.2e-7. Below -87.3, where e^x leaves the
/// normal floats, and for -infinity the result is exactly 0; a NaN stays NaN. x = k ln 2 + r with
/// |r| <= ln 2 / 2, and e^r = 1 + r + r^2 q(r) with the q that makes the largest relative error
/// least (3e-9).
class NonpositiveExp {
 public:
  F32x4 operator()(F32x4 x) const {
    // Adding 1.5 * 2^23 rounds to an integer k and leaves it in the low bits of the sum; 127 more
    // make them the exponent field of 2^k.
    const F32x4 shifted = madd(x, log2_e_, rounding_);
    const F32x4 k = shifted - rounding_;
    // ln 2 in two parts; the first has so few bits that its product with k is exact.
    F32x4 r = madd(k, ln2_high_, x);
    r = madd(k, ln2_low_, r);
    // Short chains of dependent operations: one after the other (Horner) they would take twice as
    // long.
    const F32x4 square = r * r;
    F32x4 high = madd(r, q3_, q2_);
    high = madd(square, q4_, high);
    const F32x4 low = madd(r, q1_, q0_);
    const F32x4 p = madd(square, madd(square, high, low), r + one_);
    const U32x4 power = reinterpret_cast<U32x4>(shifted) << 23;
    // For arguments this small (and for infinity) the steps above give garbage, which ends here.
    return zero_where(x < smallest_, p * reinterpret_cast<F32x4>(power));
  }

  F32x4 one() const { return one_; }

 private:
  struct Numbers {
    float rounding, log2_e, ln2_high, ln2_low, q0, q1, q2, q3, q4, one, smallest;
  };
  static constexpr Numbers kNumbers = {.rounding = 12582912.0f + 127.0f,
                                       .log2_e = 1.44269504f,
                                       .ln2_high = -0.693359375f,
                                       .ln2_low = 2.12194440e-4f,
                                       .q0 = 0.49999994f,
                                       .q1 = 0.166665211f,
                                       .q2 = 0.041668389f,
                                       .q3 = 0.00836874545f,
                                       .q4 = 0.00138145406f,
                                       .one = 1.0f,
                                       .smallest = -87.3f};
  const Numbers* numbers_ = kept(kNumbers);
  F32x4 rounding_ = load_splat(&numbers_->rounding), log2_e_ = load_splat(&numbers_->log2_e),
        ln2_high_ = load_splat(&numbers_->ln2_high), ln2_low_ = load_splat(&numbers_->ln2_low),
        q0_ = load_splat(&numbers_->q0), q1_ = load_splat(&numbers_->q1),
        q2_ = load_splat(&numbers_->q2), q3_ = load_splat(&numbers_->q3),
        q4_ = load_splat(&numbers_->q4), one_ = load_splat(&numbers_->one),
        smallest_ = load_splat(&numbers_->smallest);
};

}  // namespace headscope
