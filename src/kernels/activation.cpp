#include "kernels/activation.h"

#include "kernels/exp.h"
#include "kernels/simd.h"

namespace headscope {
namespace {

F32x4 relu(F32x4 x) { return max(x, splat(0.0f)); }

/// 1 / (1 + e^-x), through e^-|x| so that nothing overflows.
F32x4 sigmoid(F32x4 x) {
  const F32x4 e = exp_nonpositive(-abs(x));
  return select(x < splat(0.0f), e, splat(1.0f)) / (splat(1.0f) + e);
}

/// Where an activation of the form x s(x) has become 0: minus infinity times 0 would be NaN.
F32x4 bounded_below(F32x4 x) { return max(x, splat(-1e4f)); }

F32x4 silu(F32x4 x) { return bounded_below(x) * sigmoid(x); }

/// (1 + tanh u) / 2 is the logistic function of 2u.
F32x4 gelu_tanh(F32x4 x) {
  const float twice_root_two_over_pi = 1.5957691216f;
  const F32x4 cubic = madd(x * x, splat(0.044715f), splat(1.0f));
  return bounded_below(x) * sigmoid(x * cubic * splat(twice_root_two_over_pi));
}

/// erfc(x / sqrt 2) for x >= 0 as p(x)^-8, the form of Abramowitz & Stegun 7.1.27. The coefficients
/// make the largest error of gelu least (7e-8 before rounding). For large x the power is infinite
/// and the result 0; c7 < 0 must never meet an infinite power of x, which is why it stands beside
/// c6.
F32x4 scaled_erfc(F32x4 x) {
  const F32x4 square = x * x;
  F32x4 high = madd(x, splat(-1.41474438e-5f), splat(8.45256582e-5f));
  high = madd(square, splat(2.72503894e-6f), high);
  high = madd(square, high, madd(x, splat(1.45119833e-4f), splat(9.32627125e-4f)));
  const F32x4 low = madd(square, madd(x, splat(0.00862865523f), splat(0.0447747782f)),
                         madd(x, splat(0.0997344479f), splat(1.0f)));
  F32x4 p = madd(square * square, high, low);
  p = p * p;
  p = p * p;
  return splat(1.0f) / (p * p);
}

/// x/2 (1 + erf(x / sqrt 2)) = max(x, 0) - |x|/2 erfc(|x| / sqrt 2): what erfc lacks in absolute
/// size in the tails, it lacks in error too, where 1 + erf would cancel.
F32x4 gelu(F32x4 x) {
  // from 1e4 on erfc is 0; an infinity times it would be NaN
  const F32x4 limit = splat(1e4f), magnitude = abs(x);
  const F32x4 size = select(magnitude < limit, magnitude, limit);
  return madd(splat(-0.5f) * size, scaled_erfc(size), relu(x));
}

template <class Function>
void apply(Function function, float* x, Index count) {
  HEADSCOPE_KEEP_LOOP
  for (Index i = 0; i < count; i += kLanes) store(x + i, function(load(x + i)));
}

/// Activates `count` elements, a multiple of four.
__attribute__((noinline)) void activate_whole(Activation activation, float* x, Index count) {
  switch (activation) {
    case Activation::kIdentity:
      return;
    case Activation::kRelu:
      return apply([](F32x4 v) { return relu(v); }, x, count);
    case Activation::kGelu:
      return apply([](F32x4 v) { return gelu(v); }, x, count);
    case Activation::kGeluTanh:
      return apply([](F32x4 v) { return gelu_tanh(v); }, x, count);
    case Activation::kSilu:
      return apply([](F32x4 v) { return silu(v); }, x, count);
    case Activation::kSigmoid:
      return apply([](F32x4 v) { return sigmoid(v); }, x, count);
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
