#include "kernels/activation.h"

#include "kernels/exp.h"
#include "kernels/simd.h"

namespace headscope {
namespace {

struct Relu {
  F32x4 operator()(F32x4 x) const { return max(x, splat(0.0f)); }
};

/// 1 / (1 + e^-x), through e^-|x| so that nothing overflows.
struct Sigmoid {
  F32x4 operator()(F32x4 x) const {
    const F32x4 e = exp(-abs(x));
    return select(x < splat(0.0f), e, exp.one()) / (exp.one() + e);
  }
  NonpositiveExp exp;
};

/// Where an activation of the form x s(x) has become 0: minus infinity times 0 would be NaN.
F32x4 bounded_below(F32x4 x) { return max(x, splat(-1e4f)); }

struct Silu {
  F32x4 operator()(F32x4 x) const { return bounded_below(x) * sigmoid(x); }
  Sigmoid sigmoid;
};

/// (1 + tanh u) / 2 is the logistic function of 2u.
struct GeluTanh {
  F32x4 operator()(F32x4 x) const {
    const float twice_root_two_over_pi = 1.5957691216f;
    const F32x4 cubic = madd(x * x, splat(0.044715f), sigmoid.exp.one());
    return bounded_below(x) * sigmoid(x * cubic * splat(twice_root_two_over_pi));
  }
  Sigmoid sigmoid;
};

/// erfc(x / sqrt 2) for x >= 0 as p(x)^-8, the form of Abramowitz & Stegun 7.1.27. The coefficients
/// make the largest error of gelu least (7e-8 before rounding). For large x the power is infinite
/// and the result 0; c7 < 0 must never meet an infinite power of x, which is why it stands beside
/// c6.
class ScaledErfc {
 public:
  F32x4 operator()(F32x4 x) const {
    const F32x4 square = x * x;
    F32x4 high = madd(x, c7_, c6_);
    high = madd(square, c8_, high);
    high = madd(square, high, madd(x, c5_, c4_));
    const F32x4 low = madd(square, madd(x, c3_, c2_), madd(x, c1_, one_));
    F32x4 p = madd(square * square, high, low);
    p = p * p;
    p = p * p;
    return one_ / (p * p);
  }

 private:
  struct Numbers {
    float one, c1, c2, c3, c4, c5, c6, c7, c8;
  };
  static constexpr Numbers kNumbers = {.one = 1.0f,
                                       .c1 = 0.0997344479f,
                                       .c2 = 0.0447747782f,
                                       .c3 = 0.00862865523f,
                                       .c4 = 9.32627125e-4f,
                                       .c5 = 1.45119833e-4f,
                                       .c6 = 8.45256582e-5f,
                                       .c7 = -1.41474438e-5f,
                                       .c8 = 2.72503894e-6f};
  const Numbers* numbers_ = kept(kNumbers);
  F32x4 one_ = load_splat(&numbers_->one), c1_ = load_splat(&numbers_->c1),
        c2_ = load_splat(&numbers_->c2), c3_ = load_splat(&numbers_->c3),
        c4_ = load_splat(&numbers_->c4), c5_ = load_splat(&numbers_->c5),
        c6_ = load_splat(&numbers_->c6), c7_ = load_splat(&numbers_->c7),
        c8_ = load_splat(&numbers_->c8);
};

/// x/2 (1 + erf(x / sqrt 2)) = max(x, 0) - |x|/2 erfc(|x| / sqrt 2): what erfc lacks in absolute
/// size in the tails, it lacks in error too, where 1 + erf would cancel.
class Gelu {
 public:
  F32x4 operator()(F32x4 x) const {
    const F32x4 magnitude = abs(x), size = select(magnitude < limit_, magnitude, limit_);
    return madd(minus_half_ * size, erfc_(size), Relu()(x));
  }

 private:
  // from 1e4 on erfc is 0; an infinity times it would be NaN
  struct Numbers {
    float limit, minus_half;
  };
  static constexpr Numbers kNumbers = {.limit = 1e4f, .minus_half = -0.5f};
  const Numbers* numbers_ = kept(kNumbers);
  F32x4 limit_ = load_splat(&numbers_->limit), minus_half_ = load_splat(&numbers_->minus_half);
  ScaledErfc erfc_;
};

template <class Function>
void apply(const Function& function, float* x, Index count) {
  HEADSCOPE_KEEP_LOOP
  for (Index i = 0; i < count; i += kLanes) store(x + i, function(load(x + i)));
}

/// Activates `count` elements, a multiple of four.
__attribute__((noinline)) void activate_whole(Activation activation, float* x, Index count) {
  switch (activation) {
    case Activation::kIdentity:
      return;
    case Activation::kRelu:
      return apply(Relu(), x, count);
    case Activation::kGelu:
      return apply(Gelu(), x, count);
    case Activation::kGeluTanh:
      return apply(GeluTanh(), x, count);
    case Activation::kSilu:
      return apply(Silu(), x, count);
    case Activation::kSigmoid:
      return apply(Sigmoid(), x, count);
  }
}

}  // namespace

void activate(Activation activation, VectorView x) {
  const Index count = static_cast<Index>(x.size()), rest = count % kLanes;
  activate_whole(activation, x.data(), count - rest);
  if (rest == 0) return;
  // The same code does the rest, beside it: a second copy of every function would double the size.
  float lanes[kLanes];
  float* last = x.data() + (count - rest);
  store(lanes, load_partial(last, rest, 0.0f));
  activate_whole(activation, lanes, kLanes);
  store_partial(last, load(lanes), rest);
}

}  // namespace headscope
